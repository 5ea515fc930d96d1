package runtime

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
)

// TypedStateStore is what every state store does: it keeps the states of
// clients, which are bytes to it. The receiver's fields are its configuration,
// which may have the methods that the inputs of a resource may have:
// [Defaulter], [Constrainer], [InputValidator] and [Describer]. It is configured
// once, and its methods may then run concurrently; they leave the fields alone.
// Stop cancels the context of all but Write and Unlock: a run that is stopped
// still saves what it has done.
//
// States are secret: they hold the secrets of all that they describe.
type TypedStateStore[Config any] interface {
	// Read returns a state and how many bytes it has, or [ErrNotFound]. Where the
	// size is not known before everything is read it is negative, and the runtime
	// holds the state in memory; else only a chunk of it. The runtime closes what
	// it was given. A state without bytes is as good as none.
	Read(ctx context.Context, cfg Config, id string) (state io.ReadCloser, size int64, err error)
	// Write replaces a state, or makes it, in one step: until then, and if it
	// fails, who reads gets the old one. It must read all of state, which has size
	// bytes, before it takes that step. An error of the reader, such as
	// io.ErrUnexpectedEOF when the client breaks off, means that it must not be
	// taken. The reader must not be used any more once Write has returned.
	Write(ctx context.Context, cfg Config, id string, state io.Reader, size int64) error
	// Lock keeps everybody else from locking the state, which needs not exist,
	// and returns the lock's id. Where it is locked already that is a
	// [LockedError]; Lock does not wait. Operation says what the lock is for.
	Lock(ctx context.Context, cfg Config, id, operation string) (lockID string, err error)
	// Unlock releases the lock, if it is the one of that id.
	Unlock(ctx context.Context, cfg Config, id, lockID string) error
	// List returns the ids of the states that there are, in any order.
	List(ctx context.Context, cfg Config) ([]string, error)
	// Delete removes a state; one that is already absent is a success.
	Delete(ctx context.Context, cfg Config, id string) error
}

// StateStoreOpener prepares a store when it is configured, before anything else
// is asked of it: it makes a connection, say, in a field tagged `tf:"-"`.
type StateStoreOpener[Config any] interface {
	Open(ctx context.Context, cfg Config) error
}

// ChunkSizer chooses how many bytes of a state travel at once. Proposed is what
// the client would like, 8 MiB as a rule; the answer is from 1 byte to 128 MiB.
// Without it what is proposed is chosen.
type ChunkSizer interface {
	ChunkSize(proposed int64) int64
}

// LockedError is the error of Lock for a state that somebody has locked. All but
// the id may be unknown, and empty then.
type LockedError struct {
	// ID is the id of the lock.
	ID string
	// Who has it: a user and a machine.
	Who string
	// Operation is what it is for.
	Operation string
	// Created is when it was taken.
	Created time.Time
}

// Error says who has the lock, for what and since when.
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
	return fmt.Sprintf("%s; the id of the lock is %q", text, e.ID)
}

// message is the error with what to do.
func (e *LockedError) message() diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error,
		Summary:  "The state is locked",
		Detail: fmt.Sprintf("Another operation has it: %v. Try again when that has finished. If it has ended without unlocking, "+
			"unlock the state with the command force-unlock and this id.", e),
	}
}

// stateStorePtr lets MakeStateStore construct receivers without reflection.
type stateStorePtr[In, Config any] interface {
	*In
	TypedStateStore[Config]
}

// StateStoreRegistration is a state store type ready to be part of a
// [Definition]. The zero value is not usable.
type StateStoreRegistration struct{ registration[stateStore] }

// MakeStateStore registers the state store type whose configuration is In, which
// must be a struct with the methods of [TypedStateStore] on its pointer.
// Mistakes are reported by [New].
func MakeStateStore[In, Config any, P stateStorePtr[In, Config]]() StateStoreRegistration {
	return MakeStateStoreWith[In, Config](func() P { return new(In) })
}

// MakeStateStoreWith is [MakeStateStore] with a constructor, for receivers that
// carry more than a configuration (fields tagged `tf:"-"`). It runs each time a
// receiver is needed, perhaps concurrently.
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
	return StateStoreRegistration{later(func() (*stateStore, error) { return t, err })}
}

// reservedStoreNames have a meaning of their own in every state_store block.
var reservedStoreNames = map[string]bool{"provider": true}

// stateStore is a registered state store type.
type stateStore struct {
	configured
	bind func(pointer any) boundStore
}

// boundStore is a configured store with its types erased; cfg is the provider's
// Config.
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

// storeOf is a boundStore; that cfg is a Config was checked by New.
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
