package acctest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// config runs a step with a configuration: it plans and applies the configuration, unless the
// step is PlanOnly, then checks two more plans, one without and one with a refresh.
func (r *runner) config(files *fileSet) error {
	if err := r.session.setConfig(files, r.step.ConfigVariables); err != nil {
		return fmt.Errorf("the configuration cannot be used: %w", err)
	}
	if !r.step.PlanOnly {
		if err := r.apply(); err != nil {
			return err
		}
	}
	if err := r.checkNextPlans(); err != nil {
		return err
	}
	if r.c.IDRefreshName != "" {
		if err := r.checkIDRefresh(); err != nil {
			return err
		}
	}
	if r.step.PostApplyFunc != nil {
		r.step.PostApplyFunc()
	}
	next := r.number // the index of the step after this one
	if refreshAfterApply() && !r.step.Destroy && !r.step.PlanOnly && !r.step.ExpectNonEmptyPlan && next < len(r.c.Steps) && !r.c.Steps[next].RefreshState {
		if err := r.session.refreshOnly(); err != nil {
			return fmt.Errorf("the refresh after the step failed: %w", err)
		}
	}
	return nil
}

// planOptions returns the options that the plans of the step share.
func (r *runner) planOptions() engine.PlanOptions {
	var opts engine.PlanOptions
	if r.step.Destroy {
		opts.Mode = plans.DestroyMode
	}
	if o := r.c.AdditionalCLIOptions; o != nil {
		opts.SkipRefresh = o.Plan.NoRefresh
	}
	return opts
}

// apply plans and applies the configuration and runs the step's PreApply checks, Check and
// ConfigStateChecks.
func (r *runner) apply() error {
	s, step := r.session, r.step
	plan, err := s.plan(r.planOptions())
	if err != nil {
		return titled{"Error running pre-apply plan: ", err}
	}
	if err := r.session.checkPlan(plan, step.ConfigPlanChecks.PreApply); err != nil {
		return titled{"Pre-apply plan check(s) failed:\n", err}
	}
	// After a destroy, Check is given the state before it.
	var before *terraform.State
	if step.Check != nil && step.Destroy {
		if err := s.refresh(); err != nil {
			return titled{"Error running pre-apply refresh: ", err}
		}
		if before, err = s.legacy(); err != nil {
			return fatal{err}
		}
		if plan, err = s.plan(engine.PlanOptions{Mode: plans.DestroyMode}); err != nil {
			return titled{"Error running destroy plan: ", err}
		}
	}
	if err := s.apply(plan); err != nil {
		if step.Destroy {
			return titled{"Error running destroy: ", err}
		}
		return titled{"Error running apply: ", err}
	}
	if step.Check != nil {
		state := before
		if !step.Destroy {
			if state, err = s.legacy(); err != nil {
				return fatal{err}
			}
		}
		if err := step.Check(state); err != nil {
			return titled{"Check failed: ", err}
		}
	}
	return r.checkState(step.ConfigStateChecks)
}

// checkNextPlans plans twice: without a refresh, and then with one unless the test case or the
// step disables refreshes. Both plans must be empty, unless ExpectNonEmptyPlan is set; then
// the second must not be empty.
func (r *runner) checkNextPlans() error {
	s, step := r.session, r.step
	after, checks := "post-apply ", "Post-apply, pre-refresh plan check(s)"
	if step.PlanOnly {
		after, checks = "", "Non-refresh plan checks(s)" // as terraform-plugin-testing writes it
	}
	opts := r.planOptions()
	opts.SkipRefresh = true
	plan, err := s.plan(opts)
	if err != nil {
		return titled{"Error running " + after + "non-refresh plan: ", err}
	}
	if err := r.session.checkPlan(plan, step.ConfigPlanChecks.PostApplyPreRefresh); err != nil {
		return titled{checks + " failed:\n", err}
	}
	if !empty(plan) && !step.ExpectNonEmptyPlan {
		return r.notEmpty("non-refresh", plan)
	}

	opts = r.planOptions()
	opts.SkipRefresh = opts.SkipRefresh || step.Destroy && step.PreventPostDestroyRefresh
	if plan, err = s.plan(opts); err != nil {
		return titled{"Error running " + after + "refresh plan: ", err}
	}
	if err := r.session.checkPlan(plan, step.ConfigPlanChecks.PostApplyPostRefresh); err != nil {
		return titled{"Post-apply refresh plan check(s) failed:\n", err}
	}
	switch nothing := empty(plan); {
	case !nothing && !step.ExpectNonEmptyPlan:
		return r.notEmpty("refresh", plan)
	case nothing && step.ExpectNonEmptyPlan:
		return titled{"Expected a non-empty plan, but got ", errors.New("an empty refresh plan")}
	}
	return nil
}

