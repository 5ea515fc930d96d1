package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// configured is the common part of data sources, ephemeral resources, list resources,
// actions and state stores: a type that is configured and has no prior object. It is
// immutable after [New] and shared by all calls.
type configured struct {
	*form
	kind       string // for messages, such as "action"
	typeName   string // set by New
	configType reflect.Type
	newInputs  func() inputs
	validate   func(ctx context.Context, in inputs, cfg any) error // nil if the type has no ValidateInputs
}

// inputs is a receiver: the pointer for method calls, and its struct, into which the
// configuration is decoded.
type inputs struct {
	pointer any
	value   reflect.Value
}

// newConfigured returns the common part of a type. Spec has the settings other than the
// inputs. If it has no outputs, no attribute is computed.
func newConfigured[In, Config any, P interface{ *In }](kind string, construct func() P, spec formSpec, more ...optionalMethod) (configured, error) {
	t := configured{kind: kind, configType: reflect.TypeFor[Config]()}
	in := reflect.TypeFor[In]()
	if in.Kind() != reflect.Struct {
		return t, fmt.Errorf("the configuration of %s %s must be a struct, not %s", article(kind), kind, in)
	}
	_, wrong := checkMethods(reflect.PointerTo(in), slices.Concat(inputMethods, more), &typeArgs{config: t.configType})
	wrong = errors.Join(wrong, uncalledMethods(reflect.PointerTo(in), kind))
	t.newInputs = func() inputs {
		pointer := construct()
		return inputs{pointer: pointer, value: reflect.ValueOf(pointer).Elem()}
	}
	if _, ok := t.newInputs().pointer.(InputValidator[Config]); ok {
		t.validate = func(ctx context.Context, in inputs, cfg any) error {
			return in.pointer.(InputValidator[Config]).ValidateInputs(ctx, cfg.(Config)) //nolint:forcetypeassert // probed
		}
	}
	spec.in, spec.fresh = in, t.fresh
	var err error
	t.form, err = newForm(spec)
	if err := errors.Join(wrong, err); err != nil {
		return t, err
	}
	if spec.out == nil {
		t.configuredOnly()
	}
	return t, nil
}

func (t *configured) fresh() reflect.Value { return t.newInputs().value }

func (t *configured) named(typeName string) reflect.Type {
	t.typeName = typeName
	return t.configType
}

// given returns the configuration, or an empty one for null.
func (t *configured) given(config cty.Value) cty.Value {
	if config == cty.NilVal || config.IsNull() {
		return t.body.EmptyValue()
	}
	return config
}

// checkKnown returns an error for a configuration that is not wholly known. The error defers
// the operation if the client allows deferral.
func (t *configured) checkKnown(config cty.Value) error {
	if config.IsWhollyKnown() {
		return nil
	}
	refuse := func(path cty.Path) error {
		return diag.WithPath(path, fmt.Errorf("the value is not known yet, and %s %s needs it: first apply the resources that the value depends on (with -target)", article(t.kind), t.kind))
	}
	var errs []error
	if !config.IsKnown() {
		errs = append(errs, refuse(nil))
	} else {
		for _, a := range t.attrs {
			if !t.attr(config, a).IsWhollyKnown() {
				errs = append(errs, refuse(a.path()))
			}
		}
	}
	return &deferral{reason: provider.DeferredReasonResourceConfigUnknown, refusal: errors.Join(errs...)}
}

// decode decodes a configuration into a new receiver, and checks its constraints as far as
// values are known. It reports whether enough of the configuration is known to call
// a method.
func (t *configured) decode(ctx context.Context, c *call, config cty.Value) (in inputs, known bool, err error) {
	in = t.newInputs()
	if !config.IsKnown() {
		return in, false, nil
	}
	d := decoder{strict: true, defaults: true}
	err = c.guardPanic(ctx, "UnmarshalText", func() error {
		t.decodeConfig(&d, config, in.value)
		return d.err()
	})
	broken := c.guardPanic(ctx, "Check", func() error { return t.rules.check(config, nil, nil).Err() })
	return in, d.unknowns == 0, errors.Join(invalid(err), broken)
}

