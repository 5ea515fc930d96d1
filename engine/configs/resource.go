package configs

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var resourceSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "provider"}, {Name: "depends_on"}},
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}, {Type: "connection"}, {Type: "provisioner", LabelNames: []string{"type"}},
	},
}

// dataSchema is that of data and ephemeral blocks.
var dataSchema = &hcl.BodySchema{
	Attributes: resourceSchema.Attributes,
	Blocks:     []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}},
}

// modeWords are a mode's block and what it declares, as messages call them.
var modeWords = map[addrs.ResourceMode]struct{ block, thing string }{
	addrs.ManagedResourceMode:   {block: "resource", thing: "resource"},
	addrs.DataResourceMode:      {block: "data", thing: "data resource"},
	addrs.EphemeralResourceMode: {block: "ephemeral", thing: "ephemeral resource"},
}

// resource reads a resource, data or ephemeral block.
func (r *reader) resource(block *hcl.Block, mode addrs.ResourceMode) {
	resource := r.resourceBlock(block, mode)
	if prior := r.m.Resources[resource.Addr]; prior != nil {
		words := modeWords[mode]
		r.errorf(block.DefRange, `Duplicate `+words.thing+` "`+resource.Addr.Type+`" configuration`,
			"A %s %s named %q was already declared at %s. Names must be unique per type in each module.", resource.Addr.Type, words.thing, resource.Addr.Name, prior.DeclRange)
		return
	}
	r.m.Resources[resource.Addr] = resource
}

func (r *reader) resourceBlock(block *hcl.Block, mode addrs.ResourceMode) *Resource {
	schema := dataSchema
	if mode == addrs.ManagedResourceMode {
		schema = resourceSchema
	}
	words := modeWords[mode]
	content, remain, diags := block.Body.PartialContent(schema)
	r.add(diags)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: mode, Type: block.Labels[0], Name: block.Labels[1]},
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
		DependsOn: r.traversals(content.Attributes["depends_on"]),
	}
	r.name(resource.Addr.Type, block.LabelRanges[0], words.thing+" type")
	r.name(resource.Addr.Name, block.LabelRanges[1], words.thing)
	resource.Count, resource.ForEach = r.repetition(content.Attributes, words.thing)
	resource.ProviderConfigRef = addrs.LocalProviderConfig{LocalName: resource.Addr.ImpliedProvider()}
	if attr := content.Attributes["provider"]; attr != nil {
		if ref, ok := r.providerRef(attr.Expr); ok {
			resource.ProviderConfigRef = ref
		}
	}
	resource.Config = r.escaped(content, remain, words.block)
	lifecycles := 0
	for _, block := range content.Blocks {
		switch block.Type {
		case "lifecycle":
			if lifecycles++; lifecycles > 1 {
				r.errorf(block.DefRange, "Duplicate lifecycle block", "This %s already has a lifecycle block.", words.thing)
				continue
			}
			r.lifecycle(resource, block)
		case "connection":
			r.unsupported(block.DefRange, "connection blocks", "They serve provisioners only; see there.")
		case "provisioner":
			r.unsupported(block.DefRange, "the provisioner \""+block.Labels[0]+"\"", "Let a resource of a provider do what it did, or run this test with the command line engine.")
		}
	}
	return resource
}
