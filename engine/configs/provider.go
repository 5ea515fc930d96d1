package configs

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var providerSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "alias"}, {Name: "version"}, {Name: "for_each"}, {Name: "count"}, {Name: "depends_on"}, {Name: "source"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}},
}

// provider reads a provider block.
func (r *reader) provider(block *hcl.Block) {
	content, remain, diags := block.Body.PartialContent(providerSchema)
	r.add(diags)
	if !r.localName(block.Labels[0], block.DefRange) {
		return
	}
	p := &ProviderConfig{Name: block.Labels[0], DeclRange: block.DefRange}
	if attr := content.Attributes["alias"]; attr != nil {
		p.Alias = r.text(attr)
		r.name(p.Alias, attr.Expr.Range(), "provider configuration alias")
	}
	if attr := content.Attributes["version"]; attr != nil {
		r.versionConstraint(attr.Expr)
		r.warnf(attr.Expr.Range(), "Version constraints inside provider configuration blocks are deprecated",
			"Set the version in the required_providers block instead.")
	}
	for _, name := range []string{"count", "depends_on", "source", "for_each"} {
		switch attr := content.Attributes[name]; {
		case attr == nil:
		case name == "for_each" && !r.opts.Terraform:
			r.unsupported(attr.Range, "for_each in provider blocks", "Use a provider block with an alias for each configuration.")
		default:
			r.reserved(attr.NameRange, "argument", "provider", name)
		}
	}
	for _, block := range content.Blocks {
		if block.Type != "_" {
			r.reserved(block.TypeRange, "block type", "provider", block.Type)
		}
	}
	p.Config = r.escaped(content, remain)
	p.empty = isEmpty(p.Config)
	key := addrs.LocalProviderConfig{LocalName: p.Name, Alias: p.Alias}.String()
	if prior := r.m.ProviderConfigs[key]; prior != nil {
		r.errorf(block.DefRange, "Duplicate provider configuration", "The provider configuration %s is already declared at %s. All but one configuration of a provider must have unique aliases.", key, prior.DeclRange)
		return
	}
	r.m.ProviderConfigs[key] = p
}

// isEmpty reports whether a body has no content.
func isEmpty(body hcl.Body) bool {
	attrs, diags := body.JustAttributes()
	return len(attrs) == 0 && !diags.HasErrors()
}

// escaped returns remain, the part of a block without meta-arguments, merged with the escaping
// block ("_") in content. Arguments in the escaping block are never meta-arguments.
func (r *reader) escaped(content *hcl.BodyContent, remain hcl.Body) hcl.Body {
	out := remain
	seen := false
	for _, block := range content.Blocks {
		switch {
		case block.Type != "_":
		case seen:
			r.errorf(block.DefRange, "Duplicate escaping block", "There is already a block \"_\". Merge them.")
		default:
			seen = true
			out = hcl.MergeBodies([]hcl.Body{remain, block.Body})
		}
	}
	return out
}

const badProviderRef = "Invalid provider configuration reference"

// providerRef reads a reference to a provider configuration: name or name.alias.
// argument is the name of the argument for messages.
func (r *reader) providerRef(expr hcl.Expression, argument string) (addrs.LocalProviderConfig, bool) {
	if wrapped, ok := expr.(*hclsyntax.ObjectConsKeyExpr); ok {
		expr = wrapped.UnwrapExpression()
	}
	if !r.opts.Terraform {
		var ok bool
		if expr, ok = r.dequoted(expr); !ok {
			return addrs.LocalProviderConfig{}, false
		}
	}
	expr = r.unquoted(expr)
	traversal, diags := hcl.AbsTraversalForExpr(expr)
	_, indexed := expr.(*hclsyntax.IndexExpr)
	if len(traversal) == 3 {
		_, indexed = traversal[2].(hcl.TraverseIndex)
	}
	switch {
	case indexed && !r.opts.Terraform:
		r.unsupported(expr.Range(), "keys of provider configurations", "Refer to a configuration as name or name.alias.")
		return addrs.LocalProviderConfig{}, false
	case diags.HasErrors() || len(traversal) == 0:
		r.errorf(expr.Range(), badProviderRef, "%s must be NAME or NAME.ALIAS of a provider configuration.", argument)
		return addrs.LocalProviderConfig{}, false
	}
	if !r.localName(traversal.RootName(), traversal[0].SourceRange()) {
		return addrs.LocalProviderConfig{}, false
	}
	ref, err := providerRef(traversal)
	if err != nil {
		r.add(hcl.Diagnostics{err})
	}
	return ref, err == nil
}

// localName reports whether a local name of a provider is valid, and adds an error if not. The
// name must be valid as a type, because it is the type of an implied provider, but may have the prefix
// "terraform-".
func (r *reader) localName(name string, rng hcl.Range) bool {
	p, err := addrs.ParseProviderSourceString(strings.TrimPrefix(name, "terraform-"), "")
	if err == nil && strings.HasSuffix(name, p.Type) && !strings.Contains(name, "/") {
		return true
	}
	r.errorf(rng, "Invalid provider local name", "The local name %q of a provider must consist of lower-case letters and digits with single dashes between them.", name)
	return false
}

