package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
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
	fields     []*field
	body       *configschema.Block
	configType reflect.Type
	configure  func(ctx context.Context, block reflect.Value) (any, error)
	newBlock   func() reflect.Value
}

// MakeConfig registers the provider's configuration: Block is the struct of the
// provider block, and configure makes of it the Config that resources receive.
// It is not called while the block has unknown values, unless they are all in
// fields of type [Value].
func MakeConfig[Block, Config any](configure func(ctx context.Context, block *Block) (Config, error)) ConfigRegistration {
	p := &configPlan{
		configType: reflect.TypeFor[Config](),
		newBlock:   func() reflect.Value { return reflect.ValueOf(new(Block)).Elem() },
		configure: func(ctx context.Context, block reflect.Value) (any, error) {
			return configure(ctx, block.Addr().Interface().(*Block)) //nolint:forcetypeassert // made by newBlock
		},
	}
	t := reflect.TypeFor[Block]()
	if t.Kind() != reflect.Struct {
		return ConfigRegistration{err: fmt.Errorf("the provider block must be a struct, not %s", t)}
	}
	var err error
	if p.fields, err = compileFields(t, 0); err == nil {
		err = p.compile(descriptionsOf(t)[t.Name()])
	}
	return ConfigRegistration{config: p, err: err}
}

func noConfigPlan() *configPlan {
	p := MakeConfig(func(context.Context, *struct{}) (NoConfig, error) { return NoConfig{}, nil })
	return p.config
}

func (p *configPlan) compile(description string) error {
	var errs []error
	for _, f := range p.fields {
		if f.writeOnly || f.computed || f.volatile {
			errs = append(errs, fmt.Errorf("%s: writeonly, computed and volatile mean nothing in a provider block", f.goStr))
		}
	}
	body := fieldsBlock(p.fields, description)
	p.body = &body
	return errors.Join(append(errs, p.body.InternalValidate())...)
}

// decode checks a provider configuration and reports whether it is known well
// enough to configure the provider with it.
func (p *configPlan) decode(config cty.Value) (block reflect.Value, known bool, err error) {
	d := decoder{strict: true}
	block = p.newBlock()
	switch {
	case !config.IsKnown():
		return block, false, nil
	case config.IsNull():
		config = p.body.EmptyValue() // no block is one that sets nothing
	}
	d.object(p.fields, config, block)
	return block, d.unknowns == 0, d.err()
}
