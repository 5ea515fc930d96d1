package runtime

import (
	"context"
	"reflect"
	"time"
)

// TypedEphemeral is what every ephemeral resource does: it opens an object that
// lasts for one run and is stored nowhere, such as a token or a tunnel. The
// receiver's fields are what is configured, as for a data source; so is Out.
//
// Clients open an object when a plan needs it and once more for the apply, in
// another process. They close it when nothing needs it any more.
type TypedEphemeral[Out, Session, Config any] interface {
	// Open makes the object. [Defer] puts it off to a later run.
	//
	// Clients close only what was opened without an error. So whatever is wrong
	// after Open has returned an output or a session, an error of its own as
	// well, the runtime closes it, if it has the method of [EphemeralCloser].
	Open(ctx context.Context, cfg Config) (Out, Lease[Session], error)
}

// Lease is what keeps an opened object.
type Lease[Session any] struct {
	// Session is what Renew and Close need to know of the object. It travels as
	// JSON, in plain, through the memory of the client and is not stored.
	Session Session
	// RenewAt is when the object must be renewed, early enough before it ends;
	// zero means never. Clients know no shortest wait, so a time that is nearly
	// there becomes one two seconds ahead, and one long past is refused.
	RenewAt time.Time
}

// NoSession is the Session of objects of which there is nothing to remember.
type NoSession struct{}

// EphemeralRenewer is for objects that end by themselves.
type EphemeralRenewer[Session, Config any] interface {
	// Renew makes an object last longer. It returns what the next Renew and Close
	// need; the zero value of the session means that it has not changed. That
	// holds for what is returned together with an error as well.
	//
	// No configuration is sent with the request: the receiver is a fresh one.
	Renew(ctx context.Context, cfg Config, session Session) (Lease[Session], error)
}

// EphemeralCloser is for objects that must be cleaned up.
type EphemeralCloser[Session, Config any] interface {
	// Close ends an object; one that is gone already, [ErrNotFound], is a
	// success. The session is that of the last Renew, also where the client
	// sends the one of Open. It waits up to five seconds for a Renew that runs.
	//
	// No configuration is sent with the request: the receiver is a fresh one. Stop
	// does not cancel ctx, since closing is what is to be done then.
	Close(ctx context.Context, cfg Config, session Session) error
}

// ephemeralPtr lets MakeEphemeral construct receivers without reflection.
type ephemeralPtr[In, Out, Session, Config any] interface {
	*In
	TypedEphemeral[Out, Session, Config]
}

// EphemeralRegistration is an ephemeral resource type ready to be part of a
// [Definition]. The zero value is not usable.
type EphemeralRegistration struct{ registration[ephemeral] }

// MakeEphemeral registers the ephemeral resource type whose inputs are In, which
// must be a struct with the methods of [TypedEphemeral] on its pointer. Mistakes
// are reported by [New].
func MakeEphemeral[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]]() EphemeralRegistration {
	return MakeEphemeralWith[In, Out, Session, Config](func() P { return new(In) })
}

// MakeEphemeralWith is [MakeEphemeral] with a constructor, for receivers that
// carry more than inputs (fields tagged `tf:"-"`). It runs each time a receiver
// is needed, perhaps concurrently.
func MakeEphemeralWith[In, Out, Session, Config any, P ephemeralPtr[In, Out, Session, Config]](construct func() P) EphemeralRegistration {
	return EphemeralRegistration{later(func() (*ephemeral, error) { return newEphemeral[In, Out, Session, Config](construct) })}
}

// ephemeral is a registered ephemeral resource type. It is immutable after [New]
// but for the sessions.
type ephemeral struct {
	producer
	sessionType reflect.Type
	open        func(ctx context.Context, in inputs, cfg any) (reflect.Value, lease, error)
	// nil where the type has no such method
	renew func(ctx context.Context, pointer, cfg, session any) (lease, error)
	end   func(ctx context.Context, pointer, cfg, session any) error

	sessions *sessions // set by New
}

// lease is a Lease without its type.
type lease struct {
	session any
	// kept: the session is no zero value.
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
