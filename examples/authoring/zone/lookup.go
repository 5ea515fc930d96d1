package zone

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [data

// Lookup reads a record.
type Lookup struct {
	// Name is the host name, relative to the zone.
	Name string
	// Type is the type of the record.
	Type string
}

// LookupResult is the record.
type LookupResult struct {
	// Values are the data of the record.
	Values []string `tf:",set"`
	// TTL is the time to live.
	TTL runtime.Duration
}

// Defaults makes type optional.
func (l *Lookup) Defaults() { l.Type = "A" }

// Read reads the record.
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
	// Name is the name of the module.
	Name string
}

// meta]
