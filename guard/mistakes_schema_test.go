package guard_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func getSchema(t *testing.T, p provider.Interface, _ world) diag.Diagnostics {
	return p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Diagnostics
}

func validate(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ValidateResourceConfig(t.Context(), w.validate).Diagnostics
}

func schema(change func(*provider.GetProviderSchemaResponse)) mutant { return mutant{schema: change} }

// thing returns a mutant that changes the schema of the resource type fake_thing.
func thing(change func(*provider.Schema)) mutant {
	return schema(func(r *provider.GetProviderSchemaResponse) {
		s := r.ResourceTypes["fake_thing"]
		change(&s)
		r.ResourceTypes["fake_thing"] = s
	})
}

// attribute returns a mutant that changes the schema of the computed attribute size of fake_thing.
func attribute(change func(*configschema.Attribute)) mutant {
	return thing(func(s *provider.Schema) { change(s.Body.Attributes["size"]) })
}

func block(change func(*configschema.NestedBlock)) mutant {
	return thing(func(s *provider.Schema) { change(s.Body.BlockTypes["rule"]) })
}

// identitySchema returns a mutant that changes the identity schema of fake_thing in the responses to
// GetProviderSchema and GetResourceIdentitySchemas.
func identitySchema(change func(version *int64, body *configschema.Object)) mutant {
	m := thing(func(s *provider.Schema) { change(&s.IdentityVersion, s.Identity) })
	m.identities = func(r *provider.GetResourceIdentitySchemasResponse) {
		s := r.IdentityTypes["fake_thing"]
		change(&s.Version, s.Body)
		r.IdentityTypes["fake_thing"] = s
	}
	return m
}

func identityAttribute(attr *configschema.Attribute) mutant {
	return identitySchema(func(_ *int64, body *configschema.Object) { body.Attributes["extra"] = attr })
}

func function(change func(*provider.FunctionDecl)) mutant {
	return schema(func(r *provider.GetProviderSchemaResponse) {
		f := r.Functions["shout"]
		change(&f)
		r.Functions["shout"] = f
	})
}

func schemaMistakes() []mistake {
	text := provider.FunctionParam{Name: "text", Type: cty.String}
	return []mistake{
		{rule: "SCHEMA-001", call: getSchema, wrong: schema(func(r *provider.GetProviderSchemaResponse) { r.Provider.Body = nil })},
		{rule: "SCHEMA-002", name: "resource", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Body = nil })},
		{rule: "SCHEMA-002", name: "data source", call: getSchema, wrong: schema(func(r *provider.GetProviderSchemaResponse) {
			r.DataSources["fake_data"] = provider.Schema{}
		})},
		{rule: "SCHEMA-003", name: "S1 attribute nil", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Body.Attributes["size"] = nil })},
		{rule: "SCHEMA-003", name: "S1 block nil", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Body.BlockTypes["rule"] = nil })},
		{rule: "SCHEMA-003", name: "S2", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Body.BlockTypes["size"] = s.Body.BlockTypes["rule"] })},
		{rule: "SCHEMA-003", name: "S3", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Body.BlockTypes["Rule"] = s.Body.BlockTypes["rule"] })},
		{rule: "SCHEMA-003", name: "S4", call: getSchema, wrong: block(func(b *configschema.NestedBlock) { b.MinItems = -1 })},
		{rule: "SCHEMA-003", name: "S8", call: getSchema, wrong: block(func(b *configschema.NestedBlock) { b.MinItems, b.MaxItems = 2, 1 })},
		{rule: "SCHEMA-003", name: "S9", call: getSchema, wrong: block(func(b *configschema.NestedBlock) {
			b.Nesting = configschema.NestingSet
			b.Attributes["note"].Type = cty.DynamicPseudoType
		})},
		{rule: "SCHEMA-003", name: "S10", call: getSchema, wrong: block(func(b *configschema.NestedBlock) {
			b.Nesting = configschema.NestingSet
			b.Attributes["name"].WriteOnly = true
		})},
		{rule: "SCHEMA-003", name: "S11", call: getSchema, wrong: block(func(b *configschema.NestedBlock) { b.Nesting = configschema.NestingInvalid })},
		{rule: "SCHEMA-003", name: "S12", call: getSchema, wrong: attribute(func(a *configschema.Attribute) { a.Computed = false })},
		{rule: "SCHEMA-003", name: "S13", call: getSchema, wrong: attribute(func(a *configschema.Attribute) { a.Required = true })},
		{rule: "SCHEMA-003", name: "S14", call: getSchema, wrong: attribute(func(a *configschema.Attribute) { a.Type = cty.NilType })},
		{rule: "SCHEMA-003", name: "S15", call: getSchema, wrong: thing(func(s *provider.Schema) {
			s.Body.Attributes["keys"].NestedType.Nesting = configschema.NestingGroup
		})},
		{rule: "SCHEMA-003", name: "S17", call: getSchema, wrong: thing(func(s *provider.Schema) {
			s.Body.Attributes["keys"].NestedType.Attributes["key"].WriteOnly = true
		})},
		{rule: "SCHEMA-003", name: "S18", call: getSchema, wrong: attribute(func(a *configschema.Attribute) { a.DeprecationMessage = "use another" })},
		{rule: "SCHEMA-003", name: "provider", call: getSchema, wrong: schema(func(r *provider.GetProviderSchemaResponse) {
			r.Provider.Body.Attributes["region"].Required = true
		})},
		{rule: "SCHEMA-003", name: "first used by another call", call: read, wrong: attribute(func(a *configschema.Attribute) { a.Required = true })},
		{rule: "SCHEMA-004", call: getSchema, wrong: thing(func(s *provider.Schema) { s.Version = -1 })},
		{rule: "SCHEMA-005", name: "no flag", call: getSchema, wrong: identityAttribute(&configschema.Attribute{Type: cty.String})},
		{rule: "SCHEMA-005", name: "both flags", call: getSchema, wrong: identityAttribute(&configschema.Attribute{Type: cty.String, Required: true, Optional: true})},
		{rule: "SCHEMA-005", name: "map", call: getSchema, wrong: identityAttribute(&configschema.Attribute{Type: cty.Map(cty.String), Optional: true})},
		{rule: "SCHEMA-005", name: "no attributes", call: getSchema, wrong: identitySchema(func(_ *int64, body *configschema.Object) { clear(body.Attributes) })},
		{rule: "SCHEMA-005", name: "no body", call: getSchema, wrong: mutant{
			schema: thing(func(s *provider.Schema) { s.Identity = nil }).schema,
			identities: func(r *provider.GetResourceIdentitySchemasResponse) {
				r.IdentityTypes["fake_thing"] = provider.IdentitySchema{}
			},
		}},
		{rule: "SCHEMA-006", call: getSchema, wrong: identitySchema(func(version *int64, _ *configschema.Object) { *version = -1 })},
		{rule: "SCHEMA-007", call: getSchema, wrong: mutant{identities: func(r *provider.GetResourceIdentitySchemasResponse) {
			r.IdentityTypes["fake_thnig"] = r.IdentityTypes["fake_thing"]
		}}},
		{rule: "SCHEMA-008", name: "version", call: getSchema, wrong: thing(func(s *provider.Schema) { s.IdentityVersion = 2 })},
		{rule: "SCHEMA-008", name: "attributes", call: getSchema, wrong: thing(func(s *provider.Schema) {
			s.Identity.Attributes["host"] = &configschema.Attribute{Type: cty.Number, Optional: true}
		})},
		{rule: "SCHEMA-009", name: "function", call: getSchema, wrong: schema(func(r *provider.GetProviderSchemaResponse) {
			r.Functions["1st"] = r.Functions["shout"]
		})},
		{rule: "SCHEMA-009", name: "parameter", call: getSchema, wrong: function(func(f *provider.FunctionDecl) { f.Parameters[0].Name = "a b" })},
		{rule: "SCHEMA-010", call: getSchema, wrong: function(func(f *provider.FunctionDecl) { f.VariadicParameter = &text })},
		{rule: "SCHEMA-011", name: "return", call: getSchema, wrong: function(func(f *provider.FunctionDecl) { f.ReturnType = cty.NilType })},
		{rule: "SCHEMA-011", name: "parameter", call: getSchema, wrong: function(func(f *provider.FunctionDecl) { f.Parameters[0].Type = cty.NilType })},
	}
}

