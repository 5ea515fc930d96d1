package guard

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/provider"
)

// MutableIdentity is implemented by a provider some of whose resource types may
// change the identity of an object during its life. All others may not: an
// identity is what an object is found by.
type MutableIdentity interface {
	MutableIdentity(typeName string) bool
}

// Option is a choice about a guard; see [LogPanics].
type Option interface{ apply(*guarded) }

type optionFunc func(*guarded)

func (f optionFunc) apply(g *guarded) { f(g) }

// LogPanics makes the guard write the stack of a panic to log. The message that
// the user sees has none; without this option the stack is lost.
func LogPanics(log *slog.Logger) Option {
	return optionFunc(func(g *guarded) { g.log = log })
}

// Wrap is p with all its answers judged by [Rules]. The result has an Unwrap
// method that gives p.
func Wrap(p provider.Interface, options ...Option) provider.Interface {
	g := &guarded{inner: p}
	for _, o := range options {
		o.apply(g)
	}
	return g
}

// guarded is a provider whose answers are judged.
type guarded struct {
	inner provider.Interface
	log   *slog.Logger // nil: no log

	// cached is what the provider's schema gave, once it gave one without
	// errors; load makes it under mu.
	cached atomic.Pointer[catalog]
	mu     sync.Mutex

	// calls remembers what functions answered.
	calls purity
	// chunkSizes is how long the chunks of a state store are, as it said itself:
	// an int64 by type name.
	chunkSizes sync.Map
}

var _ provider.Interface = (*guarded)(nil)

// Unwrap is the provider that is guarded.
func (g *guarded) Unwrap() provider.Interface { return g.inner }

// catalog is what the guard knows about a provider. It is never changed after
// it was made.
type catalog struct {
	schema     provider.GetProviderSchemaResponse
	identities provider.GetResourceIdentitySchemasResponse
	resources  types

	// The other families; what is in them has no identity.
	data, ephemerals, lists, actions, stores types
	// functions are those with a lawful declaration.
	functions map[string]*function
}

// load is the catalog, made on the first call that needs it. A provider whose
// schema cannot be had has an empty one, and is asked again next time.
func (g *guarded) load(ctx context.Context) *catalog {
	if c := g.cached.Load(); c != nil {
		return c
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.cached.Load(); c != nil {
		return c
	}
	c, usable := g.judgeSchema(ctx)
	if usable {
		g.cached.Store(c)
	}
	return c
}

// resource is what the guard knows about a managed resource type; nil if the
// provider has no such type or no schema.
func (g *guarded) resource(ctx context.Context, typeName string) *resourceType {
	return g.load(ctx).resources.of(typeName)
}

// mutableIdentity asks p, and what p wraps, whether the type's identities may
// change.
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
