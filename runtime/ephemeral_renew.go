package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/provider"
)

// RenewEphemeralResource implements [provider.Interface].
func (s *server) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	// After any error the object can still be closed.
	resp := provider.RenewEphemeralResourceResponse{Private: req.Private}
	e := s.ephemerals[req.TypeName]
	if e == nil {
		resp.Diagnostics = unknownTypeOf("ephemeral resource", req.TypeName)
		return resp
	}
	ctx, leave := s.life.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName}
	err := c.guardPanic(ctx, "RenewEphemeralResource", func() error { return s.renew(ctx, c, e, &resp) })
	resp.Diagnostics = c.diagnostics("Cannot renew "+req.TypeName, err)
	return resp
}

// renew renews the object of resp.Private. A session that Renew returns with an
// error is kept: it may have changed before the error.
func (s *server) renew(ctx context.Context, c *call, e *ephemeral, resp *provider.RenewEphemeralResourceResponse) error {
	if e.renew == nil {
		return fmt.Errorf("%s is never renewed; this is a bug in the client", e.typeName)
	}
	cfg, env, err := s.reopen(e, resp.Private)
	if err != nil {
		return err
	}
	x, locked := e.sessions.enter(ctx, env.ID, 0)
	defer e.sessions.leave(env.ID, x, locked)
	if !locked {
		return fmt.Errorf("the request was cancelled: %w", ctx.Err())
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
	ctx, leave := s.life.joinUnstopped(ctx) // Stop does not cancel it, because it ends something
	defer leave()
	c := &call{typeName: req.TypeName}
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

// reopen prepares a request about an open object.
func (s *server) reopen(e *ephemeral, private []byte) (cfg any, env envelope, err error) {
	if cfg, err = s.configFor(e.configType); err != nil {
		return nil, env, err
	}
	env, err = parseEnvelope(private)
	return cfg, env, err
}

// close calls Close, if the type has it. An object that is gone is closed.
func (e *ephemeral) close(ctx context.Context, c *call, cfg, session any) error {
	if e.end == nil {
		return nil
	}
	err := c.guardPanic(ctx, "Close", func() error {
		return e.end(c.context(ctx), e.newInputs().pointer, cfg, session)
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
