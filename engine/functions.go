package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/provider"
)

// functionSet holds the functions that modules can call: those of the language, and
// those of providers under each module's local names. results are those of checked calls.
type functionSet struct {
	options  lang.FunctionOptions
	base     func() *hcl.EvalContext // created by the first call
	mu       sync.Mutex
	byModule map[*configs.Config]moduleFunctions
	results  map[string]cty.Value
}

// moduleFunctions are the functions that a module can call: those of the language, and those of providers
// under the module's local names.
type moduleFunctions struct {
	base      *hcl.EvalContext
	providers map[string]function.Function
}

func (w *walk) loadFunctions() {
	opts := lang.FunctionOptions{BaseDir: w.config.Base, PureOnly: w.op != applying}
	if w.op != validating {
		opts.PlanTime = w.started
	}
	if w.options.Flavor == Terraform {
		opts.Terraform, opts.Check = true, w.checkRepeated
	}
	w.functions.options = opts
	w.functions.base = sync.OnceValue(func() *hcl.EvalContext { return lang.FunctionContext(opts) })
	w.functions.byModule = map[*configs.Config]moduleFunctions{}
}

// functionContext returns the context in which a module's expressions find functions. names
// are the names of the provider functions that the expressions call.
func (w *walk) functionContext(config *configs.Config, names []string) *hcl.EvalContext {
	m := w.moduleFunctions(config)
	ctx := m.base.NewChild()
	ctx.Functions = m.providers
	if w.op != validating || w.options.Flavor == Terraform {
		return ctx
	}
	// In OpenTofu, the configuration of a provider may add functions, so a validation
	// accepts functions that the schema lacks.
	missing := map[string]function.Function{}
	for _, name := range names {
		local, _, _ := lang.ParseProviderFunctionName(name)
		if _, known := config.Module.RequiredProviders[local]; known {
			if _, found := ctx.Functions[name]; !found {
				missing[name] = unknownResult
			}
		}
	}
	ctx = ctx.NewChild()
	ctx.Functions = missing
	return ctx
}

// unknownResult is a function that accepts any arguments and has an unknown result.
var unknownResult = function.New(&function.Spec{
	VarParam: &function.Parameter{Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true},
	Type:     function.StaticReturnType(cty.DynamicPseudoType),
	Impl:     func([]cty.Value, cty.Type) (cty.Value, error) { return cty.DynamicVal, nil },
})

// moduleFunctions returns the functions that a module can call.
func (w *walk) moduleFunctions(config *configs.Config) moduleFunctions {
	w.functions.mu.Lock()
	defer w.functions.mu.Unlock()
	if m, ok := w.functions.byModule[config]; ok {
		return m
	}
	var m moduleFunctions
	for local, addr := range config.Module.RequiredProviders {
		for name, decl := range w.schema(w.ctx, addr).response.Functions {
			if m.providers == nil {
				m.providers = map[string]function.Function{}
			}
			m.providers[lang.ProviderFunctionName(local, name)] = w.providerFunction(addr, name, decl)
		}
	}
	if w.options.Flavor == Terraform && len(m.providers) > 0 { // in OpenTofu, templates cannot call functions of providers
		opts := w.functions.options
		opts.ForTemplates = m.providers
		m.base = lang.FunctionContext(opts)
	} else {
		m.base = w.functions.base()
	}
	w.functions.byModule[config] = m
	return m
}

// providerFunction returns a provider's function as a function of the language (docs/checks.md
// §16).
func (w *walk) providerFunction(addr addrs.Provider, name string, decl provider.FunctionDecl) function.Function {
	params := make([]function.Parameter, len(decl.Parameters))
	for i, p := range decl.Parameters {
		params[i] = parameter(p)
	}
	spec := &function.Spec{
		Description: decl.Description, Params: params, Type: function.StaticReturnType(decl.ReturnType),
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			for i, arg := range args {
				p := paramAt(decl, i)
				if !p.AllowUnknownValues && !arg.IsWhollyKnown() {
					return cty.UnknownVal(want), nil
				}
				if w.options.Flavor == OpenTofu && arg.IsNull() && arg.Type() == cty.DynamicPseudoType {
					return cty.UnknownVal(want), nil // OpenTofu treats an untyped null as unknown
				}
			}
			return w.callFunction(addr, name, args, want)
		},
	}
	if decl.VariadicParameter != nil {
		v := parameter(*decl.VariadicParameter)
		spec.VarParam = &v
	}
	return function.New(spec)
}

