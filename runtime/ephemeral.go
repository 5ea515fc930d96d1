package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedEphemeral is implemented by every ephemeral resource: it opens an object that exists
// for one run and is not stored, such as a token or a tunnel. The receiver and Out are as
// for a data source.
//
// Clients open an object when a plan needs it, and again for the apply in another process.
// They close it when nothing needs it any more, unless something that depends on it fails.
type TypedEphemeral[Out, Session, Config any] interface {
	// Open opens the object. [Defer] defers it to a later run.
	//
	// Clients close only objects that were opened without an error. So after any
	// error, even one of Open itself, the runtime closes the object if Open has
	// returned an output or a session and the type has the method of
	// [EphemeralCloser].
	Open(ctx context.Context, cfg Config) (Out, Lease[Session], error)
}

// Lease has the data that is needed to renew and close an open object.
type Lease[Session any] struct {
	// Session is passed to Renew and Close. It is sent as plain JSON through the client and
	// is not stored.
	Session Session
	// RenewAt is the time at which to renew the object, early enough before it expires;
	// zero means never. Clients have no minimum interval, so a time that is less than two
	// seconds ahead is replaced by one two seconds ahead. A time more than a minute in the past
	// is an error.
	RenewAt time.Time
}

// NoSession is the Session of objects without one.
type NoSession struct{}

// EphemeralRenewer is for objects that expire.
type EphemeralRenewer[Session, Config any] interface {
	// Renew extends the life of an object. Even with an error, it returns the session for the
	// next Renew and Close; the zero value means that the session has not changed.
	//
	// The request has no configuration: the receiver is a new one.
	Renew(ctx context.Context, cfg Config, session Session) (Lease[Session], error)
}

// EphemeralCloser is for objects that must be closed.
type EphemeralCloser[Session, Config any] interface {
	// Close closes an object. [ErrNotFound] for an object that is already absent is a
	// success. The session is that of the last Renew, even if the client sends that
	// of Open. The runtime waits up to five seconds for a Renew in progress before it calls Close.
	//
	// The request has no configuration: the receiver is a new one. Stop does not
	// cancel ctx, because objects must also be closed after Stop. In a served provider, ctx
	// ends at most five minutes after Stop. OpenTofu waits at most ten seconds for Close.
	Close(ctx context.Context, cfg Config, session Session) error
}

// ephemeralPtr lets MakeEphemeral construct receivers without reflection.
type ephemeralPtr[In, Out, Session, Config any] interface {
	*In
	TypedEphemeral[Out, Session, Config]
}

// EphemeralRegistration registers an ephemeral resource type in a [Definition].
// The zero value is not usable.
type EphemeralRegistration struct{ registration[ephemeral] }

// MakeEphemeral registers the ephemeral resource type with the inputs In, a struct
// with the methods of [TypedEphemeral] on its pointer. [New] returns an error for an
// invalid type.
func MakeEphemeral[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]]() EphemeralRegistration {
	return MakeEphemeralWith[In, Out, Session, Config](func() P { return new(In) })
}

// MakeEphemeralWith is [MakeEphemeral] with a constructor, for receivers with more
// than inputs (unexported fields or fields tagged `tf:"-"`). The constructor is called for each receiver,
// possibly concurrently.
func MakeEphemeralWith[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]](construct func() P) EphemeralRegistration {
	return EphemeralRegistration{lazily(func() (*ephemeral, error) { return newEphemeral[In, Out, Session, Config](construct) })}
}

// ephemeral is a registered ephemeral resource type. It is immutable after [New],
// except for the sessions.
type ephemeral struct {
	producer
	sessionType reflect.Type
	open        func(ctx context.Context, in inputs, cfg any) (reflect.Value, lease, error)
	// nil if the type has no such method
	renew func(ctx context.Context, pointer, cfg, session any) (lease, error)
	end   func(ctx context.Context, pointer, cfg, session any) error

	sessions *sessions // set by New
}

// lease is a Lease with its type erased.
type lease struct {
	session any
	// kept is set if the session is not the zero value.
	kept    bool
	renewAt time.Time
}

func leaseOf[Session any](l Lease[Session]) lease {
	return lease{session: l.Session, kept: !reflect.ValueOf(&l.Session).Elem().IsZero(), renewAt: l.RenewAt}
}

