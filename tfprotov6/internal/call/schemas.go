package call

import (
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Kind is a kind of type that a provider may have.
type Kind int

// The kinds of types.
const (
	ManagedResource Kind = iota
	DataSource
	EphemeralResource
	ListResource
	Action
	StateStore
	kinds // the number of kinds
)

// String returns the name of the kind for diagnostics.
func (k Kind) String() string {
	return [kinds]string{
		"managed resource type", "data source", "ephemeral resource type", "list resource type", "action", "state store",
	}[k]
}

// IncludeResourceCodec and LimitCodec are the codecs of the arguments that every list block
// has besides its configuration.
var (
	IncludeResourceCodec = wire.NewCodec(cty.Bool)
	LimitCodec           = wire.NewCodec(cty.Number)
)

// Schemas has the schemas of a provider, with a codec for each type. It is
// immutable and safe for concurrent use.
type Schemas struct {
	Response   provider.GetProviderSchemaResponse
	Identities provider.GetResourceIdentitySchemasResponse

	provider      *lazyCodec
	meta          *lazyCodec // nil if the provider has no schema for provider_meta
	types         [kinds]map[string]*lazyCodec
	identityTypes map[string]*lazyCodec
	functions     map[string]*Function
}

// NewSchemas returns the schemas of a provider from its responses.
func NewSchemas(response provider.GetProviderSchemaResponse, identities provider.GetResourceIdentitySchemasResponse) *Schemas {
	s := &Schemas{
		Response:   response,
		Identities: identities,
		provider:   &lazyCodec{schema: response.Provider.Body},
		types: [kinds]map[string]*lazyCodec{
			ManagedResource:   newCodecs(response.ResourceTypes),
			DataSource:        newCodecs(response.DataSources),
			EphemeralResource: newCodecs(response.EphemeralResourceTypes),
			ListResource:      newCodecs(response.ListResourceTypes),
			Action:            newCodecs(response.Actions),
			StateStore:        newCodecs(response.StateStores),
		},
		identityTypes: map[string]*lazyCodec{},
		functions:     make(map[string]*Function, len(response.Functions)),
	}
	if response.ProviderMeta.Body != nil {
		s.meta = &lazyCodec{schema: response.ProviderMeta.Body}
	}
	for name, schema := range identities.IdentityTypes {
		if schema.Body != nil {
			s.identityTypes[name] = &lazyCodec{schema: objectSchema{schema.Body}}
		}
	}
	for name, schema := range response.ResourceTypes {
		if schema.Identity != nil {
			s.identityTypes[name] = &lazyCodec{schema: objectSchema{schema.Identity}}
		}
	}
	for name, decl := range response.Functions {
		s.functions[name] = newFunction(name, decl)
	}
	return s
}

// Errors returns the diagnostics that the provider returned instead of schemas,
// or nil.
func (s *Schemas) Errors() diag.Diagnostics {
	if s.Response.Diagnostics.HasErrors() {
		return s.Response.Diagnostics
	}
	return nil
}

// lazyCodec compiles a codec when it is first used, because a run uses only a
// few types of a provider.
type lazyCodec struct {
	schema interface{ ImpliedType() cty.Type }
	once   sync.Once
	codec  *wire.Codec
}

func (l *lazyCodec) get() *wire.Codec {
	l.once.Do(func() { l.codec = wire.NewCodec(l.schema.ImpliedType()) })
	return l.codec
}

type objectSchema struct{ *configschema.Object }

func (o objectSchema) ImpliedType() cty.Type { return o.ObjectType() }

type typeSchema struct{ cty.Type }

func (t typeSchema) ImpliedType() cty.Type { return t.Type }

func newCodecs(schemas map[string]provider.Schema) map[string]*lazyCodec {
	codecs := make(map[string]*lazyCodec, len(schemas))
	backing := make([]lazyCodec, len(schemas)) // one allocation
	for name, schema := range schemas {
		lazy := &backing[len(codecs)]
		lazy.schema = schema.Body
		codecs[name] = lazy
	}
	return codecs
}

// Function has the codecs of a function's arguments and result.
type Function struct {
	title      string // for diagnostics
	parameters []*lazyCodec
	variadic   *lazyCodec
	result     *lazyCodec
}

func newFunction(name string, decl provider.FunctionDecl) *Function {
	f := &Function{title: "the function " + name, result: &lazyCodec{schema: typeSchema{decl.ReturnType}}}
	for _, p := range decl.Parameters {
		f.parameters = append(f.parameters, &lazyCodec{schema: typeSchema{p.Type}})
	}
	if decl.VariadicParameter != nil {
		f.variadic = &lazyCodec{schema: typeSchema{decl.VariadicParameter.Type}}
	}
	return f
}

// CheckArgumentCount makes c fail if f cannot be called with n arguments.
func (f *Function) CheckArgumentCount(c *Call, n int) {
	least := ""
	if f.variadic != nil {
		least = "at least "
	}
	if n < len(f.parameters) || n > len(f.parameters) && f.variadic == nil {
		c.Errorf(nil, "Wrong number of arguments", "%s takes %s%s, got %d.", c.Subject(), least, diag.Count(len(f.parameters), "argument"), n)
	}
}

// Argument returns the codec of the argument at index i, which must exist.
func (f *Function) Argument(i int) *wire.Codec {
	if i < len(f.parameters) {
		return f.parameters[i].get()
	}
	return f.variadic.get()
}

// Result returns the codec of the result.
func (f *Function) Result() *wire.Codec { return f.result.get() }
