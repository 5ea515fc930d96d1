package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// managed is a registered resource type: everything that its RPCs need, worked
// out once. It is immutable after [New] and shared by all calls.
type managed struct {
	*ops

	typeName string // set by New
	version  int64
	body     *configschema.Block
	ctyType  cty.Type
	null     cty.Value
	codec    *wire.Codec

	attrs       []*attribute
	byName      map[string]*attribute
	ins         []*attribute // those with a side in the inputs
	outs        []*attribute // those with a side in the outputs
	outputCodec *wire.Codec  // of the object of the outputs alone
	constraints []Constraint

	identity   *identityPlan // nil where the type has none
	migrations migrations
	moves      []Move
}

func newManaged(o *ops) (*managed, error) {
	if err := o.checkTypes(); err != nil {
		return nil, err
	}
	if err := checkMethods(o); err != nil {
		return nil, err
	}
	ins, errIn := compileFields(o.inType, 0)
	outs, errOut := compileFields(o.outType, 0)
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, err
	}
	attrs, err := mergeFields(ins, outs)
	if err != nil {
		return nil, err
	}
	m := &managed{ops: o, attrs: attrs, byName: make(map[string]*attribute, len(attrs))}
	for i, a := range attrs {
		a.pos = i
		m.byName[a.name] = a
		if a.in != nil {
			m.ins = append(m.ins, a)
		}
		if a.out != nil {
			m.outs = append(m.outs, a)
		}
	}
	probe := o.newReceiver()
	if err := m.readMethods(probe); err != nil {
		return nil, err
	}
	m.describe()
	m.body = resourceBlock(attrs, descriptionsOf(o.inType)[o.inType.Name()])
	if err := m.body.InternalValidate(); err != nil {
		return nil, err
	}
	m.ctyType = m.body.ImpliedType()
	m.null = cty.NullVal(m.ctyType)
	m.codec = wire.NewCodec(m.ctyType)
	m.outputCodec = wire.NewCodec(objectType(outs))
	return m, nil
}

// readMethods asks the methods whose answers never change.
func (m *managed) readMethods(probe receiver) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	m.version = int64(probe.resource.schemaVersion())
	if m.version < 0 {
		fail("SchemaVersion: a version is never negative, got %d", m.version)
	}
	for _, name := range probe.resource.replaceFields() {
		a := m.byName[name]
		switch {
		case a == nil || a.in == nil:
			fail("ReplaceFields: %q is not an input", name)
		case a.writeOnly():
			fail("ReplaceFields: %q is write-only, so a change of it is never seen; name an input that changes with it", name)
		default:
			a.replace = true
		}
	}
	pointer := probe.resource.pointer()
	filled := m.newReceiver()
	if d, ok := filled.resource.pointer().(Defaulter); ok {
		d.Defaults()
		if err := setDefaults(m.attrs, filled.value); err != nil {
			fail("Defaults: %w", err)
		}
	}
	if c, ok := pointer.(Constrainer); ok {
		m.constraints = c.Constraints()
		for _, con := range m.constraints {
			if err := con.validate(m.byName); err != nil {
				fail("Constraints: %w", err)
			}
		}
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

// usesNoConfig reports whether the resource needs nothing of the provider's
// configuration.
func (m *managed) usesNoConfig() bool { return m.configType == reflect.TypeFor[NoConfig]() }

// describe adds to the descriptions what the constraints have to say.
func (m *managed) describe() {
	for _, a := range m.ins {
		for _, c := range m.constraints {
			if sentence := c.describe(a.name); sentence != "" {
				a.rules = append(a.rules, sentence)
			}
		}
	}
}

// schema is the type's part of the provider schema.
func (m *managed) schema() provider.Schema {
	s := provider.Schema{Version: m.version, Body: m.body}
	if m.identity != nil {
		s.Identity, s.IdentityVersion = m.identity.schema, m.identity.version
	}
	return s
}

// decodeIn decodes the inputs out of values, an object of the resource's type,
// into a fresh receiver. Write-only attributes come from config where it is
// given.
func (m *managed) decodeIn(d *decoder, values, config cty.Value) receiver {
	r := m.newReceiver()
	for _, a := range m.ins {
		src := values
		if a.writeOnly() && config != cty.NilVal {
			src = config
		}
		switch {
		case !usable(src), a.class == classDefault && m.attr(src, a).IsNull():
			// In a configuration, null stands for the default, also where the Go
			// type has no place for null.
			a.in.in(r.value).SetZero()
		default:
			unknowns, held := d.unknowns, d.held
			d.field(a.in, m.attr(src, a), r.value)
			if a.class == classChosen {
				// What the provider chooses is unknown by its nature.
				d.unknowns, d.held = unknowns, held
			}
		}
	}
	return r
}

// checkKnown names the inputs that an apply should know and does not. A Value or a cty.Value can hold unknown; clients
// send those known as well.
func (m *managed) checkKnown(planned, config cty.Value) error {
	var errs []error
	for _, a := range m.ins {
		v := m.attr(planned, a)
		if a.writeOnly() && usable(config) {
			v = m.attr(config, a)
		}
		if a.class != classChosen && !v.IsWhollyKnown() {
			errs = append(errs, diag.WithPath(a.path, errors.New("the value is not known; this is a mistake of the client")))
		}
	}
	return errors.Join(errs...)
}

// decodePlanned is decodeIn for a plan in the making, which is no object yet and
// has its defaults.
func (m *managed) decodePlanned(d *decoder, planned []cty.Value, config cty.Value) receiver {
	r := m.newReceiver()
	for _, a := range m.ins {
		v := planned[a.pos]
		if a.writeOnly() {
			v = m.attr(config, a)
		}
		d.field(a.in, v, r.value)
	}
	return r
}

// attr is an attribute of a known object of the resource's type.
func (m *managed) attr(object cty.Value, a *attribute) cty.Value {
	return m.codec.Attribute(object, a.pos)
}

// object makes an object of the resource's type of its attributes, in order.
func (m *managed) object(values []cty.Value) cty.Value {
	o := m.codec.NewObject()
	for i, v := range values {
		o.Set(m.attrs[i].name, v)
	}
	return o.Value()
}

// decodeOut decodes the outputs out of an object that has at least those.
func (m *managed) decodeOut(d *decoder, state cty.Value) reflect.Value {
	out := m.newOut()
	for _, a := range m.outs {
		d.field(a.out, state.GetAttr(a.name), out)
	}
	return out
}

// stored decodes inputs and outputs of a stored state. What was stored once and
// cannot be decoded now is an error of the state, not of the configuration.
//
// An attribute that both sides have is decoded once: long texts and maps are
// shared by the two, and neither may change them.
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
	if err := d.err(); err != nil {
		return r, out, fmt.Errorf("the stored state cannot be read by this version of the provider: %w", err)
	}
	return r, out, nil
}
