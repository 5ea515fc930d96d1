package zone

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [data

// Lookup asks for a record, whoever manages it.
type Lookup struct {
	// Name is the part of the name before the zone's own.
	Name string
	// Type is the kind of the record.
	Type string
}

// LookupResult is the answer.
type LookupResult struct {
	// Values are what the name stands for.
	Values []string `tf:",set"`
	// TTL is how long the answer may be remembered.
	TTL runtime.Duration
}

// Defaults makes type optional.
func (l *Lookup) Defaults() { l.Type = "A" }

// Read finds the record.
func (l *Lookup) Read(_ context.Context, z *Zone) (*LookupResult, error) {
	var r RecordOutput
	if err := z.get(records, key(l.Name, l.Type), &r); err != nil {
		return nil, err
	}
	return &LookupResult{r.Values, r.TTL}, nil
}

// data]

// [meta

// Module is the provider_meta block of a module.
type Module struct {
	// Name is the module's name.
	Name string
}

// meta]
