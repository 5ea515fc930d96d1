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
		i.To = r.jsonExpression(to)
	}
	if attr := content.Attributes["provider"]; attr != nil {
		if ref, ok := r.providerRef(attr.Expr); ok {
			i.ProviderConfigRef = &ref
		}
	}
	switch {
	case i.ID == nil && i.Identity == nil:
		r.errorf(block.DefRange, "Invalid import block", "At least one of 'id' or 'identity' must be specified.")
	case i.ID != nil && i.Identity != nil:
		r.errorf(block.DefRange, "Invalid import block", "Only one of 'id' or 'identity' can be specified.")
	}
	r.m.Imports = append(r.m.Imports, i)
}

var movedSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "from", Required: true}, {Name: "to", Required: true}}}

// moved reads a moved block.
func (r *reader) moved(block *hcl.Block) {
	content := r.content(block.Body, movedSchema)
	m := &Moved{DeclRange: block.DefRange, From: r.address(content.Attributes["from"]), To: r.address(content.Attributes["to"])}
	if m.From != nil && m.To != nil {
		r.m.Moved = append(r.m.Moved, m)
	}
}

// address is an attribute that is a reference.
func (r *reader) address(attr *hcl.Attribute) hcl.Traversal {
	if attr == nil {
		return nil
	}
	traversal, diags := hcl.AbsTraversalForExpr(attr.Expr)
	r.add(diags)
	return traversal
}

var removedSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "from", Required: true}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "lifecycle"}, {Type: "connection"}, {Type: "provisioner", LabelNames: []string{"type"}}},
}

var removedLifecycleSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "destroy"}}}

// removed reads a removed block.
func (r *reader) removed(block *hcl.Block) {
	content := r.content(block.Body, removedSchema)
	removed := &Removed{DeclRange: block.DefRange, From: r.address(content.Attributes["from"]), Destroy: true}
	for _, block := range content.Blocks {
		switch block.Type {
		case "lifecycle":
			removed.Destroy = r.boolean(r.content(block.Body, removedLifecycleSchema).Attributes["destroy"], true)
		case "provisioner":
			r.unsupported(block.DefRange, "the provisioner \""+block.Labels[0]+"\"", "Destroy the object without it.")
		case "connection":
			r.unsupported(block.DefRange, "connection blocks", "They serve provisioners only; see there.")
		}
	}
	if removed.From != nil {
		r.m.Removed = append(r.m.Removed, removed)
	}
}
