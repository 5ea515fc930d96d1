package guard

import (
	"context"
	"maps"
	"slices"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ID names a rule, such as "PLAN-003". Each message about the rule has it. The ID
// of a removed rule is not used again.
type ID string

// Subject is the part of a response that breaks a rule. Subject and title of the rule form
// a sentence.
type Subject string

// The subjects of rules.
const (
	SubjectAttribute  Subject = "attribute"
	SubjectBlock      Subject = "block"
	SubjectDiagnostic Subject = "diagnostic"
	SubjectIdentity   Subject = "identity"
	SubjectPrivate    Subject = "private data"
	SubjectResponse   Subject = "response"
	SubjectResult     Subject = "result"
	SubjectSchema     Subject = "schema"
	SubjectState      Subject = "state"
)

// Rule describes one mistake that a response must not have.
type Rule struct {
	ID ID
	// RPC is the call whose responses the rule is for; empty for all calls.
	RPC string
	// Subject and Title form a sentence: "attribute" "changed after it was planned".
	Subject Subject
	Title   string
	// Why is the consequence for users.
	Why string
	// Fix is what the author of the provider must change.
	Fix string
	// Source is the origin of the rule: the sections of docs/checks.md, if any, and whether engines or
	// SDKs apply it.
	Source string
	// Severity is the severity of the message. The zero value is an error.
	Severity diag.Severity

	// when selects the responses that the rule applies to.
	when condition
	// check calls add for places that break the rule.
	check func(*exchange)
}

// condition selects the exchanges that a rule applies to: those that satisfy all of its
// bits.
type condition uint16

const (
	// succeeded means that the provider returned no error.
	succeeded condition = 1 << iota
	// notDeferred means that the response is not deferred.
	notDeferred
	// validSchema means that the schema of the type is valid, so that values can be
	// checked against it.
	validSchema
	// updates means that the request has a prior object.
	updates
	// destroys means that the proposed or planned object is null.
	destroys
	// keeps means that the proposed or planned object is not null.
	keeps
	// exists means that an object is stored after the call.
	exists
	// unbroken means that the guard reported no error about the response so far.
	unbroken

	always condition = 0
)

// Rules returns all rules: those for schemas, then those for managed resources in the order of
// the lifecycle, then those for the other families, then those for all calls. The caller owns
// the slice.
func Rules() []Rule {
	return slices.Concat(
		table(rpcSchema, schemaRules),
		upgradeCall.table(),
		upgradeIdentityCall.table(),
		readCall.table(),
		planCall.table(),
		applyCall.table(),
		importCall.table(),
		moveCall.table(),
		generateCall.table(),
		dataCall.table(),
		openCall.table(),
		renewCall.table(),
		table(rpcCallFunction, functionRules),
		table(rpcList, listResultRules),
		listCall.table(),
		planActionCall.table(),
		invokeActionCall.table(),
		configureStoreCall.table(),
		readBytesCall.table(),
		writeBytesCall.table(),
		lockStateCall.table(),
		getStatesCall.table(),
		table("", diagnosticRules),
		table("", panicRules),
	)
}

// table returns the rules with their RPC set.
func table(rpc string, rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].RPC == "" {
			rules[i].RPC = rpc
		}
	}
	return rules
}

// family is a kind of type: managed resource, data source, action and so on.
type family int

const (
	ownConfig family = iota // the provider's own configuration, under the name ""
	managed
	dataSources
	ephemerals
	listTypes
	actions
	stateStores
	families
)

// catalog is the guard's information about a provider. It is immutable, except that its types
// are prepared on first use.
type catalog struct {
	schema     provider.GetProviderSchemaResponse
	identities provider.GetResourceIdentitySchemasResponse
	types      [families]types
	// functions are those with a valid declaration.
	functions map[string]*function
}

