package configs

import (
	"github.com/hashicorp/hcl/v2"

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
	p := &ProviderConfig{Name: block.Labels[0], Config: remain, DeclRange: block.DefRange}
	r.name(p.Name, block.LabelRanges[0], "provider configuration")
	if attr := content.Attributes["alias"]; attr != nil {
		p.Alias = r.text(attr)
		r.name(p.Alias, attr.Expr.Range(), "provider configuration alias")
	}
	if attr := content.Attributes["version"]; attr != nil {
		r.versionConstraint(attr.Expr)
	}
	for _, name := range []string{"count", "depends_on", "source"} {
		if attr := content.Attributes[name]; attr != nil {
			r.errorf(attr.NameRange, "Reserved argument name in provider block", "The provider argument name %q is reserved for use by %s in a future version.", name, r.opts.product())
		}
	}
	if attr := content.Attributes["for_each"]; attr != nil {
		if r.opts.Terraform {
			r.errorf(attr.NameRange, "Reserved argument name in provider block", "The provider argument name \"for_each\" is reserved for use by Terraform in a future version.")
		} else {
			r.unsupported(attr.Range, "for_each in provider blocks", "Write a provider block with an alias for each configuration.")
		}
	}
	p.Config = r.escaped(content, remain, "provider")
	key := addrs.LocalProviderConfig{LocalName: p.Name, Alias: p.Alias}.String()
	if prior := r.m.ProviderConfigs[key]; prior != nil {
		r.errorf(block.DefRange, "Duplicate provider configuration", "The provider configuration %s was already declared at %s. Another one needs an alias of its own.", key, prior.DeclRange)
		return
	}
	r.m.ProviderConfigs[key] = p
}

// escaped is the body of a block for its schema, with what an escaping block
// ("_") has: arguments whose names mean something else outside. Other blocks
// that are left are names that nobody may use yet.
func (r *reader) escaped(content *hcl.BodyContent, remain hcl.Body, what string) hcl.Body {
	out := remain
	seen := false
	for _, block := range content.Blocks {
		switch {
		case block.Type == "_" && seen:
			r.errorf(block.DefRange, "Duplicate escaping block", "The special block type \"_\" can be used only once in each block.")
		case block.Type == "_":
			seen = true
			out = hcl.MergeBodies([]hcl.Body{remain, block.Body})
		case block.Type == "locals" || what == "provider":
			r.errorf(block.TypeRange, "Reserved block type name in "+what+" block", "The block type name %q is reserved for use by %s in a future version.", block.Type, r.opts.product())
		}
	}
	return out
}

// providerRef reads a reference to a provider configuration: name or name.alias.
func (r *reader) providerRef(expr hcl.Expression) (addrs.LocalProviderConfig, bool) {
	none := addrs.LocalProviderConfig{}
	if index, ok := expr.(interface{ UnwrapExpression() hcl.Expression }); ok {
		expr = index.UnwrapExpression()
	}
	expr = r.unquoted(expr)
	traversal, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		if _, static := expr.(interface{ AsTraversal() hcl.Traversal }); !static && !r.opts.Terraform {
			r.unsupported(expr.Range(), "keys of provider configurations", "Refer to a provider configuration as name or name.alias.")
			return none, false
		}
		r.add(diags)
		return none, false
	}
	ref := addrs.LocalProviderConfig{LocalName: traversal.RootName()}
	if !r.name(ref.LocalName, traversal[0].SourceRange(), "provider") {
		return none, false
	}
	if len(traversal) == 1 {
		return ref, true
	}
	alias, ok := traversal[1].(hcl.TraverseAttr)
	switch {
	case !ok:
		r.errorf(traversal[1].SourceRange(), "Invalid provider configuration reference", "Provider name must either stand alone or be followed by a configuration alias.")
		return none, false
	case len(traversal) > 2:
		r.errorf(traversal.SourceRange(), "Invalid provider configuration reference", "Extraneous extra operators after the alias of a provider configuration.")
		return none, false
	}
	ref.Alias = alias.Name
	return ref, true
}

// impliedProviders completes RequiredProviders with the names that are used.
func (r *reader) impliedProviders() {
	use := func(localName string) {
		if _, ok := r.m.RequiredProviders[localName]; !ok {
			r.m.RequiredProviders[localName] = r.opts.impliedProvider(localName)
		}
	}
	for _, p := range r.m.ProviderConfigs {
		use(p.Name)
	}
	for _, resource := range r.m.Resources {
		use(resource.ProviderConfigRef.LocalName)
	}
	for _, i := range r.m.Imports {
		if i.ProviderConfigRef != nil {
			use(i.ProviderConfigRef.LocalName)
		}
	}
}