// callValidate calls ValidateInputs, if the type has this method.
func (t *configured) callValidate(ctx context.Context, c *call, in inputs, cfg any) error {
	if t.validate == nil {
		return nil
	}
	return invalid(c.guardPanic(ctx, "ValidateInputs", func() error { return t.validate(c.context(ctx), in, cfg) }))
}

// ready prepares a call of a method such as Read, Open or Invoke. The configuration must be known
// and valid. An error that has only warnings does not prevent the call.
func (s *server) ready(ctx context.Context, c *call, t *configured, config cty.Value) (in inputs, cfg any, err error) {
	config = t.given(config)
	if err := t.checkKnown(config); err != nil {
		return in, nil, err
	}
	if cfg, err = s.configFor(t.configType); err != nil {
		return in, nil, err
	}
	if in, _, err = t.decode(ctx, c, config); err != nil {
		return in, nil, err
	}
	return in, cfg, t.callValidate(ctx, c, in, cfg)
}

// producer is the common part of data sources and ephemeral resources: one method
// returns an object for a configuration, and there is no prior object. It is
// immutable after [New] and shared by all calls.
type producer struct {
	configured
	method       string       // name of the method, such as "Read"
	maybeUnknown []*attribute // outputs whose Go type can hold an unknown value
}

// produce calls the method of a producer. An invalid Value is a nil output.
type produce func(ctx context.Context, in inputs, cfg any) (reflect.Value, error)

func newProducer[In, Out, Config any, P interface{ *In }](kind, method string, construct func() P, more ...optionalMethod) (producer, error) {
	p := producer{method: method}
	out := reflect.TypeFor[Out]()
	if out.Kind() != reflect.Pointer || out.Elem().Kind() != reflect.Struct {
		return p, fmt.Errorf("the outputs must be a pointer to a struct, not %s", out)
	}
	spec := formSpec{out: out.Elem(), reserved: reservedNames}
	if method == string(opRead) {
		spec.timeouts = readTimeoutType
	}
	var err error
	if p.configured, err = newConfigured[In, Config](kind, construct, spec, more...); p.form == nil {
		return p, err
	}
	errs := []error{err}
	for _, a := range p.attrs {
		if a.writeOnly() || a.in != nil && a.node.hasWriteOnly {
			errs = append(errs, fmt.Errorf("%s: an input of %s %s cannot be writeonly; tag it sensitive", a.in.goStr(), article(kind), kind))
		}
		if a.out != nil && a.out.node.holdsUnknown() {
			p.maybeUnknown = append(p.maybeUnknown, a)
		}
	}
	return p, errors.Join(errs...)
}

// contractMethods are the required methods of a managed resource other than Read.
var contractMethods = []string{"Create", "Update", "Delete"}

// uncalledMethods returns an error for methods that would never be called, because
// they are those of managed resources. One struct may be a managed resource and a type of
// another kind, but not a data source or a state store, because these have a method Read too.
func uncalledMethods(pointer reflect.Type, kind string) error {
	has := func(name string) bool {
		_, ok := pointer.MethodByName(name)
		return ok
	}
	found := slices.DeleteFunc(slices.Clone(contractMethods), func(name string) bool { return !has(name) })
	switch {
	case kind == "state store": // a state store has Delete
		found = nil
	case kind != "data source" && len(found) == len(contractMethods):
		return nil
	}
	for _, m := range managedMethods[len(inputMethods):] {
		if has(m.name) {
			found = append(found, m.name)
		}
	}
	var errs []error
	for _, name := range found {
		errs = append(errs, fmt.Errorf("method %s would never be called: it is for managed resources, not for %s %s", name, article(kind), kind))
	}
	return errors.Join(errs...)
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an"
	}
	return "a"
}

// unknownTypeOf returns the diagnostics for a type that is not registered.
func unknownTypeOf(kind, typeName string) diag.Diagnostics {
	return diag.Diagnostics{}.Errorf(nil, "Unknown "+kind, "This provider has no %s %q.", kind, typeName)
}

// holdsUnknown reports whether Go values of n can be unknown, at any depth.
func (n *node) holdsUnknown() bool {
	switch inner := n; inner.kind { //nolint:exhaustive // other kinds can be unknown if a value in them can
	case kindValue, kindDynamic, kindAny:
		return true
	}
	if n.elem != nil {
		return n.elem.holdsUnknown()
	}
	return slices.ContainsFunc(n.fields, func(f *field) bool { return f.node.holdsUnknown() })
}

