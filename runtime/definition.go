package runtime

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Definition describes a provider; [New] builds it.
type Definition struct {
	// Name is the local name of the provider, the prefix of the names of its types:
	// the resource "file" of the provider "posix" is posix_file.
	Name string
	// Config is the provider block; the zero value means none.
	Config ConfigRegistration
	// Meta is the provider_meta block of modules; the zero value means none.
	Meta MetaRegistration

	// The keys of the maps are type names without the prefix; the name of a function never
	// has one.

	// Resources are the managed resource types.
	Resources map[string]ResourceRegistration
	// DataSources are the data source types.
	DataSources map[string]DataSourceRegistration
	// EphemeralResources are the ephemeral resource types.
	EphemeralResources map[string]EphemeralRegistration
	// Functions are the provider-defined functions.
	Functions map[string]FunctionRegistration
	// Lists are list resources for the managed resource types with the same names, which
	// need an identity.
	Lists map[string]ListRegistration
	// Actions are the action types.
	Actions map[string]ActionRegistration
	// StateStores are the state store types.
	StateStores map[string]StateStoreRegistration
}

// server is the provider that a definition describes.
type server struct {
	schema      provider.GetProviderSchemaResponse
	config      *configPlan
	meta        *metaPlan // nil if there is none
	resources   map[string]*managed
	dataSources map[string]*dataSource
	ephemerals  map[string]*ephemeral
	functions   map[string]*function
	lists       map[string]*lister
	actions     map[string]*action
	stateStores map[string]*stateStore
	opened      sync.Map // configured state stores: *openStore by type name

	inProgress inProgress
	current    atomic.Pointer[configuration]
}

var _ provider.Interface = (*server)(nil)

