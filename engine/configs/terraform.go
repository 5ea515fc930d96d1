package configs

import (
	"cmp"
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
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
	// OpenTofu has no experiments and ignores the argument.
	if attr := content.Attributes["experiments"]; attr != nil && r.opts.Terraform {
		r.unsupported(attr.Range, "experiments", "Remove the argument.")
	}
	for _, block := range content.Blocks {
		switch block.Type {
		case "required_providers":
			r.requiredProviders(block)
		case "provider_meta":
			r.providerMeta(block)
		case "backend":
			r.single(block, "Duplicate backend configuration", "backend configuration")
			// The local backend does not affect results. Other backends may
			// encrypt the state or run operations remotely.
			if block.Labels[0] != "local" {
				r.unsupported(block.DefRange, "the backend \""+block.Labels[0]+"\"", "The test keeps the state. Remove the block.")
			}
		default: // cloud, encryption
			r.unsupported(block.DefRange, block.Type+" blocks", "The test keeps the state. Remove the block.")
		}
	}
}

func (r *reader) providerMeta(block *hcl.Block) {
	name := block.Labels[0]
	if _, twice := r.m.ProviderMetas[name]; twice {
		r.errorf(block.DefRange, "Duplicate provider_meta block", "The module already has a provider_meta block for %q. Merge them.", name)
		return
	}
	r.m.ProviderMetas[name] = block.Body
}

// single reports whether a block is the first of its type, and adds an error if not.
func (r *reader) single(block *hcl.Block, summary, what string) bool {
	if prior, twice := r.once[block.Type]; twice {
		r.errorf(block.DefRange, summary, "There is already a %s at %s. Remove one of them.", what, prior)
		return false
	}
	r.once[block.Type] = block.DefRange
	return true
}

// requiredVersion compares required_version with Options.Version, if that is
// set. In files that both Terraform and OpenTofu read, required_version is about the version of Terraform,
// and OpenTofu ignores it.
func (r *reader) requiredVersion(attr *hcl.Attribute) {
	own := strings.HasSuffix(attr.Range.Filename, ".tofu") || strings.HasSuffix(attr.Range.Filename, ".tofu.json")
	if !r.opts.Terraform && !own {
		return
	}
	need, ok := r.versionConstraint(attr.Expr)
	if !ok || r.opts.Version == "" {
		return
	}
	if have, err := version.NewVersion(r.opts.Version); err != nil || need.Check(have) {
		return
	}
	summary := "Incompatible module"
	if r.opts.Terraform {
		summary = "Unsupported Terraform Core version"
	}
	r.errorf(attr.Expr.Range(), summary, "This module requires version %s of %s, and the engine has version %s.", need, r.opts.product(), r.opts.Version)
}

// requiredProviders reads a required_providers block. A module may have only one.
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
			r.warnf(attrs[name].Range, "Duplicate required provider", "%s is required as %q here and as %q. Use one local name.", provider, name, first)
		}
		by[provider] = name
	}
}

func (r *reader) requiredProvider(attr *hcl.Attribute) {
	provider := r.opts.ImpliedProvider(attr.Name)
	r.m.RequiredProviders[attr.Name] = provider
	r.m.explicit[attr.Name] = true

	pairs, diags := hcl.ExprMap(attr.Expr)
	if diags.HasErrors() { // the old form: only a version
		if value, diags := attr.Expr.Value(nil); diags.HasErrors() || !value.Type().IsPrimitiveType() {
			r.errorf(attr.Expr.Range(), "Invalid required_providers object", "Use an object: { source = ..., version = ... }.")
			return
		}
		r.versionConstraint(attr.Expr)
		return
	}
	if !r.localName(attr.Name, attr.Expr.Range()) {
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
				"Only version, source and configuration_aliases are permitted. Configure the provider in a provider block.")
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
			r.errorf(expr.Range(), "Invalid configuration_aliases value", "An alias of %q must have the form %s.NAME.", localName, localName)
		default:
			r.m.Aliases = append(r.m.Aliases, ref)
		}
	}
}

// providerSource returns the address in a source argument, or fallback if it is invalid.
func (r *reader) providerSource(expr hcl.Expression, fallback addrs.Provider) addrs.Provider {
	value, diags := expr.Value(nil)
	r.add(diags)
	if diags.HasErrors() {
		return fallback
	}
	if value.IsNull() || !value.IsKnown() || value.Type() != cty.String {
		r.errorf(expr.Range(), "Invalid source", "The source must be a string, such as \"hashicorp/null\".")
		return fallback
	}
	provider, summary, err := r.opts.parseSource(value.AsString())
	if err != nil {
		r.errorf(expr.Range(), summary, "The source of the provider %s is invalid: %s.", fallback.Type, err)
		return fallback
	}
	return provider
}

// parseSource parses a source address. If a part is invalid, summary is the summary of the
// error about this part.
func (o Options) parseSource(source string) (p addrs.Provider, summary string, err error) {
	if p, err = addrs.ParseProviderSourceString(source, o.hostname()); err == nil {
		if !strings.Contains(source, "/") {
			p = o.defaultProvider(p.Type)
		}
		return p, "", nil
	}
	bad := func(part string) bool {
		_, err := addrs.ParseProviderSourceString(part, "")
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

// ImpliedProvider returns the provider of a local name without a requirement.
func (o Options) ImpliedProvider(localName string) addrs.Provider {
	if localName == addrs.BuiltIn.Type {
		return addrs.BuiltIn
	}
	return o.defaultProvider(strings.ToLower(localName))
}

// defaultProvider returns the provider of a source that is only a type.
func (o Options) defaultProvider(typeName string) addrs.Provider {
	return addrs.Provider{Hostname: o.hostname(), Namespace: cmp.Or(o.Namespace, "hashicorp"), Type: typeName}
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

// versionConstraint reads a constraint, such as ">= 1.2, < 2.0". Constraints of providers are
// only checked for syntax, because the test supplies the providers.
func (r *reader) versionConstraint(expr hcl.Expression) (version.Constraints, bool) {
	var text string
	if diags := gohcl.DecodeExpression(expr, nil, &text); diags.HasErrors() {
		r.errorf(expr.Range(), "Invalid version constraint", "A version constraint must be a string.")
		return nil, false
	}
	need, err := version.NewConstraint(text)
	if err != nil {
		r.errorf(expr.Range(), "Invalid version constraint", "%q is not a version constraint such as \">= 1.2, < 2.0\": %s.", text, err)
	}
	return need, err == nil
}
