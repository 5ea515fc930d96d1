package configs

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var callSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "source", Required: true}, {Name: "version"}, {Name: "count"}, {Name: "for_each"}, {Name: "depends_on"}, {Name: "providers"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}, {Type: "provider", LabelNames: []string{"type"}}},
}

// call reads a module block.
func (r *reader) call(block *hcl.Block) {
	content, remain, diags := block.Body.PartialContent(callSchema)
	r.add(diags)
	call := &ModuleCall{Name: block.Labels[0], DeclRange: block.DefRange, DependsOn: r.traversals(content.Attributes["depends_on"])}
	r.name(call.Name, block.LabelRanges[0], "module instance name")
	if attr := content.Attributes["source"]; attr != nil {
		r.callSource(call, attr)
	}
	if attr := content.Attributes["version"]; attr != nil && call.Source != "" {
		r.errorf(call.SourceRange, "Invalid registry module source address", "A module in a local directory has no version. Remove the argument \"version\".")
	}
	if attr := content.Attributes["providers"]; attr != nil {
		r.callProviders(call, attr)
	}
	call.Count, call.ForEach, call.Enabled = r.repetition(content.Attributes, r.callBlocks(content.Blocks), "module instances")
	call.Config = r.escaped(content, remain)
	if prior := r.m.ModuleCalls[call.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate module call", "A module call named %q is already declared at %s. Module calls must have unique names.", call.Name, prior.DeclRange)
		return
	}
	r.m.ModuleCalls[call.Name] = call
}

var callLifecycleSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "enabled"}}}

// callBlocks reads the blocks in a module block. It returns the enabled argument of the lifecycle
// block, which Terraform does not have, or nil.
func (r *reader) callBlocks(blocks hcl.Blocks) (enabled *hcl.Attribute) {
	seen := false
	for _, block := range blocks {
		switch {
		case block.Type == "_":
		case block.Type != "lifecycle" || r.opts.Terraform:
			r.reserved(block.TypeRange, "block type", "module", block.Type)
		case seen:
			r.errorf(block.DefRange, "Duplicate lifecycle block", "This module already has a lifecycle block.")
		default:
			seen = true
			enabled = r.content(block.Body, callLifecycleSchema).Attributes["enabled"]
		}
	}
	return enabled
}

// callSource reads the source of a module, which must be a local directory because the
// engine installs nothing.
func (r *reader) callSource(call *ModuleCall, attr *hcl.Attribute) {
	call.SourceRange = attr.Expr.Range()
	if len(attr.Expr.Variables()) > 0 {
		r.unsupported(call.SourceRange, "variables in a module's source", "Use a constant path, such as \"./modules/x\".")
		return
	}
	source := r.text(attr)
	switch {
	case source == "." || source == ".." || strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../"):
		call.Source = path.Clean(source)
	case filepath.IsAbs(filepath.FromSlash(source)):
		call.Source = path.Clean(filepath.ToSlash(source))
	case source == "":
		r.errorf(call.SourceRange, "Invalid module source address", "The source of a module must start with \"./\" or \"../\", or be an absolute path.")
	default:
		r.unsupported(call.SourceRange, "the module source \""+source+"\"", "Only modules in local directories can be called. Their source starts with \"./\" or \"../\", or is an absolute path.")
	}
}

// callProviders reads the providers argument, which maps the child's configurations to the
// caller's.
func (r *reader) callProviders(call *ModuleCall, attr *hcl.Attribute) {
	pairs, diags := hcl.ExprMap(attr.Expr)
	r.add(diags)
	call.Providers = make(map[addrs.LocalProviderConfig]addrs.LocalProviderConfig, len(pairs))
	call.passedAt = make(map[addrs.LocalProviderConfig]hcl.Range, len(pairs))
	for _, pair := range pairs {
		key, ok := r.providerRef(pair.Key, "providers")
		if !ok {
			continue
		}
		value, ok := r.providerRef(pair.Value, "providers")
		if !ok {
			continue
		}
		if _, twice := call.Providers[key]; twice {
			r.errorf(pair.Key.Range(), "Duplicate provider address", "The configuration %s is passed to the module twice.", key)
			continue
		}
		call.Providers[key], call.passedAt[key] = value, pair.Key.Range()
	}
}

// checkRoot checks rules that apply only to the root module.
func checkRoot(root *Config) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(root.Module.Outputs) {
		if o := root.Module.Outputs[name]; o.Ephemeral {
			summary := "Invalid output configuration"
			if root.Module.opts.Terraform {
				summary = "Ephemeral output not allowed"
			}
			diags = append(diags, errorf(o.DeclRange, summary, "The output %q of the root module cannot be ephemeral. Remove the argument \"ephemeral\".", name))
		}
	}
	return append(diags, checkImports(root)...)
}

