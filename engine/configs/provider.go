package configs

import (
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
	p := &ProviderConfig{Name: block.Labels[0], DeclRange: block.DefRange}
	if attr := content.Attributes["alias"]; attr != nil {
		p.Alias = r.text(attr)
		r.name(p.Alias, attr.Expr.Range(), "provider configuration alias")
	}
	if attr := content.Attributes["version"]; attr != nil {
		r.versionConstraint(attr.Expr)
		r.warnf(attr.Expr.Range(), "Version constraints inside provider configuration blocks are deprecated",
			"A provider's version belongs in the required_providers block, where nothing else is deprecated either.")
	}
	for _, name := range []string{"count", "depends_on", "source", "for_each"} {
		switch attr := content.Attributes[name]; {
		case attr == nil:
		case name == "for_each" && !r.opts.Terraform:
			r.unsupported(attr.Range, "for_each in provider blocks", "Write a provider block with an alias for each configuration.")
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
		r.errorf(block.DefRange, "Duplicate provider configuration", "The provider configuration %s was already given at %s. Each configuration of a provider must have an alias of its own, except for one.", key, prior.DeclRange)
		return
	}
	r.m.ProviderConfigs[key] = p
}

// isEmpty reports whether a body says nothing.
func isEmpty(body hcl.Body) bool {
	attrs, diags := body.JustAttributes()
	return len(attrs) == 0 && !diags.HasErrors()
}

// escaped is the body of a block for its schema, with what an escaping block
// ("_") has: arguments whose names mean something else outside.
func (r *reader) escaped(content *hcl.BodyContent, remain hcl.Body) hcl.Body {
	out := remain
	seen := false
	for _, block := range content.Blocks {
		switch {
		case block.Type != "_":
		case seen:
			r.errorf(block.DefRange, "Duplicate escaping block", "There is a block \"_\" here already: put both into one.")
		default:
			seen = true
			out = hcl.MergeBodies([]hcl.Body{remain, block.Body})
		}
	}
	return out
}

const badProviderRef = "Invalid provider configuration reference"

// providerRef reads a reference to a provider configuration: name or name.alias.
// What the argument is called is for messages.
func (r *reader) providerRef(expr hcl.Expression, argument string) (addrs.LocalProviderConfig, bool) {
	if wrapped, ok := expr.(*hclsyntax.ObjectConsKeyExpr); ok {
		expr = wrapped.UnwrapExpression()
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
		r.errorf(expr.Range(), badProviderRef, "%s is the name of a provider, or NAME.ALIAS for one of its configurations.", argument)
		return addrs.LocalProviderConfig{}, false
	}
	ref, err := providerRef(traversal)
	if err != nil {
		r.add(hcl.Diagnostics{err})
	}
	return ref, err == nil
}

func providerRef(traversal hcl.Traversal) (addrs.LocalProviderConfig, *hcl.Diagnostic) {
	ref := addrs.LocalProviderConfig{LocalName: traversal.RootName()}
	if len(traversal) == 1 {
		return ref, nil
	}
	alias, ok := traversal[1].(hcl.TraverseAttr)
	if !ok || len(traversal) > 2 {
		rng := traversal[len(traversal)-1].SourceRange()
		return ref, errorf(rng, badProviderRef, "A provider is named as NAME, or as NAME.ALIAS for one of its configurations.")
	}
	ref.Alias = alias.Name
	return ref, nil
}

// impliedProviders completes RequiredProviders with the names that are used.
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
	for _, i := range r.m.Imports {
		if i.ProviderConfigRef != nil {
			use(i.ProviderConfigRef.LocalName)
		}
	}
}
