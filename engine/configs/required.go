package configs

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// requiredProviders reads the required_providers block, of which a module has
// one.
func (r *reader) requiredProviders(block *hcl.Block) {
	if !r.single(block, "Duplicate required providers configuration", "required_providers block") {
		return
	}
	attrs, diags := block.Body.JustAttributes()
	r.add(diags)
	by := map[addrs.Provider]string{}
	for _, name := range sortedKeys(attrs) {
		r.requiredProvider(attrs[name])
		provider := r.m.RequiredProviders[name]
		if first, twice := by[provider]; twice {
			r.warnf(attrs[name].Range, "Duplicate required provider", "%s, which is %q here, is required as %q too: use one of the names.", provider, name, first)
		}
		by[provider] = name
	}
}

func (r *reader) requiredProvider(attr *hcl.Attribute) {
	provider := r.opts.ImpliedProvider(attr.Name)
	r.m.RequiredProviders[attr.Name] = provider
	r.m.explicit[attr.Name] = true

	pairs, diags := hcl.ExprMap(attr.Expr)
	if diags.HasErrors() { // a version alone, as it was written long ago
		if value, diags := attr.Expr.Value(nil); diags.HasErrors() || !value.Type().IsPrimitiveType() {
			r.errorf(attr.Expr.Range(), "Invalid required_providers object", "What is required of a provider is written as an object, { source = ..., version = ... }.")
			return
		}
		r.versionConstraint(attr.Expr)
		return
	}
	for _, pair := range pairs {
		key, diags := pair.Key.Value(nil)
		r.add(diags)
		if diags.HasErrors() || key.IsNull() || !key.IsKnown() || key.Type() != cty.String {
			continue
		}
		switch key.AsString() {
		case "version":
			r.versionConstraint(pair.Value)
		case "source":
			r.m.RequiredProviders[attr.Name] = r.providerSource(pair.Value, provider)
		case "configuration_aliases":
			r.aliases(attr.Name, pair.Value)
		default:
			r.errorf(pair.Key.Range(), "Invalid required_providers object",
				"There are version, source and configuration_aliases here, and nothing else. What configures a provider stands in a provider block.")
		}
	}
}

func (r *reader) aliases(localName string, expr hcl.Expression) {
	exprs, diags := hcl.ExprList(expr)
	r.add(diags)
	for _, expr := range exprs {
		traversal, diags := hcl.AbsTraversalForExpr(expr)
		r.add(diags)
		if diags.HasErrors() {
			continue
		}
		ref, err := providerRef(traversal)
		switch {
		case err != nil:
			r.add(hcl.Diagnostics{err})
		case ref.LocalName != localName:
			r.errorf(expr.Range(), "Invalid configuration_aliases value", "An alias of %q is written with its name before it: %s.NAME.", localName, localName)
		default:
			r.m.Aliases = append(r.m.Aliases, ref)
		}
	}
}

// providerSource is what a source argument means; without an error in it.
func (r *reader) providerSource(expr hcl.Expression, without addrs.Provider) addrs.Provider {
	value, diags := expr.Value(nil)
	r.add(diags)
	if diags.HasErrors() {
		return without
	}
	if value.IsNull() || !value.IsKnown() || value.Type() != cty.String {
		r.errorf(expr.Range(), "Invalid source", "The source is text, as in \"hashicorp/null\".")
		return without
	}
	provider, summary, err := r.opts.parseSource(value.AsString())
	if err != nil {
		r.errorf(expr.Range(), summary, "The source of the provider %s: %s.", without.Type, err)
		return without
	}
	return provider
}

// parseSource reads a source, and says which part of it is wrong.
func (o Options) parseSource(source string) (p addrs.Provider, summary string, err error) {
	if p, err = addrs.ParseProviderSourceString(source, o.hostname()); err == nil {
		if !strings.Contains(source, "/") {
			p = o.defaultProvider(p.Type)
		}
		return p, "", nil
	}
	bad := func(alone string) bool {
		_, err := addrs.ParseProviderSourceString(alone, "")
		return err != nil
	}
	switch parts := strings.Split(source, "/"); {
	case source == "" || len(parts) > 3:
		return p, "Invalid provider source string", err
	case bad(parts[len(parts)-1]):
		return p, "Invalid provider type", err
	case bad(parts[len(parts)-2] + "/x"):
		return p, "Invalid provider namespace", err
	default:
		return p, "Invalid provider source hostname", err
	}
}

// ImpliedProvider is what a local name means that nothing explains.
func (o Options) ImpliedProvider(localName string) addrs.Provider {
	if localName == addrs.BuiltIn.Type {
		return addrs.BuiltIn
	}
	return o.defaultProvider(strings.ToLower(localName))
}

// defaultProvider is the provider of a source that is only a type.
func (o Options) defaultProvider(typeName string) addrs.Provider {
	p := addrs.Provider{Hostname: o.hostname(), Namespace: o.Namespace, Type: typeName}
	if p.Namespace == "" {
		p.Namespace = "hashicorp"
	}
	return p
}

func (o Options) hostname() string {
	switch {
	case o.Hostname != "":
		return o.Hostname
	case o.Terraform:
		return addrs.TerraformRegistry
	default:
		return addrs.OpenTofuRegistry
	}
}
