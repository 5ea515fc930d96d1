package guard

import (
	"context"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/provider"
)

// GetProviderSchema is part of [provider.Interface]. The provider is asked once;
// its rules are in schemarules.go.
func (g *guarded) GetProviderSchema(ctx context.Context, _ provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return g.load(ctx).schema
}

// GetResourceIdentitySchemas is part of [provider.Interface]. The provider is
// asked once, together with its schema.
func (g *guarded) GetResourceIdentitySchemas(ctx context.Context, _ provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return g.load(ctx).identities
}

// schemaJudge judges all schemas of a provider, by sorted names.
type schemaJudge struct {
	report
	catalog *catalog
}

// judgeSchema asks the provider for its schemas. They are usable, and need not
// be asked for again, unless the provider says that they are not.
func (g *guarded) judgeSchema(ctx context.Context) (c *catalog, usable bool) {
	schema, crash := ask(ctx, g, rpcSchema, "", g.inner.GetProviderSchema, provider.GetProviderSchemaRequest{})
	schema.Diagnostics = with(schema.Diagnostics, crash)
	identities, crash := ask(ctx, g, rpcIdentitySchemas, "", g.inner.GetResourceIdentitySchemas, provider.GetResourceIdentitySchemasRequest{})
	identities.Diagnostics = with(identities.Diagnostics, crash)
	c = &catalog{
		schema: schema, identities: identities,
		resources: make(types, len(schema.ResourceTypes)), functions: make(map[string]*function),
	}
	if schema.Diagnostics.HasErrors() {
		return c, false
	}
	j := schemaJudge{report: report{rpc: rpcSchema}, catalog: c}
	crash = g.judging(ctx, rpcSchema, "", func() {
		j.provider()
		j.families()
		for _, name := range slices.Sorted(maps.Keys(schema.ResourceTypes)) {
			t := j.resource(name, schema.ResourceTypes[name])
			t.mutable = mutableIdentity(g.inner, name)
			t.moves = schema.ServerCapabilities.MoveResourceState
			c.resources[name] = t
		}
		j.orphanIdentities()
		j.functions()
	})
	c.schema.Diagnostics = with(j.addTo(c.schema.Diagnostics), crash)
	return c, crash == nil
}

// provider judges the schemas of which there is one for each provider.
func (j *schemaJudge) provider() {
	s := &j.catalog.schema
	if s.Provider.Body == nil {
		j.add(schemaProvider, nil, "The answer to %s has no schema for the provider's configuration.", rpcSchema)
	} else {
		j.typed("", s.Provider, noWriteOnly)
	}
	if s.ProviderMeta.Body != nil {
		j.typed("provider_meta", s.ProviderMeta, noWriteOnly|noComputed)
	}
}

// families judges the types that are no managed resources. A computed attribute
// of a provider's own configuration is let pass: such providers are in use, and
// all that happens is that it is null.
func (j *schemaJudge) families() {
	s, c := &j.catalog.schema, j.catalog
	c.data = j.family("data.", s.DataSources, noWriteOnly)
	c.ephemerals = j.family("ephemeral.", s.EphemeralResourceTypes, noWriteOnly)
	c.lists = j.family("list.", s.ListResourceTypes, noWriteOnly|noComputed|listsIdentities)
	c.actions = j.family("action.", s.Actions, noComputed)
	c.stores = j.family("state_store.", s.StateStores, noWriteOnly|noComputed)
}

// family judges the types of one family. Messages name each with the prefix, as an address does.
func (j *schemaJudge) family(prefix string, schemas map[string]provider.Schema, rules bodyRules) types {
	judged := make(types, len(schemas))
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		from := len(j.list)
		if rules&listsIdentities != 0 {
			j.listed(prefix+name, name)
		}
		t := j.typed(prefix+name, schemas[name], rules)
		t.unlawful = j.list[from:len(j.list):len(j.list)]
		judged[name] = t
	}
	return judged
}

// bodyRules are the rules for a body that not all families have.
type bodyRules uint8

const (
	// noWriteOnly: nothing takes the values of such attributes out.
	noWriteOnly bodyRules = 1 << iota
	// noComputed: the body is configuration and nothing else.
	noComputed
	// listsIdentities: what is found is told by its identity.
	listsIdentities
)

// typed judges one body as that of what is called name.
func (j *schemaJudge) typed(name string, s provider.Schema, rules bodyRules) *resourceType {
	t := &resourceType{name: name, schema: s.Body}
	from := len(j.list)
	j.body(name, s)
	if len(j.list) > from {
		return t
	}
	j.typeName = name
	defer func() { j.typeName = "" }()
	if rules&noWriteOnly != 0 {
		for _, path := range attributesThat(isWriteOnly, nil, s.Body) {
			j.add(schemaWriteOnly, path, "The attribute has WriteOnly.")
		}
	}
	if rules&noComputed != 0 {
		for _, path := range attributesThat(isComputed, nil, s.Body) {
			j.add(schemaComputed, path, "The attribute has Computed.")
		}
	}
	t.lawful = true
	return t
}

// listed judges whether what a list resource type finds can have an identity.
func (j *schemaJudge) listed(address, name string) {
	s, ok := j.catalog.schema.ResourceTypes[name]
	_, identified := j.catalog.identities.IdentityTypes[name]
	if !ok || s.Identity == nil && !identified {
		j.typeName = address
		j.add(schemaListIdentity, nil, "There is no managed resource type %q that has an identity schema.", name)
		j.typeName = ""
	}
}

