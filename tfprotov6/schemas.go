package tfprotov6

import (
	"maps"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// schemas is what one provider has, with a codec for each object. It does not
// change.
type schemas struct {
	response   provider.GetProviderSchemaResponse
	identities provider.GetResourceIdentitySchemasResponse

	provider     *lazyCodec
	meta         *lazyCodec
	resources    family
	dataSources  family
	ephemerals   family
	lists        family
	actions      family
	stateStores  family
	identityData family
	functions    map[string]*function
}

// family are the codecs of one kind of object by type name.
type family map[string]*lazyCodec

// lazyCodec is a codec that is compiled when first needed: of a thousand types
// a run uses a few.
type lazyCodec struct {
	of    typed
	once  sync.Once
	codec *wire.Codec
}

func (l *lazyCodec) get() *wire.Codec {
	l.once.Do(func() { l.codec = wire.NewCodec(l.of.ImpliedType()) })
	return l.codec
}

// typed is what has a type: a block, or one of these.
type typed interface{ ImpliedType() cty.Type }

type typedObject struct{ *configschema.Object }

func (o typedObject) ImpliedType() cty.Type { return o.ObjectType() }

type typedValue struct{ cty.Type }

func (v typedValue) ImpliedType() cty.Type { return v.Type }

// function has the codecs of a function's arguments and of its result.
type function struct {
	title      string // what messages call it
	parameters []*lazyCodec
	variadic   *lazyCodec
	result     *lazyCodec
}

// parameter is the codec of the argument at index i, nil where there is none.
func (f *function) parameter(i int) *lazyCodec {
	if i < len(f.parameters) {
		return f.parameters[i]
	}
	return f.variadic
}

func newSchemas(response provider.GetProviderSchemaResponse, identities provider.GetResourceIdentitySchemasResponse) *schemas {
	s := &schemas{
		response:     response,
		identities:   identities,
		provider:     codecOfBlock(response.Provider.Body),
		resources:    newFamily(response.ResourceTypes),
		dataSources:  newFamily(response.DataSources),
		ephemerals:   newFamily(response.EphemeralResourceTypes),
		lists:        newFamily(response.ListResourceTypes),
		actions:      newFamily(response.Actions),
		stateStores:  newFamily(response.StateStores),
		identityData: family{},
		functions:    make(map[string]*function, len(response.Functions)),
	}
	if response.ProviderMeta.Body != nil {
		s.meta = codecOfBlock(response.ProviderMeta.Body)
	}
	for name, schema := range response.ResourceTypes {
		if schema.Identity != nil {
			s.identityData[name] = codecOfObject(schema.Identity)
		}
	}
	for name, schema := range identities.IdentityTypes {
		if s.identityData[name] == nil && schema.Body != nil {
			s.identityData[name] = codecOfObject(schema.Body)
		}
	}
	for name, decl := range response.Functions {
		s.functions[name] = newFunction(name, decl)
	}
	return s
}

func newFamily(types map[string]provider.Schema) family {
	f := make(family, len(types))
	made := make([]lazyCodec, len(types)) // together, for each is kept
	for name, schema := range types {
		l := &made[len(f)]
		l.of = schema.Body
		f[name] = l
	}
	return f
}

func newFunction(name string, decl provider.FunctionDecl) *function {
	f := &function{title: "the function " + name, result: codecOfType(decl.ReturnType)}
	for _, p := range decl.Parameters {
		f.parameters = append(f.parameters, codecOfType(p.Type))
	}
	if decl.VariadicParameter != nil {
		f.variadic = codecOfType(decl.VariadicParameter.Type)
	}
	return f
}

func codecOfBlock(block *configschema.Block) *lazyCodec {
	return &lazyCodec{of: block}
}

func codecOfObject(object *configschema.Object) *lazyCodec {
	return &lazyCodec{of: typedObject{object}}
}

func codecOfType(ty cty.Type) *lazyCodec {
	return &lazyCodec{of: typedValue{ty}}
}

// errors are the messages that came instead of schemas.
func (s *schemas) errors() diag.Diagnostics {
	if s.response.Diagnostics.HasErrors() {
		return s.response.Diagnostics
	}
	return nil
}

// mergeIdentities gives each resource type its identity schema, as those have
// it who get the two in one answer.
func mergeIdentities(types map[string]provider.Schema, identities map[string]provider.IdentitySchema) map[string]provider.Schema {
	merged := maps.Clone(types)
	for name, identity := range identities {
		if schema, ok := merged[name]; ok && schema.Identity == nil {
			schema.Identity, schema.IdentityVersion = identity.Body, identity.Version
			merged[name] = schema
		}
	}
	return merged
}