func newEphemeral[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]](construct func() P) (*ephemeral, error) {
	session, config := reflect.TypeFor[Session](), reflect.TypeFor[Config]()
	p, err := newProducer[In, Out, Config]("ephemeral resource", "Open", construct, []optionalMethod{
		{"Renew", "EphemeralRenewer", signature([]reflect.Type{contextType, config, session}, reflect.TypeFor[Lease[Session]](), errorType), nil},
		{"Close", "EphemeralCloser", signature([]reflect.Type{contextType, config, session}, errorType), nil},
	}...)
	if err != nil {
		return nil, err
	}
	e := &ephemeral{producer: p, sessionType: session}
	e.open = func(ctx context.Context, in inputs, cfg any) (reflect.Value, lease, error) {
		out, l, err := in.pointer.(P).Open(ctx, cfg.(Config)) //nolint:forcetypeassert // made by construct; checked by New
		return outValue(out), leaseOf(l), err
	}
	probe := e.newInputs().pointer
	if _, ok := probe.(EphemeralRenewer[Session, Config]); ok {
		e.renew = func(ctx context.Context, pointer, cfg, session any) (lease, error) {
			l, err := pointer.(EphemeralRenewer[Session, Config]).Renew(ctx, cfg.(Config), session.(Session)) //nolint:forcetypeassert // probed
			return leaseOf(l), err
		}
	}
	if _, ok := probe.(EphemeralCloser[Session, Config]); ok {
		e.end = func(ctx context.Context, pointer, cfg, session any) error {
			return pointer.(EphemeralCloser[Session, Config]).Close(ctx, cfg.(Config), session.(Session)) //nolint:forcetypeassert // probed
		}
	}
	return e, e.checkSession()
}

func (e *ephemeral) named(typeName string) reflect.Type {
	e.sessions = &sessions{}
	return e.producer.named(typeName)
}

const (
	// minRenewal is the minimum time until a renewal. Clients have no minimum: if Renew
	// always returned the current time, they would renew without a pause.
	minRenewal = 2 * time.Second
	// longPast is how far a renewal may be in the past because of a slow Open or
	// Renew, or different clocks.
	longPast = time.Minute
	// closeWait is how long the runtime waits for a Renew in progress before it calls Close. OpenTofu waits at
	// most ten seconds for the response.
	closeWait = 5 * time.Second
	// closeTimeout is the limit of the Close of an object whose Open failed: no client requests it.
	closeTimeout = 10 * time.Second
)

// ValidateEphemeralResourceConfig implements [provider.Interface].
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	e := s.ephemerals[req.TypeName]
	if e == nil {
		return provider.ValidateEphemeralResourceConfigResponse{Diagnostics: unknownTypeOf("ephemeral resource", req.TypeName)}
	}
	c := &call{typeName: req.TypeName, form: e.form}
	return provider.ValidateEphemeralResourceConfigResponse{Diagnostics: e.check(ctx, c, req.Config, e.fresh)}
}

// OpenEphemeralResource implements [provider.Interface].
func (s *server) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	e := s.ephemerals[req.TypeName]
	if e == nil {
		resp.Diagnostics = unknownTypeOf("ephemeral resource", req.TypeName)
		return resp
	}
	joined, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: e.form}
	o := opening{e: e, c: c}
	var answer provider.OpenEphemeralResourceResponse
	err := c.guardPanic(joined, "OpenEphemeralResource", func() (err error) {
		answer.Result, err = s.produce(joined, c, &e.producer, req.Config, o.open)
		if failed(err) {
			return err
		}
		return errors.Join(err, o.keep(ctx, &answer))
	})
	var closeErr error
	if !failed(err) {
		resp = answer
	} else {
		closeErr = o.undo(joined)
		resp.Result = e.null
	}
	if resp.Deferred, err = deferredBy(err, req.ClientCapabilities); resp.Deferred != nil {
		resp.Result = e.placeholder(req.Config)
	}
	resp.Diagnostics = c.diagnostics("Cannot open "+req.TypeName, err)
	resp.Diagnostics = append(resp.Diagnostics, diag.FromError("Cannot close "+req.TypeName+" after the failed open", closeErr)...)
	return resp
}

// opening is the state of one Open.
type opening struct {
	e *ephemeral
	c *call

	cfg    any
	lease  lease
	opened bool // the object must be closed
}

func (o *opening) open(ctx context.Context, in inputs, cfg any) (out reflect.Value, err error) {
	out, o.lease, err = o.e.open(ctx, in, cfg)
	o.cfg, o.opened = cfg, out.IsValid() || o.lease.kept
	return out, err
}

// keep sets the private data and the time of the renewal in the response.
func (o *opening) keep(ctx context.Context, resp *provider.OpenEphemeralResourceResponse) (err error) {
	if ctx.Err() != nil {
		return fmt.Errorf("the request was canceled: %w", ctx.Err()) // the response is not received
	}
	if o.e.renew == nil && !o.lease.renewAt.IsZero() {
		return fmt.Errorf("provider bug: Open returned a renewal time, but %s has no method Renew; please report this", o.e.typeName)
	}
	if resp.RenewAt, err = renewal(o.lease.renewAt); err != nil {
		return err
	}
	env := newEnvelope()
	if env.Session, err = o.e.encodeSession(o.lease.session); err != nil {
		return err
	}
	resp.Private, err = env.bytes()
	return err
}

