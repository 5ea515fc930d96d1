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

// checkResults collects the results of conditions.
type checkResults struct {
	mu  sync.Mutex
	all []plans.CheckResult
}

func (c *checkResults) add(r plans.CheckResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

// conditionContext describes the object that conditions belong to.
type conditionContext struct {
	kind, object, instance string
	// summary is the summary of the error for a failed condition.
	summary string
	where   hcl.Range
	// warn makes it a warning, as in check blocks.
	warn bool
}

// conditions evaluates rules and returns an error for each that fails. An unknown
// condition is assumed to hold.
func (s *scope) conditions(of conditionContext, rules []*configs.CheckRule) tfdiags.Diagnostics {
	if len(rules) == 0 || s.opts.unconditional {
		return nil
	}
	var diags tfdiags.Diagnostics
	result := plans.CheckResult{Kind: of.kind, Object: of.object, Instance: of.instance, Status: plans.CheckPass}
	for _, rule := range rules {
		status, problem, moreDiags := s.condition(of, rule)
		if of.warn {
			for i := range moreDiags {
				moreDiags[i].Severity = diag.Warning
			}
		}
		diags = append(diags, moreDiags...)
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

func (s *scope) condition(of conditionContext, rule *configs.CheckRule) (plans.CheckStatus, string, tfdiags.Diagnostics) {
	v, diags := s.expr(rule.Condition, cty.Bool)
	if diags.HasErrors() {
		return plans.CheckError, "", diags
	}
	v, _ = v.Unmark()
	switch {
	case v.IsNull():
		return plans.CheckError, "", append(diags, errorAt(rule.Condition.Range(), "Invalid condition result", "The condition must be true or false, and it is null.")...)
	case !v.IsKnown() && of.warn && s.op == planning:
		where := rule.Condition.Range()
		return plans.CheckUnknown, "", diags.Append(&hcl.Diagnostic{
			Severity: hcl.DiagWarning, Summary: "Check block assertion known after apply", Subject: &where,
			Detail: "The condition depends on values that are known only after apply, which checks it.",
		})
	case !v.IsKnown():
		return plans.CheckUnknown, "", diags
	case v.True():
		return plans.CheckPass, "", diags
	case s.op == validating:
		return plans.CheckFail, "", diags // the plan reports failed constant conditions
	}
	message := "The condition failed. Its error message is invalid and cannot be shown."
	text, moreDiags := s.expr(rule.ErrorMessage, cty.String)
	diags = diags.Append(moreDiags)
	if !moreDiags.HasErrors() {
		plain, marks := text.Unmark()
		switch _, secret := marks[lang.Sensitive]; {
		case secret:
			message = "The condition failed. Its error message contains a sensitive value and is not shown."
		case !plain.IsNull() && plain.IsKnown():
			message = plain.AsString()
		}
	}
	detail := message
	if of.kind == "var" {
		detail += "\n\nThe rule is at " + rule.DeclRange.String() + "."
	}
	where := rule.Condition.Range()
	if of.kind == "var" {
		where = of.where
	}
	ctx, _ := s.evalContext(refsInExpr(rule.Condition)) // the evaluation above reported the errors
	return plans.CheckFail, message, diags.Append(&hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: of.summary, Detail: detail, Subject: &where, Expression: rule.Condition, EvalContext: ctx,
	})
}

// skipOutputConditions records the conditions of the root module's outputs as unknown,
// because OpenTofu does not evaluate them when it plans to destroy everything.
func (w *walk) skipOutputConditions() {
	for name, o := range w.config.Module.Outputs {
		if len(o.Preconditions) > 0 {
			address := "output." + name
			w.checks.add(plans.CheckResult{Kind: "output_value", Object: address, Instance: address, Status: plans.CheckUnknown})
		}
	}
}

// evalCheck evaluates a check block. Failed assertions are warnings.
func (w *walk) evalCheck(config *configs.Config, check *configs.Check) tfdiags.Diagnostics {
	return eachOf(w.moduleInstances(config), func(inst moduleInstance) tfdiags.Diagnostics {
		address := prefixed(inst.addr, "check."+check.Name)
		s := w.scope(inst.addr, config)
		s.check = check.Name
		return s.conditions(conditionContext{
			kind: "check", object: address, instance: address, summary: "Check block assertion failed", where: check.DeclRange, warn: w.op != validating,
		}, check.Asserts)
	})
}
