package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"
)

// ConfigRegistration is the configuration of a provider, ready to be part of a
// [Definition]. The zero value is a provider without configuration, whose
// resources have [NoConfig].
type ConfigRegistration struct {
	config *configPlan
	err    error
}

// configPlan is how the provider block is decoded and made into the Config that
// resources receive.
type configPlan struct {
	*form
	configType reflect.Type
	configure  func(ctx context.Context, block reflect.Value) (any, error)
	newBlock   func() reflect.Value
}

// reservedProviderNames have a meaning of their own in every provider block.
var reservedProviderNames = map[string]bool{
	"alias": true, "count": true, "depends_on": true, "for_each": true, "lifecycle": true, "locals": true,
	"source": true, "version": true,
}

// MakeConfig registers the provider's configuration: Block is the struct of the
// provider block, which may have the methods of [Defaulter], [Constrainer] and
// [Describer], and configure makes of it the Config that resources receive, which
// is closed where it is an io.Closer: with the provider, or when the provider was
// configured again and no operation has the old one any more. It is not called
// while the block has unknown values, unless they are all in fields of type [Value].
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
	return ConfigRegistration{config: p, err: err}
}

func noConfigPlan() *configPlan {
	p := MakeConfig(func(context.Context, *struct{}) (NoConfig, error) { return NoConfig{}, nil })
	return p.config
}

// configuredForm is the form of a block that is configured and never stored.
func configuredForm(t reflect.Type, fresh func() reflect.Value, reserved map[string]bool, what string) (*form, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the %s must be a struct, not %s", what, t)
	}
	if _, err := checkMethods(reflect.PointerTo(t), structMethods, nil); err != nil {
		return nil, err
	}
	f, err := newForm(formSpec{in: t, fresh: fresh, reserved: reserved})
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, a := range f.ins {
		if a.writeOnly() || a.node.secrets {
			errs = append(errs, fmt.Errorf("%s: writeonly means nothing in a %s, which is never stored", a.in.goStr(), what))
		}
	}
	f.configuredOnly()
	return f, errors.Join(errs...)
}

// decode checks a provider configuration and reports whether it is known well
// enough to configure the provider with it.
func (p *configPlan) decode(config cty.Value) (block reflect.Value, known bool, err error) {
	d := decoder{strict: true, defaults: true}
	block = p.newBlock()
	switch {
	case !config.IsKnown():
		return block, false, nil
	case config.IsNull():
		config = p.body.EmptyValue() // no block is one that sets nothing
	}
	p.decodeConfig(&d, config, block)
	return block, d.unknowns == 0, d.err()
}
