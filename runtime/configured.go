package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// configured is the common part of data sources, ephemeral resources, list resources
// and actions: a type that is configured for one call and has no prior object. It is
// immutable after [New] and shared by all calls.
type configured struct {
	*form
	kind       string // for messages: "action"
	typeName   string // set by New
	configType reflect.Type
	newInputs  func() inputs
	validate   func(ctx context.Context, in inputs, cfg any) error // nil if there is none
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
	if _, err := checkMethods(reflect.PointerTo(in), slices.Concat(inputMethods, more), &typeArgs{config: t.configType}); err != nil {
		return t, err
	}
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
	if t.form, err = newForm(spec); err != nil {
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

// checkKnown returns an error for a configuration that is not wholly known, as a deferral
// if possible.
func (t *configured) checkKnown(config cty.Value) error {
	if config.IsWhollyKnown() {
		return nil
	}
	refuse := func(path cty.Path) error {
		return diag.WithPath(path, fmt.Errorf("the value is not known yet, and %s %s needs it: first apply the resources that it depends on (with -target)", article(t.kind), t.kind))
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

// decode decodes a configuration into a new receiver. It reports whether enough of
// it was known.
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
	return in, d.unknowns == 0, invalid(err)
}

// callValidate runs the type's own checks, if any.
func (t *configured) callValidate(ctx context.Context, c *call, in inputs, cfg any) error {
	if t.validate == nil {
		return nil
	}
	return invalid(c.guardPanic(ctx, "ValidateInputs", func() error { return t.validate(c.context(ctx), in, cfg) }))
}

// ready prepares a call of the type's own method. The configuration must be known
// and valid. An error with warnings only does not prevent the call.
func (s *server) ready(ctx context.Context, c *call, t *configured, config cty.Value) (in inputs, cfg any, err error) {
	config = t.given(config)
	if err := t.checkKnown(config); err != nil {
		return in, nil, err
	}
	if cfg, err = s.configFor(t.configType); err != nil {
		return in, nil, err
	}
	in, _, err = t.decode(ctx, c, config)
	broken := c.guardPanic(ctx, "Check", func() error { return t.rules.check(config, nil, nil).Err() })
	if err = errors.Join(err, broken); err != nil {
		return in, nil, err
	}
	return in, cfg, t.callValidate(ctx, c, in, cfg)
}
