package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// operation is the purpose of a walk.
type operation int

const (
	validating operation = iota
	planning
	applying
)

// walk is one pass over a configuration: a validation, a plan or an apply. It has its
// own provider instances, which are closed at its end.
type walk struct {
	*Engine
	ctx    context.Context //nolint:containedctx // a walk ends before its context
	op     operation
	opts   PlanOptions
	config *configs.Config

	// variables are the given values of the root module's variables.
	variables map[string]cty.Value
	// previous is the state at the start of the run, after the moves of a plan. state is the working state:
	// refreshed by a plan, changed by an apply.
	previous *states.State
	state    *states.SyncState

	plan        *plans.Plan // the plan that is applied
	changes     changeSet
	values      table[valueKey, cty.Value]
	objects     objectSet
	deprecated  atomic.Bool                     // set once a deprecated value is in an expression
	expanded    table[string, []moduleInstance] // by the path of the module
	providers   instances
	ephemeral   list[*openObject] // open, in the order of their opening
	checks      list[plans.CheckResult]
	drift       changeSet
	queried     list[QueryResult]
	invocations list[*plans.ActionInvocation]
	// moves maps new addresses to those of the previous run, and retyped does so for objects
	// whose type changes. retypedFrom maps their previous addresses to their previous providers.
	moves, retyped map[string]addrs.AbsResourceInstance
	retypedFrom    map[string]addrs.Provider
	moveStatements []moveStatement
	moveProblems   tfdiags.Diagnostics
	blockedMoves   tfdiags.Diagnostics // warnings, reported only if there are no errors
	imports        importSet
	targets        []addrs.Target // targets of the options; empty means everything
	deps           dependencyInfo
	deposed        table[string, states.DeposedKey] // of the objects that an apply replaces with CreateThenDelete, by address
	functions      functionSet
	slots          chan struct{}
	interrupted    func() error // returns an error once the run must stop
	started        time.Time
}

func (e *Engine) newWalk(ctx context.Context, op operation, config *configs.Config) *walk {
	parallel := e.options.Parallelism
	if parallel <= 0 {
		parallel = 10
	}
	w := &walk{
		Engine: e, ctx: ctx, op: op, config: config,
		slots: make(chan struct{}, parallel), started: time.Now(),
	}
	w.providers.walk = w
	w.objects.m = map[objectKey]*objectValues{}
	return w
}

// withSlot runs f when a slot of the walk's parallelism is free, and returns its diagnostics. If
// the run was stopped, withSlot returns nil without running f. f must not call withSlot, to avoid a deadlock.
func (w *walk) withSlot(f func() tfdiags.Diagnostics) tfdiags.Diagnostics {
	w.slots <- struct{}{}
	defer func() { <-w.slots }()
	if w.interrupted() != nil { // the end of the walk reports it
		return nil
	}
	return f()
}

// eachOf runs f for all items concurrently and returns the diagnostics in the order of
// the items.
func eachOf[T any](items []T, f func(T) tfdiags.Diagnostics) tfdiags.Diagnostics {
	if len(items) == 1 {
		return f(items[0])
	}
	all := make([]tfdiags.Diagnostics, len(items))
	var wg sync.WaitGroup
	for i, item := range items {
		wg.Go(func() { all[i] = f(item) })
	}
	wg.Wait()
	return slices.Concat(all...)
}

// valueKey identifies a variable, local or output of a module instance.
type valueKey struct {
	module, kind, name string
}

const (
	kindVariable = "var"
	kindLocal    = "local"
	kindOutput   = "output"
)

// list collects results of concurrent vertices.
type list[T any] struct {
	mu  sync.Mutex
	all []T
}

func (l *list[T]) add(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, item)
}

// items returns a copy of the list, nil if it is empty.
func (l *list[T]) items() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// table is a map that concurrent vertices write and read.
type table[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func (t *table[K, V]) set(key K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m == nil {
		t.m = map[K]V{}
	}
	t.m[key] = v
}

// get returns the value of the key, or the zero value and false.
func (t *table[K, V]) get(key K) (v V, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok = t.m[key]
	return v, ok
}

// objectKey identifies a resource block in a module instance.
type objectKey struct {
	module   string
	resource addrs.Resource
}

// objectValues holds the values of a resource as expressions use them.
type objectValues struct {
	expansion
	values map[addrs.InstanceKey]cty.Value
	// all caches the value of the whole block until an instance changes.
	all cty.Value
}

type objectSet struct {
	mu sync.RWMutex
	m  map[objectKey]*objectValues
}

// expand records the instances of the resource.
func (s *objectSet) expand(r addrs.AbsResource, x expansion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[objectKey{r.Module.String(), r.Resource}] = &objectValues{expansion: x, values: make(map[addrs.InstanceKey]cty.Value, len(x.keys))}
}

// repetition returns the repetition of an instance, or the zero value if its block was not
// expanded.
func (s *objectSet) repetition(r addrs.AbsResourceInstance) repetition {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o := s.m[objectKey{r.Module.String(), r.Resource.Resource}]; o != nil {
		return o.expansion.repetition(r.Resource.Key)
	}
	return repetition{}
}

// has reports whether the expansion of the instance's block contains the instance.
func (s *objectSet) has(r addrs.AbsResourceInstance) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o := s.m[objectKey{r.Module.String(), r.Resource.Resource}]
	return o != nil && slices.Contains(o.keys, r.Resource.Key)
}

