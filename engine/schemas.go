package engine

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Engine plans and applies with one set of providers. It is safe for concurrent use.
type Engine struct {
	options Options

	mu      sync.Mutex
	schemas map[addrs.Provider]*providerSchema

	readings refCache
}

// New returns an engine with the options. It starts no provider.
func New(options Options) *Engine {
	return &Engine{options: options, schemas: map[addrs.Provider]*providerSchema{}}
}

// Schemas returns the schemas of the engine's providers and of the built-in one, by
// address. Providers whose schema cannot be fetched or is not valid are missing.
func (e *Engine) Schemas(ctx context.Context) map[addrs.Provider]provider.GetProviderSchemaResponse {
	out := make(map[addrs.Provider]provider.GetProviderSchemaResponse, len(e.options.Providers)+1)
	for _, addr := range append(slices.Collect(maps.Keys(e.options.Providers)), addrs.BuiltIn) {
		if s := e.schema(ctx, addr); !s.diags.HasErrors() {
			out[addr] = s.response
		}
	}
	return out
}

// providerSchema is the schema of a provider with derived types.
type providerSchema struct {
	once      sync.Once
	response  provider.GetProviderSchemaResponse
	managed   map[string]*typeSchema
	data      map[string]*typeSchema
	ephemeral map[string]*typeSchema
	list      map[string]*typeSchema
	actions   map[string]*typeSchema
	config    *typeSchema
	meta      *typeSchema
	diags     tfdiags.Diagnostics
	// warnings are the warnings of the schema's response.
	warnings tfdiags.Diagnostics
}

// of returns the schemas of the types of a mode by name.
func (s *providerSchema) of(mode addrs.ResourceMode) map[string]*typeSchema {
	switch mode {
	case addrs.DataResourceMode:
		return s.data
	case addrs.EphemeralResourceMode:
		return s.ephemeral
	case addrs.ListResourceMode:
		return s.list
	case addrs.ActionMode:
		return s.actions
	default:
		return s.managed
	}
}

// typeSchema is a schema with its types.
type typeSchema struct {
	provider.Schema
	ty       cty.Type
	codec    *wire.Codec
	identity cty.Type // cty.NilType if the type has no identity
	// deprecates is set if the type has deprecated attributes.
	deprecates bool
}

func newTypeSchema(s provider.Schema) *typeSchema {
	ty := s.Body.ImpliedType()
	t := &typeSchema{Schema: s, ty: ty, codec: wire.NewCodec(ty), identity: cty.NilType, deprecates: s.Body.ContainsDeprecated()}
	if s.Identity != nil {
		t.identity = s.Identity.ImpliedType()
	}
	return t
}

// schema returns the provider's schema, which is fetched and checked once per engine.
func (e *Engine) schema(ctx context.Context, addr addrs.Provider) *providerSchema {
	e.mu.Lock()
	s := e.schemas[addr]
	if s == nil {
		s = &providerSchema{}
		e.schemas[addr] = s
	}
	e.mu.Unlock()
	s.once.Do(func() { e.fetch(ctx, addr, s) })
	return s
}

func (e *Engine) fetch(ctx context.Context, addr addrs.Provider, s *providerSchema) {
	const summary = "Failed to obtain provider schema"
	p, diags := e.start(ctx, addr)
	if diags.HasErrors() {
		s.diags = diags
		return
	}
	defer func() { _ = recoverPanic("Close", p.Close) }()
	s.response = call(ctx, e, "GetProviderSchema", addr.String(), p.GetProviderSchema, provider.GetProviderSchemaRequest{})
	if s.response.Diagnostics.HasErrors() {
		s.diags = tfdiags.FromProvider("", s.response.Diagnostics)
		return
	}
	s.warnings = tfdiags.FromProvider(addrs.AbsProviderConfig{Provider: addr}.String(), s.response.Diagnostics)
	if s.response.Provider.Body == nil {
		s.diags = s.diags.Errorf("", summary, "The provider %s has no schema for its configuration.", addr)
		return
	}
	identities := call(ctx, e, "GetResourceIdentitySchemas", addr.String(), p.GetResourceIdentitySchemas, provider.GetResourceIdentitySchemasRequest{})
	if identities.Diagnostics.HasErrors() && e.options.Flavor == Terraform {
		s.diags = tfdiags.FromProvider("", identities.Diagnostics)
		return
	}
	for _, problem := range e.schemaProblems(s.response, identities) {
		s.diags = s.diags.Errorf("", summary, "The schema of the provider %s is not valid: %s.", addr, problem)
	}
	if s.diags.HasErrors() {
		return
	}
	s.config = newTypeSchema(s.response.Provider)
	if s.response.ProviderMeta.Body != nil {
		s.meta = newTypeSchema(s.response.ProviderMeta)
	}
	s.response.ResourceTypes = maps.Clone(s.response.ResourceTypes) // the provider may return the same map to other engines
	s.managed = make(map[string]*typeSchema, len(s.response.ResourceTypes))
	for name, schema := range s.response.ResourceTypes {
		if id, ok := identities.IdentityTypes[name]; ok && !identities.Diagnostics.HasErrors() {
			schema.Identity, schema.IdentityVersion = id.Body, id.Version
		} else {
			schema.Identity = nil
		}
		s.response.ResourceTypes[name] = schema
		s.managed[name] = newTypeSchema(schema)
	}
	s.data = newTypeSchemas(s.response.DataSources)
	s.ephemeral = newTypeSchemas(s.response.EphemeralResourceTypes)
	s.list = newTypeSchemas(s.response.ListResourceTypes)
	s.actions = newTypeSchemas(s.response.Actions)
}