// load returns the catalog and loads it on the first call. If the provider cannot return
// its schema, the catalog has no declared types and no functions. If the provider cannot return
// its schema or its identity schemas, or a check panics, the next call tries again.
func (g *guarded) load(ctx context.Context) *catalog {
	if c := g.cached.Load(); c != nil {
		return c
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.cached.Load(); c != nil {
		return c
	}
	c, usable := g.loadCatalog(ctx)
	if usable {
		g.cached.Store(c)
	}
	return c
}

// GetProviderSchema implements [provider.Interface]. The provider is called once, and again only
// after an error or a panic.
func (g *guarded) GetProviderSchema(ctx context.Context, _ provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return g.load(ctx).schema
}

// GetResourceIdentitySchemas implements [provider.Interface]. The method of the provider is called together
// with its GetProviderSchema.
func (g *guarded) GetResourceIdentitySchemas(ctx context.Context, _ provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return g.load(ctx).identities
}

// loadCatalog requests the provider's schemas and checks them, sorted by name. It reports
// whether the catalog is final, which it is unless the provider returned an error, or the
// provider or a check panicked.
func (g *guarded) loadCatalog(ctx context.Context) (c *catalog, usable bool) {
	schema, crash := callProvider(ctx, g, rpcSchema, "", provider.Interface.GetProviderSchema, provider.GetProviderSchemaRequest{})
	schema.Diagnostics = with(schema.Diagnostics, crash)
	identities, crash := callProvider(ctx, g, rpcIdentitySchemas, "", provider.Interface.GetResourceIdentitySchemas, provider.GetResourceIdentitySchemasRequest{})
	identities.Diagnostics = with(identities.Diagnostics, crash)
	c = &catalog{schema: schema, identities: identities, functions: make(map[string]*function)}
	c.types[ownConfig] = types{"": undeclared("")}
	if schema.Diagnostics.HasErrors() {
		return c, false
	}
	x := exchange{report: report{rpc: rpcSchema}}
	crash = g.checking(ctx, rpcSchema, "", func() { c.check(&x, g.inner) })
	c.schema.Diagnostics = with(x.addTo(c.schema.Diagnostics), crash)
	return c, crash == nil && !identities.Diagnostics.HasErrors()
}

// check checks all declarations and fills the catalog. The catalog omits invalid functions and an invalid
// provider configuration, but has other invalid types with their errors.
func (c *catalog) check(x *exchange, inner provider.Interface) {
	s := &c.schema
	if own := c.declared(x, &declaration{kind: ofProvider, schema: s.Provider}); own.valid {
		c.types[ownConfig] = types{"": own}
	}
	if s.ProviderMeta.Body != nil {
		c.declared(x, &declaration{kind: ofProviderMeta, address: "provider_meta", schema: s.ProviderMeta})
	}
	for _, f := range []struct {
		family  family
		kind    declarationKind
		prefix  string // in addresses
		schemas map[string]provider.Schema
	}{
		{dataSources, ofData, "data.", s.DataSources},
		{ephemerals, ofEphemeral, "ephemeral.", s.EphemeralResourceTypes},
		{listTypes, ofList, "list.", s.ListResourceTypes},
		{actions, ofAction, "action.", s.Actions},
		{stateStores, ofStateStore, "state_store.", s.StateStores},
		{managed, ofManaged, "", s.ResourceTypes},
	} {
		checked := make(types, len(f.schemas))
		for _, name := range slices.Sorted(maps.Keys(f.schemas)) {
			d := declaration{kind: f.kind, name: name, address: f.prefix + name, schema: f.schemas[name]}
			c.findIdentity(&d)
			t := c.declared(x, &d)
			if f.family == managed {
				t.aliases, _ = find[SameIdentity](inner)
				m, ok := find[MutableIdentity](inner)
				t.mutable = ok && m.MutableIdentity(name)
				t.moves, t.identitySchema = s.ServerCapabilities.MoveResourceState, d.identity
			}
			checked[name] = t
		}
		c.types[f.family] = checked
	}
	for _, name := range slices.Sorted(maps.Keys(c.identities.IdentityTypes)) {
		if _, ok := s.ResourceTypes[name]; !ok {
			c.declared(x, &declaration{kind: ofOrphanIdentity, name: name, address: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Functions)) {
		d := declaration{kind: ofFunction, name: name, address: "function " + name, function: s.Functions[name]}
		if t := c.declared(x, &d); t.valid {
			c.functions[name] = newFunction(t.name, d.function)
		}
	}
}

// findIdentity sets the identity schema of a managed resource type, and listable if a managed
// resource type with the name of the declaration has an identity.
func (c *catalog) findIdentity(d *declaration) {
	other, ok := c.identities.IdentityTypes[d.name]
	resource, exists := c.schema.ResourceTypes[d.name]
	d.listable = exists && (ok || resource.Identity != nil)
	if d.kind != ofManaged {
		return
	}
	d.identity, d.identityVersion, d.hasIdentity = resource.Identity, resource.IdentityVersion, d.listable
	if !ok {
		return
	}
	if d.identity != nil && (d.identityVersion != other.Version || !sameIdentitySchema(d.identity, other.Body)) {
		d.identitiesDiffer = true
		return
	}
	d.identity, d.identityVersion = other.Body, other.Version
}

// declared checks a declaration and returns its type, which is valid if the declaration breaks no rule.
func (c *catalog) declared(x *exchange, d *declaration) *resourceType {
	from := len(x.list)
	// The limit of places is for each type: a type whose messages are left out would count as valid.
	x.typeName, x.request, x.ids = d.address, d, nil
	x.check(schemaRules)
	found := x.list[from:len(x.list):len(x.list)]
	x.typeName = ""
	return &resourceType{name: d.address, schema: d.schema.Body, schemaErrors: found, valid: len(found) == 0}
}

// sameIdentitySchema reports whether both schemas have the same attributes with the same
// types, required or optional for import.
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