func message(m diag.Diagnostic) mutant {
	return mutant{validate: func(r *provider.ValidateResourceConfigResponse) { r.Diagnostics = diag.Diagnostics{m} }}
}

// validateOwn omits the diagnostic that the provider returned.
func validateOwn(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return validate(t, p, w)[1:]
}

func messageMistakes() []mistake {
	return []mistake{
		{rule: "DIAG-001", call: validateOwn, wrong: message(diag.Diagnostic{Severity: 7, Summary: "x"})},
		{rule: "DIAG-002", warning: true, call: validateOwn, wrong: message(diag.Diagnostic{Detail: "x"})},
		{rule: "DIAG-003", name: "misspelled", warning: true, call: validateOwn, wrong: message(diag.Diagnostic{Summary: "x", Path: cty.GetAttrPath("conent")})},
		{rule: "DIAG-003", name: "too deep", warning: true, call: validateOwn, wrong: message(diag.Diagnostic{Summary: "x", Path: cty.GetAttrPath("tags").IndexString("a").GetAttr("b")})},
	}
}

// broken panics in ReadResource, with a secret in the value of the panic.
type broken struct{ fake }

func (broken) ReadResource(context.Context, provider.ReadResourceRequest) provider.ReadResourceResponse {
	panic("the password is " + secret)
}

// oddType is a type for whose values RawEquals panics.
var oddType = cty.CapsuleWithOps("odd", reflect.TypeFor[int](), &cty.CapsuleOps{
	RawEquals: func(any, any) bool { panic(secret) },
})

func oddVal() cty.Value { return cty.CapsuleVal(oddType, new(int)) }

// odd returns a mutant with a planned attribute of type oddType.
func odd() mutant {
	m := planned("odd", oddVal())
	m.schema = thing(func(s *provider.Schema) {
		s.Body.Attributes["odd"] = &configschema.Attribute{Type: oddType, Optional: true}
	}).schema
	return m
}

func planOdd(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.planCreate.Config = set(w.planCreate.Config, "odd", oddVal())
	return planCreate(t, p, w)
}

func panicMistakes() []mistake {
	return []mistake{
		{rule: "PANIC-001", call: read, inner: broken{}},
		{rule: "PANIC-002", call: planOdd, wrong: odd()},
		{rule: "PANIC-002", name: "schema", call: getSchema, wrong: attribute(func(a *configschema.Attribute) { a.Type = cty.List(cty.NilType) })},
	}
}
