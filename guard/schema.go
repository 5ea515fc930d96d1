package guard

import (
	"maps"
	"slices"
	"unicode"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/provider"
)

const (
	rpcSchema          = "GetProviderSchema"
	rpcIdentitySchemas = "GetResourceIdentitySchemas"
)

// schemaRules are the rules for schemas. The request of their exchanges is a *declaration.
// Of SCHEMA-001 to SCHEMA-003, only the first that is broken is reported.
var schemaRules = []Rule{
	{
		ID: "SCHEMA-001", Subject: SubjectSchema, Title: "is missing",
		Why:    "Both engines reject a provider without a schema for its own configuration.",
		Fix:    "Set Provider.Body, to an empty block if there is nothing to configure.",
		Source: "§3, both: \"missing provider schema\"",
		check: of(ofProvider, func(x *exchange, d *declaration) {
			if d.schema.Body == nil {
				x.add(nil, "The response to %s has no schema for the configuration of the provider.", rpcSchema)
			}
		}),
	},
	{
		ID: "SCHEMA-002", Subject: SubjectSchema, Title: "is missing for this type",
		Why:    "Both engines crash on a type without a schema.",
		Fix:    "Set Body, to an empty block if the type has no attributes.",
		Source: "§3, both panic",
		check: of(ofManaged|ofData|ofEphemeral|ofList|ofAction|ofStateStore, func(x *exchange, d *declaration) {
			if d.schema.Body == nil {
				x.add(nil, "The schema has no Body.")
			}
		}),
	},
	{
		ID: "SCHEMA-003", Subject: SubjectSchema, Title: "is not valid",
		Why:    "An engine rejects the whole provider because of one invalid schema.",
		Fix:    "Change the part of the schema that the message names.",
		Source: "§3 (S1 to S19), the stricter of the two, Terraform: \"Failed to obtain provider schema\"; here also for provider configuration, provider_meta, actions and state stores",
		check: of(anyBody, func(x *exchange, d *declaration) {
			if d.schema.Body == nil {
				return
			}
			if err := d.schema.Body.InternalValidate(); err != nil {
				x.addErrors(err)
				return
			}
			d.validBody = d.schema.Version >= 0
			// An invalid cty type panics here, where schemas are checked, and not in a call.
			blockAttributes(func(a *configschema.Attribute) bool {
				return a.NestedType == nil && a.Type.HasDynamicTypes()
			}, nil, d.schema.Body)
		}),
	},
	{
		ID: "SCHEMA-004", Subject: SubjectSchema, Title: "has a negative version",
		Why:    "Versions count upwards from zero.",
		Fix:    "Set the version to zero or more.",
		Source: "§3, both, Terraform: \"Failed to obtain provider schema\"",
		check: of(anyBody, func(x *exchange, d *declaration) {
			if d.schema.Version < 0 {
				x.add(nil, "The version is %d.", d.schema.Version)
			}
		}),
	},
	{
		ID: "SCHEMA-005", RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has an invalid schema",
		Why:    "Terraform rejects the whole provider, and OpenTofu does not check the schema.",
		Fix:    "Declare one object with attributes of type bool, number, string or a list of these, each either required or optional for import.",
		Source: "§3 (S20) and §20, both SDKs and Terraform: \"Failed to obtain provider schema\"",
		check: of(ofManaged, func(x *exchange, d *declaration) {
			switch {
			case d.identitiesDiffer:
			case d.identity == nil && d.hasIdentity:
				x.add(nil, "The identity schema has no Body.")
			case d.identity != nil:
				x.addErrors(identity.Validate(d.identity))
			}
		}),
	},
	{
		ID: "SCHEMA-006", RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has a schema with a negative version",
		Why:    "Versions count upwards from zero.",
		Fix:    "Set the version of the identity schema to zero or more.",
		Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		check: of(ofManaged, func(x *exchange, d *declaration) {
			if d.identity != nil && !d.identitiesDiffer && d.identityVersion < 0 {
				x.add(nil, "The version of the identity schema is %d.", d.identityVersion)
			}
		}),
	},
	{
		ID: "SCHEMA-007", RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has a schema, but there is no such resource type",
		Why:    "Both engines ignore the schema, so the type whose name was misspelt silently has no identity.",
		Fix:    "Correct the name, or remove the identity schema.",
		Source: "§1, neither engine: ignored",
		check: of(ofOrphanIdentity, func(x *exchange, d *declaration) {
			x.add(nil, "%s has an identity schema for %q, and there is no such resource type.", rpcIdentitySchemas, d.name)
		}),
	},
	{
		ID: "SCHEMA-008", RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has two different schemas",
		Why:    "The client decides which of the two is used.",
		Fix:    "Return the same identity schema from both calls.",
		Source: "neither engine: each uses only one of the two",
		check: of(ofManaged, func(x *exchange, d *declaration) {
			if d.identitiesDiffer {
				x.add(nil, "%s and %s returned different identity schemas.", rpcSchema, rpcIdentitySchemas)
			}
		}),
	},
	{
		ID: "SCHEMA-009", Subject: SubjectSchema, Title: "has a name that is not an identifier",
		Why:    "Terraform rejects the whole provider; a function with such a name could not be called.",
		Fix:    "Use letters, digits, underscores and dashes, and start with a letter or an underscore.",
		Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		check: of(ofFunction, func(x *exchange, d *declaration) {
			if !isIdentifier(d.name) {
				x.add(nil, "The name %q of the function is not an identifier.", d.name)
			}
			for i, p := range d.function.AllParameters() {
				if !isIdentifier(p.Name) {
					x.add(nil, "The name %q of parameter %d is not an identifier.", p.Name, i)
				}
			}
		}),
	},
	{
		ID: "SCHEMA-010", Subject: SubjectSchema, Title: "has two parameters with the same name",
		Why:    "Messages identify a parameter by its name, so Terraform rejects the whole provider.",
		Fix:    "Give each parameter, including the variadic one, a name of its own.",
		Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		check: of(ofFunction, func(x *exchange, d *declaration) {
			seen := make(map[string]bool)
			for _, p := range d.function.AllParameters() {
				if seen[p.Name] {
					x.add(nil, "There is more than one parameter with the name %q.", p.Name)
				}
				seen[p.Name] = true
			}
		}),
	},
	{
		ID: "SCHEMA-011", Subject: SubjectSchema, Title: "lacks a type",
		Why:    "Terraform rejects the whole provider or crashes, and OpenTofu crashes.",
		Fix:    "Set the return type and the type of each parameter; cty.DynamicPseudoType stands for any type.",
		Source: "§3, Terraform: \"invalid declaration for function\", or a panic; OpenTofu panics",
		check: of(ofFunction, func(x *exchange, d *declaration) {
			if d.function.ReturnType == cty.NilType {
				x.add(nil, "The function has no return type.")
			}
			for i, p := range d.function.AllParameters() {
				if p.Type == cty.NilType {
					x.add(nil, "Parameter %d has no type.", i)
				}
			}
		}),
	},
	{
		ID: "SCHEMA-012", Subject: SubjectSchema, Title: "belongs to a list resource whose results have no identity",
		Why:    "A result is identified by its identity, so Terraform does not list a type without one.",
		Fix:    "Give the managed resource type of the same name an identity schema, or remove the list resource type.",
		Source: "§17, Terraform: \"Identity schema not found for resource type\"",
		check: of(ofList, func(x *exchange, d *declaration) {
			if !d.listable {
				x.add(nil, "There is no managed resource type %q with an identity schema.", d.name)
			}
		}),
	},
	{
		ID: "SCHEMA-013", Subject: SubjectSchema, Title: "has a write-only attribute where none is possible",
		Why:    "Engines remove the values of write-only attributes only for managed resources and actions.",
		Fix:    "Remove WriteOnly; if the value must not be shown, set Sensitive.",
		Source: "§3, neither engine; the SDKs have no such attributes there, or reject them",
		check: of(ofProvider|ofProviderMeta|ofData|ofEphemeral|ofList|ofStateStore, func(x *exchange, d *declaration) {
			for _, path := range d.attributes(func(a *configschema.Attribute) bool { return a.WriteOnly }) {
				x.add(path, "The attribute has WriteOnly.")
			}
		}),
	},
	{
		ID: "SCHEMA-014", Subject: SubjectSchema, Title: "has a computed attribute where none is possible",
		Why:    "No response has an object of this schema, so the attribute would always be null.",
		Fix:    "Make the attribute required or optional, or remove it.",
		Source: "§3, neither engine; plugin-framework has no such attributes in these schemas",
		// Existing providers have computed attributes in their own configuration, which
		// are always null.
		check: of(ofProviderMeta|ofList|ofAction|ofStateStore, func(x *exchange, d *declaration) {
			for _, path := range d.attributes(func(a *configschema.Attribute) bool { return a.Computed }) {
				x.add(path, "The attribute has Computed.")
			}
		}),
	},
}

