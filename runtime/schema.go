package runtime

import "github.com/posixform/terraform-provider-posix/configschema"

// resourceBlock is the schema of a resource's attributes.
func resourceBlock(attrs []*attribute, description string) *configschema.Block {
	b := &configschema.Block{
		Attributes:      make(map[string]*configschema.Attribute, len(attrs)),
		BlockTypes:      make(map[string]*configschema.NestedBlock),
		Description:     description,
		DescriptionKind: configschema.StringMarkdown,
	}
	for _, a := range attrs {
		if a.block() {
			b.BlockTypes[a.name] = a.in.blockSchema()
			continue
		}
		s := a.field().attributeSchema()
		s.Description = a.description()
		s.Required = a.class == classRequired
		s.Optional = a.class == classOptional || a.class == classDefault || a.class == classChosen
		s.Computed = a.class == classComputed || a.class == classDefault || a.class == classChosen
		s.WriteOnly = a.writeOnly()
		s.Sensitive = a.in != nil && a.in.sensitive || a.out != nil && a.out.sensitive
		if a.class == classComputed && s.NestedType != nil {
			computedOnly(s.NestedType)
		}
		b.Attributes[a.name] = s
	}
	return b
}

// fieldsBlock is the schema of a struct all of whose fields are configured: a
// provider's configuration, or the body of a nested block.
func fieldsBlock(fields []*field, description string) configschema.Block {
	b := configschema.Block{
		Attributes:      make(map[string]*configschema.Attribute, len(fields)),
		BlockTypes:      make(map[string]*configschema.NestedBlock),
		Description:     description,
		DescriptionKind: configschema.StringMarkdown,
	}
	for _, f := range fields {
		if f.block {
			b.BlockTypes[f.name] = f.blockSchema()
			continue
		}
		b.Attributes[f.name] = f.attributeSchema()
	}
	return b
}

func (f *field) blockSchema() *configschema.NestedBlock {
	object, mode := f.node.nesting()
	nb := &configschema.NestedBlock{Block: fieldsBlock(object.fields, f.doc), Nesting: mode}
	if f.node.kind == kindObject {
		nb.MinItems, nb.MaxItems = 1, 1 // a struct, not a pointer to one: always there
	}
	return nb
}

func (f *field) attributeSchema() *configschema.Attribute {
	s := &configschema.Attribute{
		Description:     f.doc,
		DescriptionKind: configschema.StringMarkdown,
		Required:        f.required(),
		Optional:        !f.required(),
		Sensitive:       f.sensitive,
		WriteOnly:       f.writeOnly,
	}
	object, mode := f.node.nesting()
	if object == nil {
		s.Type = f.node.ctyType
		return s
	}
	s.NestedType = &configschema.Object{Nesting: mode, Attributes: make(map[string]*configschema.Attribute, len(object.fields))}
	for _, inner := range object.fields {
		s.NestedType.Attributes[inner.name] = inner.attributeSchema()
	}
	return s
}

// computedOnly makes everything inside an output computed, whatever the tags of
// its type say where it is an input.
func computedOnly(o *configschema.Object) {
	for _, a := range o.Attributes {
		a.Required, a.Optional, a.Computed, a.WriteOnly = false, false, true, false
		if a.NestedType != nil {
			computedOnly(a.NestedType)
		}
	}
}
