package zone

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// [defaults

// Defaults makes type and ttl optional.
func (r *Record) Defaults() {
	r.Type = "A"
	r.TTL = runtime.Duration(5 * time.Minute)
}

// defaults]

// [constraints

// Constraints returns the rules that need only the configuration.
func (*Record) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Pattern("name", "^[a-z0-9-]+$", "lower-case letters, digits and dashes"),
		runtime.OneOf("type", "A", "AAAA", "MX"),
		runtime.Range("priority", 0, 65535),
		runtime.Length("values", 1, 8),
		runtime.Each(runtime.Length("values", 1, 255)),
		runtime.ExactlyOneOf("values", "alias"),
		runtime.RequiredWhen("priority", "type", "MX"),
		runtime.ForbiddenWhen("priority", "alias"),
		runtime.Check("ttl", "must be whole seconds", wholeSeconds),
	}
}

func wholeSeconds(ttl runtime.Duration) error {
	if time.Duration(ttl)%time.Second != 0 {
		return errors.New("must be a whole number of seconds")
	}
	return nil
}

// constraints]

// [validate

// ValidateInputs checks rules that constraints cannot express.
func (r *Record) ValidateInputs(ctx context.Context, _ *Zone) error {
	var errs []error
	for _, v := range r.Values {
		address, err := netip.ParseAddr(v)
		switch {
		case r.Type == "MX": // names, not addresses
		case err != nil:
			errs = append(errs, diag.AttributeErrorf("values", "%q is not an IP address", v))
		case address.Is4() != (r.Type == "A"):
			errs = append(errs, diag.AttributeErrorf("values", "%q is not valid in a record of type %s", v, r.Type))
		}
	}
	if time.Duration(r.TTL) < time.Minute {
		runtime.Warn(ctx, "ttl", "Short time to live", "Clients will query this record every few seconds.")
	}
	return errors.Join(errs...)
}

// validate]

// [semantic

// Host is a host name. Its case and a final dot are ignored.
type Host string

// SemanticEquals reports whether h and other are the same host.
func (h Host) SemanticEquals(other Host) bool {
	return strings.EqualFold(strings.TrimSuffix(string(h), "."), strings.TrimSuffix(string(other), "."))
}

// semantic]

// [equivalent

// EquivalentInput reports whether the prior and the current note differ only in surrounding white space.
func (*Record) EquivalentInput(field string, prior, current Record) bool {
	return field == "note" && prior.Note != nil && current.Note != nil &&
		strings.TrimSpace(*prior.Note) == strings.TrimSpace(*current.Note)
}

// equivalent]

// [plan

// ReplaceOn reports whether a change needs a new record: an update cannot turn an alias into a
// record with values, or the reverse. An unknown alias is nil here: it may become null.
func (*Record) ReplaceOn(field string, prior, current Record) bool {
	return field == "alias" && (prior.Alias == nil || current.Alias == nil)
}

// ModifyResourcePlan plans the outputs of an update.
func (*Record) ModifyResourcePlan(req runtime.ResourcePlanRequest[Record, *RecordOutput, *Zone], resp *runtime.ResourcePlanResponse) error {
	if runtime.Changed(req.PriorInputs, req.CurrentInputs) {
		resp.MarkOutputUnknown("revision")
	}
	return nil
}

// plan]

// [outputs

// PlanOutputs plans the fully qualified name, which is known before the apply.
func (r *Record) PlanOutputs(_ context.Context, z *Zone, plan *runtime.OutputPlan) error {
	plan.Set("fqdn", r.Name+"."+z.origin)
	return nil
}

// outputs]

// [identity

// RecordID is the identity of a record.
type RecordID struct {
	// Name is the host name, relative to the zone.
	Name string
	// Type is the type of the record.
	Type string
}

// Identity returns the identity of a record.
func (*Record) Identity(_ *Zone, out *RecordOutput) RecordID {
	return RecordID{out.Name, out.Type}
}

// ParseImportID parses NAME/TYPE.
func (*Record) ParseImportID(id string) (RecordID, error) {
	name, recordType, ok := strings.Cut(id, "/")
	if !ok {
		return RecordID{}, errors.New("write the ID as NAME/TYPE, such as www/A")
	}
	return RecordID{name, recordType}, nil
}

// identity]

// [migrations

// Migrations returns the migrations from two older versions: in version 0 the time to live
// was a number of seconds, and in version 1 the note was named comment.
func (*Record) Migrations() []runtime.Migration {
	type seconds struct{ TTLSeconds int64 }
	type text struct{ TTL runtime.Duration }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, old seconds) (text, error) {
			return text{runtime.Duration(time.Duration(old.TTLSeconds) * time.Second)}, nil
		}),
		runtime.Rename(1, "comment", "note"),
	}
}

// migrations]

// [moves

// Moves returns the move from the entries of a provider for hosts files.
func (*Record) Moves() []runtime.Move {
	type entry struct{ Host, Address string }
	return []runtime.Move{
		runtime.MoveFrom("example/hosts", "hosts_entry", func(_ context.Context, e entry) (Record, *RecordOutput, error) {
			in := Record{Name: e.Host, Type: "A", Values: []string{e.Address}, TTL: runtime.Duration(5 * time.Minute)}
			return in, &RecordOutput{Name: in.Name, Type: in.Type, Values: in.Values, TTL: in.TTL}, nil
		}),
	}
}

// moves]

// [limits

// OperationTimeouts returns the default timeouts.
func (*Record) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: time.Minute, Update: time.Minute, Delete: time.Minute}
}

// Locks returns a common name, so that one operation at a time writes the zone.
func (*Record) Locks(z *Zone) []string { return []string{"zone " + z.origin} }

// limits]
