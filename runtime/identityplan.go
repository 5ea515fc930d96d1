package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// identityPlan makes and reads the identities of a resource type. The struct type of an identity
// is not a type parameter, so the methods of the resource are called by reflection.
type identityPlan struct {
	fields  []*field
	schema  *configschema.Object
	ctyType cty.Type
	null    cty.Value
	codec   *wire.Codec
	goType  reflect.Type

	version    int64
	migrations migrations
	mutable    bool

	method   reflect.Method // Identity
	parse    *reflect.Method
	importer *reflect.Method
	only     *field // attribute whose value is the import ID, if there is no ParseImportID
	config   reflect.Type
}

func newIdentityPlan(m *managed, probe receiver) (*identityPlan, error) {
	pointer := reflect.PointerTo(m.inType)
	method, ok := pointer.MethodByName("Identity")
	if !ok || identityOf(method) == nil {
		return nil, nil //nolint:nilnil // no identity, no plan
	}
	p := &identityPlan{method: method, goType: method.Type.Out(0), config: m.methodConfig}
	var err error
	if p.fields, err = compileFields(p.goType); err != nil {
		return nil, err
	}
	p.schema = &configschema.Object{Nesting: configschema.NestingSingle, Attributes: make(map[string]*configschema.Attribute, len(p.fields))}
	var required []*field
	for _, f := range p.fields {
		p.schema.Attributes[f.name] = f.attributeSchema(rules{})
		if f.required() {
			required = append(required, f)
		}
	}
	if err := identity.Validate(p.schema); err != nil {
		return nil, fmt.Errorf("the identity %s: %w", p.goType, err)
	}
	p.ctyType = p.schema.ImpliedType()
	p.null = cty.NullVal(p.ctyType)
	p.codec = wire.NewCodec(p.ctyType)
	if parse, ok := pointer.MethodByName("ParseImportID"); ok {
		p.parse = &parse
	} else if len(required) == 1 && required[0].node.ctyType == cty.String {
		p.only = required[0]
	}
	if importer, ok := pointer.MethodByName("Import"); ok {
		p.importer = &importer
	} else if err := p.checkPassthrough(m); err != nil {
		return nil, err
	}
	return p, p.readMethods(probe)
}

// checkPassthrough checks a resource without an Import method. It returns an error for each part of
// the identity for which there is no attribute of the same name and type, or only a write-only one.
func (p *identityPlan) checkPassthrough(m *managed) error {
	var errs []error
	for _, f := range p.fields {
		a := m.byName[f.name]
		if m.isBroken(f.name) {
			continue
		}
		if a == nil || a.writeOnly() || !a.node.ctyType.Equals(f.node.ctyType) {
			errs = append(errs, fmt.Errorf("%s: the resource has no attribute %q of this type, so it needs a method Import", f.goStr(), f.name))
		}
	}
	return errors.Join(errs...)
}

func (p *identityPlan) readMethods(probe receiver) (err error) {
	pointer := probe.resource.pointer()
	if v, ok := pointer.(IdentityVersioner); ok {
		p.version = int64(v.IdentityVersion())
	}
	if v, ok := pointer.(IdentityMutator); ok {
		p.mutable = v.MutableIdentity()
	}
	if v, ok := pointer.(IdentityMigrator); ok {
		if p.migrations, err = collectMigrations(v.IdentityMigrations(), p.version); err != nil {
			return fmt.Errorf("IdentityMigrations: %w", err)
		}
	}
	if p.version < 0 {
		return fmt.Errorf("IdentityVersion: the version must not be negative, got %d", p.version)
	}
	return nil
}

// argument returns cfg for a call by reflection. It returns the zero value if cfg is nil, or is not of
// the type that the methods take, as for a wrapped resource.
func (p *identityPlan) argument(cfg any) reflect.Value {
	v := reflect.New(p.config).Elem()
	if arg := reflect.ValueOf(cfg); arg.IsValid() && arg.Type().AssignableTo(p.config) {
		v.Set(arg)
	}
	return v
}

// of returns the identity of an object. Parts that equal those of prior are taken from
// prior.
func (p *identityPlan) of(r receiver, cfg any, out reflect.Value, prior cty.Value) (cty.Value, error) {
	results := p.method.Func.Call([]reflect.Value{r.value.Addr(), p.argument(cfg), out.Addr()})
	id := reflect.New(p.goType).Elem()
	id.Set(results[0])
	v, err := encoder{}.object(p.fields, id, prior)
	if err != nil {
		return cty.NilVal, ofIdentity(err)
	}
	for _, f := range p.fields {
		if !f.required() || f.node.ctyType != cty.String {
			continue
		}
		if part := v.GetAttr(f.name); usable(part) && part.AsString() == "" {
			return cty.NilVal, fmt.Errorf("provider bug: the method Identity returned an empty string for %q, which does not identify an object; "+
				"if the attribute can be empty, make it a pointer; please report this", f.name)
		}
	}
	return v, nil
}

// parseID returns the identity for an import ID. The error may consist of warnings only.
func (p *identityPlan) parseID(r receiver, id string) (reflect.Value, error) {
	v := reflect.New(p.goType).Elem()
	switch {
	case p.parse != nil:
		results := p.parse.Func.Call([]reflect.Value{r.value.Addr(), reflect.ValueOf(id)})
		v.Set(results[0])
		err, _ := reflect.TypeAssert[error](results[1])
		return v, err
	case p.only != nil:
		var d decoder
		d.value(p.only.node, cty.StringVal(id), p.only.in(v))
		return v, d.err()
	default:
		return v, errors.New("this resource type cannot be imported by ID; use an import block with identity")
	}
}

// find returns the outputs that Read starts from for the object with this identity: the
// outputs of Import, or the attributes of the identity, which it also sets in the inputs of r.
// The error may consist of warnings only.
func (p *identityPlan) find(ctx context.Context, m *managed, r receiver, cfg any, id reflect.Value) (reflect.Value, error) {
	if p.importer == nil {
		v, err := encoder{}.object(p.fields, id, cty.NilVal)
		if err != nil {
			return reflect.Value{}, err
		}
		var d decoder
		out := m.newOut()
		for _, f := range p.fields {
			a := m.byName[f.name]
			if a.out != nil {
				d.value(a.out.node, v.GetAttr(f.name), a.out.in(out))
			}
			if a.in != nil {
				d.value(a.in.node, v.GetAttr(f.name), a.in.in(r.value))
			}
		}
		return out, d.err()
	}
	results := p.importer.Func.Call([]reflect.Value{r.value.Addr(), reflect.ValueOf(&ctx).Elem(), p.argument(cfg), id})
	err, _ := reflect.TypeAssert[error](results[1])
	if results[0].IsNil() {
		if !failed(err) {
			err = errors.Join(err, errNoOutput("Import"))
		}
		return reflect.Value{}, err
	}
	return results[0].Elem(), err
}