// undo closes the object of a failed Open, which no client will close, as part of the operation that has opened it.
func (o *opening) undo(ctx context.Context) error {
	if !o.opened {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return o.e.close(ctx, o.c, o.cfg, o.lease.session)
}

// renewal returns the time of the renewal for the client, or an error if it is long past.
func renewal(at time.Time) (time.Time, error) {
	now := time.Now()
	switch soonest := now.Add(minRenewal); {
	case at.IsZero() || at.After(soonest):
		return at, nil
	case at.Before(now.Add(-longPast)):
		return time.Time{}, errors.New("provider bug: the time of the renewal is long past (the zero time means never); please report this")
	default:
		return soonest, nil
	}
}

// RenewEphemeralResource implements [provider.Interface].
func (s *server) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	// After any error the object can still be closed.
	resp := provider.RenewEphemeralResourceResponse{Private: req.Private}
	e := s.ephemerals[req.TypeName]
	if e == nil {
		resp.Diagnostics = unknownTypeOf("ephemeral resource", req.TypeName)
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: e.form}
	err := c.guardPanic(ctx, "RenewEphemeralResource", func() error { return s.renew(ctx, c, e, &resp) })
	resp.Diagnostics = c.diagnostics("Cannot renew "+req.TypeName, err)
	return resp
}

// renew renews the object of resp.Private. A session that Renew returns with an
// error is kept: it may have changed before the error.
func (s *server) renew(ctx context.Context, c *call, e *ephemeral, resp *provider.RenewEphemeralResourceResponse) error {
	if e.renew == nil {
		return fmt.Errorf("%s does not support renewal; this request is a bug in the client", e.typeName)
	}
	cfg, env, err := s.reopen(e, resp.Private)
	if err != nil {
		return err
	}
	x, locked := e.sessions.enter(ctx, env.ID, 0)
	defer e.sessions.leave(env.ID, x, locked)
	if !locked {
		return fmt.Errorf("the request was canceled: %w", ctx.Err())
	}
	env.Session = e.sessions.current(x, env.Session)
	session, err := e.decodeSession(env.Session)
	if err != nil {
		return err
	}
	var l lease
	err = c.guardPanic(ctx, "Renew", func() (err error) {
		l, err = e.renew(c.context(ctx), e.newInputs().pointer, cfg, session)
		return err
	})
	var sessionErr, timeErr error
	if l.kept {
		raw, encodeErr := e.encodeSession(l.session)
		if encodeErr == nil {
			env.Session = raw
			if e.end != nil {
				e.sessions.renewed(x, raw)
			}
		}
		sessionErr = encodeErr
	}
	private, bytesErr := env.bytes()
	if bytesErr == nil {
		resp.Private = private
	}
	resp.RenewAt, timeErr = renewal(l.renewAt)
	return errors.Join(err, sessionErr, bytesErr, timeErr)
}

// CloseEphemeralResource implements [provider.Interface].
func (s *server) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	e := s.ephemerals[req.TypeName]
	switch {
	case e == nil:
		resp.Diagnostics = unknownTypeOf("ephemeral resource", req.TypeName)
		return resp
	case e.end == nil:
		return resp
	}
	ctx, leave := s.inProgress.joinUnstopped(ctx) // Stop does not cancel Close, because open objects must be closed
	defer leave()
	c := &call{typeName: req.TypeName, form: e.form}
	err := c.guardPanic(ctx, "CloseEphemeralResource", func() error { return s.closeSession(ctx, c, e, req.Private) })
	resp.Diagnostics = c.diagnostics("Cannot close "+req.TypeName, err)
	return resp
}

func (s *server) closeSession(ctx context.Context, c *call, e *ephemeral, private []byte) error {
	cfg, env, err := s.reopen(e, private)
	if err != nil {
		return err
	}
	// If the lock is not free in time, the object is closed with the session that is
	// known.
	x, locked := e.sessions.enter(ctx, env.ID, closeWait)
	defer e.sessions.leave(env.ID, x, locked)
	session, err := e.decodeSession(e.sessions.current(x, env.Session))
	if err != nil {
		return err
	}
	if err = e.close(ctx, c, cfg, session); !failed(err) {
		e.sessions.close(x)
	}
	return err
}

// reopen returns the Config and the decoded private data for a request about an open object.
func (s *server) reopen(e *ephemeral, private []byte) (cfg any, env envelope, err error) {
	if cfg, err = s.configFor(e.configType); err != nil {
		return nil, env, err
	}
	env, err = parseEnvelope(private)
	return cfg, env, err
}

// close calls Close, if the type has it. An absent object counts as closed.
func (e *ephemeral) close(ctx context.Context, c *call, cfg, session any) error {
	if e.end == nil {
		return nil
	}
	err := c.guardPanic(ctx, "Close", func() error {
		return e.end(c.context(ctx), e.newInputs().pointer, cfg, session)
	})
	if absent(err) {
		return warningsOf(err)
	}
	return err
}
