package conformance

import (
	"context"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// runSteps runs the steps with one object, which is destroyed at the end, even after an
// error. It returns the operations that succeeded, or nil for complete runs. A
// configuration that does not fit the schema is a rejection.
func (w *checker) runSteps(ctx context.Context, s *subject, steps []step) (done map[operation]bool, err error) {
	if slices.ContainsFunc(steps, func(step step) bool { return step.hasConfig() && !fits(s.body, step.config) }) {
		return nil, &rejection{op: planning}
	}
	if len(steps) > 0 && steps[0].usesEngine() {
		return nil, w.runOnEngine(ctx, s, steps)
	}
	if w.Reset != nil {
		if err := w.Reset(ctx); err != nil {
			return nil, err
		}
	}
	r := &run{checker: w, s: s, object: s.noObject(), done: map[operation]bool{}}
	if err := r.reopen(ctx); err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.hasConfig() {
			r.secrets = append(r.secrets, secretsIn(step.config)...)
		}
	}
	for _, step := range steps {
		if err = r.runStep(ctx, step); err != nil {
			break
		}
	}
	if err == nil {
		err = r.destroy(ctx)
	}
	if err != nil {
		r.cleanUp(ctx)
	}
	if errShut := r.closeProvider(); err == nil {
		err = errShut
	}
	return r.done, err
}

func (r *run) runStep(ctx context.Context, s step) error {
	if err := r.nextPhase(ctx); err != nil {
		return err
	}
	if s.kind != stepApply && s.kind != stepInterrupt && r.state.IsNull() {
		return nil // there is no object
	}
	switch s.kind {
	case stepApply:
		return r.applyConfig(ctx, s)
	case stepInterrupt:
		return r.interrupted(ctx, s)
	case stepImport, stepImportID:
		if s.kind == stepImport && r.s.identity == nil {
			return nil // a type without an identity cannot be imported by identity
		}
		return r.importObject(ctx, s.kind == stepImportID)
	case stepChange:
		return r.changeOutside(ctx, s)
	case stepRemove:
		return r.removeOutside(ctx)
	case stepDrift:
		return r.drift(ctx)
	case stepDestroyTwice:
		return r.destroyTwice(ctx, s.after)
	default:
		return r.destroy(ctx)
	}
}

// applyConfig plans and applies a configuration.
func (r *run) applyConfig(ctx context.Context, s step) error {
	// As in a client, a refresh and a plan with unknown values are followed by another
	// plan without a read in between.
	if !r.state.IsNull() {
		if err := r.refreshed(ctx); err != nil {
			return err
		}
	}
	early, err := r.planEarly(ctx, s)
	if err != nil {
		return err
	}
	p, err := r.planTwice(ctx, s.config)
	if err != nil {
		return err
	}
	if early.state != cty.NilVal && !early.replaces() && !p.replaces() {
		if broken := objchange.AssertObjectCompatible(r.s.body, early.state, p.state); len(broken) > 0 && !p.legacy {
			if err := r.errs(lawPlanRefines, rpcPlan, broken, r.changed(broken, early.state, p.state)); err != nil {
				return err
			}
		}
	}
	messages, op, err := r.applyPlan(ctx, p, s.config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return &rejection{op, messages}
	}
	r.done[op] = true
	r.config = s.config
	return r.checkStable(ctx)
}

// planEarly validates the configuration, and validates and plans it with some values
// unknown. It returns the zero planned if no values are unknown, the plan is deferred, or a
// broken law is waived.
func (r *run) planEarly(ctx context.Context, s step) (planned, error) {
	messages, err := r.validate(ctx, s.config)
	if err != nil {
		return planned{}, err
	}
	if messages.HasErrors() {
		return planned{}, &rejection{planning, messages}
	}
	if len(s.unknown) == 0 {
		return planned{}, nil
	}
	partlyUnknown := withUnknowns(s.config, s.unknown)
	if messages, err = r.validate(ctx, partlyUnknown); err != nil {
		return planned{}, err
	}
	if messages.HasErrors() {
		return planned{}, r.breaks(lawValidateUnknown, rpcValidate, "with unknown %s: %s", formatPaths(s.unknown), errorText(messages))
	}
	p, err := r.plan(ctx, r.planPrior(), partlyUnknown)
	switch {
	case err != nil:
		return planned{}, err
	case p.deferred:
		return planned{}, nil
	case p.refused():
		// If the plan with known values is refused too, the unknown values are not the cause.
		if known, err := r.plan(ctx, r.planPrior(), s.config); err != nil {
			return planned{}, err
		} else if known.refused() {
			return planned{}, &rejection{planning, known.messages}
		}
		return planned{}, r.breaks(lawPlanUnknown, rpcPlan, "with unknown %s: %s", formatPaths(s.unknown), errorText(p.messages))
	}
	return p, nil
}

