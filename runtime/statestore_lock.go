package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// useStore calls a method of a store and returns its diagnostics. Stop does not
// cancel these calls, because a run that is stopped still has to save and unlock its
// state.
func (s *server) useStore(ctx context.Context, typeName, method, cannot string, f func(ctx context.Context, sc storeCall) error) diag.Diagnostics {
	join := s.life.join
	if method == "Write" || method == "Unlock" {
		join = s.life.joinUnstopped
	}
	ctx, leave := join(ctx)
	defer leave()
	sc, diags := s.configuredStore(typeName, method)
	if diags != nil {
		return diags
	}
	err := sc.c.guardPanic(ctx, method, func() error { return f(sc.c.context(ctx), sc) })
	return sc.c.diagnostics(cannot+" in "+typeName, err)
}

// LockState implements [provider.Interface].
func (s *server) LockState(ctx context.Context, req provider.LockStateRequest) (resp provider.LockStateResponse) {
	resp.Diagnostics = s.useStore(ctx, req.TypeName, "Lock", "Cannot lock the state", func(ctx context.Context, sc storeCall) error {
		if err := checkStateID(req.StateID); err != nil {
			return err
		}
		id, err := sc.lock(ctx, sc.cfg, req.StateID, req.Operation)
		var locked *LockedError
		switch {
		case errors.As(err, &locked):
			return locked.message()
		case failed(err):
			return err
		case id == "":
			return errors.Join(err, errors.New("provider bug: the method Lock returned neither the ID of a lock nor an error, so the state cannot be unlocked; please report this"))
		}
		resp.LockID = id
		return err
	})
	return resp
}

// UnlockState implements [provider.Interface].
func (s *server) UnlockState(ctx context.Context, req provider.UnlockStateRequest) (resp provider.UnlockStateResponse) {
	resp.Diagnostics = s.useStore(ctx, req.TypeName, "Unlock", "Cannot unlock the state", func(ctx context.Context, sc storeCall) error {
		if err := checkStateID(req.StateID); err != nil {
			return err
		}
		if req.LockID == "" {
			return errors.New("the request has no lock ID; this is a bug in the client")
		}
		return sc.unlock(ctx, sc.cfg, req.StateID, req.LockID)
	})
	return resp
}

// GetStates implements [provider.Interface].
func (s *server) GetStates(ctx context.Context, req provider.GetStatesRequest) (resp provider.GetStatesResponse) {
	resp.Diagnostics = s.useStore(ctx, req.TypeName, "List", "Cannot list the states", func(ctx context.Context, sc storeCall) error {
		ids, err := sc.list(ctx, sc.cfg)
		if failed(err) {
			return err
		}
		ids = slices.Sorted(slices.Values(ids))
		distinct := slices.Compact(slices.Clone(ids))
		if len(distinct) < len(ids) || len(ids) > 0 && ids[0] == "" {
			return errors.Join(err, errors.New("provider bug: the method List returned a state twice, or one without an ID; please report this"))
		}
		resp.StateIDs = ids
		return err
	})
	return resp
}

// DeleteState implements [provider.Interface].
func (s *server) DeleteState(ctx context.Context, req provider.DeleteStateRequest) (resp provider.DeleteStateResponse) {
	resp.Diagnostics = s.useStore(ctx, req.TypeName, "Delete", "Cannot delete the state", func(ctx context.Context, sc storeCall) error {
		if err := checkStateID(req.StateID); err != nil {
			return err
		}
		if err := sc.del(ctx, sc.cfg, req.StateID); !errors.Is(err, ErrNotFound) {
			return err
		}
		return nil
	})
	return resp
}
