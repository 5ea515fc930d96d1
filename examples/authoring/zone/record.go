package zone

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [struct

// Record is a record of the zone.
type Record struct {
	// Name is the host name, relative to the zone.
	Name string
	// Type is the type of the record.
	Type string
	// Values are the data of the record, unordered.
	Values []string `tf:",optional,set"`
	// Alias is the name that the record is an alias of.
	Alias *Host
	// TTL is the time to live.
	TTL runtime.Duration
	// Priority of a mail server; the lowest is used first.
	Priority *int64
	// Note is a comment in the zone.
	Note *string
	// Timeouts of the operations.
	Timeouts *runtime.Timeouts
}

// RecordOutput is an existing record.
type RecordOutput struct {
	Name     string
	Type     string
	Values   []string `tf:",set"`
	Alias    *Host
	TTL      runtime.Duration
	Priority *int64
	Note     *string

	// FQDN is the fully qualified name.
	FQDN string
	// Revision is the number of times that the record was written.
	Revision int64
	// Queries is the number of times that the record was queried.
	Queries int64 `tf:",volatile"`
}

// struct]

const records = "records"

func key(name, recordType string) string { return name + "." + recordType }

// SchemaVersion returns the version of the stored state.
func (*Record) SchemaVersion() int { return 2 }

// ReplaceFields returns the inputs whose change forces a new record.
func (*Record) ReplaceFields() []string { return []string{"name", "type"} }

// [create

// Create creates the record, which must not exist.
func (r *Record) Create(ctx context.Context, z *Zone) (*RecordOutput, error) {
	var old RecordOutput
	switch err := z.get(records, key(r.Name, r.Type), &old); {
	case err == nil:
		return nil, fmt.Errorf("a record of type %s already exists; import it with the ID %s/%s", r.Type, r.Name, r.Type)
	case !errors.Is(err, runtime.ErrNotFound):
		return nil, err
	}
	return r.write(ctx, z, &RecordOutput{FQDN: r.Name + "." + z.origin})
}

// create]

// Read reads the record.
func (*Record) Read(_ context.Context, z *Zone, prior *RecordOutput) (*RecordOutput, error) {
	var out RecordOutput
	if err := z.get(records, key(prior.Name, prior.Type), &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// Update replaces the content of the record.
func (r *Record) Update(ctx context.Context, z *Zone, prior runtime.Prior[Record, *RecordOutput]) (*RecordOutput, error) {
	return r.write(ctx, z, prior.Observed)
}

func (r *Record) write(ctx context.Context, z *Zone, old *RecordOutput) (*RecordOutput, error) {
	out := &RecordOutput{
		r.Name, r.Type, r.Values, r.Alias, r.TTL, r.Priority, r.Note,
		old.FQDN, old.Revision + 1, old.Queries,
	}
	if module, ok := runtime.Meta[Module](ctx); ok {
		runtime.Private(ctx).Set("module", []byte(module.Name))
	}
	return out, z.put(records, key(r.Name, r.Type), out)
}

// Delete removes the record.
func (*Record) Delete(_ context.Context, z *Zone, prior *RecordOutput) error {
	return z.remove(records, key(prior.Name, prior.Type))
}
