package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedStateStore is implemented by every state store: it stores the states of
// clients, as bytes. The fields of the receiver are its configuration. The receiver
// may have the methods of [Defaulter], [Constrainer], [InputValidator] and [Describer]. A
// store is configured once, and its methods may then run concurrently; they must not
// change the fields. Stop cancels the context of all methods except Write and
// Unlock, for which a served provider has five minutes after Stop: a run that is stopped
// still saves its state.
//
// States are secret: they contain the secrets of all their resources.
type TypedStateStore[Config any] interface {
	// Read returns a state and its size in bytes, or [ErrNotFound]. If the size is not
	// known in advance, it is negative, and the runtime holds the whole state in memory
	// instead of one chunk. The runtime closes state. An empty state is the same as no state.
	Read(ctx context.Context, cfg Config, id string) (state io.ReadCloser, size int64, err error)
	// Write replaces or creates a state atomically: until it has succeeded, readers
	// get the old state. It must read all of state, which has size bytes, before it
	// replaces anything. An error of the reader, such as io.ErrUnexpectedEOF if the
	// client stops, means that the state must not be replaced. The reader must not
	// be used after Write has returned.
	Write(ctx context.Context, cfg Config, id string, state io.Reader, size int64) error
	// Lock locks the state, which need not exist, and returns the ID of the lock. If
	// it is locked already, Lock returns a [*LockedError] and does not wait.
	// Operation is the reason for the lock.
	Lock(ctx context.Context, cfg Config, id, operation string) (lockID string, err error)
	// Unlock releases the lock with the ID.
	Unlock(ctx context.Context, cfg Config, id, lockID string) error
	// List returns the IDs of the existing states, in any order.
	List(ctx context.Context, cfg Config) ([]string, error)
	// Delete deletes a state; if it is already absent, Delete returns nil or [ErrNotFound].
	Delete(ctx context.Context, cfg Config, id string) error
}

// StateStoreOpener prepares a store when it is configured, before any call of [TypedStateStore]:
// for example, it opens a connection and keeps it in a field tagged `tf:"-"`.
type StateStoreOpener[Config any] interface {
	Open(ctx context.Context, cfg Config) error
}

// ChunkSizer returns the number of bytes of a state that are sent at once, from 1 byte
// to 128 MiB. Proposed is the number that the client proposes, usually 8 MiB and at most
// 128 MiB. It is used if the store is not a ChunkSizer.
type ChunkSizer interface {
	ChunkSize(proposed int64) int64
}

// LockedError is the error of Lock for a state that is locked. All fields except ID
// may be empty.
type LockedError struct {
	// ID is the ID of the lock.
	ID string
	// Who is the holder of the lock: a user and a host.
	Who string
	// Operation is the reason for the lock.
	Operation string
	// Created is the time of the lock.
	Created time.Time
}

// Error returns the holder, the reason, the time and the ID of the lock.
func (e *LockedError) Error() string {
	text := "the state is locked"
	if e.Who != "" {
		text += " by " + e.Who
	}
	if e.Operation != "" {
		text += fmt.Sprintf(" for %q", e.Operation)
	}
	if !e.Created.IsZero() {
		text += " since " + e.Created.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s; the ID of the lock is %q", text, e.ID)
}

// message returns the error as a diagnostic with a suggestion.
func (e *LockedError) message() diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error,
		Summary:  "The state is locked",
		Detail: fmt.Sprintf("Another operation holds the lock: %v. Try again when it has finished. If it has ended without unlocking, "+
			"unlock the state with the command force-unlock and this ID.", e),
	}
}

// stateStorePtr lets MakeStateStore construct receivers without reflection.
type stateStorePtr[In, Config any] interface {
	*In
	TypedStateStore[Config]
}

// StateStoreRegistration registers a state store type in a [Definition]. The zero
// value is not usable.
type StateStoreRegistration struct{ registration[stateStore] }

// MakeStateStore registers the state store type with the configuration In, a struct
// with the methods of [TypedStateStore] on its pointer. [New] returns an error for
// an invalid type.
func MakeStateStore[In, Config any, P stateStorePtr[In, Config]]() StateStoreRegistration {
	return MakeStateStoreWith[In, Config](func() P { return new(In) })
}

// MakeStateStoreWith is [MakeStateStore] with a constructor, for receivers with more
// than a configuration (unexported fields or fields tagged `tf:"-"`). The constructor is called for each
// receiver, possibly concurrently.
func MakeStateStoreWith[In, Config any, P stateStorePtr[In, Config]](construct func() P) StateStoreRegistration {
	t := &stateStore{bind: func(pointer any) boundStore {
		return storeOf[Config]{pointer.(P)} //nolint:forcetypeassert // made by construct
	}}
	var err error
	t.configured, err = newConfigured[In, Config]("state store", construct, formSpec{reserved: reservedStoreNames}, []optionalMethod{
		{"Open", "StateStoreOpener", signature([]reflect.Type{contextType, reflect.TypeFor[Config]()}, errorType), nil},
		{"ChunkSize", "ChunkSizer", signature([]reflect.Type{reflect.TypeFor[int64]()}, reflect.TypeFor[int64]()), nil},
	}...)
	if t.form != nil { // even with other mistakes
		err = errors.Join(err, t.withoutWriteOnlyInputs("the configuration of a state store cannot be writeonly; tag it sensitive"))
	}
	return StateStoreRegistration{lazily(func() (*stateStore, error) { return t, err })}
}