// produce prepares the call, calls the method, and returns its object. A warning
// does not prevent the next step.
func (s *server) produce(ctx context.Context, c *call, p *producer, config cty.Value, do produce) (cty.Value, error) {
	config = p.given(config)
	in, cfg, warnings := s.ready(ctx, c, &p.configured, config)
	if failed(warnings) {
		return p.null, warnings
	}
	var out reflect.Value
	c.operation = operation(p.method)
	err := p.timeouts.within(ctx, c, c.operation, in.value, func(ctx context.Context) error {
		return c.guardPanic(ctx, p.method, func() (err error) {
			out, err = do(c.context(ctx), in, cfg)
			return err
		})
	})
	err = errors.Join(warnings, err)
	switch {
	case absent(err):
		return p.null, p.notFound(err)
	case failed(err):
		return p.null, err
	case !out.IsValid():
		return p.null, errors.Join(err, errNoOutput(p.method))
	}
	object := p.null
	encodeErr := c.guardPanic(ctx, "MarshalText or SemanticEquals", func() (err error) {
		object, err = p.checked(cfg, config, out)
		return err
	})
	if encodeErr != nil {
		return p.null, errors.Join(err, encodeErr)
	}
	return object, err
}

// checked returns the object of an output, after checking it against the configuration,
// because a reference to a configured attribute must have the configured value.
func (p *producer) checked(cfg any, config cty.Value, out reflect.Value) (cty.Value, error) {
	expected := p.expected(config)
	object, err := p.answer(cfg, expected, out)
	if err != nil {
		return p.null, err
	}
	var errs []error
	for _, a := range p.maybeUnknown {
		if !p.attr(object, a).IsWhollyKnown() {
			errs = append(errs, diag.WithPath(a.path(), fmt.Errorf("provider bug: the method %s returned an unknown value; please report this", p.method)))
		}
	}
	for _, a := range p.ins {
		if was := p.attr(expected, a); a.out == nil || !was.IsKnown() || objchange.Equal(was, p.attr(object, a)) {
			continue
		}
		errs = append(errs, p.contradictions(expected, object)...)
		break
	}
	return object, errors.Join(errs...)
}

// contradictions returns an error for each path at which the object differs from
// expected.
func (p *producer) contradictions(expected, object cty.Value) []error {
	errs := objchange.AssertObjectCompatible(p.body, expected, object)
	for i, err := range errs {
		var path cty.Path
		if pathErr, ok := errors.AsType[cty.PathError](err); ok {
			path = pathErr.Path
		}
		errs[i] = diag.WithPath(path, fmt.Errorf("provider bug: the method %s returned a value other than the configured one; please report this", p.method))
	}
	return errs
}

// expected returns the configuration with defaults, and with unknown values where
// the method determines the value.
func (p *producer) expected(config cty.Value) cty.Value {
	values := make([]cty.Value, len(p.attrs))
	for i, a := range p.attrs {
		values[i] = a.node.unknown
		if a.in == nil {
			continue
		}
		v := p.attr(config, a)
		switch {
		case !v.IsNull():
			values[i] = resolver{}.value(a.node, v, cty.NilVal)
		case a.class == classDefault:
			values[i] = a.in.fallback()
		case a.class != classChosen:
			values[i] = v
		}
	}
	return p.object(values)
}

// placeholder returns the object for a deferred call, in which only the
// configuration is known.
func (p *producer) placeholder(config cty.Value) cty.Value {
	if !usable(config) {
		return cty.UnknownVal(p.ctyType)
	}
	return objchange.PlannedDataResourceObject(p.body, config)
}

// notFound returns the error for a missing object. It keeps the text of the method's
// error, unless that is only the text of [ErrNotFound].
func (p *producer) notFound(err error) error {
	if errorText(err) == ErrNotFound.Error() {
		err = errors.Join(warningsOf(err), errors.New("no object matches the configuration; change the configuration, or create the object first"))
	}
	return diag.FromError("Cannot find "+p.typeName, err)
}
