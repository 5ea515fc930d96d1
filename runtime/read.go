package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ReadResource implements [provider.Interface].
func (s *server) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	// After any error the response keeps the prior state.
	resp := provider.ReadResourceResponse{NewState: req.PriorState, Private: req.Private, Identity: storedIdentity(req.CurrentIdentity)}
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	if req.PriorState.IsNull() {
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: m.form}
	err := c.guardPanic(ctx, "ReadResource", func() error { return s.read(ctx, c, m, req, &resp) })
	resp.Deferred, err = deferredBy(err, req.ClientCapabilities)
	if failed(err) {
		resp.NewState = m.storable(resp.NewState)
	}
	resp.Diagnostics = c.diagnostics("Cannot read "+req.TypeName, err)
	return resp
}

func (s *server) read(ctx context.Context, c *call, m *managed, req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) error {
	if !req.PriorState.IsKnown() {
		return errNotReadable
	}
	if !req.CurrentIdentity.IsWhollyKnown() {
		return errUnknownIdentity
	}
	if err := s.readMeta(ctx, c, req.ProviderMeta); err != nil {
		return err
	}
	cfg, err := s.configFor(m.configType)
	if err != nil {
		return err
	}
	private := parsePrivate(req.Private)
	r, prior, err := m.stored(req.PriorState)
	if err != nil {
		return err
	}
	c.private.data = private.Data
	out, err := m.callRead(ctx, c, r, cfg, prior)
	switch {
	case absent(err):
		resp.NewState, resp.Private = m.null, nil
		return warningsOf(err)
	case failed(err):
		return err
	}
	state, encodeErr := m.observe(ctx, c, r, out, req.PriorState)
	if encodeErr != nil {
		return encodeErr
	}
	private.Data = c.private.data
	if err := m.rememberApplied(&private, req.PriorState, state); err != nil {
		return err
	}
	bytes, encodeErr := private.bytes()
	if encodeErr != nil {
		return encodeErr
	}
	if m.identity != nil {
		id, idErr := m.callIdentity(ctx, c, r, cfg, out, req.CurrentIdentity)
		if idErr != nil {
			return idErr
		}
		resp.Identity = id
	}
	resp.NewState, resp.Private = state, bytes
	return err
}

// callRead calls Read. Without an error it always returns an object.
func (m *managed) callRead(ctx context.Context, c *call, r receiver, cfg any, prior reflect.Value) (out reflect.Value, err error) {
	err = m.operate(ctx, c, opRead, cfg, []receiver{r}, func(ctx context.Context) (err error) {
		out, err = r.resource.read(ctx, cfg, prior)
		return err
	})
	if !out.IsValid() && !failed(err) {
		err = errors.Join(err, errNoOutput("Read"))
	}
	return out, err
}

func (m *managed) callIdentity(ctx context.Context, c *call, r receiver, cfg any, out reflect.Value, prior cty.Value) (id cty.Value, err error) {
	err = c.guardPanic(ctx, "Identity", func() (err error) {
		id, err = m.identity.of(r, cfg, out, prior)
		return err
	})
	return id, err
}

// observe returns the state for the outputs that were read. Attributes that are only
// inputs stay as they were, and so do transient outputs, optional attributes that were null, and
// equivalent values. If nothing changed, as is nearly always the case, observe returns prior itself.
func (m *managed) observe(ctx context.Context, c *call, r receiver, out reflect.Value, prior cty.Value) (cty.Value, error) {
	values := make([]cty.Value, len(m.attrs))
	same := true
	for i, a := range m.attrs {
		was := m.attr(prior, a)
		if a.writeOnly() {
			same = same && was.IsNull()
			values[i] = a.node.null
			continue
		}
		if a.out == nil || a.transient || a.class == classOptional && was.IsNull() && !a.block() {
			values[i] = was
			continue
		}
		now, err := encoder{held: a.in != nil}.field(a.out, out, was)
		if err != nil {
			return cty.NilVal, err
		}
		if m.sameMeaning(ctx, c, a, r, was, now) {
			now = a.node.keepSpelling(was, now)
		}
		same = same && objchange.Equal(was, now)
		values[i] = now
	}
	if same {
		return prior, nil
	}
	return m.object(values), nil
}

// sameMeaning reports whether the resource reports two values of an input as
// equivalent. The receiver r has the prior value, was.
func (m *managed) sameMeaning(ctx context.Context, c *call, a *attribute, r receiver, was, now cty.Value) bool {
	if m.equivalent == nil || a.in == nil || !usable(was) || !usable(now) || objchange.Equal(was, now) {
		return false
	}
	current := m.newReceiver()
	current.value.Set(r.value)
	var d decoder
	d.value(a.in.node, now, a.in.in(current.value))
	return d.err() == nil && m.equivalent(c.context(ctx), r, a.name, r, current)
}

// errNoOutput returns an error for a method that returned neither an output nor an error.
func errNoOutput(method string) error {
	return fmt.Errorf("provider bug: the method %s returned neither an output nor an error; please report this", method)
}
