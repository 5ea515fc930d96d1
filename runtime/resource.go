package runtime

import (
	"context"
	"errors"
)

// ErrNotFound is returned by Read (or wrapped by its error) when the object is
// proven to be absent, and may be returned by Delete.
var ErrNotFound = errors.New("object not found")

// NoConfig is the Config of resources that need nothing from the provider's
// configuration, and of providers that have none.
type NoConfig struct{}

// TypedResource is what every managed resource does. The receiver's fields are
// the inputs of the object: the planned ones in Create and Update, those in
// state in Read and Delete.
//
// What the receiver and the outputs hold may be shared between them; a method
// makes new slices and maps instead of changing those that it was given.
//
// Out is a pointer to a struct. A non-nil Out returned together with an error
// is stored: a created object is then tainted, an updated one keeps what the
// output says, so that nothing that was done is forgotten.
type TypedResource[In, Out, Config any] interface {
	// SchemaVersion is the version of the stored form; see [Migrator].
	SchemaVersion() int
	// ReplaceFields names the inputs whose change needs a new object.
	ReplaceFields() []string
	Create(ctx context.Context, cfg Config) (Out, error)
	// Read returns the object as it is now, or [ErrNotFound].
	Read(ctx context.Context, cfg Config, prior Out) (Out, error)
	Update(ctx context.Context, cfg Config, prior Prior[In, Out]) (Out, error)
	// Delete removes the object; one that is already absent is a success.
	Delete(ctx context.Context, cfg Config, prior Out) error
}

// Prior is what was known of an object before an update.
type Prior[In, Out any] struct {
	// Inputs are those of the last apply, as far as reading has not found them
	// to be different since.
	Inputs In
	// Outputs are what the last apply returned.
	Outputs Out
	// Observed is what was read when the update was planned. It differs from
	// Outputs where the object drifted.
	Observed Out
}

// resourcePtr lets MakeResource construct receivers without reflection.
type resourcePtr[In, Out, Config any] interface {
	*In
	TypedResource[In, Out, Config]
}

// ResourceRegistration is a resource type ready to be part of a [Definition].
// The zero value is not usable.
type ResourceRegistration struct{ registration[managed] }

// MakeResource registers the resource type whose inputs are In, which must be a
// struct with the methods of [TypedResource] on its pointer. Mistakes are
// reported by [New].
func MakeResource[In, Out, Config any, P resourcePtr[In, Out, Config]]() ResourceRegistration {
	return MakeResourceWith[In, Out, Config](func() P { return new(In) })
}

// MakeResourceWith is [MakeResource] with a constructor, for receivers that
// carry more than inputs (fields tagged `tf:"-"`). It runs each time a receiver
// is needed, perhaps concurrently; the inputs are then decoded into what it
// returns.
func MakeResourceWith[In, Out, Config any, P resourcePtr[In, Out, Config]](construct func() P) ResourceRegistration {
	return ResourceRegistration{later(func() (*managed, error) { return newManaged(newOps[In, Out, Config](construct)) })}
}
