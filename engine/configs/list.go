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
	content := r.content(block.Body, listSchema)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: addrs.ListResourceMode, Type: block.Labels[0], Name: block.Labels[1]},
		Config:    hcl.EmptyBody(),
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
	}
	k := kinds[addrs.ListResourceMode]
	r.name(resource.Addr.Type, block.LabelRanges[0], k.typeName)
	r.name(resource.Addr.Name, block.LabelRanges[1], k.name)
	resource.Count, resource.ForEach = r.repetition(content.Attributes, k.things)
	if content.Attributes["provider"] == nil {
		r.errorf(block.DefRange, `Missing "provider" attribute`, "A list block must have a provider argument.")
	}
	r.providerArgument(resource, content.Attributes["provider"])
	if attr := content.Attributes["include_resource"]; attr != nil {
		resource.List.IncludeResource = attr.Expr
	}
	if attr := content.Attributes["limit"]; attr != nil {
		resource.List.Limit = attr.Expr
	}
	for i, inner := range content.Blocks {
		if i > 0 {
			r.errorf(inner.DefRange, "Duplicate config block", "This list block already has a config block.")
			break
		}
		resource.Config = inner.Body
	}
	r.declare(resource)
}
