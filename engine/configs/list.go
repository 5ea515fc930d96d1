package configs

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var listSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "provider"}, {Name: "include_resource"}, {Name: "limit"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "config"}},
}

// list reads a list block.
func (r *reader) list(block *hcl.Block) {
	resource, attrs := r.configBlock(block, addrs.ListResourceMode)
	if attrs["provider"] == nil {
		r.errorf(block.DefRange, `Missing "provider" attribute`, "A list block must have a provider argument.")
	}
	if attr := attrs["include_resource"]; attr != nil {
		resource.List.IncludeResource = attr.Expr
	}
	if attr := attrs["limit"]; attr != nil {
		resource.List.Limit = attr.Expr
	}
	r.declare(resource)
}

// configBlock reads a block whose arguments for the provider are in a config block.
func (r *reader) configBlock(block *hcl.Block, mode addrs.ResourceMode) (*Resource, hcl.Attributes) {
	k := kinds[mode]
	content := r.content(block.Body, k.schema)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: mode, Type: block.Labels[0], Name: block.Labels[1]},
		Config:    hcl.EmptyBody(),
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
	}
	r.name(resource.Addr.Type, block.LabelRanges[0], k.typeName)
	r.name(resource.Addr.Name, block.LabelRanges[1], k.name)
	resource.Count, resource.ForEach = r.repetition(content.Attributes, k.things)
	r.providerArgument(resource, content.Attributes["provider"])
	for i, inner := range content.Blocks {
		if i > 0 {
			r.errorf(inner.DefRange, "Duplicate config block", "This %s block already has a config block.", k.block)
			break
		}
		resource.Config = inner.Body
	}
	return resource, content.Attributes
}
