package runtime

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
)

// TypedStateStore is implemented by every state store: it stores the states of
// clients, as bytes. The fields of the receiver are its configuration; they may have
// the methods of [Defaulter], [Constrainer], [InputValidator] and [Describer]. A
// store is configured once, and its methods may then run concurrently; they must not
// change the fields. Stop cancels the context of all methods except Write and
// Unlock: a run that is stopped still saves its state.
//
// States are secret: they have the secrets of all their resources.
type TypedStateStore[Config any] interface {
	// Read returns a state and its size in bytes, or [ErrNotFound]. If the size is
	// not known in advance it is negative, and the runtime holds the whole state in
	// memory, otherwise only a chunk of it. The runtime closes state. A state
	// without bytes is the same as none.
	Read(ctx context.Context, cfg Config, id string) (state io.ReadCloser, size int64, err error)
	// Write replaces or creates a state atomically: until it has succeeded, readers
	// get the old state. It must read all of state, which has size bytes, before it
	// replaces anything. An error of the reader, such as io.ErrUnexpectedEOF if the
	// client stops, means that the state must not be replaced. The reader must not
	// be used after Write has returned.
	Write(ctx context.Context, cfg Config, id string, state io.Reader, size int64) error
	// Lock locks the state, which need not exist, and returns the ID of the lock. If
	// it is locked already, Lock returns a [LockedError] and does not wait.
	// Operation is the reason for the lock.
	Lock(ctx context.Context, cfg Config, id, operation string) (lockID string, err error)
	// Unlock releases the lock with the ID.
	Unlock(ctx context.Context, cfg Config, id, lockID string) error
	// List returns the IDs of the existing states, in any order.
	List(ctx context.Context, cfg Config) ([]string, error)
	// Delete deletes a state; if it is already absent, that is a success.
	Delete(ctx context.Context, cfg Config, id string) error
}

// StateStoreOpener prepares a store when it is configured, before any other call:
// for example, it opens a connection and keeps it in a field tagged `tf:"-"`.
type StateStoreOpener[Config any] interface {
	Open(ctx context.Context, cfg Config) error
}

// ChunkSizer returns the number of bytes of a state that are sent at once, from 1 byte
// to 128 MiB. Proposed is the number that the client proposes, usually 8 MiB, and is
// used if the store has no ChunkSizer.
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

// Error returns the holder, the reason and the time of the lock.
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

// message returns the error with a suggestion.
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

// StateStoreRegistration is a compiled state store type for a [Definition]. The zero
// value is not usable.
type StateStoreRegistration struct{ registration[stateStore] }

// MakeStateStore registers the state store type with the configuration In, a struct
// with the methods of [TypedStateStore] on its pointer. [New] returns an error for
// an invalid type.
func MakeStateStore[In, Config any, P stateStorePtr[In, Config]]() StateStoreRegistration {
	return MakeStateStoreWith[In, Config](func() P { return new(In) })
}

// MakeStateStoreWith is [MakeStateStore] with a constructor, for receivers with more
// than a configuration (fields tagged `tf:"-"`). The constructor is called for each
// receiver, possibly concurrently.
func MakeStateStoreWith[In, Config any, P stateStorePtr[In, Config]](construct func() P) StateStoreRegistration {
	t := &stateStore{bind: func(pointer any) boundStore {
		return storeOf[Config]{pointer.(P)} //nolint:forcetypeassert // made by construct
	}}
	var err error
	t.configured, err = newConfigured[In, Config]("state store", construct, formSpec{reserved: reservedStoreNames},
		optionalMethod{"Open", signature([]reflect.Type{contextType, reflect.TypeFor[Config]()}, errorType)},
		optionalMethod{"ChunkSize", signature([]reflect.Type{reflect.TypeFor[int64]()}, reflect.TypeFor[int64]())})
	if err == nil {
		err = t.refuseWriteOnlyFields()
	}
	return StateStoreRegistration{lazily(func() (*stateStore, error) { return t, err })}
}

// reservedStoreNames are meta-arguments of every state_store block.
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
