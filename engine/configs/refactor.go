package configs

import (
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
		r.errorf(block.DefRange, `Invalid "moved" addresses`, `One end is a resource and the other one a module. An object moves from one resource to another, or with all of its module.`)
		return
	}
	r.m.Moved = append(r.m.Moved, m)
}

func isModule(t addrs.Target) bool { return t.Resource == addrs.Resource{} }

// movable refuses what is no address, and that of what has no state to move.
func (r *reader) movable(block *hcl.Block, attr string, t addrs.Target, ok bool) bool {
	if ok && t.Resource.Mode != addrs.EphemeralResourceMode {
		return true
	}
	r.errorf(block.DefRange, `Invalid "moved" address`, "What the %q attribute refers to is not allowed to be moved.", attr)
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
	said, seen := false, false
	for _, block := range content.Blocks {
		switch {
		case block.Type != "lifecycle":
			r.unsupported(block.DefRange, block.Type+" blocks", "Let the provider do what is left to do.")
		case seen:
			r.errorf(block.DefRange, "Duplicate lifecycle block", "There is a lifecycle block in this block already.")
		default:
			seen = true
			attr := r.content(block.Body, removedLifecycleSchema).Attributes["destroy"]
			said = attr != nil
			removed.Destroy = r.boolean(attr, removed.Destroy)
		}
	}
	if !ok || r.diags[before:].HasErrors() {
		return
	}
	if !said && !r.opts.Terraform {
		r.warnf(block.DefRange, "Missing lifecycle from the removed block", "Without lifecycle { destroy = ... }, OpenTofu forgets the objects and Terraform destroys them: write which one is meant.")
	}
	r.m.Removed = append(r.m.Removed, removed)
}

// removable refuses addresses of single instances, and of what has no state to
// be removed from.
func (r *reader) removable(removed *Removed) bool {
	rng := removed.From.SourceRange()
	for _, step := range removed.FromAddr.Module {
		if step.InstanceKey != addrs.NoKey {
			r.errorf(rng, "Module instance address with keys is not allowed", "A removed block is about whole modules, such as module.a, and not about one of its instances, such as module.a[0].")
			return false
		}
	}
	resource := removed.FromAddr.Resource
	switch {
	case resource.Mode == addrs.DataResourceMode:
		r.errorf(rng, "Data source address is not allowed", "Data sources are not destroyed: remove the data block, and nothing else is needed.")
	case resource.Mode == addrs.EphemeralResourceMode:
		r.errorf(rng, "Ephemeral resource address is not allowed", "Ephemeral resources are not destroyed: remove the ephemeral block, and nothing else is needed.")
	case removed.FromAddr.Key != addrs.NoKey:
		r.errorf(rng, "Resource instance address with keys is not allowed", "A removed block is about whole resources, such as null_resource.a, and not about one of its instances, such as null_resource.a[0].")
	default:
		return true
	}
	return false
}
