package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Versions that providers are told, per flavor: OpenTofu tells every provider
// this one, whatever its own is.
const (
	openTofuSays  = "1.13.0"
	terraformSays = "1.14.0"
)

// offered is what the engine can handle beyond the minimum.
var offered = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// start makes an instance of the provider.
func (e *Engine) start(ctx context.Context, addr addrs.Provider) (provider.Interface, tfdiags.Diagnostics) {
	factory := e.options.Providers[addr]
	if factory == nil && addr == builtinAddr {
		factory = newBuiltin
	}
	if factory == nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Required plugins are not installed",
			"The configuration needs the provider %s, which this engine was not given. It has: %s.", addr, names(e.options.Providers))
	}
	var p provider.Interface
	err := caught("factory", func() (err error) {
		p, err = factory(ctx)
		return err
	})
	if err == nil && p == nil {
		err = errors.New("its factory returned nil")
	}
	if err != nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Failed to start provider", "The provider %s could not be started: %s.", addr, err)
	}
	return p, nil
}

func names(m map[addrs.Provider]Factory) string {
	var all []string
	for addr := range m {
		all = append(all, addr.String())
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

// instances are the providers of a walk, one for each configuration.
type instances struct {
	walk *walk
	mu   sync.Mutex
	m    map[string]*instance
}

// instance is a provider as it is configured in one place.
type instance struct {
	provider.Interface
	addr   addrs.AbsProviderConfig
	schema *providerSchema
}

// ensure is the instance of the configuration, made at first need.
func (i *instances) ensure(addr addrs.AbsProviderConfig) (*instance, tfdiags.Diagnostics) {
	i.mu.Lock()
	defer i.mu.Unlock()
	key := addr.String()
	if inst := i.m[key]; inst != nil {
		return inst, nil
	}
	schema := i.walk.schema(i.walk.ctx, addr.Provider)
	if schema.diags.HasErrors() {
		return nil, schema.diags
	}
	p, diags := i.walk.start(i.walk.ctx, addr.Provider)
	if diags.HasErrors() {
		return nil, diags
	}
	if !schema.response.ServerCapabilities.GetProviderSchemaOptional {
		call(i.walk.ctx, i.walk.Engine, "GetProviderSchema", addr.Provider.String(), p.GetProviderSchema, provider.GetProviderSchemaRequest{})
	}
	inst := &instance{Interface: p, addr: addr, schema: schema}
	if i.m == nil {
		i.m = map[string]*instance{}
	}
	i.m[key] = inst
	return inst, nil
}

// close ends all of them.
func (i *instances) close() tfdiags.Diagnostics {
	i.mu.Lock()
	defer i.mu.Unlock()
	var errs []error
	for _, key := range sortedKeys(i.m) {
		errs = append(errs, caught("Close", i.m[key].Close))
	}
	i.m = nil
	if err := errors.Join(errs...); err != nil {
		return tfdiags.Diagnostics{}.Warnf("", "Failed to close provider", "%s.", err)
	}
	return nil
}

// stop asks all of them to end what runs.
func (i *instances) stop() {
	i.mu.Lock()
	running := slices.Collect(maps.Values(i.m))
	i.mu.Unlock()
	for _, inst := range running {
		_ = caught("Stop", func() error { return inst.Stop(i.walk.ctx) })
	}
}

// configureProvider evaluates a provider block and hands it to its provider.
func (w *walk) configureProvider(addr addrs.AbsProviderConfig, config *configs.Config, block *configs.ProviderConfig) tfdiags.Diagnostics {
	inst, diags := w.providers.ensure(addr)
	if diags.HasErrors() {
		return diags
	}
	if w.op == planning {
		diags = append(diags, inst.schema.warnings...)
	}
	body, where := hcl.Body(&hclsyntax.Body{}), addr.String()
	if block != nil {
		body = block.Config
	}
	s := w.scope(config.Path.UnkeyedInstance(), config)
	v, said := s.body(body, inst.schema.config.Body)
	diags = diags.Append(said.WithAddress(where))
	if diags.HasErrors() {
		return diags
	}
	v, _ = v.UnmarkDeep()
	validated := call(w.ctx, w.Engine, "ValidateProviderConfig", where, inst.ValidateProviderConfig, provider.ValidateProviderConfigRequest{Config: v})
	diags = diags.Append(tfdiags.FromProvider(where, validated.Diagnostics).InBody(body))
	if diags.HasErrors() || w.op == validating {
		return diags
	}
	if len(w.opts.Imports) > 0 && !v.IsWhollyKnown() {
		return diags.Errorf(where, "Invalid provider configuration",
			"An import needs %s at once, and its configuration has values that are known after apply only.", addr)
	}
	version := openTofuSays
	if w.options.Flavor == Terraform {
		version = terraformSays
	}
	configured := call(w.ctx, w.Engine, "ConfigureProvider", where, inst.ConfigureProvider, provider.ConfigureProviderRequest{
		Config: v, TerraformVersion: version, ClientCapabilities: offered,
	})
	return diags.Append(tfdiags.FromProvider(where, configured.Diagnostics).InBody(body))
}

// metaFor is the provider_meta of a module for a provider, null where it has none.
func (s *scope) metaFor(inst *instance) (cty.Value, tfdiags.Diagnostics) {
	if inst.schema.meta == nil {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	for name, body := range s.config.Module.ProviderMetas {
		if s.config.Module.RequiredProviders[name] == inst.addr.Provider {
			v, diags := s.body(body, inst.schema.meta.Body)
			v, _ = v.UnmarkDeep()
			return v, diags
		}
	}
	return cty.NullVal(inst.schema.meta.ty), nil
}

// sortedKeys is slices.Sorted of the keys, in one allocation and often in none: it
// is called for each list of things that a module may have.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// unmarkForProvider is v as a provider gets it, and the paths that were
// sensitive.
func unmarkForProvider(v cty.Value) (cty.Value, []cty.PathValueMarks) {
	return lang.UnmarkDeepSensitivePaths(v)
}
