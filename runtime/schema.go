package runtime

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// block returns the schema of the attributes of the form.
func (f *form) block(description string) *configschema.Block {
	description, deprecated := deprecation(description)
	b := newBlock(len(f.attrs), description, deprecated)
	all := make([]configschema.Attribute, len(f.attrs)) // one allocation for all
	for i, a := range f.attrs {
		if a.block() {
			b.BlockTypes[a.name] = a.in.blockSchema(f.rules)
			continue
		}
		s := &all[i]
		a.field().describe(s, f.rules)
		s.Required = a.class == classRequired
		s.Optional = a.class == classOptional || a.class == classDefault || a.class == classChosen
		s.Computed = a.class == classComputed || a.class == classDefault || a.class == classChosen
		s.WriteOnly = a.writeOnly()
		s.Sensitive = a.sensitive()
		if a.class == classComputed && s.NestedType != nil {
			computedOnly(s.NestedType)
		}
		b.Attributes[a.name] = s
	}
	return b
}

func newBlock(size int, description, deprecated string) *configschema.Block {
	return &configschema.Block{
		Attributes:         make(map[string]*configschema.Attribute, size),
		BlockTypes:         make(map[string]*configschema.NestedBlock),
		Description:        description,
		DescriptionKind:    markup(description),
		Deprecated:         deprecated != "",
		DeprecationMessage: deprecated,
	}
}

// markup returns the format of a description. An empty one is plain text, as in the schemas of
// other libraries: a server that combines providers of several libraries requires the same schema
// of the provider block from all of them.
func markup(description string) configschema.StringKind {
	if description == "" {
		return configschema.StringPlain
	}
	return configschema.StringMarkdown
}

// block returns the schema of a nested struct as a nested block.
func (n *node) block(description, deprecated string) configschema.Block {
	b := newBlock(len(n.fields), description, deprecated)
	for _, f := range n.fields {
		if f.block {
			b.BlockTypes[f.name] = f.blockSchema(n.rules)
			continue
		}
		b.Attributes[f.name] = f.attributeSchema(n.rules)
	}
	return *b
}

func (f *field) blockSchema(rules rules) *configschema.NestedBlock {
	object, mode := f.node.nesting()
	nb := &configschema.NestedBlock{Block: object.block(rules.describe(f), f.deprecated), Nesting: mode}
	if f.node.kind == kindObject {
		nb.MinItems, nb.MaxItems = 1, 1 // a struct that is not a pointer is always present
	} else if mode != configschema.NestingMap {
		nb.MinItems, nb.MaxItems = rules.items(f)
	}
	return nb
}

func (f *field) attributeSchema(rules rules) *configschema.Attribute {
	s := new(configschema.Attribute)
	f.describe(s, rules)
	return s
}

// describe sets s to the schema of the field.
func (f *field) describe(s *configschema.Attribute, rules rules) {
	description := rules.describe(f)
	*s = configschema.Attribute{
		Description:        description,
		DescriptionKind:    markup(description),
		Required:           f.required(),
		Optional:           !f.required() && !f.computedOnly(),
		Computed:           f.computed || f.def != cty.NilVal,
		Sensitive:          f.sensitive,
		WriteOnly:          f.writeOnly,
		Deprecated:         f.deprecated != "",
		DeprecationMessage: f.deprecated,
	}
	object, mode := f.node.nesting()
	if object == nil {
		s.Type = f.node.ctyType
		return
	}
	s.NestedType = &configschema.Object{Nesting: mode, Attributes: make(map[string]*configschema.Attribute, len(object.fields))}
	for _, inner := range object.fields {
		s.NestedType.Attributes[inner.name] = inner.attributeSchema(object.rules)
	}
	if f.computedOnly() {
		computedOnly(s.NestedType)
	}
}

// computedOnly makes everything inside an output computed, regardless of the tags of
// its type, which are for inputs.
func computedOnly(o *configschema.Object) {
	for _, a := range o.Attributes {
		a.Required, a.Optional, a.Computed, a.WriteOnly = false, false, true, false
		if a.NestedType != nil {
			computedOnly(a.NestedType)
		}
	}
}

// configuredOnly marks every attribute of the form as not computed: a default is not a value of
// the provider if nothing is stored.
func (f *form) configuredOnly() { blockConfiguredOnly(f.body) }

func blockConfiguredOnly(b *configschema.Block) {
	for _, a := range b.Attributes {
		attributeConfiguredOnly(a)
	}
	for _, nb := range b.BlockTypes {
		blockConfiguredOnly(&nb.Block)
	}
}

func attributeConfiguredOnly(a *configschema.Attribute) {
	a.Computed = false
	if a.NestedType != nil {
		for _, inner := range a.NestedType.Attributes {
			attributeConfiguredOnly(inner)
		}
	}
}
