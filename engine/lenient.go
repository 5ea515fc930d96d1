package engine

import "github.com/posixform/terraform-provider-posix/configschema"

// lenient is a schema without what Terraform checks and OpenTofu does not: write-only
// attributes inside of sets, and deprecation messages of what is not deprecated.
func lenient(b *configschema.Block) *configschema.Block {
	if b == nil {
		return nil
	}
	out := *b
	out.DeprecationMessage = ""
	out.Attributes = lenientAttributes(b.Attributes)
	if b.BlockTypes != nil {
		out.BlockTypes = make(map[string]*configschema.NestedBlock, len(b.BlockTypes))
		for name, nested := range b.BlockTypes {
			if nested != nil {
				inner := *nested
				inner.Block = *lenient(&nested.Block)
				nested = &inner
			}
			out.BlockTypes[name] = nested
		}
	}
	return &out
}

func lenientAttributes(attributes map[string]*configschema.Attribute) map[string]*configschema.Attribute {
	out := make(map[string]*configschema.Attribute, len(attributes))
	for name, attr := range attributes {
		if attr != nil {
			inner := *attr
			inner.WriteOnly, inner.DeprecationMessage = false, ""
			if attr.NestedType != nil {
				nested := *attr.NestedType
				nested.Attributes = lenientAttributes(nested.Attributes)
				inner.NestedType = &nested
			}
			attr = &inner
		}
		out[name] = attr
	}
	return out
}