// declaration is one part of the schemas of a provider.
type declaration struct {
	kind declarationKind
	// name is the name in the schema; address is the name in messages.
	name, address string
	schema        provider.Schema
	function      provider.FunctionDecl

	// identity is the identity schema of a managed resource type, from its schema or from
	// the response to GetResourceIdentitySchemas.
	identity         *configschema.Object
	identityVersion  int64
	hasIdentity      bool
	identitiesDiffer bool
	listable         bool // a managed resource type with this name has an identity
	validBody        bool
}

// declarationKind is a set of kinds of declarations.
type declarationKind uint16

const (
	ofProvider declarationKind = 1 << iota
	ofProviderMeta
	ofManaged
	ofData
	ofEphemeral
	ofList
	ofAction
	ofStateStore
	ofFunction
	ofOrphanIdentity

	anyBody = ofProvider | ofProviderMeta | ofManaged | ofData | ofEphemeral | ofList | ofAction | ofStateStore
)

func of(kinds declarationKind, check func(*exchange, *declaration)) func(*exchange) {
	return func(x *exchange) {
		if d := x.request.(*declaration); d.kind&kinds != 0 {
			check(x, d)
		}
	}
}

func (x *exchange) addErrors(err error) {
	for _, e := range each(err) {
		path, text := pathOf(e)
		x.add(path, "The schema is not valid: %s.", text)
	}
}

