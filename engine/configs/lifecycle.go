package configs

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var lifecycleSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "create_before_destroy"}, {Name: "prevent_destroy"}, {Name: "ignore_changes"}, {Name: "replace_triggered_by"},
		{Name: "enabled"}, {Name: "destroy"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "precondition"}, {Type: "postcondition"}, {Type: "action_trigger"}},
}

// lifecycle reads the lifecycle block of a resource of any mode.
func (r *reader) lifecycle(resource *Resource, block *hcl.Block) {
	content := r.content(block.Body, lifecycleSchema)
	words := modeWords[resource.Addr.Mode]
	managed := resource.Addr.Mode == addrs.ManagedResourceMode
	for _, name := range sortedKeys(content.Attributes) {
		attr := content.Attributes[name]
		switch {
		case name == "enabled" && !r.opts.Terraform:
			r.unsupported(attr.Range, "the lifecycle argument \"enabled\"", "Write count = condition ? 1 : 0 instead.")
		case name == "enabled" || name == "destroy" && r.opts.Terraform:
			r.errorf(attr.NameRange, "Unsupported argument", "An argument named %q is not expected here.", name)
		case !managed:
			r.errorf(attr.NameRange, "Invalid "+words.thing+" lifecycle argument",
				"The lifecycle argument %q is defined only for managed resources (\"resource\" blocks), and is not valid for %ss.", name, words.thing)
		case name == "destroy":
			r.unsupported(attr.Range, "the lifecycle argument \"destroy\"", "Forget objects with a removed block instead.")
		}
	}
	if managed {
		r.managed(&resource.Managed, content.Attributes)
	}
	for _, block := range content.Blocks {
		switch block.Type {
		case "precondition":
			resource.Preconditions = append(resource.Preconditions, r.checkRule(block, block.Type))
		case "postcondition":
			resource.Postconditions = append(resource.Postconditions, r.checkRule(block, block.Type))
		default:
			r.unsupported(block.DefRange, "action_trigger blocks", "Actions are not run.")
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
		if len(attr.Expr.Variables()) > 0 && !r.opts.Terraform {
			r.unsupported(attr.Range, "references in prevent_destroy", "Write true or false.")
		} else {
			m.PreventDestroy = r.boolean(attr, false)
		}
	}
	if attr := attrs["ignore_changes"]; attr != nil {
		r.ignoreChanges(m, attr)
	}
	if attr := attrs["replace_triggered_by"]; attr != nil {
		exprs, diags := hcl.ExprList(attr.Expr)
		r.add(diags)
		for _, expr := range exprs {
			m.ReplaceTriggeredBy = append(m.ReplaceTriggeredBy, r.jsonExpression(expr))
		}
	}
}

func (r *reader) ignoreChanges(m *ManagedResource, attr *hcl.Attribute) {
	if hcl.ExprAsKeyword(attr.Expr) == "all" {
		m.IgnoreAllChanges = true
		return
	}
	exprs, diags := hcl.ExprList(attr.Expr)
	r.add(diags)
	for _, expr := range exprs {
		if value, diags := expr.Value(nil); !diags.HasErrors() && value.IsKnown() && !value.IsNull() && value.Type().FriendlyName() == "string" && value.AsString() == "*" {
			r.errorf(expr.Range(), "Invalid ignore_changes wildcard", "Write ignore_changes = all, without brackets and quotes, for all attributes.")
			continue
		}
		traversal, diags := hcl.RelTraversalForExpr(r.unquoted(expr))
		r.add(diags)
		if len(traversal) > 0 {
			m.IgnoreChanges = append(m.IgnoreChanges, traversal)
		}
	}
}
