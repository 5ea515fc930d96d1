package conformance

import (
	"context"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// live leads an object through the steps. Whatever comes, what was made is
// destroyed in the end.
func (w *world) live(ctx context.Context, s *subject, steps []step) (done map[operation]bool, err error) {
	for _, step := range steps {
		if step.hasConfig() && !fits(s.body, step.config) {
			return nil, &setback{doing: planning}
		}
	}
	if len(steps) > 0 && steps[0].isWhole() {
		return nil, w.liveWhole(ctx, s, steps)
	}
	if w.Reset != nil {
		if err := w.Reset(ctx); err != nil {
			return nil, err
		}
	}
	r := &run{world: w, s: s, object: s.nothing(), done: map[operation]bool{}}
	if err := r.reopen(ctx); err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.hasConfig() {
			r.secrets = append(r.secrets, secretsIn(step.config)...)
		}
	}
	for _, step := range steps {
		if err = r.do(ctx, step); err != nil {
			break
		}
	}
	if err == nil {
		err = r.destroy(ctx)
	}
	if err != nil {
		r.cleanUp(ctx)
	}
	if errShut := r.shut(); err == nil {
		err = errShut
	}
	return r.done, err
}

func (r *run) do(ctx context.Context, s step) error {
	if err := r.nextPhase(ctx); err != nil {
		return err
	}
	if s.kind != stepApply && s.kind != stepInterrupt && r.state.IsNull() {
		return nil // there is nothing that it could happen to
	}
	switch s.kind {
	case stepApply:
		return r.applyConfig(ctx, s)
	case stepInterrupt:
		return r.interrupted(ctx, s)
	case stepImport, stepImportID:
		if s.kind == stepImport && r.s.identity == nil {
			return nil // there is no way to import it
		}
		return r.adopt(ctx, s.kind == stepImportID)
	case stepOther:
		return r.other(ctx, s)
	case stepVanish:
		return r.vanish(ctx)
	case stepDrift:
		return r.drift(ctx)
	case stepDestroyTwice:
		return r.destroyTwice(ctx, s.after)
	default:
		return r.destroy(ctx)
	}
}

// applyConfig makes the object what the configuration says.
func (r *run) applyConfig(ctx context.Context, s step) error {
	// As clients do: what is known late is planned twice, and nothing is read in between.
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
	messages, op, err := r.carryOut(ctx, p, s.config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return &setback{op, messages}
	}
	r.done[op] = true
	r.config = s.config
	return r.settle(ctx)
}

// planEarly validates, and plans while some places are not known yet.
func (r *run) planEarly(ctx context.Context, s step) (planned, error) {
	messages, err := r.validate(ctx, s.config)
	if err != nil {
		return planned{}, err
	}
	if messages.HasErrors() {
		return planned{}, &setback{planning, messages}
	}
	if len(s.unknown) == 0 {
		return planned{}, nil
	}
	vague := blurred(s.config, s.unknown)
	if messages, err = r.validate(ctx, vague); err != nil {
		return planned{}, err
	}
	if messages.HasErrors() {
		return planned{}, r.breaks(lawValidateUnknown, rpcValidate, "with %s not known yet: %s", places(s.unknown), said(messages))
	}
	p, err := r.plan(ctx, r.planning(), vague)
	switch {
	case err != nil:
		return planned{}, err
	case p.deferred:
		return planned{}, nil
	case p.refused():
		// What cannot be planned with everything known is another matter.
		if known, err := r.plan(ctx, r.planning(), s.config); err != nil {
			return planned{}, err
		} else if known.refused() {
			return planned{}, &setback{planning, known.messages}
		}
		return planned{}, r.breaks(lawPlanUnknown, rpcPlan, "with %s not known yet: %s", places(s.unknown), said(p.messages))
	}
	return p, nil
}

func places(paths []cty.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = diag.FormatPath(path)
	}
	return strings.Join(names, ", ")
}

