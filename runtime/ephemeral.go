package runtime

import (
	"context"
	"reflect"
	"time"
)

// TypedEphemeral is implemented by every ephemeral resource: it opens an object that exists
// for one run and is not stored, such as a token or a tunnel. The receiver and Out are as
// for a data source.
//
// Clients open an object when a plan needs it, and again for the apply in another process.
// They close it when nothing needs it any more.
type TypedEphemeral[Out, Session, Config any] interface {
	// Open opens the object. [Defer] defers it to a later run.
	//
	// Clients close only objects that were opened without an error. So after any
	// error, also one of Open itself, the runtime closes the object if Open has
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
	// zero means never. Clients have no minimum interval, so a time that is too near is
	// replaced by one two seconds ahead, and a time long past is an error.
	RenewAt time.Time
}

// NoSession is the Session of objects without one.
type NoSession struct{}

// EphemeralRenewer is for objects that expire.
type EphemeralRenewer[Session, Config any] interface {
	// Renew extends the life of an object. It returns the session for the next Renew
	// and Close; the zero value means that it has not changed, also with an error.
	//
	// The request has no configuration: the receiver is a new one.
	Renew(ctx context.Context, cfg Config, session Session) (Lease[Session], error)
}

// EphemeralCloser is for objects that must be closed.
type EphemeralCloser[Session, Config any] interface {
	// Close closes an object. [ErrNotFound] for an object that is already gone is a
	// success. The session is that of the last Renew, even if the client sends that
	// of Open. Close waits up to five seconds for a Renew in progress.
	//
	// The request has no configuration: the receiver is a new one. Stop does not
	// cancel ctx, because objects must be closed then.
	Close(ctx context.Context, cfg Config, session Session) error
}

// ephemeralPtr lets MakeEphemeral construct receivers without reflection.
type ephemeralPtr[In, Out, Session, Config any] interface {
	*In
	TypedEphemeral[Out, Session, Config]
}

// EphemeralRegistration is a compiled ephemeral resource type for a [Definition].
// The zero value is not usable.
type EphemeralRegistration struct{ registration[ephemeral] }

// MakeEphemeral registers the ephemeral resource type with the inputs In, a struct
// with the methods of [TypedEphemeral] on its pointer. [New] returns an error for an
// invalid type.
func MakeEphemeral[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]]() EphemeralRegistration {
	return MakeEphemeralWith[In, Out, Session, Config](func() P { return new(In) })
}

// MakeEphemeralWith is [MakeEphemeral] with a constructor, for receivers with more
// than inputs (fields tagged `tf:"-"`). The constructor is called for each receiver,
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
	// kept: the session is not the zero value.
	kept    bool
	renewAt time.Time
}

func leaseOf[Session any](l Lease[Session]) lease {
	return lease{session: l.Session, kept: !reflect.ValueOf(&l.Session).Elem().IsZero(), renewAt: l.RenewAt}
}

func newEphemeral[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]](construct func() P) (*ephemeral, error) {
	session, config := reflect.TypeFor[Session](), reflect.TypeFor[Config]()
	p, err := newProducer[In, Out, Config]("ephemeral resource", "Open", construct,
		optionalMethod{"Renew", signature([]reflect.Type{contextType, config, session}, reflect.TypeFor[Lease[Session]](), errorType)},
		optionalMethod{"Close", signature([]reflect.Type{contextType, config, session}, errorType)})
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
