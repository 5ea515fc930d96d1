package configs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// checkRoot checks what the root alone may not have, or alone may have.
func checkRoot(root *Config) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(root.Module.Outputs) {
		if o := root.Module.Outputs[name]; o.Ephemeral {
			summary := "Invalid output configuration"
			if root.Module.opts.Terraform {
				summary = "Ephemeral output not allowed"
			}
			diags = append(diags, errorf(o.DeclRange, summary, "Nobody takes the value of the output %q while the run lasts, which is all that an ephemeral one lasts: leave out ephemeral.", name))
		}
	}
	return append(diags, checkImports(root)...)
}

// checkCalls checks the modules that c calls. Repeated is the place that makes c
// or one of its callers more than one or wait for others, or nil.
func checkCalls(c *Config, repeated *hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(c.Children) {
		child, call := c.Children[name], c.Module.ModuleCalls[name]
		diags = append(diags, child.checkPassed(call)...)
		for _, i := range child.Module.Imports {
			diags = append(diags, errorf(i.DeclRange, "Invalid import configuration", "This import block is in %q. What is imported is said in the root module.", child.Path))
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

// repeatedAt is the argument that keeps a module from configuring providers.
func (call *ModuleCall) repeatedAt() *hcl.Range {
	switch {
	case call.Count != nil:
		return call.Count.StartRange().Ptr()
	case call.ForEach != nil:
		return call.ForEach.StartRange().Ptr()
	case len(call.DependsOn) > 0:
		return call.DependsOn[0].SourceRange().Ptr()
	}
	return nil
}

// checkBlocks checks the provider blocks of a module that is called.
func (c *Config) checkBlocks(repeated *hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(c.Module.ProviderConfigs) {
		p := c.Module.ProviderConfigs[name]
		if p.empty {
			diags = append(diags, warnf(p.DeclRange, "Redundant empty provider block",
				"An empty provider block in a called module once declared that callers pass a configuration. Write a required_providers entry with configuration_aliases instead."))
			continue
		}
		if repeated != nil {
			summary := "Module is incompatible with count, for_each, enabled and depends_on"
			if c.Module.opts.Terraform {
				summary = "Module is incompatible with count, for_each, and depends_on"
			}
			diags = append(diags, errorf(*repeated, summary,
				"%s has provider configurations of its own, at %s, so that calls of it can neither be repeated nor depend on anything. Pass the configurations from the caller instead.", c.Path, p.DeclRange))
			break
		}
	}
	return diags
}

// checkPassed checks the configurations that a call passes against those that
// the module c takes.
func (c *Config) checkPassed(call *ModuleCall) hcl.Diagnostics {
	var diags hcl.Diagnostics
	takes := map[addrs.LocalProviderConfig]bool{}
	for _, ref := range c.Module.Aliases {
		takes[ref] = true
		if _, ok := call.Providers[ref]; !ok {
			diags = append(diags, errorf(call.DeclRange, "Missing required provider configuration",
				"The module wants a configuration of provider %s to be passed, under the name %q: add it to the argument \"providers\" of this block.", c.ProviderFor(ref.LocalName), ref))
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
			diags = append(diags, errorf(call.passedAt[inChild], "Cannot override provider configuration", "%s has a configuration of its own for %s, at %s, so that it takes none from its caller.", c.Path, name, p.DeclRange))
			continue
		}
		want, got := c.ProviderFor(inChild.LocalName), c.Parent.ProviderFor(inParent.LocalName)
		switch declared := c.Module.explicit[inChild.LocalName]; {
		case declared && inChild.Alias != "" && !takes[inChild] && c.Module.ProviderConfigs[name] == nil:
			diags = append(diags, errorf(call.passedAt[inChild], "Reference to undefined provider",
				"%s does not declare the configuration %q: it has to be in configuration_aliases of its required_providers.", c.Path, name))
			continue
		case !declared:
			diags = append(diags, warnf(call.passedAt[inChild], "Reference to undefined provider",
				"%s does not require a provider with the local name %q, which is taken to mean %s: add an entry to its required_providers.", c.Path, inChild.LocalName, want))
		}
		if want != got {
			diags = append(diags, errorf(call.passedAt[inChild], "Provider type mismatch", "The configuration %s, which is passed, is one of %s; %s of %s has to be one of %s.", inParent, got, name, c.Path, want))
		}
	}
	return diags
}

// takeArguments reads the arguments of each call as the variables of its module.
func takeArguments(c *Config) hcl.Diagnostics {
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
		diags = append(diags, takeArguments(child)...)
	}
	return diags
}
