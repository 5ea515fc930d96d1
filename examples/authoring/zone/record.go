package zone

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [struct

// Record is a record of the zone: what a name stands for.
type Record struct {
	// Name is the part of the name before the zone's own.
	Name string
	// Type is the kind of the record.
	Type string
	// Values are what the name stands for, in no order.
	Values []string `tf:",optional,set"`
	// Alias is another name that the name stands for.
	Alias *Host
	// TTL is how long others may remember the record.
	TTL runtime.Duration
	// Priority decides between several mail servers; the lowest is asked first.
	Priority *int64
	// Note is for whoever reads the zone.
	Note *string
	// Timeouts bound how long operations may take.
	Timeouts *runtime.Timeouts
}

// RecordOutput is a record that exists.
type RecordOutput struct {
	Name     string
	Type     string
	Values   []string `tf:",set"`
	Alias    *Host
	TTL      runtime.Duration
	Priority *int64
	Note     *string

	// FQDN is the full name.
	FQDN string
	// Revision counts how often the record was written.
	Revision int64
	// Queries counts how often the record was asked for.
	Queries int64 `tf:",volatile"`
}

// struct]

const records = "records"

func key(name, recordType string) string { return name + "." + recordType }

// SchemaVersion counts the changes of what is stored.
func (*Record) SchemaVersion() int { return 2 }

// ReplaceFields says that another name or type is another record.
func (*Record) ReplaceFields() []string { return []string{"name", "type"} }

// [create

// Create makes the record, unless there is one.
func (r *Record) Create(ctx context.Context, z *Zone) (*RecordOutput, error) {
	var old RecordOutput
	switch err := z.get(records, key(r.Name, r.Type), &old); {
	case err == nil:
		return nil, fmt.Errorf("there is a record of type %s already; import it with the id %s/%s", r.Type, r.Name, r.Type)
	case !errors.Is(err, runtime.ErrNotFound):
		return nil, err
	}
	return r.write(ctx, z, &RecordOutput{FQDN: r.Name + "." + z.origin})
}

// create]

// Read finds the record.
func (*Record) Read(_ context.Context, z *Zone, prior *RecordOutput) (*RecordOutput, error) {
	var out RecordOutput
	if err := z.get(records, key(prior.Name, prior.Type), &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// Update writes the record over.
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
