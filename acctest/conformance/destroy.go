package conformance

import (
	"context"

	"github.com/posixform/terraform-provider-posix/diag"
)

// remove deletes the object as a client does: with a plan where the provider
// plans deletions.
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

// destroyTwice deletes the object in a way that is broken off, and then again.
func (r *run) destroyTwice(ctx context.Context, after int) error {
	was := r.object
	short, mend := r.brokenOff(ctx, after)
	messages, err := r.remove(short)
	mend()
	if err != nil {
		return err
	}
	if !messages.HasErrors() {
		return r.gone(ctx, was)
	}
	if err := r.reopen(ctx); err != nil {
		return err
	}
	// What a client does: it looks whether the object is still there.
	now, messages, err := r.read(ctx, r.object)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawFailed, rpcRead, "a destroy was interrupted, and what is left cannot be read: %s", said(messages))
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
		return r.breaks(lawFailed, rpcApply, "a destroy was interrupted, and the next one fails: %s", said(messages))
	}
	return r.gone(ctx, was)
}

// destroy deletes the object and sees to it that it is gone.
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
		return r.breaks(lawDestroy, rpcApply, "%s", said(messages))
	}
	return r.gone(ctx, was)
}

// gone says whether an object that was destroyed is gone.
func (r *run) gone(ctx context.Context, was object) error {
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
		return r.breaks(lawDestroy, rpcRead, "the object was destroyed, and a refresh of it fails: %s", said(messages))
	case !now.state.IsNull():
		return r.breaks(lawDestroy, rpcRead, "the object was destroyed, and a refresh of it says that it exists")
	}
	again := *r
	again.object = was
	if messages, err = again.remove(ctx); err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawDestroyAgain, rpcApply, "%s", said(messages))
	}
	return nil
}

// cleanUp deletes what a case left, as well as it goes.
func (r *run) cleanUp(ctx context.Context) {
	if r.state.IsNull() || !r.state.IsWhollyKnown() {
		return
	}
	r.tainted = false
	if _, err := r.remove(ctx); err != nil {
		return // the law that is broken is told already
	}
}
