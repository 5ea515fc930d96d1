package configs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

var variableSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "description"}, {Name: "default"}, {Name: "type"}, {Name: "sensitive"}, {Name: "nullable"}, {Name: "ephemeral"}, {Name: "deprecated"}, {Name: "const"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "validation"}},
}

// reservedVariables are the names with a special meaning in module blocks. Variables with these
// names could not be set.
var reservedVariables = map[string]bool{
	"source": true, "version": true, "providers": true, "count": true, "for_each": true, "lifecycle": true, "depends_on": true, "locals": true,
}

// variable reads a variable block.
func (r *reader) variable(block *hcl.Block) {
	content := r.content(block.Body, variableSchema)
	v := &Variable{
		Name: block.Labels[0], Type: cty.DynamicPseudoType, DeclRange: block.DefRange,
		Description: r.text(content.Attributes["description"]),
		Sensitive:   r.boolean(content.Attributes["sensitive"], false),
		Ephemeral:   r.boolean(content.Attributes["ephemeral"], false),
		Nullable:    r.boolean(content.Attributes["nullable"], true),
		Deprecated:  r.deprecated(content.Attributes["deprecated"], "value"),
	}
	if r.name(v.Name, block.LabelRanges[0], "variable name") && reservedVariables[v.Name] {
		r.errorf(block.LabelRanges[0], "Invalid variable name", "%q has a special meaning in module blocks, so it cannot be the name of a variable.", v.Name)
	}
	if attr := content.Attributes["const"]; attr != nil {
		r.constVariable(attr)
	}
	if attr := content.Attributes["type"]; attr != nil {
		v.Typed = true
		r.variableType(v, attr.Expr)
	}
	if attr := content.Attributes["default"]; attr != nil {
		r.variableDefault(v, attr)
	}
	for _, block := range content.Blocks {
		r.validation(v, block)
	}
	if prior := r.m.Variables[v.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate variable declaration", "A variable named %q is already declared at %s. Variables must have unique names.", v.Name, prior.DeclRange)
		return
	}
	r.m.Variables[v.Name] = v
}

// constVariable reads the argument const, which only OpenTofu has. The argument restricts the values that
// a caller may give; the engine accepts other values, too.
func (r *reader) constVariable(attr *hcl.Attribute) {
	if r.opts.Terraform {
		r.errorf(attr.NameRange, "Unsupported argument", "An argument named %q is not expected here.", attr.Name)
		return
	}
	r.boolean(attr, false)
}

func (r *reader) variableType(v *Variable, expr hcl.Expression) {
	if template, ok := expr.(*hclsyntax.TemplateExpr); ok && template.IsStringLiteral() {
		r.errorf(expr.Range(), "Invalid quoted type constraints", "Type constraints must not be quoted, as in type = string.")
		return
	}
	// A collection without an element type is an old form: "list" means "list(any)".
	switch hcl.ExprAsKeyword(expr) {
	case "list":
		v.Type = cty.List(cty.DynamicPseudoType)
		return
	case "map":
		v.Type = cty.Map(cty.DynamicPseudoType)
		return
	case "set":
		v.Type = cty.Set(cty.DynamicPseudoType)
		return
	}
	constraint, defaults, diags := typeexpr.TypeConstraintWithDefaults(expr)
	r.add(diags)
	if !diags.HasErrors() {
		v.Type, v.Defaults = constraint, defaults
	}
}

func (r *reader) variableDefault(v *Variable, attr *hcl.Attribute) {
	value, diags := attr.Expr.Value(nil)
	r.add(diags)
	if diags.HasErrors() {
		return
	}
	value, err := v.Convert(value)
	if err != nil {
		r.errorf(attr.Expr.Range(), "Invalid default value for variable", "The default does not match the type of the variable: %s.", err)
		return
	}
	if value.IsNull() && !v.Nullable {
		r.errorf(attr.Expr.Range(), "Invalid default value for variable", "The variable is not nullable, so its default cannot be null.")
		return
	}
	v.Default = value
}

// Convert returns the value converted to the variable's type, with defaults of optional
// attributes. It returns an error if the value cannot be converted.
func (v *Variable) Convert(value cty.Value) (cty.Value, error) {
	if v.Defaults != nil && !value.IsNull() {
		value = v.Defaults.Apply(value)
	}
	return convert.Convert(value, v.Type)
}

// validation reads a validation block.
func (r *reader) validation(v *Variable, block *hcl.Block) {
	rule := r.checkRule(block, nil)
	content, _ := block.Body.Content(checkRuleSchema)
	attr := content.Attributes["condition"]
	if attr == nil {
		return
	}
	for _, traversal := range attr.Expr.Variables() {
		if steps, ok := traversalSteps(traversal); ok && len(steps) > 1 && steps[0].name == "var" && steps[1].name == v.Name {
			if rule != nil {
				v.Validations = append(v.Validations, rule)
			}
			return
		}
	}
	r.errorf(attr.Expr.Range(), "Invalid variable validation condition", "The condition must refer to the variable %q as var.%s.", v.Name, v.Name)
}

// TypeDefaults are the defaults of a variable's optional attributes.
type TypeDefaults = typeexpr.Defaults