// attributes returns the paths of the attributes for which match returns true, sorted by name,
// those of blocks last; nil if the body is not valid.
func (d *declaration) attributes(match func(*configschema.Attribute) bool) []cty.Path {
	if !d.validBody {
		return nil
	}
	return blockAttributes(match, nil, d.schema.Body)
}

func blockAttributes(match func(*configschema.Attribute) bool, at cty.Path, b *configschema.Block) []cty.Path {
	found := nestedAttributes(match, at, b.Attributes)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		found = append(found, blockAttributes(match, at.GetAttr(name), &b.BlockTypes[name].Block)...)
	}
	return found
}

func nestedAttributes(match func(*configschema.Attribute) bool, at cty.Path, attrs map[string]*configschema.Attribute) (found []cty.Path) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr := attrs[name]
		if match(attr) {
			found = append(found, at.GetAttr(name))
		}
		if attr.NestedType != nil {
			found = append(found, nestedAttributes(match, at.GetAttr(name), attr.NestedType.Attributes)...)
		}
	}
	return found
}

// isIdentifier reports whether s can be a name in configuration: a letter or an underscore,
// followed by letters, digits, marks, connectors and dashes.
func isIdentifier(s string) bool {
	for i, r := range s {
		start := r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
		if start || i > 0 && (r == '-' || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)) {
			continue
		}
		return false
	}
	return s != ""
}