func providerRef(traversal hcl.Traversal) (addrs.LocalProviderConfig, *hcl.Diagnostic) {
	ref := addrs.LocalProviderConfig{LocalName: traversal.RootName()}
	if len(traversal) == 1 {
		return ref, nil
	}
	alias, ok := traversal[1].(hcl.TraverseAttr)
	if !ok || len(traversal) > 2 {
		rng := traversal[len(traversal)-1].SourceRange()
		return ref, errorf(rng, badProviderRef, "A provider configuration is referred to as NAME or NAME.ALIAS.")
	}
	ref.Alias = alias.Name
	return ref, nil
}

// impliedProviders adds to RequiredProviders the local names that are used without a
// requirement.
func (r *reader) impliedProviders() {
	use := func(localName string) {
		if _, ok := r.m.RequiredProviders[localName]; !ok {
			r.m.RequiredProviders[localName] = r.opts.ImpliedProvider(localName)
		}
	}
	for _, p := range r.m.ProviderConfigs {
		use(p.Name)
	}
	for _, resource := range r.m.Resources {
		use(resource.ProviderConfigRef.LocalName)
	}
	for _, action := range r.m.Actions {
		use(action.ProviderConfigRef.LocalName)
	}
	for _, i := range r.m.Imports {
		if i.ProviderConfigRef != nil {
			use(i.ProviderConfigRef.LocalName)
		}
	}
}

// ProviderFor returns the provider of a local name in the module.
func (c *Config) ProviderFor(localName string) addrs.Provider {
	if p, ok := c.Module.RequiredProviders[localName]; ok {
		return p
	}
	return c.Module.opts.ImpliedProvider(localName)
}

// ResolveProvider returns the provider configuration that ref refers to in the module:
// a block in the module, or a configuration that callers pass, explicitly or, for a default
// configuration, implicitly. The root module has an empty default configuration of every provider
// without a block. ResolveProvider returns false for an alias that the module does not define and its
// caller does not pass, and for a passed alias that the caller does not have.
func (c *Config) ResolveProvider(ref addrs.LocalProviderConfig) (addrs.AbsProviderConfig, bool) {
	return c.resolveProvider(c.ProviderFor(ref.LocalName), ref.Alias)
}

// resolveProvider is like ResolveProvider, but takes a provider, because each module has its own
// local names.
func (c *Config) resolveProvider(provider addrs.Provider, alias string) (addrs.AbsProviderConfig, bool) {
	found := addrs.AbsProviderConfig{Module: c.Path, Provider: provider, Alias: alias}
	block := c.providerBlock(provider, alias)
	if c.Parent == nil {
		return found, block != nil || alias == ""
	}
	if passed, ok := c.passed(provider, alias); ok {
		return c.Parent.ResolveProvider(passed)
	}
	switch {
	case block != nil:
		return found, true
	case alias != "":
		return found, false
	default:
		return c.Parent.resolveProvider(provider, "")
	}
}

// root returns the root of the tree.
func (c *Config) root() *Config {
	for c.Parent != nil {
		c = c.Parent
	}
	return c
}

// call returns the module block that calls c, or nil for the root module.
func (c *Config) call() *ModuleCall {
	if c.Parent == nil {
		return nil
	}
	return c.Parent.Module.ModuleCalls[c.Path[len(c.Path)-1]]
}

// passed returns the caller's configuration that is passed for a configuration of c. It returns false
// if none is passed, or if c has a block with content for it. c must not be the root module.
func (c *Config) passed(provider addrs.Provider, alias string) (addrs.LocalProviderConfig, bool) {
	if block := c.providerBlock(provider, alias); block != nil && !block.empty {
		return addrs.LocalProviderConfig{}, false
	}
	for inChild, inParent := range c.call().Providers {
		if inChild.Alias == alias && c.ProviderFor(inChild.LocalName) == provider {
			return inParent, true
		}
	}
	return addrs.LocalProviderConfig{}, false
}

// ReplacedProvider returns the configuration that a module block passes explicitly in place of addr,
// which is a configuration in the state. If there is none, it returns addr. It may be called on any module of the tree.
func (c *Config) ReplacedProvider(addr addrs.AbsProviderConfig) addrs.AbsProviderConfig {
	if c = c.root().Descendant(addr.Module); c == nil || c.Parent == nil {
		return addr
	}
	if passed, ok := c.passed(addr.Provider, addr.Alias); ok {
		if found, ok := c.Parent.ResolveProvider(passed); ok {
			return found
		}
	}
	return addr
}

// ProviderBlock returns the block of a configuration, or nil for a configuration without a
// block, such as an implied one of the root module. It may be called on any module of the tree.
func (c *Config) ProviderBlock(addr addrs.AbsProviderConfig) *ProviderConfig {
	if c = c.root().Descendant(addr.Module); c == nil {
		return nil
	}
	return c.providerBlock(addr.Provider, addr.Alias)
}

func (c *Config) providerBlock(provider addrs.Provider, alias string) *ProviderConfig {
	for _, p := range c.Module.ProviderConfigs {
		if p.Alias == alias && c.ProviderFor(p.Name) == provider {
			return p
		}
	}
	return nil
}