// reservedStoreNames are the names that clients reserve in every state_store block.
var reservedStoreNames = map[string]bool{"provider": true}

// stateStore is a registered state store type.
type stateStore struct {
	configured
	bind func(pointer any) boundStore
}

// boundStore is a configured store with its types erased; cfg is the Config of the
// provider.
type boundStore interface {
	open(ctx context.Context, cfg any) error
	chunkSize(proposed int64) int64
	read(ctx context.Context, cfg any, id string) (io.ReadCloser, int64, error)
	write(ctx context.Context, cfg any, id string, state io.Reader, size int64) error
	lock(ctx context.Context, cfg any, id, operation string) (string, error)
	unlock(ctx context.Context, cfg any, id, lockID string) error
	list(ctx context.Context, cfg any) ([]string, error)
	del(ctx context.Context, cfg any, id string) error
}

// storeOf is a boundStore; New has checked that cfg is a Config.
type storeOf[Config any] struct{ s TypedStateStore[Config] }

func (b storeOf[Config]) open(ctx context.Context, cfg any) error {
	if o, ok := b.s.(StateStoreOpener[Config]); ok {
		return o.Open(ctx, cfg.(Config)) //nolint:forcetypeassert // see storeOf
	}
	return nil
}

func (b storeOf[Config]) chunkSize(proposed int64) int64 {
	if c, ok := b.s.(ChunkSizer); ok {
		return c.ChunkSize(proposed)
	}
	return proposed
}

func (b storeOf[Config]) read(ctx context.Context, cfg any, id string) (io.ReadCloser, int64, error) {
	return b.s.Read(ctx, cfg.(Config), id) //nolint:forcetypeassert // see storeOf
}

func (b storeOf[Config]) write(ctx context.Context, cfg any, id string, state io.Reader, size int64) error {
	return b.s.Write(ctx, cfg.(Config), id, state, size) //nolint:forcetypeassert // see storeOf
}

func (b storeOf[Config]) lock(ctx context.Context, cfg any, id, operation string) (string, error) {
	return b.s.Lock(ctx, cfg.(Config), id, operation) //nolint:forcetypeassert // see storeOf
}

func (b storeOf[Config]) unlock(ctx context.Context, cfg any, id, lockID string) error {
	return b.s.Unlock(ctx, cfg.(Config), id, lockID) //nolint:forcetypeassert // see storeOf
}

func (b storeOf[Config]) list(ctx context.Context, cfg any) ([]string, error) {
	return b.s.List(ctx, cfg.(Config)) //nolint:forcetypeassert // see storeOf
}

func (b storeOf[Config]) del(ctx context.Context, cfg any, id string) error {
	return b.s.Delete(ctx, cfg.(Config), id) //nolint:forcetypeassert // see storeOf
}

// Chunk sizes in bytes. The store can choose a size other than the proposed one.
const (
	usualChunk   = 8 << 20   // if the client proposes nothing
	largestChunk = 128 << 20 // limit of clients
)

// openStore is a configured store. It is immutable after agree.
type openStore struct {
	boundStore
	t     *stateStore
	chunk int64 // bytes
}

// ValidateStateStoreConfig implements [provider.Interface].
func (s *server) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	t := s.stateStores[req.TypeName]
	if t == nil {
		return provider.ValidateStateStoreConfigResponse{Diagnostics: unknownTypeOf(kindStateStore, req.TypeName)}
	}
	c := &call{typeName: req.TypeName, form: t.form}
	return provider.ValidateStateStoreConfigResponse{Diagnostics: t.check(ctx, c, t.given(req.Config), t.fresh)}
}

const kindStateStore = "state store"

// ConfigureStateStore implements [provider.Interface]. Until it has succeeded, calls that
// use the store fail.
func (s *server) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) (resp provider.ConfigureStateStoreResponse) {
	t := s.stateStores[req.TypeName]
	if t == nil {
		resp.Diagnostics = unknownTypeOf(kindStateStore, req.TypeName)
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: t.form, operation: "Open"}
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

// agree lets the store choose a different chunk size, and returns an error for an invalid one.
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

// checkStateID returns an error for an empty ID of a state: some stores would use
// it as the path of the directory with all states.
func checkStateID(id string) error {
	if id == "" {
		return errors.New("the request has no valid state ID; this is a bug in the client")
	}
	return nil
}

// useStore calls a method of a store and returns its diagnostics. Stop does not cancel
// Write and Unlock, because a run that is stopped still has to save and unlock its state.
func (s *server) useStore(ctx context.Context, typeName, method, cannot string, f func(ctx context.Context, sc storeCall) error) diag.Diagnostics {
	join := s.inProgress.join
	if method == "Write" || method == "Unlock" {
		join = s.inProgress.joinUnstopped
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
			return errors.Join(err, errors.New("provider bug: the method List returned a state twice or a state without an ID; please report this"))
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
		err := sc.del(ctx, sc.cfg, req.StateID)
		if absent(err) {
			return warningsOf(err)
		}
		return err
	})
	return resp
}
