package engine

import (
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// checkResults collects what conditions came to.
type checkResults struct {
	mu  sync.Mutex
	all []plans.CheckResult
}

func (c *checkResults) add(r plans.CheckResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

// conditionsOf says what conditions are about.
type conditionsOf struct {
	kind, object, instance string
	// summary is that of an error where a condition does not hold.
	summary string
	where   hcl.Range
	// warn makes a warning of it, as in check blocks.
	warn bool
}

// conditions evaluates rules and returns an error for each that does not hold.
// One that is unknown holds for the time being.
func (s *scope) conditions(of conditionsOf, rules []*configs.CheckRule) tfdiags.Diagnostics {
	if len(rules) == 0 || s.opts.unconditional {
		return nil
	}
	var diags tfdiags.Diagnostics
	result := plans.CheckResult{Kind: of.kind, Object: of.object, Instance: of.instance, Status: plans.CheckPass}
	for _, rule := range rules {
		status, problem, said := s.condition(of, rule)
		if of.warn {
			for i := range said {
				said[i].Severity = diag.Warning
			}
		}
		diags = append(diags, said...)
		if problem != "" {
			result.Problems = append(result.Problems, problem)
		}
		if worse(status, result.Status) {
			result.Status = status
		}
	}
	if s.op != validating {
		s.checks.add(result)
	}
	return diags.WithAddress(of.instance)
}

func worse(a, b plans.CheckStatus) bool {
	rank := map[plans.CheckStatus]int{plans.CheckPass: 0, plans.CheckUnknown: 1, plans.CheckFail: 2, plans.CheckError: 3}
	return rank[a] > rank[b]
}

func (s *scope) condition(of conditionsOf, rule *configs.CheckRule) (plans.CheckStatus, string, tfdiags.Diagnostics) {
	v, diags := s.expr(rule.Condition, cty.Bool)
	if diags.HasErrors() {
		return plans.CheckError, "", diags
	}
	v, _ = v.Unmark()
	switch {
	case v.IsNull():
		return plans.CheckError, "", append(diags, at(rule.Condition.Range(), "Invalid condition result", "The condition is null, which says neither that it holds nor that it does not.")...)
	case !v.IsKnown():
		return plans.CheckUnknown, "", diags
	case v.True():
		return plans.CheckPass, "", diags
	case s.op == validating:
		return plans.CheckFail, "", diags // what is constant is reported by the plan
	}
	message := "The condition does not hold. Its error message cannot be shown, because it is not valid either."
	text, said := s.expr(rule.ErrorMessage, cty.String)
	diags = diags.Append(said)
	if !said.HasErrors() {
		plain, marks := text.Unmark()
		switch _, secret := marks[lang.Sensitive]; {
		case secret:
			message = "The condition does not hold. Its error message has a sensitive value and is not shown."
		case !plain.IsNull() && plain.IsKnown():
			message = plain.AsString()
		}
	}
	detail := message
	if of.kind == "var" {
		detail += "\n\nThe rule stands at " + rule.DeclRange.String() + "."
	}
	where := rule.Condition.Range()
	if of.kind == "var" {
		where = of.where
	}
	ctx, _ := s.evalContext(readExpr(rule.Condition)) // it was evaluated above
	return plans.CheckFail, message, diags.Append(&hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: of.summary, Detail: detail, Subject: &where, Expression: rule.Condition, EvalContext: ctx,
	})
}
