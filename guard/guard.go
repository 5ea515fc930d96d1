package guard

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/provider"
)

// MutableIdentity is implemented by a provider that has resource types whose objects may
// change their identity. The objects of all other types must not, because clients find the
// object by its identity.
type MutableIdentity interface {
	MutableIdentity(typeName string) bool
}

// Option changes how a guard works; see [LogPanics].
type Option interface{ apply(*guarded) }

type optionFunc func(*guarded)

func (f optionFunc) apply(g *guarded) { f(g) }

// LogPanics writes the stack of each panic to log. The message to the user has no
// stack; without this option it is lost.
func LogPanics(log *slog.Logger) Option {
	return optionFunc(func(g *guarded) { g.log = log })
}

// Wrap returns p with all its responses checked against [Rules]. The Unwrap method
// of the result returns p.
func Wrap(p provider.Interface, options ...Option) provider.Interface {
	g := &guarded{inner: p}
	for _, o := range options {
		o.apply(g)
	}
	return g
}

// guarded is a provider whose responses are checked.
type guarded struct {
	inner provider.Interface
	log   *slog.Logger // may be nil

	// cached is set by load, under mu, once the provider has returned a schema
	// without errors.
	cached atomic.Pointer[catalog]
	mu     sync.Mutex

	// calls are the hashes of calls of functions.
	calls purity
	// chunkSizes are the agreed sizes of chunks, an int64 by the type name of the
	// state store.
	chunkSizes sync.Map
}

var _ provider.Interface = (*guarded)(nil)

// Unwrap returns the provider that is guarded.
func (g *guarded) Unwrap() provider.Interface { return g.inner }

// mutableIdentity reports whether p, or a provider that p wraps, allows the identities of
// the type to change.
func mutableIdentity(p provider.Interface, typeName string) bool {
	for p != nil {
		if m, ok := p.(MutableIdentity); ok {
			return m.MutableIdentity(typeName)
		}
		wrapper, ok := p.(interface{ Unwrap() provider.Interface })
		if !ok {
			return false
		}
		p = wrapper.Unwrap()
	}
	return false
}
