package configs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var lifecycleSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "create_before_destroy"},
		{Name: "prevent_destroy"},
		{Name: "ignore_changes"},
		{Name: "replace_triggered_by"},
		{Name: "enabled"},
		{Name: "destroy"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "precondition"}, {Type: "postcondition"}, {Type: "action_trigger"}},
}

// lifecycle reads the lifecycle block of a resource of any mode.
func (r *reader) lifecycle(resource *Resource, block *hcl.Block) {
	content := r.content(block.Body, lifecycleSchema)
	k := kinds[resource.Addr.Mode]
	for _, name := range sortedKeys(content.Attributes) {
		attr := content.Attributes[name]
		switch {
		case r.opts.Terraform && (name == "enabled" || name == "destroy"):
			r.errorf(attr.NameRange, "Unsupported argument", "An argument named %q is not expected here.", name)
		case name == "enabled":
			r.unsupported(attr.Range, "the lifecycle argument \"enabled\"", "Write count = condition ? 1 : 0 instead.")
		case k.lifecycle != "":
			r.errorf(attr.NameRange, k.lifecycle, "%q is for resource blocks alone: it means nothing for %s.", name, k.things)
		case name == "destroy":
			r.unsupported(attr.Range, "the lifecycle argument \"destroy\"", "Forget objects with a removed block instead.")
		}
	}
	if resource.Addr.Mode == addrs.ManagedResourceMode {
		r.managed(&resource.Managed, content.Attributes)
	}
	for _, block := range content.Blocks {
		if block.Type == "action_trigger" {
			r.unknownBlock(block, r.opts.Terraform, "Actions are not run: let a resource do it.")
			continue
		}
		rule := r.checkRule(block, &resource.Addr)
		switch {
		case rule == nil:
		case block.Type == "precondition":
			resource.Preconditions = append(resource.Preconditions, rule)
		default:
			resource.Postconditions = append(resource.Postconditions, rule)
		}
	}
}

func (r *reader) managed(m *ManagedResource, attrs hcl.Attributes) {
	if attr := attrs["create_before_destroy"]; attr != nil {
		m.CreateBeforeDestroy = r.boolean(attr, false)
		m.CreateBeforeDestroys = true
	}
	if attr := attrs["prevent_destroy"]; attr != nil {
		m.PreventDestroyRange = attr.Range
		r.preventDestroy(m, attr)
	}
	if attr := attrs["ignore_changes"]; attr != nil {
		r.ignoreChanges(m, attr)
	}
	if attr := attrs["replace_triggered_by"]; attr != nil {
		r.replaceTriggeredBy(m, attr)
	}
}

// preventDestroy has to be constant for Terraform; OpenTofu would compute it.
func (r *reader) preventDestroy(m *ManagedResource, attr *hcl.Attribute) {
	if r.opts.Terraform {
		m.PreventDestroy = r.boolean(attr, false)
		return
	}
	value, diags := attr.Expr.Value(nil)
	if diags.HasErrors() {
		r.unsupported(attr.Range, "computing prevent_destroy", "Write true or false.")
		return
	}
	value, err := convert.Convert(value, cty.Bool)
	if err != nil {
		r.errorf(attr.Expr.Range(), "Invalid value for prevent_destroy", "It is true or false.")
		return
	}
	m.PreventDestroy = !value.IsNull() && value.True()
}

func (r *reader) ignoreChanges(m *ManagedResource, attr *hcl.Attribute) {
	if hcl.ExprAsKeyword(attr.Expr) == "all" {
		m.IgnoreAllChanges = true
		return
	}
	exprs, diags := hcl.ExprList(attr.Expr)
	r.add(diags)
	for _, expr := range exprs {
		if value, diags := expr.Value(nil); !diags.HasErrors() && value.RawEquals(cty.StringVal("*")) {
			r.errorf(expr.Range(), "Invalid ignore_changes wildcard", "To mean all attributes, write ignore_changes = all, without brackets and quotes.")
			continue
		}
		traversal, diags := hcl.RelTraversalForExpr(r.unquoted(expr))
		r.add(diags)
		if len(traversal) > 0 {
			m.IgnoreChanges = append(m.IgnoreChanges, traversal)
		}
	}
}

// replaceTriggeredBy reads references to resources of the module, whose keys
// alone may be count.index and each.key.
func (r *reader) replaceTriggeredBy(m *ManagedResource, attr *hcl.Attribute) {
	exprs, diags := hcl.ExprList(attr.Expr)
	r.add(diags)
	for _, expr := range exprs {
		expr = r.dequoted(expr)
		resources := 0
		for _, traversal := range expr.Variables() {
			if r.trigger(traversal) {
				resources++
			}
		}
		switch resources {
		case 0:
			r.errorf(expr.Range(), "Invalid replace_triggered_by expression", "This names no resource.")
		case 1:
			m.ReplaceTriggeredBy = append(m.ReplaceTriggeredBy, expr)
		default:
			r.errorf(expr.Range(), "Invalid replace_triggered_by expression", "This names several resources: write them as elements of their own.")
		}
	}
}

// trigger reports whether a reference of replace_triggered_by is to a resource.
func (r *reader) trigger(traversal hcl.Traversal) bool {
	rng := traversal.SourceRange()
	attr := ""
	if len(traversal) > 1 {
		if step, ok := traversal[1].(hcl.TraverseAttr); ok {
			attr = step.Name
		}
	}
	switch traversal.RootName() {
	case "each":
		if attr != "key" {
			r.errorf(rng, "Invalid each reference in replace_triggered_by expression", "Of each, the key alone says which instance is meant: each.key.")
		}
	case "count":
		if attr != "index" {
			r.errorf(rng, "Invalid count reference in replace_triggered_by expression", "Of count, there is the index alone: count.index.")
		}
	case "var", "local", "module", "path", "terraform", "tofu", "self":
		r.errorf(rng, "Invalid reference in replace_triggered_by expression", "What triggers a replacement is a resource, with count.index or each.key in its brackets if need be.")
	default:
		return true
	}
	return false
}