func paramAt(decl provider.FunctionDecl, i int) provider.FunctionParam {
	if i < len(decl.Parameters) {
		return decl.Parameters[i]
	}
	return *decl.VariadicParameter
}

func parameter(p provider.FunctionParam) function.Parameter {
	return function.Parameter{Name: p.Name, Description: p.Description, Type: p.Type, AllowNull: p.AllowNullValue, AllowUnknown: true, AllowDynamicType: true}
}

func (w *walk) callFunction(addr addrs.Provider, name string, args []cty.Value, want cty.Type) (cty.Value, error) {
	p, err := w.functionProvider(addr)
	if err != nil {
		return cty.UnknownVal(want), err
	}
	resp := call(w.ctx, w.Engine, "CallFunction", name, p.CallFunction, provider.CallFunctionRequest{FunctionName: name, Arguments: args})
	if resp.Err != nil {
		if arg, ok := errors.AsType[*provider.FunctionArgumentError](resp.Err); ok {
			return cty.UnknownVal(want), function.NewArgError(arg.Index, errors.New(arg.Err.Error()))
		}
		if w.options.Flavor == OpenTofu && len(args) > 0 && addr != addrs.BuiltIn { // if the error of a plugin has no index, OpenTofu reports it for the first argument
			return cty.UnknownVal(want), function.NewArgError(0, errors.New(resp.Err.Error()))
		}
		return cty.UnknownVal(want), errors.New(resp.Err.Error())
	}
	v := valueOrNull(resp.Result, want)
	if problem := typeProblem(v, want); problem != "" {
		return cty.UnknownVal(want), fmt.Errorf("the provider's result does not have the declared type: %s", problem)
	}
	if w.options.Flavor == Terraform {
		err = w.checkRepeated("provider function "+name+" of "+addr.String(), args, v)
	}
	return v, err
}

// explainUnknown changes errors in diags about unknown functions to the text of the flavor, and
// returns diags.
func (w *walk) explainUnknown(config *configs.Config, diags hcl.Diagnostics, names []string) hcl.Diagnostics {
	for _, d := range diags {
		if d.Summary != "Call to unknown function" {
			continue
		}
		if extra, ok := d.Extra.(hclsyntax.FunctionCallUnknownDiagExtra); ok && w.options.Flavor == OpenTofu {
			explainNamespace(d, extra.CalledFunctionNamespace())
		}
		for _, name := range names {
			local, function, _ := lang.ParseProviderFunctionName(name)
			if !strings.Contains(d.Detail, "provider::"+local+"::") {
				continue
			}
			if _, known := config.Module.RequiredProviders[local]; !known {
				d.Summary = "Unknown function provider"
				d.Detail = "There is no provider with the local name " + quoted(local) + " in " + moduleText(config.Path) + ", so " + name + " cannot be called. Add the provider to required_providers or correct the name."
			} else {
				d.Summary = "Function not found in provider"
				d.Detail = "The provider " + quoted(local) + " has no function " + quoted(function) + "."
			}
			if w.options.Flavor == Terraform {
				d.Summary = "Unknown provider function"
			}
		}
	}
	return diags
}

