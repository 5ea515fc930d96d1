package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// NoConfig is the Config of types that need no configuration of the provider,
// and of providers without one.
type NoConfig struct{}

// TypedResource is implemented by every managed resource. The fields of the receiver
// are the inputs of the object: the planned ones in Create and Update, those in the
// state in Read and Delete.
//
// The receiver and the outputs may share slices and maps; a method must make new
// ones instead of changing them.
//
// Out is a pointer to a struct. A non-nil Out that Create or Update returns with an error
// is stored: a created object is then tainted, and an updated object has these outputs, so
// that nothing that was done is lost.
type TypedResource[In, Out, Config any] interface {
	Create(ctx context.Context, cfg Config) (Out, error)
	// Read returns the current object, or [ErrNotFound].
	Read(ctx context.Context, cfg Config, prior Out) (Out, error)
	Update(ctx context.Context, cfg Config, prior Prior[In, Out]) (Out, error)
	// Delete deletes the object; if it is already absent, Delete returns nil or [ErrNotFound].
	Delete(ctx context.Context, cfg Config, prior Out) error
}

// Prior is the known state of an object before an update.
type Prior[In, Out any] struct {
	// Inputs are those of the last apply, updated by the last read.
	Inputs In
	// Outputs are those of the last apply.
	Outputs Out
	// Observed are the outputs that were read for the plan of the update. They differ
	// from Outputs if the object has drifted.
	Observed Out
}

// resourcePtr lets MakeResource construct receivers without reflection.
type resourcePtr[In, Out, Config any] interface {
	*In
	TypedResource[In, Out, Config]
}

// ResourceRegistration registers a resource type in a [Definition]. The zero
// value is not usable.
type ResourceRegistration struct{ registration[managed] }

// MakeResource registers the resource type with the inputs In, a struct with the
// methods of [TypedResource] on its pointer. [New] returns an error for an invalid
// type.
func MakeResource[In, Out, Config any, P resourcePtr[In, Out, Config]]() ResourceRegistration {
	return MakeResourceWith[In, Out, Config](func() P { return new(In) })
}

// MakeResourceWith is [MakeResource] with a constructor, for receivers with more
// than inputs (unexported fields or fields tagged `tf:"-"`). The constructor is called for each receiver,
// possibly concurrently; the inputs are then decoded into its result.
func MakeResourceWith[In, Out, Config any, P resourcePtr[In, Out, Config]](construct func() P) ResourceRegistration {
	return ResourceRegistration{lazily(func() (*managed, error) { return newManaged(newOps[In, Out, Config](construct)) })}
}

// managed is a registered resource type: everything that its RPCs need, computed
// once. It is immutable after [New] and shared by all calls.
type managed struct {
	*ops
	*form

	typeName    string // set by New
	version     int64
	outputCodec *lazyCodec // of an object with only the outputs

	identity   *identityPlan // nil if the type has none
	migrations migrations
	moves      []Move
}

func newManaged(o *ops) (*managed, error) {
	if err := o.checkTypes(); err != nil {
		return nil, err
	}
	methods := checkManagedMethods(o)
	f, err := newForm(formSpec{in: o.inType, out: o.outType, fresh: o.fresh, reserved: reservedNames, stored: true, timeouts: timeoutsType})
	m := &managed{ops: o, form: f}
	if err := errors.Join(methods, err, m.readMethods(o.newReceiver())); err != nil {
		return m, err
	}
	m.outputCodec = &m.codec
	if len(m.outs) < len(m.attrs) || m.ctyType.HasDynamicTypes() {
		// Repeated blocks with dynamic parts have a different type in the schema.
		outs := make([]*field, len(m.outs))
		for i, a := range m.outs {
			outs[i] = a.out
		}
		m.outputCodec = &lazyCodec{ty: objectType(outs)}
	}
	return m, nil
}

func (m *managed) named(typeName string) reflect.Type {
	m.typeName = typeName
	return m.configType
}

