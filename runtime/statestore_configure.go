package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// The size of chunks is the proposed one, within the limits of both sides.
const (
	usualChunk   = 8 << 20   // if the client proposes nothing
	largestChunk = 128 << 20 // limit of clients
)

// openStore is a configured store. It is immutable.
type openStore struct {
	boundStore
	t     *stateStore
	chunk int64 // bytes
}

// refuseWriteOnlyFields returns an error for write-only fields, which have no effect
// because nothing is stored.
func (t *stateStore) refuseWriteOnlyFields() error {
	var errs []error
	for _, a := range t.ins {
		if a.writeOnly() || a.node.secrets {
			errs = append(errs, fmt.Errorf("%s: the configuration of a state store cannot be writeonly; tag it sensitive", a.in.goStr()))
		}
	}
	return errors.Join(errs...)
}

// ValidateStateStoreConfig implements [provider.Interface].
func (s *server) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	t := s.stateStores[req.TypeName]
	if t == nil {
		return provider.ValidateStateStoreConfigResponse{Diagnostics: unknownTypeOf(kindStateStore, req.TypeName)}
	}
	c := &call{typeName: req.TypeName}
	return provider.ValidateStateStoreConfigResponse{Diagnostics: t.check(ctx, c, t.given(req.Config), t.fresh)}
}

const kindStateStore = "state store"

// ConfigureStateStore implements [provider.Interface]. Other calls for the type fail
// until it has succeeded.
func (s *server) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) (resp provider.ConfigureStateStoreResponse) {
	t := s.stateStores[req.TypeName]
	if t == nil {
		resp.Diagnostics = unknownTypeOf(kindStateStore, req.TypeName)
		return resp
	}
	ctx, leave := s.life.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, operation: "Open"}
	err := c.guardPanic(ctx, "ConfigureStateStore", func() error {
		in, cfg, err := s.ready(ctx, c, &t.configured, req.Config)
		if failed(err) {
			return err
		}
		o := &openStore{boundStore: t.bind(in.pointer), t: t, chunk: proposedChunk(req.ChunkSize)}
		opened := c.guardPanic(ctx, "Open", func() error { return o.open(c.context(ctx), cfg) })
		if err = errors.Join(err, opened); failed(err) {
			return err
		}
		if bug := o.agree(ctx, c); bug != nil {
			return errors.Join(err, bug)
		}
		s.opened.Store(req.TypeName, o)
		resp.ChunkSize = o.chunk
		return err
	})
	resp.Diagnostics = c.diagnostics("Cannot configure "+req.TypeName, err)
	return resp
}

func proposedChunk(proposed int64) int64 {
	if proposed <= 0 {
		return usualChunk
	}
	return min(proposed, largestChunk)
}

// agree lets the store choose another size of chunks.
func (o *openStore) agree(ctx context.Context, c *call) error {
	return c.guardPanic(ctx, "ChunkSize", func() error {
		chosen := o.chunkSize(o.chunk)
		if chosen < 1 || chosen > largestChunk {
			return fmt.Errorf("provider bug: the method ChunkSize returned %d; it must be from 1 to %d bytes; please report this", chosen, largestChunk)
		}
		o.chunk = chosen
		return nil
	})
}

// storeCall is a call of a configured store.
type storeCall struct {
	*openStore
	c   *call
	cfg any
}

// configuredStore prepares a call of a store, or returns the reason why it cannot be
// called.
func (s *server) configuredStore(typeName, method string) (storeCall, diag.Diagnostics) {
	sc := storeCall{c: &call{typeName: typeName, operation: operation(method)}}
	if s.stateStores[typeName] == nil {
		return sc, unknownTypeOf(kindStateStore, typeName)
	}
	o, ok := s.opened.Load(typeName)
	if !ok {
		return sc, diag.Diagnostics{}.Errorf(nil, "State store not configured",
			"The state store %s is not configured, or its configuration failed; this is a bug in the client or in a test.", typeName)
	}
	sc.openStore = o.(*openStore) //nolint:forcetypeassert // only ConfigureStateStore stores any
	var err error
	if sc.cfg, err = s.configFor(sc.t.configType); err != nil {
		return sc, diag.FromError("Cannot use "+typeName, err)
	}
	return sc, nil
}

// checkStateID returns an error for an invalid ID of a state: some stores would use
// it as the path of the directory with all states.
func checkStateID(id string) error {
	if id == "" {
		return errors.New("the request has no valid state ID; this is a bug in the client")
	}
	return nil
}
