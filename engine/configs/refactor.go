package configs

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var movedSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "from", Required: true}, {Name: "to", Required: true}}}

// moved reads a moved block.
func (r *reader) moved(block *hcl.Block) {
	content := r.content(block.Body, movedSchema)
	m := &Moved{DeclRange: block.DefRange}
	var okFrom, okTo bool
	m.From, m.FromAddr, okFrom = r.address(content.Attributes["from"])
	m.To, m.ToAddr, okTo = r.address(content.Attributes["to"])
	okFrom = r.movable(block, "from", m.FromAddr, okFrom)
	okTo = r.movable(block, "to", m.ToAddr, okTo)
	if !okFrom || !okTo {
		return
	}
	if isModule(m.FromAddr) != isModule(m.ToAddr) {
		r.errorf(block.DefRange, `Invalid "moved" addresses`, `One address is a resource and the other one a module. Both must be resources or both modules.`)
		return
	}
	r.m.Moved = append(r.m.Moved, m)
}

func isModule(t addrs.Target) bool { return t.Resource == addrs.Resource{} }

// movable reports whether the address is valid (ok) and not that of an ephemeral resource, which has
// no state to move, and adds an error if not.
func (r *reader) movable(block *hcl.Block, attr string, t addrs.Target, ok bool) bool {
	if ok && t.Resource.Mode != addrs.EphemeralResourceMode {
		return true
	}
	r.errorf(block.DefRange, `Invalid "moved" address`, "The address in %q cannot be moved.", attr)
	return false
}

var removedSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "from", Required: true}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "lifecycle"}, {Type: "connection"}, {Type: "provisioner", LabelNames: []string{"type"}}},
}

var removedLifecycleSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "destroy"}}}

// removed reads a removed block.
func (r *reader) removed(block *hcl.Block) {
	before := len(r.diags)
	content := r.content(block.Body, removedSchema)
	removed := &Removed{DeclRange: block.DefRange, Destroy: r.opts.Terraform}
	var ok bool
	if removed.From, removed.FromAddr, ok = r.address(content.Attributes["from"]); ok {
		ok = r.removable(removed)
	}
	explicit, seen := false, false
	for _, block := range content.Blocks {
		switch {
		case block.Type != "lifecycle":
			r.unsupported(block.DefRange, block.Type+" blocks", "Use a resource instead.")
		case seen:
			r.errorf(block.DefRange, "Duplicate lifecycle block", "This block already has a lifecycle block.")
		default:
			seen = true
			attr := r.content(block.Body, removedLifecycleSchema).Attributes["destroy"]
			explicit = attr != nil
			removed.Destroy = r.boolean(attr, removed.Destroy)
		}
	}
	if !ok || r.diags[before:].HasErrors() {
		return
	}
	if !explicit && !r.opts.Terraform {
		r.warnf(block.DefRange, "Missing lifecycle from the removed block", "Without lifecycle { destroy = ... }, OpenTofu forgets the objects and Terraform destroys them. Set it explicitly.")
	}
	r.m.Removed = append(r.m.Removed, removed)
}

// removable reports whether the address of a removed block is a whole resource or
// module with state, and adds an error if not.
func (r *reader) removable(removed *Removed) bool {
	rng := removed.From.SourceRange()
	for _, step := range removed.FromAddr.Module {
		if step.InstanceKey != addrs.NoKey {
			r.errorf(rng, "Module instance address with keys is not allowed", "Use the address of a whole module, such as module.a, and not of an instance such as module.a[0].")
			return false
		}
	}
	resource := removed.FromAddr.Resource
	switch {
	case resource.Mode == addrs.DataResourceMode:
		r.errorf(rng, "Data source address is not allowed", "Data sources are never destroyed. Removing the data block is sufficient.")
	case resource.Mode == addrs.EphemeralResourceMode:
		r.errorf(rng, "Ephemeral resource address is not allowed", "Ephemeral resources are never destroyed. Removing the ephemeral block is sufficient.")
	case removed.FromAddr.Key != addrs.NoKey:
		r.errorf(rng, "Resource instance address with keys is not allowed", "Use the address of a whole resource, such as null_resource.a, and not of an instance such as null_resource.a[0].")
	default:
		return true
	}
	return false
}

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
		i.To = to
		if reference, ok := r.dequoted(to); ok {
			i.To = reference
			r.importTarget(i)
		}
	}
	if attr := content.Attributes["provider"]; attr != nil {
		if ref, ok := r.providerRef(attr.Expr, "provider"); ok {
			i.ProviderConfigRef = &ref
		}
		if len(i.Target.Module) > 0 {
			r.errorf(attr.Range, badImportProvider, "The provider of a resource in a module is passed by the module block and cannot be set here.")
		}
	}
	switch {
	case i.ID == nil && i.Identity == nil:
		r.errorf(block.DefRange, "Missing required import argument", "Set \"id\" or \"identity\".")
	case i.ID != nil && i.Identity != nil:
		r.errorf(content.Attributes["identity"].NameRange, "Conflicting import arguments", "Both \"id\" and \"identity\" are set. Remove one of them.")
	}
	r.m.Imports = append(r.m.Imports, i)
}

const badImportProvider = "Invalid import provider argument"

func (r *reader) importTarget(i *Import) {
	rng := i.To.Range()
	steps, ok := expressionSteps(i.To)
	if !ok {
		r.errorf(rng, "Invalid import address expression", "The address of a resource is required. Only keys may be expressions: module.a[var.b].type.name[each.key].")
		return
	}
	for _, step := range steps {
		if r.opts.Terraform && i.ForEach == nil && step.key != nil && !isLiteral(step.key) {
			r.errorf(step.key.Range(), "Invalid expression", "Without for_each, a key must be a literal value.")
			r.errorf(rng, badAddress, "The address has a key that is an expression. Add for_each, and refer to each.key or each.value.")
			return
		}
	}
	a := address{steps: steps, whole: rng, eval: literalKey}
	target, diags := a.target()
	r.add(diags)
	switch {
	case diags.HasErrors():
		if r.opts.Terraform {
			r.errorf(rng, "Invalid import address", "The address of a resource instance is required.")
		}
	case isModule(target):
		r.errorf(rng, badAddress, "This is the address of a module. Use the address of a resource in it: module.a.TYPE.NAME.")
	default:
		i.Target = target.Resource.InModule(target.Module.Module())
		i.steps = steps
	}
}

// checkImports checks the import blocks of the root module against each other and
// against its resources.
func checkImports(root *Config) hcl.Diagnostics {
	var diags hcl.Diagnostics
	seen := map[string]hcl.Range{}
	for _, i := range root.Module.Imports {
		if i.steps == nil {
			continue
		}
		if addr, failed := i.Address(static); !failed.HasErrors() {
			if prior, twice := seen[addr.String()]; twice {
				diags = append(diags, errorf(i.DeclRange, fmt.Sprintf("Duplicate import configuration for %q", addr),
					"%q is already imported by the block at %s. Remove one of the blocks.", addr, prior))
				continue
			}
			seen[addr.String()] = i.DeclRange
		}
		resource := root.Module.Resources[i.Target.Resource]
		if resource == nil || i.ProviderConfigRef == nil || len(i.Target.Module) > 0 {
			continue
		}
		if !resource.hasProvider || *i.ProviderConfigRef != resource.ProviderConfigRef {
			diags = append(diags, errorf(i.DeclRange, badImportProvider,
				"The resource block of %s does not have provider = %s. Remove the argument here, or add it there.", i.Target, i.ProviderConfigRef))
		}
	}
	return diags
}