func (s *objectSet) set(r addrs.AbsResourceInstance, v cty.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := objectKey{r.Module.String(), r.Resource.Resource}
	o := s.m[key]
	if o == nil {
		o = &objectValues{values: map[addrs.InstanceKey]cty.Value{}}
		s.m[key] = o
	}
	o.values[r.Resource.Key], o.all = v, cty.NilVal
}

// whole returns the value of the block: an object, a tuple with count, an object of objects
// with for_each, or null if it is not enabled. Missing instances are unknown, and so is the
// value of a block that was not expanded.
func (s *objectSet) whole(r addrs.AbsResource) cty.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.m[objectKey{r.Module.String(), r.Resource}]
	if o == nil {
		return cty.DynamicVal
	}
	if o.all == cty.NilVal {
		o.all = o.build()
	}
	return o.all
}

func (o *objectValues) build() cty.Value {
	at := func(k addrs.InstanceKey) cty.Value {
		if v, ok := o.values[k]; ok {
			return v
		}
		return cty.DynamicVal
	}
	keys := o.keys
	if o.stored {
		keys = slices.Collect(maps.Keys(o.values))
	}
	switch o.mode {
	case repeatNone:
		return at(addrs.NoKey)
	case repeatEnabled:
		if !slices.Contains(keys, addrs.NoKey) {
			return o.disabled
		}
		return at(addrs.NoKey)
	case repeatCount:
		n := addrs.IntKey(0)
		for _, k := range keys {
			if i, ok := k.(addrs.IntKey); ok {
				n = max(n, i+1)
			}
		}
		vals := make([]cty.Value, n)
		for i := range n {
			vals[i] = at(i)
		}
		return cty.TupleVal(vals)
	case repeatEach:
		vals := make(map[string]cty.Value, len(keys))
		for _, k := range keys {
			if name, ok := k.(addrs.StringKey); ok {
				vals[string(name)] = at(k)
			}
		}
		return cty.ObjectVal(vals)
	default:
		return cty.DynamicVal
	}
}

// changeSet holds the changes of a plan.
type changeSet struct {
	mu sync.Mutex
	// blocks are the changes by resource block. pending are those changes of current objects that
	// are neither no-ops nor reads: most plans have few, and every data source requires a search in
	// them.
	blocks, pending map[string]changes
}

type changes map[changeKey]*plans.ResourceInstanceChange

type changeKey struct {
	addr    string
	deposed states.DeposedKey
}

func (s *changeSet) add(c *plans.ResourceInstanceChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blocks == nil {
		s.blocks, s.pending = map[string]changes{}, map[string]changes{}
	}
	block, key := c.Addr.ConfigResource().String(), changeKey{c.Addr.String(), c.DeposedKey}
	put := func(m map[string]changes) {
		if m[block] == nil {
			m[block] = changes{}
		}
		m[block][key] = c
	}
	put(s.blocks)
	if c.DeposedKey == states.NotDeposed && c.Action != plans.NoOp && c.Action != plans.Read {
		put(s.pending)
	} else {
		delete(s.pending[block], key)
	}
}

// ofResource returns the changes of the current objects of a block in any instance of
// its module, sorted by address.
func (s *changeSet) ofResource(r addrs.ConfigResource) []*plans.ResourceInstanceChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(s.blocks[r.String()].sorted(), func(c *plans.ResourceInstanceChange) bool { return c.DeposedKey != states.NotDeposed })
}

// anyPending reports whether f is true for one of the pending changes of the block.
func (s *changeSet) anyPending(r addrs.ConfigResource, f func(*plans.ResourceInstanceChange) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.pending[r.String()] {
		if f(c) {
			return true
		}
	}
	return false
}

// all returns the changes sorted by address.
func (s *changeSet) all() []*plans.ResourceInstanceChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := changes{}
	for _, block := range s.blocks {
		maps.Copy(all, block)
	}
	return all.sorted()
}

// sorted returns the changes sorted by address. The keys have the texts of the addresses.
func (c changes) sorted() []*plans.ResourceInstanceChange {
	var out []*plans.ResourceInstanceChange
	for _, key := range slices.SortedFunc(maps.Keys(c), func(a, b changeKey) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.deposed, b.deposed))
	}) {
		out = append(out, c[key])
	}
	return out
}
