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

// dataSchema lacks what in a data block may be the provider's.
var dataSchema = &hcl.BodySchema{
	Attributes: resourceSchema.Attributes,
	Blocks:     []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}},
}

// kind is how messages call a resource of a mode.
type kind struct {
	block, thing, things    string
	duplicate               string
	typeName, name          string // what is wrong with a label
	schema                  *hcl.BodySchema
	lifecycle, provisioners string // the summary where managed resources alone have them
}

var kinds = map[addrs.ResourceMode]kind{
	addrs.ManagedResourceMode: {
		block: "resource", thing: "resource", things: "resources", duplicate: "resource",
		typeName: "resource type name", name: "resource name", schema: resourceSchema,
	},
	addrs.DataResourceMode: {
		block: "data", thing: "data resource", things: "data sources", duplicate: "data",
		typeName: "data source name", name: "data resource name", schema: dataSchema,
		lifecycle: "Invalid data resource lifecycle argument",
	},
	addrs.EphemeralResourceMode: {
		block: "ephemeral", thing: "ephemeral resource", things: "ephemeral resources", duplicate: "ephemeral resource",
		typeName: "ephemeral resource type name", name: "ephemeral resource name", schema: resourceSchema,
		lifecycle:    "Invalid lifecycle configuration for ephemeral resource",
		provisioners: "Invalid configuration block for ephemeral resource",
	},
}

// resource reads a resource, data or ephemeral block.
func (r *reader) resource(block *hcl.Block, mode addrs.ResourceMode) {
	r.declare(r.resourceBlock(block, mode, ""))
}

func (r *reader) declare(resource *Resource) {
	if prior := r.m.Resources[resource.Addr]; prior != nil {
		k := kinds[resource.Addr.Mode]
		r.errorf(resource.DeclRange, `Duplicate `+k.duplicate+` "`+resource.Addr.Type+`" configuration`,
			"There is another %s %s named %q at %s, perhaps in a check block: give this one a name of its own.",
			resource.Addr.Type, k.thing, resource.Addr.Name, prior.DeclRange)
		return
	}
	r.m.Resources[resource.Addr] = resource
}

// resourceBlock reads a block of the mode, which may be inside of a check.
func (r *reader) resourceBlock(block *hcl.Block, mode addrs.ResourceMode, inCheck string) *Resource {
	k := kinds[mode]
	content, remain, diags := block.Body.PartialContent(k.schema)
	r.add(diags)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: mode, Type: block.Labels[0], Name: block.Labels[1]},
		InCheck:   inCheck,
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
		DependsOn: r.traversals(content.Attributes["depends_on"]),
	}
	r.name(resource.Addr.Type, block.LabelRanges[0], k.typeName)
	r.name(resource.Addr.Name, block.LabelRanges[1], k.name)
	if inCheck == "" {
		resource.Count, resource.ForEach = r.repetition(content.Attributes, k.things)
	} else {
		r.notInChecks(content.Attributes)
	}
	resource.ProviderConfigRef = addrs.LocalProviderConfig{LocalName: resource.Addr.ImpliedProvider()}
	if attr := content.Attributes["provider"]; attr != nil {
		resource.providerSaid = true
		if ref, ok := r.providerRef(attr.Expr, "provider"); ok {
			resource.ProviderConfigRef = ref
		}
	}
	resource.Config = r.escaped(content, remain)
	r.resourceBlocks(resource, content.Blocks)
	return resource
}

// resourceBlocks reads the blocks that are not the provider's.
func (r *reader) resourceBlocks(resource *Resource, blocks hcl.Blocks) {
	k := kinds[resource.Addr.Mode]
	seen := false
	for _, block := range blocks {
		switch {
		case block.Type == "locals":
			r.reserved(block.TypeRange, "block type", k.block, block.Type)
		case block.Type == "lifecycle" && seen:
			r.errorf(block.DefRange, "Duplicate lifecycle block", "This %s already has a lifecycle block.", k.thing)
		case block.Type == "lifecycle":
			if seen = true; resource.InCheck != "" {
				r.errorf(block.DefRange, "Invalid lifecycle block", `A data block in a check lives as its check does, so that it has no lifecycle block.`)
			}
			r.lifecycle(resource, block)
		case block.Type == "_":
		case k.provisioners != "":
			r.errorf(block.DefRange, k.provisioners, "A %s block is for resource blocks alone, not for %s.", block.Type, k.things)
		case block.Type == "provisioner":
			r.unsupported(block.DefRange, "the provisioner \""+block.Labels[0]+"\"", "Let a resource do what it does, or run the test with the command line.")
		default:
			r.unsupported(block.DefRange, "connection blocks", "They are for provisioners, which it does not run: remove the block.")
		}
	}
}

// notInChecks refuses to repeat the data source of a check block.
func (r *reader) notInChecks(attrs hcl.Attributes) {
	for _, name := range []string{"count", "for_each"} {
		if attr := attrs[name]; attr != nil {
			r.errorf(attr.NameRange, `Invalid "`+name+`" attribute`, "%q means nothing for a data block in a check.", name)
		}
	}
}

// repetition reads count and for_each, of which a block has one at most.
func (r *reader) repetition(attrs hcl.Attributes, things string) (count, forEach hcl.Expression) {
	if attr := attrs["count"]; attr != nil {
		count = attr.Expr
	}
	if attr := attrs["for_each"]; attr != nil {
		forEach = attr.Expr
		if count != nil {
			r.errorf(attr.NameRange, `Invalid combination of "count" and "for_each"`,
				`The "count" and "for_each" meta-arguments are mutually-exclusive: only one of them can say how many %s there are.`, things)
		}
	}
	return count, forEach
}