// body judges one schema by itself, as that of what is called name.
func (j *schemaJudge) body(name string, s provider.Schema) {
	j.typeName = name
	defer func() { j.typeName = "" }()
	if s.Version < 0 {
		j.add(schemaVersion, nil, "The version is %d.", s.Version)
	}
	if s.Body == nil {
		j.add(schemaBody, nil, "The schema has no Body.")
		return
	}
	if err := s.Body.InternalValidate(); err != nil {
		j.unlawful(schemaUnlawful, err)
		return
	}
	visitTypes(s.Body)
}

// visitTypes looks at each type in a schema, so that one of which cty cannot
// make sense panics here, where schemas are judged, and not in a call.
func visitTypes(b *configschema.Block) {
	for _, a := range b.Attributes {
		visitType(a)
	}
	for _, nested := range b.BlockTypes {
		if nested != nil {
			visitTypes(&nested.Block)
		}
	}
}

func visitType(a *configschema.Attribute) {
	switch {
	case a == nil:
	case a.NestedType != nil:
		for _, inner := range a.NestedType.Attributes {
			visitType(inner)
		}
	case a.Type != cty.NilType:
		a.Type.HasDynamicTypes()
	}
}

func (j *schemaJudge) unlawful(rule ID, err error) {
	for _, e := range each(err) {
		path, text := pathOf(e)
		j.add(rule, path, "The schema is not lawful: %s.", text)
	}
}

// resource judges a managed resource type.
func (j *schemaJudge) resource(name string, s provider.Schema) *resourceType {
	t := &resourceType{name: name, schema: s.Body}
	from := len(j.list)
	j.body(name, s)
	id := j.identity(name, s)
	if t.unlawful = j.list[from:len(j.list):len(j.list)]; len(t.unlawful) > 0 {
		return t
	}
	t.unlawful, t.lawful, t.identitySchema = nil, true, id
	return t
}

// identity is the identity schema of a type, which may come with the schema or
// with the other answer; nil if there is none.
func (j *schemaJudge) identity(name string, s provider.Schema) *configschema.Object {
	j.typeName = name
	defer func() { j.typeName = "" }()
	version, body := s.IdentityVersion, s.Identity
	if other, ok := j.catalog.identities.IdentityTypes[name]; ok {
		if body != nil && (version != other.Version || !sameIdentitySchema(body, other.Body)) {
			j.add(schemaIdentitiesDiffer, nil, "%s and %s answered different identity schemas.", rpcSchema, rpcIdentitySchemas)
			return body
		}
		version, body = other.Version, other.Body
		if body == nil {
			j.add(schemaIdentity, nil, "The identity schema has no Body.")
			return nil
		}
	}
	if body == nil {
		return nil
	}
	if version < 0 {
		j.add(schemaIdentityVersion, nil, "The version of the identity schema is %d.", version)
	}
	if err := identity.Validate(body); err != nil {
		j.unlawful(schemaIdentity, err)
	}
	return body
}

// sameIdentitySchema compares what values and imports depend on.
func sameIdentitySchema(a, b *configschema.Object) bool {
	if a == b {
		return true
	}
	return a != nil && b != nil && maps.EqualFunc(a.Attributes, b.Attributes, func(x, y *configschema.Attribute) bool {
		if x == nil || y == nil {
			return x == y
		}
		return x.Required == y.Required && x.Optional == y.Optional && x.ImpliedType().Equals(y.ImpliedType())
	})
}

func (j *schemaJudge) orphanIdentities() {
	for _, name := range slices.Sorted(maps.Keys(j.catalog.identities.IdentityTypes)) {
		if _, ok := j.catalog.schema.ResourceTypes[name]; !ok {
			j.typeName = name
			j.add(schemaIdentityOrphan, nil, "%s has an identity schema for %q, and there is no such resource type.", rpcIdentitySchemas, name)
		}
	}
	j.typeName = ""
}

// functions judges declarations: what Terraform checks before it offers any of
// the provider.
func (j *schemaJudge) functions() {
	declared := j.catalog.schema.Functions
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		from := len(j.list)
		j.typeName = "function " + name
		j.function(name, declared[name])
		if len(j.list) == from {
			j.catalog.functions[name] = newFunction(j.typeName, declared[name])
		}
	}
	j.typeName = ""
}

func (j *schemaJudge) function(name string, f provider.FunctionDecl) {
	if !isIdentifier(name) {
		j.add(functionName, nil, "The function's name %q is not an identifier.", name)
	}
	if f.ReturnType == cty.NilType {
		j.add(functionType, nil, "The function has no return type.")
	}
	params := slices.Clone(f.Parameters)
	if f.VariadicParameter != nil {
		params = append(params, *f.VariadicParameter)
	}
	seen := make(map[string]bool, len(params))
	for i, p := range params {
		if !isIdentifier(p.Name) {
			j.add(functionName, nil, "The name %q of parameter %d is not an identifier.", p.Name, i)
		}
		if seen[p.Name] {
			j.add(functionDuplicate, nil, "There is more than one parameter with the name %q.", p.Name)
		}
		if p.Type == cty.NilType {
			j.add(functionType, nil, "Parameter %d has no type.", i)
		}
		seen[p.Name] = true
	}
}
