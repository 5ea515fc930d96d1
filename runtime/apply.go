package runtime

import (
	"context"
	"errors"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// ApplyResourceChange is part of [provider.Interface].
func (s *server) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	// Whatever goes wrong, what was there before stays in state.
	resp := provider.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity}
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	ctx, leave := s.life.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName}
	a := applying{m: m, c: c, req: &req, resp: &resp}
	var err error
	what := "Cannot create "
	switch {
	case !usable(req.PlannedState):
		what = "Cannot delete "
		err = s.prepare(&a, a.delete)(ctx)
	case !usable(req.PriorState):
		resp.Private, resp.NewIdentity = nil, cty.NilVal
		err = s.prepare(&a, a.create)(ctx)
	default:
		what = "Cannot update "
		err = s.prepare(&a, a.update)(ctx)
	}
	resp.Diagnostics = c.diagnostics(what+req.TypeName, err)
	return resp
}

// applying is the state of one apply.
type applying struct {
	m    *managed
	c    *call
	req  *provider.ApplyResourceChangeRequest
	resp *provider.ApplyResourceChangeResponse

	cfg     any
	private privateState
}

// prepare gets what each of the three operations needs before it.
func (s *server) prepare(a *applying, next func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if a.cfg, err = s.configFor(a.m); err != nil {
			return err
		}
		if a.private, err = parsePrivate(a.req.PlannedPrivate); err != nil {
			return err
		}
		return next(ctx)
	}
}

func (a *applying) create(ctx context.Context) error {
	// Private data that is here belongs to the object that was replaced.
	a.private = privateState{}
	r, err := a.inputs(ctx)
	if err != nil {
		return err
	}
	var out reflect.Value
	err = a.c.guardPanic(ctx, "Create", func() (err error) {
		out, err = r.resource.create(a.c.context(ctx), a.cfg)
		return err
	})
	return a.record(ctx, "Create", r, out, err)
}

func (a *applying) update(ctx context.Context) error {
	r, err := a.inputs(ctx)
	if err != nil {
		return err
	}
	prior, observed, err := a.m.stored(a.req.PriorState)
	if err != nil {
		return err
	}
	outputs := observed
	if applied := a.private.outputs(a.m.outputType); applied != cty.NilVal {
		var d decoder
		if outputs = a.m.decodeOut(&d, applied); d.err() != nil {
			outputs = observed
		}
	}
	a.c.private.data = a.private.Data
	var out reflect.Value
	err = a.c.guardPanic(ctx, "Update", func() (err error) {
		out, err = r.resource.update(a.c.context(ctx), a.cfg, prior, outputs, observed)
		return err
	})
	return a.record(ctx, "Update", r, out, err)
}

func (a *applying) delete(ctx context.Context) error {
	r, out, err := a.m.stored(a.req.PriorState)
	if err != nil {
		return err
	}
	a.c.private.data = a.private.Data
	err = a.c.guardPanic(ctx, "Delete", func() error {
		return r.resource.del(a.c.context(ctx), a.cfg, out)
	})
	if failed(err) && !errors.Is(err, ErrNotFound) {
		return err
	}
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	a.resp.NewState, a.resp.Private, a.resp.NewIdentity = a.m.null, nil, cty.NilVal
	return err
}

// inputs decodes the planned inputs, with write-only ones from configuration,
// and runs the resource's own checks on them.
func (a *applying) inputs(ctx context.Context) (receiver, error) {
	var d decoder
	r := a.m.decodeIn(&d, a.req.PlannedState, a.req.Config)
	if err := d.err(); err != nil || a.m.validate == nil {
		return r, err
	}
	err := a.c.guardPanic(ctx, "ValidateInputs", func() error {
		return a.m.validate(a.c.context(ctx), r, a.cfg)
	})
	if failed(err) {
		return r, err
	}
	return r, nil // warnings were given while planning
}

// record makes the answer of what Create or Update returned. An output that
// comes with an error is recorded as well.
func (a *applying) record(ctx context.Context, method string, r receiver, out reflect.Value, err error) error {
	if !out.IsValid() {
		if !failed(err) {
			err = errors.Join(err, errNoOutput(method))
		}
		return err
	}
	state, encodeErr := a.state(r, out, failed(err))
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	private, encodeErr := privateState{Data: a.c.private.data}.bytes()
	a.resp.NewState, a.resp.Private = state, private
	if a.m.identity != nil {
		id, idErr := a.m.callIdentity(ctx, a.c, r, a.cfg, out, a.req.PlannedIdentity)
		if idErr == nil {
			a.resp.NewIdentity = id
		}
		encodeErr = errors.Join(encodeErr, idErr)
	}
	return errors.Join(err, encodeErr)
}

// state makes the new state of the planned one and the outputs. After a failed
// update, attributes that are only inputs keep their prior value, so that the
// next plan sees what is still to be done.
func (a *applying) state(r receiver, out reflect.Value, failed bool) (cty.Value, error) {
	values := make([]cty.Value, len(a.m.attrs))
	prior := usable(a.req.PriorState)
	for i, at := range a.m.attrs {
		planned := a.m.attr(a.req.PlannedState, at)
		if at.out == nil {
			if failed && prior {
				planned = a.m.attr(a.req.PriorState, at)
			}
			values[i] = planned
			continue
		}
		if at.class == classOptional && planned.IsNull() && !at.block() {
			values[i] = planned
			continue
		}
		v, err := encoder{}.field(at.out, out, planned)
		if err != nil {
			return cty.NilVal, err
		}
		if a.m.sameMeaning(at, r, planned, v) {
			v = planned
		}
		values[i] = v
	}
	return a.m.object(values), nil
}
