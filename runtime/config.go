package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// ConfigRegistration is the compiled configuration of a provider for a [Definition].
// The zero value is for a provider without a configuration, whose resources have
// [NoConfig].
type ConfigRegistration struct {
	config *configPlan
	err    error
}

// configPlan decodes the provider block and makes the Config of the resources from
// it.
type configPlan struct {
	*form
	configType reflect.Type
	configure  func(ctx context.Context, block reflect.Value) (any, error)
	newBlock   func() reflect.Value
}

// reservedProviderNames are the names that Terraform and OpenTofu reserve in every provider block.
var reservedProviderNames = map[string]bool{
	"alias": true, "count": true, "depends_on": true, "for_each": true, "lifecycle": true, "locals": true,
	"source": true, "version": true,
}

// MakeConfig registers the configuration of the provider. Block is the struct of the
// provider block; it may have the methods of [Defaulter], [Constrainer] and
// [Describer]. Configure makes the Config of the resources from it. A Config that is
// an io.Closer is closed with the provider, or, after the provider is configured
// again, once no operation uses the old Config. A Config may be an [Aliaser]. Configure is not
// called while the block has unknown values, unless all of them are in fields of type [Value].
func MakeConfig[Block, Config any](configure func(ctx context.Context, block *Block) (Config, error)) ConfigRegistration {
	p := &configPlan{
		configType: reflect.TypeFor[Config](),
		newBlock:   func() reflect.Value { return reflect.ValueOf(new(Block)).Elem() },
		configure: func(ctx context.Context, block reflect.Value) (any, error) {
			return configure(ctx, block.Addr().Interface().(*Block)) //nolint:forcetypeassert // made by newBlock
		},
	}
	var err error
	p.form, err = configuredForm(reflect.TypeFor[Block](), p.newBlock, reservedProviderNames, "provider block")
	return ConfigRegistration{config: p, err: errors.Join(err, checkAliaser(p.configType), checkCloser(p.configType))}
}

func noConfigPlan() *configPlan {
	p := MakeConfig(func(context.Context, *struct{}) (NoConfig, error) { return NoConfig{}, nil })
	return p.config
}

// withoutWriteOnlyInputs returns an error with the reason for each write-only attribute:
// clients protect write-only values only in objects that are stored.
func (f *form) withoutWriteOnlyInputs(reason string) error {
	var errs []error
	for _, a := range f.ins {
		if a.writeOnly() || a.node.hasWriteOnly {
			errs = append(errs, fmt.Errorf("%s: %s", a.in.goStr(), reason))
		}
	}
	return errors.Join(errs...)
}

// configuredForm returns the form of a block that is configured but never stored.
func configuredForm(t reflect.Type, fresh func() reflect.Value, reserved map[string]bool, what string) (*form, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the %s must be a struct, not %s", what, t)
	}
	_, methods := checkMethods(reflect.PointerTo(t), structMethods, nil)
	misplaced := misplacedMethods(reflect.PointerTo(t), what, "Constraints, such as CheckTogether, or an error of the function that gets it")
	f, err := newForm(formSpec{in: t, fresh: fresh, reserved: reserved})
	if err := errors.Join(methods, misplaced, err, f.withoutWriteOnlyInputs("writeonly has no effect in a "+what+", which is never stored")); err != nil {
		return nil, err
	}
	f.configuredOnly()
	return f, nil
}

// decode decodes a provider configuration into a new block. It reports whether enough of the
// configuration is known to configure the provider.
func (p *configPlan) decode(config cty.Value) (block reflect.Value, known bool, err error) {
	d := decoder{strict: true, defaults: true}
	block = p.newBlock()
	switch {
	case !config.IsKnown():
		return block, false, nil
	case config.IsNull():
		config = p.body.EmptyValue() // a missing block is an empty one
	}
	p.decodeConfig(&d, config, block)
	return block, d.unknowns == 0, d.err()
}

// Aliaser is implemented by a Config that has several names for one thing, such as the former
// names of a host. Another name of the same thing is not a change: the plan keeps the prior name until
// Read returns a different name, and the identity of the object may change in the same way. The object of a
// data source or an ephemeral resource has the configured name.
type Aliaser interface {
	// SameName reports whether two values of an attribute, of the inputs or of the identity, name
	// the same thing. The parameter attribute is the name of this attribute.
	SameName(attribute, prior, current string) bool
}

// checkAliaser returns an error if the type of a Config has a method SameName that would never be called.
func checkAliaser(config reflect.Type) error {
	if _, ok := config.MethodByName("SameName"); !ok {
		if _, ok := reflect.PointerTo(config).MethodByName("SameName"); ok {
			return fmt.Errorf("the method SameName has the receiver *%[1]s and would never be called for the Config %[1]s: "+
				"make *%[1]s the Config (runtime.Aliaser)", config)
		}
		return nil
	}
	if config.Implements(reflect.TypeFor[Aliaser]()) {
		return nil
	}
	return fmt.Errorf("the method SameName of the Config %s has the wrong signature and would never be called: it must be "+
		"func(string, string, string) bool (runtime.Aliaser)", config)
}

// checkCloser returns an error if the type of a Config has a method Close that would never be called.
func checkCloser(config reflect.Type) error {
	closer := reflect.TypeFor[io.Closer]()
	if config.Implements(closer) || !reflect.PointerTo(config).Implements(closer) {
		return nil
	}
	return fmt.Errorf("the method Close has the receiver *%[1]s and would never be called for the Config %[1]s: make *%[1]s the Config (io.Closer)", config)
}

// sameName reports whether two values of an attribute name the same thing, according to the
// Config.
func sameName(cfg any, attribute string, was, is cty.Value) bool {
	aliases, ok := cfg.(Aliaser)
	return ok && usable(was) && usable(is) && was.Type() == cty.String && is.Type() == cty.String &&
		aliases.SameName(attribute, was.AsString(), is.AsString())
}

// unknownPlanner is implemented by a Config that records what planned objects provide to others. It
// is not exported because it is only for package lifecycle: the methods of other providers do not
// expect unknown inputs.
type unknownPlanner interface {
	// PlanUnknown is called for the plan of a create or an update with unknown inputs, instead of
	// ValidateInputs. It gets the *In of the resource, in which unknown inputs have their zero value.
	PlanUnknown(ctx context.Context, resource any)
}

// SameIdentity reports whether two identities of a type differ at most in names of the same things,
// and in attributes that are null in prior; package guard calls it.
func (s *server) SameIdentity(typeName string, prior, current cty.Value) bool {
	m := s.resources[typeName]
	if m == nil || m.identity == nil {
		return false
	}
	cfg, err := s.configFor(m.configType)
	if err != nil {
		return false
	}
	for _, f := range m.identity.fields {
		was, is := prior.GetAttr(f.name), current.GetAttr(f.name)
		if !was.IsNull() && !objchange.Equal(was, is) && !sameName(cfg, f.name, was, is) {
			return false
		}
	}
	return true
}