func formatPaths(paths []cty.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = diag.FormatPath(path)
	}
	return strings.Join(names, ", ")
}

// planPrior returns the prior object of a plan, which is null if the object is tainted.
func (r *run) planPrior() object {
	if r.tainted {
		return r.s.noObject()
	}
	return r.object
}

// planTwice plans, plans again with another instance of the provider, like a client that
// applies a stored plan, and checks that the plans agree and did not change the object.
func (r *run) planTwice(ctx context.Context, config cty.Value) (planned, error) {
	p, err := r.plan(ctx, r.planPrior(), config)
	if err != nil {
		return p, err
	}
	if p.refused() {
		return p, &rejection{planning, p.messages}
	}
	if err := r.reopen(ctx); err != nil {
		return p, err
	}
	again, err := r.plan(ctx, r.planPrior(), config)
	switch {
	case err != nil:
		return p, err
	case again.refused():
		return p, r.breaks(lawPlanAgain, rpcPlan, "the second plan was refused: %s", errorText(again.messages))
	case !objchange.Equal(p.state, again.state):
		return p, r.differs(lawPlanAgain, rpcPlan, r.s.differences(p.state, again.state), "the second plan differs from the first")
	case p.replaces() != again.replaces():
		return p, r.breaks(lawPlanAgain, rpcPlan, "only one of the two plans replaces the object")
	}
	if r.planPrior().state.IsNull() || p.noop() || r.s.Logical {
		return p, nil
	}
	now, messages, err := r.read(ctx, r.object)
	switch {
	case err != nil:
		return p, err
	case messages.HasErrors():
		return p, r.breaks(lawPlanPure, rpcPlan, "the object cannot be read after the plan: %s", errorText(messages))
	}
	return p, r.sameObject(lawPlanPure, r.object, now, "the object changed during a plan")
}

// applyPlan applies a plan, as a replacement if the plan requires one or the object is tainted. It
// also returns the operation, which is planning if there is nothing to change.
func (r *run) applyPlan(ctx context.Context, p planned, config cty.Value) (diag.Diagnostics, operation, error) {
	switch {
	case p.noop() && !r.tainted:
		return nil, planning, nil
	case r.tainted || p.replaces():
		fresh := r.s.noObject()
		fresh.private = p.private
		second, err := r.plan(ctx, fresh, config)
		if err != nil {
			return nil, creating, err
		}
		if second.refused() {
			return nil, creating, &rejection{planning, second.messages}
		}
		if messages, err := r.remove(ctx); err != nil || messages.HasErrors() {
			return messages, creating, err
		}
		p = second
	}
	op := creating
	if !r.state.IsNull() {
		op = updating
	}
	messages, err := r.apply(ctx, p, config)
	return messages, op, err
}

// checkStable checks that an applied object does not change without a change of its
// configuration.
func (r *run) checkStable(ctx context.Context) error {
	if err := r.planEmpty(ctx, lawPlanEmpty, "right after the apply", nil); err != nil {
		return err
	}
	if err := r.nextPhase(ctx); err != nil {
		return err
	}
	if err := r.readBack(ctx); err != nil {
		return err
	}
	now := r.object
	again, messages, err := r.read(ctx, now)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawReadAgain, rpcRead, "the second refresh failed: %s", errorText(messages))
	}
	if err := r.sameObject(lawReadAgain, now, again, "the second refresh returned an object that differs from the first"); err != nil {
		return err
	}
	return r.planEmpty(ctx, lawPlanEmpty, "after a refresh", nil)
}

