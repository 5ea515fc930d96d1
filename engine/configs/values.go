package configs

import "github.com/hashicorp/hcl/v2"

// locals reads a locals block.
func (r *reader) locals(block *hcl.Block) {
	attrs, diags := block.Body.JustAttributes()
	r.add(diags)
	for _, name := range sortedKeys(attrs) {
		attr := attrs[name]
		if !r.name(name, attr.NameRange, "local value name") {
			continue
		}
		if prior := r.m.Locals[name]; prior != nil {
			r.errorf(attr.NameRange, "Duplicate local value definition", "There is another local value named %q at %s: give this one a name of its own.", name, prior.DeclRange)
			continue
		}
		r.m.Locals[name] = &Local{Name: name, Expr: attr.Expr, DeclRange: attr.Range}
	}
}

var outputSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "description"}, {Name: "value", Required: true}, {Name: "depends_on"}, {Name: "sensitive"}, {Name: "ephemeral"}, {Name: "deprecated"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "precondition"}, {Type: "postcondition"}},
}

// output reads an output block.
func (r *reader) output(block *hcl.Block) {
	content := r.content(block.Body, outputSchema)
	o := &Output{
		Name: block.Labels[0], DeclRange: block.DefRange,
		Description: r.text(content.Attributes["description"]),
		Sensitive:   r.boolean(content.Attributes["sensitive"], false),
		Ephemeral:   r.boolean(content.Attributes["ephemeral"], false),
		DependsOn:   r.traversals(content.Attributes["depends_on"]),
	}
	r.name(o.Name, block.LabelRanges[0], "output name")
	r.text(content.Attributes["deprecated"])
	if attr := content.Attributes["value"]; attr != nil {
		o.Expr = attr.Expr
	}
	for _, block := range content.Blocks {
		if block.Type == "postcondition" {
			r.errorf(block.TypeRange, "Postconditions are not allowed", "What an output has to be is a precondition: it has nothing after it.")
		} else if rule := r.checkRule(block, nil); rule != nil {
			o.Preconditions = append(o.Preconditions, rule)
		}
	}
	if prior := r.m.Outputs[o.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate output definition", "There is another output named %q at %s: give this one a name of its own.", o.Name, prior.DeclRange)
		return
	}
	r.m.Outputs[o.Name] = o
}
