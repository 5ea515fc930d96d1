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

const (
	// minRenewal is the minimum time until a renewal: clients sleep until the
	// time that they get, and would renew in a loop.
	minRenewal = 2 * time.Second
	// longPast is how far a renewal may be in the past because of a slow Open or
	// different clocks.
	longPast = time.Minute
	// closeWait is how long Close waits for a Renew in progress. Clients give up
	// on both after ten seconds.
	closeWait = 5 * time.Second
	// closeTimeout is the limit of a Close that no client waits for.
	closeTimeout = 10 * time.Second
)

// ValidateEphemeralResourceConfig implements [provider.Interface].
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	e := s.ephemerals[req.TypeName]
	if e == nil {
		return provider.ValidateEphemeralResourceConfigResponse{Diagnostics: unknownTypeOf("ephemeral resource", req.TypeName)}
	}
	c := &call{typeName: req.TypeName}
	return provider.ValidateEphemeralResourceConfigResponse{Diagnostics: e.check(ctx, c, req.Config, e.fresh)}
}

// OpenEphemeralResource implements [provider.Interface].
func (s *server) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	e := s.ephemerals[req.TypeName]
	if e == nil {
		resp.Diagnostics = unknownTypeOf("ephemeral resource", req.TypeName)
		return resp
	}
	joined, leave := s.life.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName}
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
		closeErr = o.undo(ctx)
		resp.Result = e.null
	}
	if resp.Deferred, err = deferredBy(err, req.ClientCapabilities); resp.Deferred != nil {
		resp.Result = e.placeholder(req.Config)
	}
	resp.Diagnostics = c.diagnostics("Cannot open "+req.TypeName, err)
	resp.Diagnostics = append(resp.Diagnostics, diag.FromError("Cannot close "+req.TypeName+", which cannot be used", closeErr)...)
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
		return fmt.Errorf("the request was cancelled: %w", ctx.Err()) // the response is not received
	}
	if o.e.renew == nil && !o.lease.renewAt.IsZero() {
		return fmt.Errorf("provider bug: Open returned a time of renewal, but %s has no method Renew; please report this", o.e.typeName)
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

// undo closes an object that no client will close.
func (o *opening) undo(ctx context.Context) error {
	if !o.opened {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return o.e.close(ctx, o.c, o.cfg, o.lease.session)
}

// renewal returns the time of the renewal for the client.
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
