package configs

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var checkRuleSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "condition", Required: true}, {Name: "error_message", Required: true}}}

// checkRule reads a condition with its message. Both are expressions, if the
// block has no errors.
func (r *reader) checkRule(block *hcl.Block, _ string) *CheckRule {
	content := r.content(block.Body, checkRuleSchema)
	rule := &CheckRule{DeclRange: block.DefRange}
	if attr := content.Attributes["condition"]; attr != nil {
		rule.Condition = attr.Expr
	}
	if attr := content.Attributes["error_message"]; attr != nil {
		rule.ErrorMessage = attr.Expr
	}
	return rule
}

var checkSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "data", LabelNames: []string{"type", "name"}}, {Type: "assert"}}}

// check reads a check block. Its data source is one of the module's as well.
func (r *reader) check(block *hcl.Block) {
	content := r.content(block.Body, checkSchema)
	check := &Check{Name: block.Labels[0], DeclRange: block.DefRange}
	r.name(check.Name, block.LabelRanges[0], "check block")
	for _, block := range content.Blocks {
		switch {
		case block.Type == "assert":
			check.Asserts = append(check.Asserts, r.checkRule(block, "assert"))
		case check.DataResource != nil:
			r.errorf(block.DefRange, "Multiple data resource blocks", "This check block already has a data resource, at %s.", check.DataResource.DeclRange)
		default:
			r.scopedData(check, block)
		}
	}
	if len(check.Asserts) == 0 {
		r.errorf(block.DefRange, "Zero assert blocks", "Check blocks must have at least one assert block.")
	}
	if prior := r.m.Checks[check.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate check configuration", "A check block named %q was already declared at %s. Check blocks must be unique within each module.", check.Name, prior.DeclRange)
		return
	}
	r.m.Checks[check.Name] = check
}

func (r *reader) scopedData(check *Check, block *hcl.Block) {
	data := r.resourceBlock(block, addrs.DataResourceMode)
	data.InCheck = check.Name
	check.DataResource = data
	if prior := r.m.Resources[data.Addr]; prior != nil {
		r.errorf(block.DefRange, `Duplicate data resource "`+data.Addr.Type+`" configuration`,
			"A %s data resource named %q was already declared at %s. Names must be unique per type in each module, those in check blocks too.", data.Addr.Type, data.Addr.Name, prior.DeclRange)
		return
	}
	r.m.Resources[data.Addr] = data
}