// readMethods calls the methods whose results never change.
func (m *managed) readMethods(probe receiver) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	pointer := probe.resource.pointer()
	if v, ok := pointer.(SchemaVersioner); ok {
		m.version = int64(v.SchemaVersion())
	}
	if m.version < 0 {
		fail("SchemaVersion: the version must not be negative, got %d", m.version)
	}
	if r, ok := pointer.(ReplaceDeclarer); ok {
		for _, path := range r.ReplaceFields() {
			if err := m.declareReplace(path); err != nil {
				errs = append(errs, fmt.Errorf("ReplaceFields: %w", err))
			}
		}
	}
	if a := m.timeouts.attr; a != nil && (a.in.replace || a.node.anyField(replaces)) {
		fail("ReplaceFields: the timeouts cannot require a new object")
	}
	if mig, ok := pointer.(Migrator); ok {
		var err error
		if m.migrations, err = collectMigrations(mig.Migrations(), m.version); err != nil {
			fail("Migrations: %w", err)
		}
	}
	if mv, ok := pointer.(Mover); ok {
		m.moves = mv.Moves()
		for _, move := range m.moves {
			if err := move.check(m.inType, m.outType); err != nil {
				fail("Moves: %w", err)
			}
		}
	}
	var err error
	if m.identity, err = newIdentityPlan(m, probe); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// schema returns the schema of the type, with that of its identity if it has one.
func (m *managed) schema() provider.Schema {
	s := provider.Schema{Version: m.version, Body: m.body}
	if m.identity != nil {
		s.Identity, s.IdentityVersion = m.identity.schema, m.identity.version
	}
	return s
}

// decodeIn decodes the inputs in values, an object of the type of the resource, into
// a new receiver. Write-only attributes are decoded from config, if it is given.
func (m *managed) decodeIn(d *decoder, values, config cty.Value) receiver {
	r := m.newReceiver()
	d.computedNull = true
	d.defaults = config != cty.NilVal // only for defaults in write-only attributes; the others have them
	for _, a := range m.ins {
		src := values
		if a.writeOnly() && config != cty.NilVal {
			src = config
		}
		switch {
		case !usable(src), a.class == classDefault && m.attr(src, a).IsNull():
			// Only in a configuration does null stand for the default: a planned or
			// stored null becomes the zero value.
			a.in.in(r.value).SetZero()
		default:
			unknowns, held := d.unknowns, d.held
			v := m.attr(src, a)
			if a.class == classChosen && !v.IsKnown() {
				v = a.node.null // see computedNull
			}
			if a.node.hasWriteOnly && config != cty.NilVal {
				v = a.node.overlay(v, m.attr(config, a))
			}
			d.field(a.in, v, r.value)
			if a.class == classChosen {
				// The provider may choose values inside the attribute.
				d.unknowns, d.held = unknowns, held
			}
		}
	}
	return r
}

// checkKnown returns an error with the inputs that must be known in an apply and are
// not. A Value or a cty.Value can hold an unknown value; clients send known values for
// those as well.
func (m *managed) checkKnown(planned, config cty.Value) error {
	var errs []error
	for _, a := range m.ins {
		v := m.attr(planned, a)
		if a.writeOnly() && usable(config) {
			v = m.attr(config, a)
		}
		if a.class != classChosen && !v.IsWhollyKnown() {
			errs = append(errs, diag.WithPath(a.path(), errors.New("the value is not known; this is a bug in the client")))
		}
	}
	return errors.Join(errs...)
}

// decodePlanned is decodeIn for an unfinished plan, which is not an object yet and
// has its defaults.
func (m *managed) decodePlanned(d *decoder, planned []cty.Value, config cty.Value) receiver {
	r := m.newReceiver()
	d.defaults = true // only for defaults in write-only attributes; the others have them
	for _, a := range m.ins {
		v := planned[a.pos]
		switch {
		case a.writeOnly():
			v = m.attr(config, a)
		case a.node.hasWriteOnly:
			v = a.node.overlay(v, m.attr(config, a))
		}
		d.field(a.in, v, r.value)
	}
	return r
}

// decodeOut decodes the outputs in state, an object that has at least the outputs as attributes.
func (m *managed) decodeOut(d *decoder, state cty.Value) reflect.Value {
	out := m.newOut()
	for _, a := range m.outs {
		d.field(a.out, state.GetAttr(a.name), out)
	}
	return out
}

// stored decodes the inputs and outputs of a stored state. A value that cannot be decoded
// any more is an error of the state, not of the configuration.
//
// An attribute that has the same Go type in both is decoded once: inputs and outputs share its
// slices and maps, which no method may modify.
func (m *managed) stored(state cty.Value) (receiver, reflect.Value, error) {
	var d decoder
	r := m.decodeIn(&d, state, cty.NilVal)
	out := m.newOut()
	for _, a := range m.outs {
		if a.in != nil && a.in.node.goType == a.out.node.goType {
			a.out.in(out).Set(a.in.in(r.value))
			continue
		}
		d.field(a.out, m.attr(state, a), out)
	}
	if d.unknowns > 0 {
		return r, out, errUnknownState
	}
	if err := d.err(); err != nil {
		return r, out, fmt.Errorf("the stored state cannot be read by this version of the provider: %w", err)
	}
	return r, out, nil
}
