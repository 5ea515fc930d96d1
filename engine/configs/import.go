package configs

import "github.com/hashicorp/hcl/v2"

var importSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{
	{Name: "to", Required: true}, {Name: "id"}, {Name: "identity"}, {Name: "for_each"}, {Name: "provider"},
}}

// importBlock reads an import block.
func (r *reader) importBlock(block *hcl.Block) {
	content := r.content(block.Body, importSchema)
	i := &Import{DeclRange: block.DefRange}
	expr := func(name string) hcl.Expression {
		if attr := content.Attributes[name]; attr != nil {
			return attr.Expr
		}
		return nil
	}
	i.ID, i.Identity, i.ForEach = expr("id"), expr("identity"), expr("for_each")
	if to := expr("to"); to != nil {
		i.To = r.dequoted(to)
		r.importTarget(i)
	}
	if attr := content.Attributes["provider"]; attr != nil {
		if ref, ok := r.providerRef(attr.Expr, "provider"); ok {
			i.ProviderConfigRef = &ref
		}
		if len(i.Target.Module) > 0 {
			r.errorf(attr.Range, badImportProvider, "The provider of a resource in a module is the one that the module block passes, so that it cannot be chosen here.")
		}
	}
	switch {
	case i.ID == nil && i.Identity == nil:
		r.errorf(block.DefRange, "Missing required import argument", "Say which object is meant, by its id or by its identity.")
	case i.ID != nil && i.Identity != nil:
		r.errorf(content.Attributes["identity"].NameRange, "Conflicting import arguments", "The object is named twice, by its id and by its identity: leave one of them out.")
	}
	r.m.Imports = append(r.m.Imports, i)
}

const badImportProvider = "Invalid import provider argument"

func (r *reader) importTarget(i *Import) {
	rng := i.To.Range()
	steps, ok := expressionSteps(i.To)
	if !ok {
		r.errorf(rng, "Invalid import address expression", "The address of a resource is needed, in which only keys can be computed: module.a[var.b].type.name[each.key].")
		return
	}
	a := address{steps: steps, whole: rng, eval: anyKey}
	target, diags := a.target()
	r.add(diags)
	switch {
	case diags.HasErrors():
	case isModule(target):
		r.errorf(rng, badAddress, "This names a module. What is imported is a resource in it: module.a.TYPE.NAME.")
	default:
		i.Target = target.Resource.InModule(target.Module.Module())
		i.steps = steps
	}
}

// checkImports checks the import blocks of the root module against each other
// and against its resources.
func checkImports(root *Config) hcl.Diagnostics {
	var diags hcl.Diagnostics
	seen := map[string]hcl.Range{}
	for _, i := range root.Module.Imports {
		if i.steps == nil {
			continue
		}
		if addr, failed := i.Address(static); !failed.HasErrors() {
			if prior, twice := seen[addr.String()]; twice {
				diags = append(diags, errorf(i.DeclRange, `Duplicate import configuration for "`+addr.String()+`"`,
					"%q is imported by the block at %s already: leave one of them out.", addr, prior))
				continue
			}
			seen[addr.String()] = i.DeclRange
		}
		resource := root.Module.Resources[i.Target.Resource]
		if resource == nil || i.ProviderConfigRef == nil || len(i.Target.Module) > 0 {
			continue
		}
		if !resource.providerSaid || *i.ProviderConfigRef != resource.ProviderConfigRef {
			diags = append(diags, errorf(i.DeclRange, badImportProvider,
				"The resource block of %s does not say provider = %s: leave the argument out here, or write it there as well.", i.Target, i.ProviderConfigRef))
		}
	}
	return diags
}
