package engine

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// Kinds of objects with conditions, as in plans. Variables have the kind kindVariable.
const (
	kindResource    = "resource"
	kindOutputValue = "output_value"
	kindCheck       = "check"
)

// conditionContext describes the object that conditions belong to.
type conditionContext struct {
	kind, object, instance string
	// summary is the summary of the error for a failed condition.
	summary string
	where   hcl.Range
	// strict means that a failed condition is an error in all plans.
	strict bool
}

// conditions evaluates rules, records the result in s.checks, and returns a diagnostic with the
// severity of [scope.severity] for each rule that fails. An unknown condition does not fail. A
// validation records nothing, and does not evaluate the rules of objects and checks as conditions:
// validateRule validates them.
func (s *scope) conditions(of conditionContext, rules []*configs.CheckRule) tfdiags.Diagnostics {
	if len(rules) == 0 {
		return nil
	}
	var diags tfdiags.Diagnostics
	if s.op == validating && (of.kind == kindResource || of.kind == kindCheck) {
		for _, rule := range rules {
			diags = append(diags, s.validateRule(of.kind, rule)...)
		}
		return diags.WithAddress(of.instance)
	}
	result := plans.CheckResult{Kind: of.kind, Object: of.object, Instance: of.instance, Status: plans.CheckPass}
	for _, rule := range rules {
		if of.kind == kindVariable && s.options.Flavor == OpenTofu && diags.HasErrors() {
			break // OpenTofu evaluates the rules of a variable up to the first error
		}
		status, problem, moreDiags := s.condition(of, rule)
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

// severity returns the severity of a failed condition: a warning in check blocks, otherwise an
// error. Unless the condition is strict, it is also a warning in plans that only refresh or precede
// a destroy and, for resources and data sources, in an import command.
func (s *scope) severity(of conditionContext) hcl.DiagnosticSeverity {
	refreshes := s.opts.Mode == plans.RefreshOnlyMode || s.opts.beforeDestroy || s.importing() && of.kind == kindResource
	if of.kind == kindCheck || s.op == planning && refreshes && !of.strict {
		return hcl.DiagWarning
	}
	return hcl.DiagError
}

// validateRule validates a rule of an object or of a check before the plan. For an object, it leaves
// the check of results and messages to the plan, like core. For a check block, it evaluates and
// checks only the message. It also evaluates expressions that have invalid references.
func (s *scope) validateRule(kind string, rule *configs.CheckRule) tfdiags.Diagnostics {
	condition, message := refsInExpr(rule.Condition), refsInExpr(rule.ErrorMessage)
	if kind == kindResource {
		_, diags := s.validateExpr(rule.Condition, condition, condition)
		_, moreDiags := s.validateExpr(rule.ErrorMessage, message, message)
		return append(diags, moreDiags...)
	}
	both := *message
	both.refs, both.problems = slices.Concat(condition.refs, message.refs), slices.Concat(condition.problems, message.problems)
	text, diags := s.validateExpr(rule.ErrorMessage, message, &both)
	if !diags.HasErrors() {
		_, moreDiags := errorMessage(text, rule.ErrorMessage.Range(), hcl.DiagWarning)
		diags = append(diags, moreDiags...)
	}
	return diags
}

// validateExpr evaluates an expression with the values of all references, which it validates.
func (s *scope) validateExpr(expr hcl.Expression, found, all *refSet) (cty.Value, tfdiags.Diagnostics) {
	ctx, diags := s.evalContext(all)
	v, moreDiags := s.evaluate(expr, found, ctx)
	return v, append(diags, moreDiags...)
}

// condition evaluates a rule. It returns the error message only if the condition is false, and the
// errors of the evaluation of the message even if the condition is true.
func (s *scope) condition(of conditionContext, rule *configs.CheckRule) (plans.CheckStatus, string, tfdiags.Diagnostics) {
	ofVariable := of.kind == kindVariable
	text, diags := s.messageValue(of, rule.ErrorMessage)
	invalid := diags.HasErrors()
	var (
		message   string
		moreDiags tfdiags.Diagnostics
	)
	if !invalid && !ofVariable { // messages of variables are checked only if the condition fails
		message, moreDiags = errorMessage(text, rule.ErrorMessage.Range(), hcl.DiagWarning)
		diags = append(diags, moreDiags...)
	}
	v, moreDiags := s.expr(rule.Condition, cty.DynamicPseudoType)
	diags = append(diags, moreDiags...)
	if moreDiags.HasErrors() || diags.HasErrors() && !ofVariable {
		return plans.CheckError, "", diags
	}
	v, _ = v.Unmark()
	invalidResult := func(detail string) (plans.CheckStatus, string, tfdiags.Diagnostics) {
		summary := "Invalid condition result"
		if ofVariable {
			summary = "Invalid variable validation result"
		}
		return plans.CheckError, "", append(diags, errorAt(rule.Condition.Range(), summary, detail)...)
	}
	switch {
	case v.IsNull():
		return invalidResult("The condition must be true or false, but it is null.")
	case !v.IsKnown() && of.kind == kindCheck && s.op == planning:
		where := rule.Condition.Range()
		return plans.CheckUnknown, "", diags.Append(&hcl.Diagnostic{
			Severity: hcl.DiagWarning, Summary: "Check block assertion known after apply", Subject: &where,
			Detail: "The condition depends on values that are known only after apply. The apply checks the condition.",
		})
	case !v.IsKnown():
		return plans.CheckUnknown, "", diags
	}
	v, err := convert.Convert(v, cty.Bool)
	switch {
	case err != nil:
		return invalidResult("The condition must be true or false: " + err.Error() + ".")
	case v.True():
		return plans.CheckPass, "", diags
	case ofVariable && !invalid && !text.IsNull():
		message, moreDiags = errorMessage(text, rule.ErrorMessage.Range(), hcl.DiagError)
		diags = append(diags, moreDiags...)
		if !text.IsKnown() && s.op == validating {
			return plans.CheckFail, "", diags // the plan checks it with more known values
		}
		if !text.IsKnown() {
			return plans.CheckError, "", append(diags, errorAt(rule.ErrorMessage.Range(), invalidMessage, "The error message depends on values that are known only after apply. Remove these values from the error message.")...)
		}
	}
	if message == "" {
		message = "The condition failed. Its error message is invalid, secret or known only after apply, so it is not shown."
	}
	detail, where := message, rule.Condition.Range()
	if ofVariable {
		detail, where = detail+"\n\nThe rule is at "+rule.DeclRange.String()+".", of.where
	}
	ctx, _ := s.evalContext(refsInExpr(rule.Condition)) // the evaluation above reported the errors
	return plans.CheckFail, message, diags.Append(&hcl.Diagnostic{
		Severity: s.severity(of), Summary: of.summary, Detail: detail, Subject: &where, Expression: rule.Condition, EvalContext: ctx,
	})
}

// messageValue evaluates an error message. As in core, if the message of a variable is a JSON string
// that has valid references but cannot be evaluated, the string is used literally, with a warning.
func (s *scope) messageValue(of conditionContext, expr hcl.Expression) (cty.Value, tfdiags.Diagnostics) {
	v, diags := s.expr(expr, cty.DynamicPseudoType)
	if of.kind != kindVariable || !diags.HasErrors() || !json.IsJSONExpression(expr) {
		return v, diags
	}
	if _, refDiags := s.evalContext(refsInExpr(expr)); refDiags.HasErrors() {
		return v, diags
	}
	literal, problems := expr.Value(nil) // without a context, a string is returned literally
	if problems.HasErrors() || literal.Type() != cty.String {
		return v, diags
	}
	where := expr.Range()
	return literal, tfdiags.Diagnostics{}.Append(&hcl.Diagnostic{
		Severity: hcl.DiagWarning, Summary: "Validation error message expression is invalid", Subject: &where,
		Detail: "The error message cannot be evaluated as a template, so it is used literally. Write $${ for ${, and %%{ for %{.",
	})
}

const invalidMessage = "Invalid error message"

// errorMessage returns the text of an error message, or "" if it is unknown or cannot be
// shown. A message that would show a secret is reported with the severity.
func errorMessage(v cty.Value, where hcl.Range, severity hcl.DiagnosticSeverity) (string, tfdiags.Diagnostics) {
	v, err := convert.Convert(v, cty.String)
	if err != nil {
		return "", errorAt(where, invalidMessage, "The error message must be a string: "+err.Error()+".")
	}
	text, marks := v.Unmark()
	secret := ""
	if _, ok := marks[lang.Ephemeral]; ok {
		secret = "ephemeral"
	}
	if _, ok := marks[lang.Sensitive]; ok {
		secret = "sensitive"
	}
	switch {
	case !text.IsKnown():
		return "", nil
	case text.IsNull():
		return "", errorAt(where, invalidMessage, "The error message is null.")
	case secret != "":
		return "", tfdiags.Diagnostics{}.Append(&hcl.Diagnostic{
			Severity: severity, Summary: "Error message refers to " + secret + " values", Subject: &where,
			Detail: "The error message contains " + secret + " values, so the error message is not shown. Remove these values from the error message.",
		})
	}
	return text.AsString(), nil
}

// skipOutputConditions records the conditions of the root module's outputs as unknown,
// because OpenTofu does not evaluate them when it plans to destroy everything.
func (w *walk) skipOutputConditions() {
	for name, o := range w.config.Module.Outputs {
		if len(o.Preconditions) > 0 {
			address := "output." + name
			w.checks.add(plans.CheckResult{Kind: kindOutputValue, Object: address, Instance: address, Status: plans.CheckUnknown})
		}
	}
}

// evalCheck evaluates the assertions of a check block, and returns a warning for each assertion that fails.
// It skips the check if its data source could not be read.
func (w *walk) evalCheck(config *configs.Config, check *configs.Check) tfdiags.Diagnostics {
	return eachOf(w.moduleInstances(config.Path), func(inst moduleInstance) tfdiags.Diagnostics {
		address := checkAddress(inst.addr, check.Name)
		if slices.ContainsFunc(w.checks.items(), func(r plans.CheckResult) bool { return r.Instance == address && r.Status == plans.CheckFail }) {
			return nil
		}
		s := w.scope(inst.addr, config)
		s.check = check.Name
		return s.conditions(conditionContext{
			kind: kindCheck, object: checkAddress(config.Path, check.Name), instance: address, summary: "Check block assertion failed", where: check.DeclRange,
		}, check.Asserts)
	})
}

func checkAddress[M modulePath](module M, name string) string {
	return prefixed(module, "check."+name)
}
