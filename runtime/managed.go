package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

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
		// Repeated blocks with dynamic parts have another type in the schema.
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

// schema returns the schema of the type.
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
	d.defaults = config != cty.NilVal // only for defaults in write-only attributes; the others have them
	for _, a := range m.ins {
		src := values
		if a.writeOnly() && config != cty.NilVal {
			src = config
		}
		switch {
		case !usable(src), a.class == classDefault && m.attr(src, a).IsNull():
			// In a configuration, null stands for the default, even if the Go type
			// cannot hold null.
			a.in.in(r.value).SetZero()
		default:
			unknowns, held := d.unknowns, d.held
			v := m.attr(src, a)
			if a.node.secrets && config != cty.NilVal {
				v = a.node.overlay(v, m.attr(config, a))
			}
			d.field(a.in, v, r.value)
			if a.class == classChosen {
				// A value that the provider chooses is always unknown here.
				d.unknowns, d.held = unknowns, held
			}
		}
	}
	return r
}

// checkKnown returns an error with the inputs that must be known in an apply and are
// not. A Value or a cty.Value can hold unknown; clients send known values for those
// as well.
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
		case a.node.secrets:
			v = a.node.overlay(v, m.attr(config, a))
		}
		d.field(a.in, v, r.value)
	}
	return r
}

// decodeOut decodes the outputs of an object that has at least those.
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
// An attribute of both is decoded once: the two share its strings and maps, which neither
// may modify.
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
		return r, out, errOpenState
	}
	if err := d.err(); err != nil {
		return r, out, fmt.Errorf("the stored state cannot be read by this version of the provider: %w", err)
	}
	return r, out, nil
}