func newTypeSchemas(schemas map[string]provider.Schema) map[string]*typeSchema {
	out := make(map[string]*typeSchema, len(schemas))
	for name, schema := range schemas {
		out[name] = newTypeSchema(schema)
	}
	return out
}

// schemaProblems returns the problems of a provider's schemas (docs/checks.md §3).
func (e *Engine) schemaProblems(r provider.GetProviderSchemaResponse, ids provider.GetResourceIdentitySchemasResponse) []string {
	var problems []string
	check := func(kind string, schemas map[string]provider.Schema, versions bool) {
		for _, name := range sortedKeys(schemas) {
			schema := schemas[name]
			body := schema.Body
			if e.options.Flavor == OpenTofu {
				body = withoutTerraformChecks(body)
			}
			if err := body.InternalValidate(); err != nil {
				problems = append(problems, kind+" "+name+": "+err.Error())
			}
			if versions && schema.Version < 0 {
				problems = append(problems, kind+" "+name+" has a negative schema version")
			}
		}
	}
	if r.Provider.Version < 0 {
		problems = append(problems, "the provider's configuration has a negative schema version")
	}
	check("resource", r.ResourceTypes, true)
	check("data source", r.DataSources, true)
	check("ephemeral resource", r.EphemeralResourceTypes, e.options.Flavor == OpenTofu)
	if e.options.Flavor == OpenTofu {
		return problems
	}
	check("list resource", r.ListResourceTypes, false)
	for _, name := range sortedKeys(ids.IdentityTypes) {
		id := ids.IdentityTypes[name]
		if id.Version < 0 {
			problems = append(problems, "the identity of "+name+" has a negative schema version")
		}
		if err := identity.Validate(id.Body); err != nil {
			problems = append(problems, "the identity of "+name+": "+err.Error())
		}
	}
	return append(problems, functionProblems(r.Functions)...)
}

// withoutTerraformChecks returns the schema without write-only flags and deprecation messages.
// Terraform rejects write-only attributes inside of sets, and deprecation messages of attributes
// and blocks that are not deprecated. OpenTofu does not.
func withoutTerraformChecks(b *configschema.Block) *configschema.Block {
	if b == nil {
		return nil
	}
	out := *b
	out.DeprecationMessage = ""
	out.Attributes = attributesWithoutTerraformChecks(b.Attributes)
	if b.BlockTypes != nil {
		out.BlockTypes = make(map[string]*configschema.NestedBlock, len(b.BlockTypes))
		for name, nested := range b.BlockTypes {
			if nested != nil {
				inner := *nested
				inner.Block = *withoutTerraformChecks(&nested.Block)
				nested = &inner
			}
			out.BlockTypes[name] = nested
		}
	}
	return &out
}

func attributesWithoutTerraformChecks(attributes map[string]*configschema.Attribute) map[string]*configschema.Attribute {
	out := make(map[string]*configschema.Attribute, len(attributes))
	for name, attr := range attributes {
		if attr != nil {
			inner := *attr
			inner.WriteOnly, inner.DeprecationMessage = false, ""
			if attr.NestedType != nil {
				nested := *attr.NestedType
				nested.Attributes = attributesWithoutTerraformChecks(nested.Attributes)
				inner.NestedType = &nested
			}
			attr = &inner
		}
		out[name] = attr
	}
	return out
}
