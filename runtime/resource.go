package runtime

import (
	"context"
	"errors"
)

// ErrNotFound is returned by Read (or wrapped by its error) if the object is certain
// to be absent. Delete may return it too.
var ErrNotFound = errors.New("object not found")

// NoConfig is the Config of resources that need no configuration of the provider,
// and of providers without one.
type NoConfig struct{}

// TypedResource is implemented by every managed resource. The fields of the receiver
// are the inputs of the object: the planned ones in Create and Update, those in the
// state in Read and Delete.
//
// The receiver and the outputs may share slices and maps; a method must make new
// ones instead of changing them.
//
// Out is a pointer to a struct. A non-nil Out returned with an error is stored: a
// created object is then tainted, and an updated one has these outputs, so that
// nothing that was done is lost.
type TypedResource[In, Out, Config any] interface {
	Create(ctx context.Context, cfg Config) (Out, error)
	// Read returns the current object, or [ErrNotFound].
	Read(ctx context.Context, cfg Config, prior Out) (Out, error)
	Update(ctx context.Context, cfg Config, prior Prior[In, Out]) (Out, error)
	// Delete deletes the object; if it is already absent, that is a success.
	Delete(ctx context.Context, cfg Config, prior Out) error
}

// Prior is the known state of an object before an update.
type Prior[In, Out any] struct {
	// Inputs are those of the last apply, updated by the last read.
	Inputs In
	// Outputs are those of the last apply.
	Outputs Out
	// Observed are the outputs that were read for the plan of the update. They differ
	// from Outputs if the object has drifted.
	Observed Out
}

// resourcePtr lets MakeResource construct receivers without reflection.
type resourcePtr[In, Out, Config any] interface {
	*In
	TypedResource[In, Out, Config]
}

// ResourceRegistration is a compiled resource type for a [Definition]. The zero
// value is not usable.
type ResourceRegistration struct{ registration[managed] }

// MakeResource registers the resource type with the inputs In, a struct with the
// methods of [TypedResource] on its pointer. [New] returns an error for an invalid
// type.
func MakeResource[In, Out, Config any, P resourcePtr[In, Out, Config]]() ResourceRegistration {
	return MakeResourceWith[In, Out, Config](func() P { return new(In) })
}

// MakeResourceWith is [MakeResource] with a constructor, for receivers with more
// than inputs (fields tagged `tf:"-"`). The constructor is called for each receiver,
// possibly concurrently; the inputs are then decoded into its result.
func MakeResourceWith[In, Out, Config any, P resourcePtr[In, Out, Config]](construct func() P) ResourceRegistration {
	return ResourceRegistration{lazily(func() (*managed, error) { return newManaged(newOps[In, Out, Config](construct)) })}
}