// New builds the provider. Its error lists the mistakes in the registered types,
// each with its type, field or method.
func New(def Definition) (provider.Interface, error) {
	var errs []error
	if !isAttributeName(def.Name) {
		errs = append(errs, fmt.Errorf("the provider's name %q must have only lower-case letters, digits and underscores, and must not start with a digit", def.Name))
	}
	s := &server{config: def.Config.config, meta: def.Meta.meta}
	if def.Config.err != nil {
		errs = append(errs, fmt.Errorf("provider block: %w", def.Config.err))
	}
	if def.Meta.err != nil {
		errs = append(errs, fmt.Errorf("provider_meta block: %w", def.Meta.err))
	}
	if s.config == nil {
		s.config = noConfigPlan()
	}
	prefix := def.Name + "_"
	r := registry{config: s.config.configType, errs: errs}
	s.resources = register(&r, "resource", prefix, def.Resources)
	s.dataSources = register(&r, "data source", prefix, def.DataSources)
	s.ephemerals = register(&r, "ephemeral resource", prefix, def.EphemeralResources)
	s.functions = register(&r, "function", "", def.Functions)
	s.lists = register(&r, "list resource", prefix, def.Lists)
	s.actions = register(&r, "action", prefix, def.Actions)
	s.stateStores = register(&r, "state store", prefix, def.StateStores)
	for _, name := range slices.Sorted(maps.Keys(s.lists)) {
		m := s.resources[name]
		if _, ok := def.Resources[strings.TrimPrefix(name, prefix)]; ok && m == nil {
			continue // the mistakes of the resource have been reported
		}
		if err := s.lists[name].attach(m); err != nil {
			r.fail("list resource", name, err)
		}
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	s.buildSchema()
	return s.logging(), nil
}

// registry collects the mistakes in types of all families.
type registry struct {
	config reflect.Type // Config type of the provider
	errs   []error
}

func (r *registry) fail(kind, name string, err error) {
	r.errs = append(r.errs, fmt.Errorf("%s %s: %w", kind, name, err))
}

// registered is a type in a family. One registration may be used under several
// names, so each gets a copy.
type registered[T any] interface {
	*T
	// named sets the full name of the copy, and returns the type of the Config that it needs.
	named(typeName string) reflect.Type
}

// register compiles and names the types of a family, and records their mistakes in r. The result
// lacks the types that cannot be compiled.
func register[T any, P registered[T], R interface{ compiled() (*T, error) }](r *registry, kind, prefix string, regs map[string]R) map[string]*T {
	out := make(map[string]*T, len(regs))
	names := slices.Sorted(maps.Keys(regs))
	makeAll(names, regs)
	for _, name := range names {
		typeName := prefix + name
		it, err := regs[name].compiled()
		if err != nil {
			r.fail(kind, typeName, err)
		}
		if !isAttributeName(typeName) {
			r.fail(kind, typeName, errors.New("a name must have only lower-case letters, digits and underscores, and must not start with a digit"))
		}
		if it == nil {
			continue
		}
		copied := *it
		if t := P(&copied).named(typeName); t != nil && t != r.config && t != noConfigType {
			r.fail(kind, typeName, fmt.Errorf("it needs the provider configuration %s, but the provider has %s", t, r.config))
		}
		if err == nil {
			out[typeName] = &copied
		}
	}
	return out
}

var noConfigType = reflect.TypeFor[NoConfig]()

func (s *server) buildSchema() {
	s.schema = provider.GetProviderSchemaResponse{
		Provider:               provider.Schema{Body: s.config.body},
		ResourceTypes:          make(map[string]provider.Schema, len(s.resources)),
		DataSources:            make(map[string]provider.Schema, len(s.dataSources)),
		EphemeralResourceTypes: make(map[string]provider.Schema, len(s.ephemerals)),
		Functions:              make(map[string]provider.FunctionDecl, len(s.functions)),
		ListResourceTypes:      make(map[string]provider.Schema, len(s.lists)),
		Actions:                make(map[string]provider.Schema, len(s.actions)),
		StateStores:            make(map[string]provider.Schema, len(s.stateStores)),
		ServerCapabilities: provider.ServerCapabilities{
			GetProviderSchemaOptional: true,
			MoveResourceState:         true,
			GenerateResourceConfig:    true,
		},
	}
	if s.meta != nil {
		s.schema.ProviderMeta = provider.Schema{Body: s.meta.body}
	}
	for name, m := range s.resources {
		s.schema.ResourceTypes[name] = m.schema()
	}
	for name, d := range s.dataSources {
		s.schema.DataSources[name] = provider.Schema{Body: d.body}
	}
	for name, e := range s.ephemerals {
		s.schema.EphemeralResourceTypes[name] = provider.Schema{Body: e.body}
	}
	for name, f := range s.functions {
		s.schema.Functions[name] = f.decl
	}
	for name, l := range s.lists {
		s.schema.ListResourceTypes[name] = provider.Schema{Body: l.body}
	}
	for name, a := range s.actions {
		s.schema.Actions[name] = provider.Schema{Body: a.body}
	}
	for name, t := range s.stateStores {
		s.schema.StateStores[name] = provider.Schema{Body: t.body}
	}
}

// registration is a type of one family. Most families compile a type only when a provider
// is first built with it: a provider may have a thousand types, and compiling each takes some
// 20 µs.
type registration[T any] struct {
	build func() (*T, error) // nil in the zero value
}

// lazily returns a registration that calls build once, when the type is needed.
func lazily[T any](build func() (*T, error)) registration[T] {
	return registration[T]{sync.OnceValues(build)}
}

// compiled returns the type as far as it can be compiled, and an error with the mistakes in it.
func (r registration[T]) compiled() (*T, error) {
	if r.build == nil {
		return nil, errors.New("the registration is empty; use MakeResource, MakeDataSource and so on")
	}
	return r.build()
}

// maxSequential is the number of types below which they are compiled sequentially.
const maxSequential = 16

// makeAll compiles the types on all processors. For fewer than maxSequential types it does nothing: register
// compiles them. A later call of compiled returns the error of a type, or panics again.
func makeAll[T any, R interface{ compiled() (*T, error) }](names []string, regs map[string]R) {
	if len(names) < maxSequential {
		return
	}
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(names)) {
		working.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(names) {
					return
				}
				func() {
					defer func() { _ = recover() }() // it panics again in the caller's goroutine
					_, _ = regs[names[i]].compiled()
				}()
			}
		})
	}
	working.Wait()
}
