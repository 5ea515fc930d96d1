package configs

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var checkRuleSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "condition", Required: true}, {Name: "error_message", Required: true}}}

// checkRule reads a condition with its message. The rule is nil if it has errors. If self is
// not nil, it is the resource that the rule belongs to, and the rule must not refer to the
// address of that resource.
func (r *reader) checkRule(block *hcl.Block, self *addrs.Resource) *CheckRule {
	before := len(r.diags)
	content := r.content(block.Body, checkRuleSchema)
	rule := &CheckRule{DeclRange: block.DefRange}
	if attr := content.Attributes["condition"]; attr != nil {
		rule.Condition = attr.Expr
		if len(attr.Expr.Variables()) == 0 {
			r.errorf(attr.Expr.Range(), "Invalid "+block.Type+" expression",
				"The condition refers to no object of the configuration, so its result would always be the same.")
		}
	}
	if attr := content.Attributes["error_message"]; attr != nil {
		rule.ErrorMessage = attr.Expr
	}
	if self != nil {
		r.selfReference(rule.Condition, block.Type, *self)
		r.selfReference(rule.ErrorMessage, block.Type, *self)
	}
	if r.diags[before:].HasErrors() {
		return nil
	}
	return rule
}

func (r *reader) selfReference(expr hcl.Expression, kind string, self addrs.Resource) {
	if expr == nil {
		return
	}
	for _, traversal := range expr.Variables() {
		if refersTo(traversal, self) {
			r.errorf(traversal.SourceRange(), "Invalid reference in "+kind, "The block of %s cannot refer to itself.", self)
		}
	}
}

// refersTo reports whether a traversal starts with the resource's address.
func refersTo(traversal hcl.Traversal, resource addrs.Resource) bool {
	steps, ok := traversalSteps(traversal)
	if !ok && len(steps) == 0 {
		return false
	}
	switch mode := steps[0].name; {
	case mode == "data" && resource.Mode == addrs.DataResourceMode, mode == "ephemeral" && resource.Mode == addrs.EphemeralResourceMode,
		mode == "resource" && resource.Mode == addrs.ManagedResourceMode:
		steps = steps[1:]
	case resource.Mode != addrs.ManagedResourceMode:
		return false
	}
	return len(steps) >= 2 && steps[0].name == resource.Type && steps[1].name == resource.Name
}

var checkSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "data", LabelNames: []string{"type", "name"}}, {Type: "assert"}}}

// check reads a check block. Its data source is also declared in the module.
func (r *reader) check(block *hcl.Block) {
	content := r.content(block.Body, checkSchema)
	check := &Check{Name: block.Labels[0], DeclRange: block.DefRange}
	r.name(check.Name, block.LabelRanges[0], "check block name")
	for _, block := range content.Blocks {
		switch {
		case block.Type == "assert":
			if rule := r.checkRule(block, nil); rule != nil {
				check.Asserts = append(check.Asserts, rule)
			}
		case check.DataResource != nil:
			r.errorf(block.DefRange, "Multiple data resource blocks", "The check already has a data block at %s. Only one is permitted.", check.DataResource.DeclRange)
		default:
			check.DataResource = r.resourceBlock(block, addrs.DataResourceMode, check.Name)
			r.declare(check.DataResource)
		}
	}
	if len(check.Asserts) == 0 {
		r.errorf(block.DefRange, "Zero assert blocks", "A check must have at least one assert block.")
	}
	if prior := r.m.Checks[check.Name]; prior != nil {
		r.errorf(block.DefRange, `Duplicate check "`+check.Name+`" configuration`, "A check named %q is already declared at %s. Checks must have unique names.", check.Name, prior.DeclRange)
		return
	}
	r.m.Checks[check.Name] = check
}