// readBack refreshes an object directly after its apply, and checks that it is unchanged.
func (r *run) readBack(ctx context.Context) error {
	before := r.object
	now, messages, err := r.read(ctx, before)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawReadApplied, rpcRead, "the applied object cannot be read: %s", errorText(messages))
	case now.state.IsNull():
		return r.breaks(lawReadApplied, rpcRead, "the apply succeeded, but a refresh does not find the object")
	}
	if err := r.sameObject(lawReadApplied, before, now, "a refresh returned an object that differs from that of the apply"); err != nil {
		return err
	}
	r.object = now
	return nil
}

// planEmpty checks that a plan with the configuration in r is empty. If
// an accepted attribute changes, any other may change too.
func (r *run) planEmpty(ctx context.Context, law, when string, accepted []string) error {
	p, err := r.plan(ctx, r.object, r.config)
	switch {
	case err != nil:
		return err
	case p.refused():
		return r.breaks(law, rpcPlan, "the plan %s was refused: %s", when, errorText(p.messages))
	case p.noop():
		return nil
	}
	found := r.s.differences(r.state, p.state)
	if slices.ContainsFunc(found, func(d difference) bool { return named(d.path, accepted) }) {
		return nil // unknown values may be a consequence
	}
	return r.differs(law, rpcPlan, found, "the plan %s has changes", when)
}

// remove deletes the object. It plans the deletion first if the provider plans deletions and
// the object is not tainted.
func (r *run) remove(ctx context.Context) (diag.Diagnostics, error) {
	p := planned{prior: r.state, state: r.s.null(), identity: r.s.nullIdentity(), private: r.private}
	if r.schema.ServerCapabilities.PlanDestroy && !r.tainted {
		var err error
		if p, err = r.plan(ctx, r.object, r.s.null()); err != nil || p.refused() {
			return p.messages, err
		}
	}
	return r.apply(ctx, p, r.s.null())
}

// destroyTwice interrupts a destroy and repeats it if it failed and the object still exists.
func (r *run) destroyTwice(ctx context.Context, after int) error {
	was := r.object
	short, mend := r.interruption(ctx, after)
	messages, err := r.remove(short)
	mend()
	if err != nil {
		return err
	}
	if !messages.HasErrors() {
		return r.checkGone(ctx, was)
	}
	if err := r.reopen(ctx); err != nil {
		return err
	}
	// Like a client, refresh before the second destroy.
	now, messages, err := r.read(ctx, r.object)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawFailed, rpcRead, "after an interrupted destroy the object cannot be read: %s", errorText(messages))
	}
	r.object = now
	if r.state.IsNull() {
		return nil
	}
	messages, err = r.remove(ctx)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawFailed, rpcApply, "after an interrupted destroy the next one fails: %s", errorText(messages))
	}
	return r.checkGone(ctx, was)
}

// destroy deletes the object and checks that it is gone.
func (r *run) destroy(ctx context.Context) error {
	if r.state.IsNull() {
		return nil
	}
	if err := r.nextPhase(ctx); err != nil {
		return err
	}
	was := r.object
	messages, err := r.remove(ctx)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawDestroy, rpcApply, "%s", errorText(messages))
	}
	return r.checkGone(ctx, was)
}

// checkGone checks that a destroyed object does not exist and that destroying it again
// succeeds. It does not check a type that is Logical.
func (r *run) checkGone(ctx context.Context, was object) error {
	if r.s.Logical {
		return nil
	}
	if err := r.reopen(ctx); err != nil {
		return err
	}
	now, messages, err := r.read(ctx, was)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawDestroy, rpcRead, "a refresh of the destroyed object fails: %s", errorText(messages))
	case !now.state.IsNull():
		return r.breaks(lawDestroy, rpcRead, "a refresh still finds the destroyed object%s", hintLogical(was, now))
	}
	again := *r
	again.object = was
	if messages, err = again.remove(ctx); err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawDestroyAgain, rpcApply, "%s", errorText(messages))
	}
	return nil
}

// cleanUp deletes the object of a failed case and ignores errors.
func (r *run) cleanUp(ctx context.Context) {
	if r.p == nil || r.state.IsNull() || !r.state.IsWhollyKnown() {
		return
	}
	r.tainted = false
	if _, err := r.remove(ctx); err != nil {
		return // the first error is returned instead
	}
}