// explainNamespace replaces the summary of an error about a function whose namespace is
// unknown or invalid with that of OpenTofu. For a namespace that the in-process engine does not
// support, it replaces the summary and the detail.
func explainNamespace(d *hcl.Diagnostic, namespace string) {
	switch name, rest, _ := strings.Cut(namespace, "::"); {
	case namespace == "" || name == "core":
	case name != "provider":
		d.Summary = "Unknown function namespace"
	case strings.Count(rest, "::") == 2:
		d.Summary, d.Detail = "Not supported by the in-process engine", "The in-process engine does not support functions of a provider configuration with an alias. Call the function without the alias. Test cases can also run with the CLI (ACCTEST_ENGINE=cli)."
	case strings.Count(rest, "::") != 1:
		d.Summary = "Unable to parse provider function"
	}
}

// checkRepeated records the result of a function call, and returns an error if the same call had
// a different result in the plan or its apply. It ignores calls with unknown arguments or results.
// Terraform checks the functions of providers and those that read files.
func (w *walk) checkRepeated(name string, args []cty.Value, result cty.Value) error {
	if !result.IsWhollyKnown() {
		return nil
	}
	var key strings.Builder
	key.WriteString(name)
	for _, arg := range args {
		if !arg.IsWhollyKnown() {
			return nil
		}
		key.WriteString(" " + arg.GoString())
	}
	w.functions.mu.Lock()
	defer w.functions.mu.Unlock()
	if w.functions.results == nil {
		w.functions.results = map[string]cty.Value{}
	}
	if before, ok := w.functions.results[key.String()]; ok && !before.RawEquals(result) {
		return fmt.Errorf("function returned an inconsistent result: %s must return the same result for the same arguments in a plan and its apply, but it returned different results", name)
	}
	w.functions.results[key.String()] = result
	return nil
}

// functionProvider returns the instance for function calls: for Terraform and during
// validation, an instance that is never configured; otherwise, that of the default configuration,
// which is not always configured (see orderFunctions).
func (w *walk) functionProvider(addr addrs.Provider) (provider.Interface, error) {
	key := addrs.AbsProviderConfig{Provider: addr}
	if w.options.Flavor == Terraform || w.op == validating {
		key.Alias = "(functions)" // no configuration has this alias
	}
	inst, diags := w.providers.ensure(key)
	if diags.HasErrors() {
		return nil, errors.New(diags[0].Detail)
	}
	return inst, nil
}

// needsFunctions records the providers whose functions a vertex calls, for orderFunctions. In
// Terraform and during validation, no provider is configured for the calls.
func (b *builder) needsFunctions(v *vertex, config *configs.Config, names []string) {
	if b.options.Flavor == Terraform || b.op == validating {
		return
	}
	for _, name := range names {
		local, _, ok := lang.ParseProviderFunctionName(name)
		if !ok {
			continue
		}
		if addr, found := config.ResolveProvider(addrs.LocalProviderConfig{LocalName: local}); found && addr.Module.IsRoot() {
			b.functionCalls = append(b.functionCalls, functionCall{v, addr})
		}
	}
}

// functionCall is a vertex that calls functions of a provider.
type functionCall struct {
	caller   *vertex
	provider addrs.AbsProviderConfig
}

// orderFunctions makes function calls wait for their providers. A provider that has no
// block and is used only for its functions is not configured.
func (b *builder) orderFunctions() {
	for _, c := range b.functionCalls {
		b.graph.connect(c.caller, b.graph.get(c.provider.String()))
	}
}

// functionProblems returns the errors that Terraform reports about function
// declarations.
func functionProblems(functions map[string]provider.FunctionDecl) []string {
	var problems []string
	for _, name := range sortedKeys(functions) {
		decl := functions[name]
		if !hclsyntax.ValidIdentifier(name) {
			problems = append(problems, "the function name "+quoted(name)+" is not a valid identifier")
		}
		seen := map[string]bool{}
		for _, p := range decl.AllParameters() {
			if !hclsyntax.ValidIdentifier(p.Name) {
				problems = append(problems, "the function "+name+" has a parameter "+quoted(p.Name)+", which is not a valid identifier")
			}
			if seen[p.Name] {
				problems = append(problems, "the function "+name+" has two parameters "+quoted(p.Name))
			}
			seen[p.Name] = true
		}
	}
	return problems
}