// checkCalls checks the modules that c calls, directly or indirectly. repeated is the source range of
// the count, for_each, enabled or depends_on argument in the call of c or of one of its callers, or nil.
func checkCalls(c *Config, repeated *hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(c.Children) {
		child, call := c.Children[name], c.Module.ModuleCalls[name]
		diags = append(diags, child.checkPassed(call)...)
		for _, i := range child.Module.Imports {
			diags = append(diags, errorf(i.DeclRange, "Invalid import configuration", "This import block is in %q. Import blocks are only permitted in the root module.", child.Path))
		}
		rng := repeated
		if at := call.repeatedAt(); at != nil {
			rng = at
		}
		diags = append(diags, child.checkBlocks(rng)...)
		diags = append(diags, checkCalls(child, rng)...)
	}
	return diags
}

// repeatedAt returns the source range of the argument that prevents a module from configuring
// providers, or nil.
func (call *ModuleCall) repeatedAt() *hcl.Range {
	switch {
	case call.Count != nil:
		return call.Count.StartRange().Ptr()
	case call.ForEach != nil:
		return call.ForEach.StartRange().Ptr()
	case call.Enabled != nil:
		return call.Enabled.StartRange().Ptr()
	case len(call.DependsOn) > 0:
		return call.DependsOn[0].SourceRange().Ptr()
	}
	return nil
}

// checkBlocks checks the provider blocks of a child module.
func (c *Config) checkBlocks(repeated *hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(c.Module.ProviderConfigs) {
		p := c.Module.ProviderConfigs[name]
		if p.empty {
			diags = append(diags, warnf(p.DeclRange, "Redundant empty provider block",
				"An empty provider block in a child module is the old form of declaring a passed configuration. Use a required_providers entry with configuration_aliases instead."))
			continue
		}
		if repeated != nil {
			summary, arguments := "Module is incompatible with count, for_each, enabled and depends_on", "count, for_each, enabled or depends_on"
			if c.Module.opts.Terraform {
				summary, arguments = "Module is incompatible with count, for_each, and depends_on", "count, for_each or depends_on"
			}
			diags = append(diags, errorf(*repeated, summary,
				"%s has its own provider configurations, at %s, so calls of it cannot have %s. Pass the configurations from the caller instead.", c.Path, p.DeclRange, arguments))
			break
		}
	}
	return diags
}

// checkPassed checks the configurations that a call passes against those of the module
// c.
func (c *Config) checkPassed(call *ModuleCall) hcl.Diagnostics {
	var diags hcl.Diagnostics
	takes := map[addrs.LocalProviderConfig]bool{}
	for _, ref := range c.Module.Aliases {
		takes[ref] = true
		if _, ok := call.Providers[ref]; !ok {
			diags = append(diags, errorf(call.DeclRange, "Missing required provider configuration",
				"The module requires a configuration of provider %s with the name %q. Add it to the argument \"providers\" of this block.", c.ProviderFor(ref.LocalName), ref))
		}
	}
	passed := make(map[string]addrs.LocalProviderConfig, len(call.Providers))
	for inChild := range call.Providers {
		passed[inChild.String()] = inChild
	}
	for _, name := range sortedKeys(passed) {
		inChild := passed[name]
		inParent := call.Providers[inChild]
		if p := c.Module.ProviderConfigs[name]; p != nil && !p.empty {
			diags = append(diags, errorf(call.passedAt[inChild], "Cannot override provider configuration", "%s has its own configuration for %s, at %s, so none can be passed.", c.Path, name, p.DeclRange))
			continue
		}
		want, got := c.ProviderFor(inChild.LocalName), c.Parent.ProviderFor(inParent.LocalName)
		switch declared := c.Module.explicit[inChild.LocalName]; {
		case declared && inChild.Alias != "" && !takes[inChild] && c.Module.ProviderConfigs[name] == nil:
			diags = append(diags, errorf(call.passedAt[inChild], "Reference to undefined provider",
				"%s does not declare the configuration %q in configuration_aliases of its required_providers.", c.Path, name))
			continue
		case !declared:
			diags = append(diags, warnf(call.passedAt[inChild], "Reference to undefined provider",
				"%s does not require a provider with the local name %q, which is assumed to be %s. Add an entry to its required_providers.", c.Path, inChild.LocalName, want))
		}
		if want != got {
			diags = append(diags, errorf(call.passedAt[inChild], "Provider type mismatch", "The passed configuration %s belongs to the provider %s, but %s of %s must belong to the provider %s.", inParent, got, name, c.Path, want))
		}
	}
	return diags
}

// setArguments sets the Arguments of each module call, and reports required arguments that
// are missing and arguments that the called module has no variable for.
func setArguments(c *Config) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(c.Children) {
		child, call := c.Children[name], c.Module.ModuleCalls[name]
		schema := &hcl.BodySchema{}
		for _, name := range sortedKeys(child.Module.Variables) {
			schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: name, Required: child.Module.Variables[name].Default == cty.NilVal})
		}
		content, more := call.Config.Content(schema)
		call.Arguments = content.Attributes
		diags = append(diags, more...)
		diags = append(diags, setArguments(child)...)
	}
	return diags
}
