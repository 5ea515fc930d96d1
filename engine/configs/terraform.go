package configs

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var terraformSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "required_version"}, {Name: "experiments"}, {Name: "language"}},
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "required_providers"},
		{Type: "provider_meta", LabelNames: []string{"provider"}},
		{Type: "backend", LabelNames: []string{"type"}},
		{Type: "cloud"},
		{Type: "encryption"},
	},
}

// terraform reads a terraform block.
func (r *reader) terraform(block *hcl.Block) {
	content := r.content(block.Body, terraformSchema)
	if attr := content.Attributes["required_version"]; attr != nil {
		r.requiredVersion(attr)
	}
	if attr := content.Attributes["experiments"]; attr != nil {
		r.unsupported(attr.Range, "experiments", "Leave the argument out.")
	}
	for _, block := range content.Blocks {
		switch block.Type {
		case "required_providers":
			r.requiredProviders(block)
		case "provider_meta":
			r.m.ProviderMetas[block.Labels[0]] = block.Body
		case "backend":
			// Where state is kept changes no verdict, as long as it is kept as it is.
			if block.Labels[0] != "local" {
				r.unsupported(block.DefRange, "the backend \""+block.Labels[0]+"\"", "State is kept in memory: leave the block out.")
			}
		case "cloud":
			r.unsupported(block.DefRange, "cloud blocks", "State is kept in memory: leave the block out.")
		case "encryption":
			r.unsupported(block.DefRange, "encryption blocks", "State is kept in memory: leave the block out.")
		}
	}
}

func (r *reader) requiredProviders(block *hcl.Block) {
	attrs, diags := block.Body.JustAttributes()
	r.add(diags)
	for _, name := range sortedKeys(attrs) {
		r.requiredProvider(attrs[name])
	}
}

func (r *reader) requiredProvider(attr *hcl.Attribute) {
	if prior, ok := r.required[attr.Name]; ok {
		r.errorf(attr.Range, "Duplicate required providers configuration", "The provider %q was already required at %s.", attr.Name, prior)
		return
	}
	r.required[attr.Name] = attr.Range
	provider := r.opts.impliedProvider(attr.Name)
	r.m.RequiredProviders[attr.Name] = provider

	pairs, diags := hcl.ExprMap(attr.Expr)
	if diags.HasErrors() { // a version alone
		r.versionConstraint(attr.Expr)
		return
	}
	for _, pair := range pairs {
		key, diags := pair.Key.Value(nil)
		r.add(diags)
		if diags.HasErrors() || key.Type() != cty.String {
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
				"required_providers objects can only contain \"version\", \"source\" and \"configuration_aliases\" attributes.")
		}
	}
}

func (r *reader) aliases(localName string, expr hcl.Expression) {
	exprs, diags := hcl.ExprList(expr)
	r.add(diags)
	for _, expr := range exprs {
		ref, ok := r.providerRef(expr)
		if !ok {
			continue
		}
		if ref.LocalName != localName {
			r.errorf(expr.Range(), "Invalid configuration_aliases value", "The alias of the provider %q is written %s.NAME.", localName, localName)
			continue
		}
		r.m.Aliases = append(r.m.Aliases, ref)
	}
}

// providerSource is what a source argument means; without an error in it.
func (r *reader) providerSource(expr hcl.Expression, without addrs.Provider) addrs.Provider {
	value, diags := expr.Value(nil)
	r.add(diags)
	if diags.HasErrors() {
		return without
	}
	if value.IsNull() || value.Type() != cty.String {
		r.errorf(expr.Range(), "Invalid source", "Source must be specified as a string.")
		return without
	}
	parts := strings.Split(strings.ToLower(value.AsString()), "/")
	for _, part := range parts {
		if part == "" || strings.ContainsAny(part, " \t\n@:?#%\\") && len(parts) != 3 {
			parts = nil
			break
		}
	}
	switch len(parts) {
	case 1:
		return r.opts.defaultProvider(parts[0])
	case 2:
		p := r.opts.defaultProvider(parts[1])
		// The host is the flavor's: an option completes only what is left out.
		p.Namespace = parts[0]
		return p
	case 3:
		return addrs.Provider{Hostname: parts[0], Namespace: parts[1], Type: parts[2]}
	}
	r.errorf(expr.Range(), "Invalid provider source string",
		"A provider's source is written [HOST/][NAMESPACE/]TYPE, as in \"hashicorp/random\"; %q is not.", value.AsString())
	return without
}

// impliedProvider is what a local name means that nothing explains.
func (o Options) impliedProvider(localName string) addrs.Provider {
	if localName == "terraform" {
		return BuiltinProvider
	}
	return o.defaultProvider(localName)
}

// BuiltinProvider serves terraform_data and terraform_remote_state: it is a part
// of the engine and never installed.
var BuiltinProvider = addrs.Provider{Hostname: "terraform.io", Namespace: "builtin", Type: "terraform"}
