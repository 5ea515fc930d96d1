package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Versions that are reported to providers, by flavor. All versions of OpenTofu report the
// same one.
const (
	openTofuVersion  = "1.13.0"
	terraformVersion = "1.14.0"
)

// capabilities are the optional capabilities of the engine.
var capabilities = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// start starts an instance of the provider.
func (e *Engine) start(ctx context.Context, addr addrs.Provider) (provider.Interface, tfdiags.Diagnostics) {
	factory := e.options.Providers[addr]
	if factory == nil && addr == addrs.BuiltIn {
		factory = e.newBuiltin
	}
	if factory == nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Required plugins are not installed",
			"The configuration needs the provider %s, but the engine has only the providers %s. Add a factory for the missing provider.", addr, names(e.options.Providers))
	}
	var p provider.Interface
	err := recoverPanic("factory", func() (err error) {
		p, err = factory(ctx)
		return err
	})
	if err == nil && p == nil {
		err = errors.New("its factory returned nil")
	}
	if err != nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Failed to start provider", "Cannot start the provider %s: %s.", addr, err)
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

// instances holds the provider instances of a walk, one for each provider
// configuration.
type instances struct {
	walk *walk
	mu   sync.Mutex
	m    map[string]*instance
}

// instance is a started provider. Validations and some function calls do not configure it.
type instance struct {
	provider.Interface
	addr   addrs.AbsProviderConfig
	schema *providerSchema
}

// ensure returns the instance for the configuration and starts it if necessary.
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

// close closes all instances. It returns errors as a warning.
func (i *instances) close() tfdiags.Diagnostics {
	i.mu.Lock()
	defer i.mu.Unlock()
	var errs []error
	for _, key := range sortedKeys(i.m) {
		errs = append(errs, recoverPanic("Close", i.m[key].Close))
	}
	i.m = nil
	if err := errors.Join(errs...); err != nil {
		return tfdiags.Diagnostics{}.Warnf("", "Failed to close provider", "%s.", err)
	}
	return nil
}

// stop calls Stop on all instances, which ends their running operations.
func (i *instances) stop() {
	i.mu.Lock()
	running := slices.Collect(maps.Values(i.m))
	i.mu.Unlock()
	for _, inst := range running {
		_ = recoverPanic("Stop", func() error { return inst.Stop(i.walk.ctx) })
	}
}

// configureProvider evaluates a provider block and configures its provider. A validation only
// validates the block, if it is not empty.
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
	if _, content := body.Content(&hcl.BodySchema{}); w.op == validating && !content.HasErrors() {
		return diags // like core, which validates an empty configuration only in the plan
	}
	s := w.scope(config.Path.UnkeyedInstance(), config)
	v, moreDiags := s.body(body, inst.schema.config.Body)
	diags = diags.Append(moreDiags.WithAddress(where))
	if diags.HasErrors() {
		if w.options.Flavor == OpenTofu {
			return diags
		}
		return explainMissing(diags, addr, block)
	}
	v, _ = v.UnmarkDeep()
	validated := call(w.ctx, w.Engine, "ValidateProviderConfig", where, inst.ValidateProviderConfig, provider.ValidateProviderConfigRequest{Config: v})
	diags = diags.Append(tfdiags.FromProvider(where, validated.Diagnostics).InBody(body))
	if diags.HasErrors() || w.op == validating {
		return explainMissing(diags, addr, block)
	}
	if len(w.opts.Imports) > 0 && !v.IsWhollyKnown() {
		return diags.Errorf(where, "Invalid provider configuration",
			"An import needs %s, whose configuration has values that are known only after apply. Apply their resources first.", addr)
	}
	version := openTofuVersion
	if w.options.Flavor == Terraform {
		version = terraformVersion
	}
	configured := call(w.ctx, w.Engine, "ConfigureProvider", where, inst.ConfigureProvider, provider.ConfigureProviderRequest{
		Config: v, TerraformVersion: version, ClientCapabilities: capabilities,
	})
	return explainMissing(diags.Append(tfdiags.FromProvider(where, configured.Diagnostics).InBody(body)), addr, block)
}

// explainMissing adds an error with the remedy to the errors of a provider without a
// provider block.
func explainMissing(diags tfdiags.Diagnostics, addr addrs.AbsProviderConfig, block *configs.ProviderConfig) tfdiags.Diagnostics {
	if block != nil || !diags.HasErrors() {
		return diags
	}
	return diags.Errorf("", "Invalid provider configuration",
		"Provider %q requires explicit configuration. The root module has no provider block for this provider: add a block with the required arguments.", addr.Provider)
}

// metaFor returns the provider_meta of a module for a provider, or null.
func (s *scope) metaFor(inst *instance) (cty.Value, tfdiags.Diagnostics) {
	none := cty.NullVal(cty.DynamicPseudoType)
	if inst.schema.meta != nil {
		none = cty.NullVal(inst.schema.meta.ty)
	}
	for name, body := range s.config.Module.ProviderMetas {
		if s.config.Module.RequiredProviders[name] != inst.addr.Provider {
			continue
		}
		if inst.schema.meta == nil {
			return none, errorAt(body.MissingItemRange(), "Provider "+inst.addr.Provider.String()+" doesn't support provider_meta",
				"The schema of the provider has no provider_meta. Remove the block.")
		}
		v, diags := s.body(body, inst.schema.meta.Body)
		v, _ = v.UnmarkDeep()
		return v, diags
	}
	return none, nil
}

// sortedKeys returns the sorted keys with at most one allocation. It is called for each
// kind of declaration of each module.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// call calls a provider and reports the call to Observe. A panic is returned as an
// error in the response, like the end of a provider's process in core.
func call[Q, S any](ctx context.Context, e *Engine, rpc, object string, f func(context.Context, Q) S, req Q) (resp S) {
	begin := time.Now()
	defer func() {
		if cause := recover(); cause != nil {
			var none S
			resp = none
			setError(&resp, panicked(rpc, cause))
		}
		if e.options.Observe != nil {
			e.options.Observe(Call{RPC: rpc, Object: object, Took: time.Since(begin)})
		}
	}()
	return f(ctx, req)
}

// notStreamed returns the diagnostics of a response without a stream, with an error unless
// they have one. In another process, such a provider crashes.
func notStreamed(diags diag.Diagnostics, rpc, what string) diag.Diagnostics {
	if diags.HasErrors() {
		return diags
	}
	return diags.Errorf(nil, "Plugin did not respond", "%s returned neither %s nor an error.%s", rpc, what, providerBug)
}

// setError puts the error into a response: into its Diagnostics, or its Err for
// functions.
func setError(resp any, err error) {
	v := reflect.ValueOf(resp).Elem()
	if field := v.FieldByName("Diagnostics"); field.IsValid() {
		field.Set(reflect.ValueOf(diag.Diagnostics{{Summary: "Plugin did not respond", Detail: err.Error(), Crash: diag.Panicked}}))
		return
	}
	v.FieldByName("Err").Set(reflect.ValueOf(err))
}

func panicked(where string, cause any) error {
	return fmt.Errorf("the provider panicked in %s: %v\n\n%s", where, cause, debug.Stack())
}

// recoverPanic runs code of a provider outside of calls and returns a panic as an
// error.
func recoverPanic(where string, f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(where, cause)
		}
	}()
	return f()
}