// notEmpty returns the error for a plan that must be empty. After an apply, its title is that of
// terraform-plugin-testing.
func (r *runner) notEmpty(kind string, plan *plans.Plan) error {
	title := "The " + kind + " plan was not empty in a step that only plans"
	if !r.step.PlanOnly {
		title = "After applying this test step, the " + kind + " plan was not empty"
	}
	return titled{title + ":\n\n", errors.New(r.session.planText(plan))}
}

// empty reports whether a plan changes nothing. Imports and moves do not count as
// changes, as in terraform-plugin-testing.
func empty(p *plans.Plan) bool {
	return !slices.ContainsFunc(p.Changes, func(c *plans.ResourceInstanceChange) bool { return c.Action != plans.NoOp }) &&
		!slices.ContainsFunc(p.Outputs, func(o *plans.OutputChange) bool { return o.Action != plans.NoOp })
}

// checkState runs all checks on the state.
func (r *runner) checkState(checks []statecheck.StateCheck) error {
	if len(checks) == 0 {
		return nil
	}
	shown, err := r.session.stateJSON()
	if err != nil {
		return titled{"Error retrieving post-apply, post-refresh state: ", err}
	}
	var errs []error
	for _, check := range checks {
		var resp statecheck.CheckStateResponse
		check.CheckState(context.Background(), statecheck.CheckStateRequest{State: shown}, &resp)
		errs = append(errs, resp.Error)
	}
	if err := errors.Join(errs...); err != nil {
		return titled{"Post-apply refresh state check(s) failed:\n", err}
	}
	return nil
}

// checkIDRefresh checks that a refresh does not change the resource that IDRefreshName names,
// except for the attributes whose names start with a prefix in IDRefreshIgnore.
func (r *runner) checkIDRefresh() error {
	attributes := func() (map[string]string, error) {
		state, err := r.session.legacy()
		if err != nil {
			return nil, fatal{err}
		}
		found := state.RootModule().Resources[r.c.IDRefreshName]
		if found == nil {
			return nil, nil
		}
		return withoutPrefixes(found.Primary.Attributes, r.c.IDRefreshIgnore), nil
	}
	before, err := attributes()
	if err != nil || before == nil {
		return err
	}
	if err := r.session.refresh(); err != nil {
		return fatalf("IDRefreshName: the refresh failed: %w", err)
	}
	after, err := attributes()
	if err != nil {
		return err
	}
	if diff := cmp.Diff(before, after); diff != "" {
		return fmt.Errorf("IDRefreshName: a refresh changes %s (-before +after):\n%s", r.c.IDRefreshName, diff)
	}
	return nil
}

// withoutPrefixes returns the attributes whose names have none of the prefixes.
func withoutPrefixes(attributes map[string]string, prefixes []string) map[string]string {
	out := maps.Clone(attributes)
	maps.DeleteFunc(out, func(name, _ string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	return out
}

// refreshState runs a step that refreshes the state and then plans.
func (r *runner) refreshState() error {
	s, step := r.session, r.step
	if s.config == nil {
		return fatalf("RefreshState: no step before it had a configuration")
	}
	if err := s.refresh(); err != nil {
		return err
	}
	if step.Check != nil {
		state, err := s.legacy()
		if err != nil {
			return fatal{err}
		}
		if err := step.Check(state); err != nil {
			return fatal{err}
		}
	}
	plan, err := s.plan(engine.PlanOptions{})
	if err != nil {
		return titled{"Error running post-refresh plan: ", err}
	}
	if err := r.session.checkPlan(plan, step.RefreshPlanChecks.PostRefresh); err != nil {
		return titled{"Post-refresh plan check(s) failed:\n", err}
	}
	if !empty(plan) && !step.ExpectNonEmptyPlan {
		return titled{"After refreshing state during this test step, a followup plan was not empty:\n\n", errors.New(s.planText(plan))}
	}
	return nil
}