// planning is what a plan begins with: nothing where the object is tainted.
func (r *run) planning() object {
	if r.tainted {
		return r.s.nothing()
	}
	return r.object
}

// planTwice plans, and plans once more with another instance of the provider, as
// clients do that plan now and apply later.
func (r *run) planTwice(ctx context.Context, config cty.Value) (planned, error) {
	p, err := r.plan(ctx, r.planning(), config)
	if err != nil {
		return p, err
	}
	if p.refused() {
		return p, &setback{planning, p.messages}
	}
	if err := r.reopen(ctx); err != nil {
		return p, err
	}
	again, err := r.plan(ctx, r.planning(), config)
	switch {
	case err != nil:
		return p, err
	case again.refused():
		return p, r.breaks(lawPlanAgain, rpcPlan, "the second plan was refused: %s", said(again.messages))
	case !objchange.Equal(p.state, again.state):
		return p, r.differs(lawPlanAgain, rpcPlan, r.s.differences(p.state, again.state), "the second plan is another one")
	case p.replaces() != again.replaces():
		return p, r.breaks(lawPlanAgain, rpcPlan, "one of the two plans replaces the object, and the other does not")
	}
	if r.planning().state.IsNull() || p.noop() || r.s.Logical {
		return p, nil
	}
	now, messages, err := r.read(ctx, r.object)
	switch {
	case err != nil:
		return p, err
	case messages.HasErrors():
		return p, r.breaks(lawPlanPure, rpcPlan, "the object could be read before the plan, and cannot after it: %s", said(messages))
	}
	return p, r.sameObject(lawPlanPure, r.object, now, "the object changed while nothing but a plan was made")
}

// carryOut applies a plan, as a replacement where it asks for that.
func (r *run) carryOut(ctx context.Context, p planned, config cty.Value) (diag.Diagnostics, operation, error) {
	switch {
	case p.noop() && !r.tainted:
		return nil, planning, nil
	case r.tainted || p.replaces():
		fresh := r.s.nothing()
		fresh.private = p.private
		second, err := r.plan(ctx, fresh, config)
		if err != nil {
			return nil, creating, err
		}
		if second.refused() {
			return nil, creating, &setback{planning, second.messages}
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

// settle sees to it that what was applied stays as it is.
func (r *run) settle(ctx context.Context) error {
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
		return r.breaks(lawReadAgain, rpcRead, "the second refresh failed: %s", said(messages))
	}
	if err := r.sameObject(lawReadAgain, now, again, "a second refresh found another object than the first"); err != nil {
		return err
	}
	return r.planEmpty(ctx, lawPlanEmpty, "after a refresh", nil)
}

// readBack refreshes what was applied just now.
func (r *run) readBack(ctx context.Context) error {
	before := r.object
	now, messages, err := r.read(ctx, before)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawReadApplied, rpcRead, "what was applied cannot be read: %s", said(messages))
	case now.state.IsNull():
		return r.breaks(lawReadApplied, rpcRead, "the apply succeeded, and a refresh says that there is no object")
	}
	if err := r.sameObject(lawReadApplied, before, now, "a refresh found another object than the apply returned"); err != nil {
		return err
	}
	r.object = now
	return nil
}

// planEmpty plans with the configuration that was applied last. Changes of the
// named attributes are accepted, and what follows from them.
func (r *run) planEmpty(ctx context.Context, law, when string, accepted []string) error {
	p, err := r.plan(ctx, r.object, r.config)
	switch {
	case err != nil:
		return err
	case p.refused():
		return r.breaks(law, rpcPlan, "the plan %s was refused: %s", when, said(p.messages))
	case p.noop():
		return nil
	}
	if len(accepted) > 0 {
		for _, d := range r.s.differences(r.state, p.state) {
			if named(d.path, accepted) {
				return nil // what is unknown now may be a consequence
			}
		}
	}
	return r.differs(law, rpcPlan, r.s.differences(r.state, p.state), "the plan %s has changes", when)
}
