package configs

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var actionSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "provider"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "config"}},
}

// action reads an action block, which only Terraform has.
func (r *reader) action(block *hcl.Block) {
	if !r.opts.Terraform {
		r.unknownBlock(block, false, "")
		return
	}
	action, _ := r.configBlock(block, addrs.ActionMode)
	r.declareIn(r.m.Actions, action)
}

var triggerSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "events", Required: true}, {Name: "condition"}, {Name: "actions", Required: true}},
}

var triggerEvents = []string{"before_create", "after_create", "before_update", "after_update"}

// actionTrigger reads an action_trigger block, which only Terraform has.
func (r *reader) actionTrigger(resource *Resource, block *hcl.Block) {
	if !r.opts.Terraform {
		r.unknownBlock(block, false, "")
		return
	}
	if summary := kinds[resource.Addr.Mode].trigger; summary != "" {
		r.errorf(block.DefRange, summary, "action_trigger is only supported in resource blocks, not for %s.", kinds[resource.Addr.Mode].things)
		return
	}
	content := r.content(block.Body, triggerSchema)
	trigger := &ActionTrigger{}
	if attr := content.Attributes["condition"]; attr != nil {
		trigger.Condition = attr.Expr
	}
	for _, expr := range r.elements(content.Attributes["events"]) {
		switch name := hcl.ExprAsKeyword(expr); {
		case !slices.Contains(triggerEvents, name):
			r.errorf(expr.Range(), `Invalid "event" value `+name, "The events are %q, without quotes.", triggerEvents)
		case slices.Contains(trigger.Events, name):
			r.errorf(expr.Range(), `Duplicate "`+name+`" event`, "Each event may occur only once.")
		default:
			trigger.Events = append(trigger.Events, name)
		}
	}
	if len(trigger.Events) == 0 {
		r.errorf(block.DefRange, "No events specified", "An action_trigger block needs at least one event.")
	}
	for _, expr := range r.elements(content.Attributes["actions"]) {
		if ref, ok := r.actionReference(expr); ok {
			trigger.Actions = append(trigger.Actions, ref)
		}
	}
	if len(trigger.Actions) == 0 {
		r.errorf(block.DefRange, "No actions specified", "An action_trigger block needs at least one action.")
	}
	resource.Managed.ActionTriggers = append(resource.Managed.ActionTriggers, trigger)
}

// actionReference reads action.TYPE.NAME, with an optional constant key.
func (r *reader) actionReference(expr hcl.Expression) (ref ActionReference, ok bool) {
	ref.Range = expr.Range()
	traversal, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		if vars := expr.Variables(); len(vars) > 0 && vars[0].RootName() == "action" {
			r.unsupported(ref.Range, "computed keys of actions", "Use constant keys.")
			return ref, false
		}
	}
	if !diags.HasErrors() && (len(traversal) == 3 || len(traversal) == 4) && traversal.RootName() == "action" {
		ref.Action, ok = actionAddr(traversal)
	}
	if !ok {
		r.errorf(ref.Range, "Invalid action argument inside action_triggers", "The list must contain references to actions of this module, as in action.TYPE.NAME.")
	}
	return ref, ok
}

// actionAddr returns the address in a reference of three or four steps.
func actionAddr(traversal hcl.Traversal) (addr addrs.ResourceInstance, ok bool) {
	typeName, isType := traversal[1].(hcl.TraverseAttr)
	name, isName := traversal[2].(hcl.TraverseAttr)
	addr = addrs.Resource{Mode: addrs.ActionMode, Type: typeName.Name, Name: name.Name}.Instance(addrs.NoKey)
	if ok = isType && isName; ok && len(traversal) == 4 {
		var index hcl.TraverseIndex
		if index, ok = traversal[3].(hcl.TraverseIndex); ok {
			addr.Key, ok = addrs.ParseKey(index.Key)
		}
	}
	return addr, ok
}

// checkActionReferences checks that the actions of all triggers exist.
func (r *reader) checkActionReferences() {
	for _, resource := range r.m.Resources {
		for _, trigger := range resource.Managed.ActionTriggers {
			for _, ref := range trigger.Actions {
				if r.m.Actions[ref.Action.Resource] == nil {
					r.errorf(ref.Range, "action_trigger actions references non-existent action", "There is no %s in this module.", ref.Action.Resource)
				}
			}
		}
	}
}
