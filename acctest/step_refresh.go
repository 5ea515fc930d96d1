package acctest

import (
	"errors"

	"github.com/posixform/terraform-provider-posix/engine"
)

// refreshState is a step that refreshes, and plans what is to be done then.
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
		return titled{"Error running the plan after the refresh: ", err}
	}
	if err := r.checkPlan(plan, step.RefreshPlanChecks.PostRefresh); err != nil {
		return titled{"Plan checks after the refresh failed:\n", err}
	}
	if !empty(plan) && !step.ExpectNonEmptyPlan {
		return titled{"After refreshing, the plan was not empty:\n\n", errors.New(s.planText(plan))}
	}
	return nil
}
