package runtime

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ApplyResourceChange implements [provider.Interface].
func (s *server) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	// After an error without outputs, the state keeps the prior object.
	resp := provider.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: storedIdentity(req.PlannedIdentity)}
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: m.form, configuration: req.Config}
	a := applying{m: m, c: c, req: &req, resp: &resp}
	what, operation := "Cannot create ", a.create
	switch {
	case !applicable(&req):
		what, operation = "Cannot apply ", func(context.Context) error { return errNotApplicable }
	case req.PlannedState.IsNull():
		what, operation = "Cannot delete ", a.delete
	case req.PriorState.IsNull():
		resp.Private, resp.NewIdentity = nil, cty.NilVal
	default:
		what, operation = "Cannot update ", a.update
	}
	err := c.guardPanic(ctx, "ApplyResourceChange", func() error { return s.apply(ctx, &a, operation) })
	if failed(err) {
		resp.NewState = m.storable(resp.NewState)
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

// apply reads the provider_meta block, the Config and the private data, and then calls
// operation, such as create.
func (s *server) apply(ctx context.Context, a *applying, operation func(context.Context) error) (err error) {
	if err = s.readMeta(ctx, a.c, a.req.ProviderMeta); err != nil {
		return err
	}
	if a.cfg, err = s.configFor(a.m.configType); err != nil {
		return err
	}
	a.private = parsePrivate(a.req.PlannedPrivate)
	return operation(ctx)
}

func (a *applying) create(ctx context.Context) error {
	// The planned private data is that of the replaced object, if any: a new object
	// starts without private data.
	a.private = privateState{}
	r, err := a.inputs(ctx)
	if err != nil {
		return err
	}
	var out reflect.Value
	err = a.m.operate(ctx, a.c, opCreate, a.cfg, []receiver{r}, func(ctx context.Context) (err error) {
		out, err = r.resource.create(ctx, a.cfg)
		return err
	})
	return a.record(ctx, "Create", r, out, err)
}

func (a *applying) update(ctx context.Context) error {
	if a.m.onlyTimeouts(a.req.PriorState, a.req.PlannedState) {
		a.resp.NewState = a.m.storable(a.req.PlannedState)
		return nil
	}
	a.c.private.data = a.private.Data
	r, err := a.inputs(ctx)
	if err != nil {
		return err
	}
	prior, observed, err := a.m.stored(a.req.PriorState)
	if err != nil {
		return err
	}
	outputs := a.m.applied(a.private, observed)
	var out reflect.Value
	err = a.m.operate(ctx, a.c, opUpdate, a.cfg, []receiver{r, prior}, func(ctx context.Context) (err error) {
		out, err = r.resource.update(ctx, a.cfg, prior, outputs, observed)
		return err
	})
	return a.record(ctx, "Update", r, out, err)
}

func (a *applying) delete(ctx context.Context) error {
	if a.req.PriorState.IsNull() {
		a.resp.NewState = a.m.null
		return nil // deleting an absent object is a success
	}
	r, out, err := a.m.stored(a.req.PriorState)
	if err != nil {
		return err
	}
	a.c.private.data = a.private.Data
	err = a.m.operate(ctx, a.c, opDelete, a.cfg, []receiver{r}, func(ctx context.Context) error {
		return r.resource.del(ctx, a.cfg, out)
	})
	switch {
	case absent(err):
		err = warningsOf(err)
	case failed(err):
		if !usable(a.req.PlannedIdentity) { // the usual case; a client loses an identity that is not in the response
			err = errors.Join(err, a.identify(ctx, r, out, true))
		}
		return err
	}
	a.resp.NewState, a.resp.Private, a.resp.NewIdentity = a.m.null, nil, cty.NilVal
	return err
}

// identify sets the identity of the response. After a failed operation, it logs that there is no
// identity instead of returning an error, because the outputs may be incomplete.
func (a *applying) identify(ctx context.Context, r receiver, out reflect.Value, failed bool) error {
	if a.m.identity == nil {
		return nil
	}
	id, err := a.m.callIdentity(ctx, a.c, r, a.cfg, out, a.req.PlannedIdentity)
	switch {
	case err == nil:
		a.resp.NewIdentity = id
	case failed:
		// The error is not logged, because it may contain a value.
		tflog.Warn(ctx, "the object has no identity, because the operation failed", map[string]any{"type": a.m.typeName, "operation": string(a.c.operation)})
		return nil
	}
	return err
}

// inputs decodes the planned inputs, with the write-only ones of the configuration, checks
// the constraints, and calls ValidateInputs. It returns errors, but no warnings.
func (a *applying) inputs(ctx context.Context) (receiver, error) {
	var d decoder
	r := a.m.decodeIn(&d, a.req.PlannedState, a.req.Config)
	err := invalid(d.err())
	if d.unknowns+d.held > 0 {
		err = errors.Join(err, a.m.checkKnown(a.req.PlannedState, a.req.Config))
	}
	if usable(a.req.Config) {
		// Values that were unknown during plan are checked here.
		err = errors.Join(err, a.m.rules.check(a.req.Config, nil, nil).Err())
	}
	if err != nil || a.m.validate == nil {
		return r, err
	}
	err = invalid(a.c.guardPanic(ctx, "ValidateInputs", func() error {
		return a.m.validate(a.c.context(ctx), r, a.cfg)
	}))
	if failed(err) {
		return r, err
	}
	return r, nil // warnings are reported only during plan
}

// record sets the response from the result of Create or Update. Outputs returned
// with an error are stored as well.
func (a *applying) record(ctx context.Context, method string, r receiver, out reflect.Value, err error) error {
	if !out.IsValid() {
		if !failed(err) {
			err = errors.Join(err, errNoOutput(method))
		}
		return err
	}
	remembered := privateState{Data: a.c.private.data}
	if failed(err) {
		// The drift is not repaired yet.
		remembered.Applied = a.private.Applied
	}
	private, encodeErr := remembered.bytes()
	state, stateErr := a.state(ctx, r, out, failed(err))
	a.resp.NewState, a.resp.Private = state, private
	return errors.Join(err, stateErr, encodeErr, a.identify(ctx, r, out, failed(err)))
}

// state returns the new state: the planned one with the outputs. An attribute that cannot be
// encoded has its planned value, or null if that is unknown, because the object exists and its
// known values must be stored.
func (a *applying) state(ctx context.Context, r receiver, out reflect.Value, failed bool) (cty.Value, error) {
	values := make([]cty.Value, len(a.m.attrs))
	var errs []error
	for i := 0; i < len(values); i++ {
		err := a.c.guardPanic(ctx, "MarshalText or EquivalentInput", func() error {
			for ; i < len(values); i++ {
				v, err := a.attribute(ctx, a.m.attrs[i], r, out, failed)
				if err != nil {
					return err
				}
				values[i] = v
			}
			return nil
		})
		if err != nil {
			errs = append(errs, err)
			values[i] = cty.UnknownAsNull(a.m.attr(a.req.PlannedState, a.m.attrs[i]))
		}
	}
	return a.m.object(values), errors.Join(errs...)
}

// attribute returns the new value of one attribute. After a failed update, inputs
// that are not outputs keep their prior value, and inputs that were to be unset get
// the value of the outputs, at any depth, so that the next plan has the changes that
// are left.
func (a *applying) attribute(ctx context.Context, at *attribute, r receiver, out reflect.Value, failed bool) (cty.Value, error) {
	planned, prior := a.m.attr(a.req.PlannedState, at), cty.NilVal
	if failed && usable(a.req.PriorState) {
		prior = a.m.attr(a.req.PriorState, at)
	}
	switch {
	case at.writeOnly():
		return at.node.null, nil
	case at.out == nil && prior != cty.NilVal:
		return prior, nil
	case at.out == nil:
		return planned, nil
	case at.class == classOptional && planned.IsNull() && !at.block():
		if !usable(prior) {
			return planned, nil
		}
		return encoder{}.field(at.out, out, prior)
	}
	v, err := encoder{held: at.in != nil && prior == cty.NilVal}.field(at.out, out, planned)
	if err == nil && (a.m.sameMeaning(ctx, a.c, at, r, planned, v) || at.in != nil && sameName(a.cfg, at.name, planned, v)) {
		v = at.node.keepSpelling(planned, v)
	}
	return v, err
}

// operate calls a method of a resource with its timeout and, unless the method is Read, its
// locks, and turns a panic into an error. The inputs of the first receiver have the timeout; the
// locks depend on all receivers.
func (m *managed) operate(ctx context.Context, c *call, op operation, cfg any, r []receiver, method func(ctx context.Context) error) error {
	c.operation = op
	return m.timeouts.within(ctx, c, op, r[0].value, func(ctx context.Context) error {
		ctx = c.context(ctx)
		if m.locks != nil && op != opRead {
			unlock, err := m.lock(ctx, c, cfg, r)
			if err != nil {
				return err
			}
			defer unlock()
		}
		return c.guardPanic(ctx, string(op), func() error { return method(ctx) })
	})
}

// lock takes the locks of a whole operation, and returns the function that releases them.
func (m *managed) lock(ctx context.Context, c *call, cfg any, rs []receiver) (unlock func(), err error) {
	var names []string
	err = c.guardPanic(ctx, "Locks", func() error {
		for _, r := range rs {
			names = append(names, m.locks(r, cfg)...)
		}
		return nil
	})
	j := joinedFrom(ctx)
	if err != nil || j == nil || len(names) == 0 {
		return func() {}, err
	}
	unlock, err = j.lock(ctx, names)
	j.whole = names
	return unlock, err
}

// onlyTimeouts reports whether only the timeouts differ. The new value is then stored
// without a call of Update.
func (m *managed) onlyTimeouts(prior, planned cty.Value) bool {
	attr := m.timeouts.attr
	if attr == nil || objchange.Equal(m.attr(prior, attr), m.attr(planned, attr)) {
		return false
	}
	return !slices.ContainsFunc(m.attrs, func(a *attribute) bool { return a != attr && !objchange.Equal(m.attr(prior, a), m.attr(planned, a)) })
}
