package guard

import (
	"maps"
	"slices"
	"unicode"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

const (
	rpcSchema          = "GetProviderSchema"
	rpcIdentitySchemas = "GetResourceIdentitySchemas"
)

const (
	schemaProvider         ID = "SCHEMA-001"
	schemaBody             ID = "SCHEMA-002"
	schemaUnlawful         ID = "SCHEMA-003"
	schemaVersion          ID = "SCHEMA-004"
	schemaIdentity         ID = "SCHEMA-005"
	schemaIdentityVersion  ID = "SCHEMA-006"
	schemaIdentityOrphan   ID = "SCHEMA-007"
	schemaIdentitiesDiffer ID = "SCHEMA-008"
	functionName           ID = "SCHEMA-009"
	functionDuplicate      ID = "SCHEMA-010"
	functionType           ID = "SCHEMA-011"
	schemaListIdentity     ID = "SCHEMA-012"
	schemaWriteOnly        ID = "SCHEMA-013"
	schemaComputed         ID = "SCHEMA-014"
)

func schemaRules() []Rule {
	return []Rule{
		{
			ID: schemaProvider, RPC: rpcSchema, Subject: SubjectSchema, Title: "is missing",
			Why:    "Both engines refuse a provider without a schema for its own configuration.",
			Fix:    "Set Provider.Body, to an empty block if there is nothing to configure.",
			Source: "§3, both: \"missing provider schema\"",
		},
		{
			ID: schemaBody, RPC: rpcSchema, Subject: SubjectSchema, Title: "is missing for this type",
			Why:    "Both engines crash on a type without a schema.",
			Fix:    "Set Body, to an empty block if the type has no attributes.",
			Source: "§3, both panic",
		},
		{
			ID: schemaUnlawful, RPC: rpcSchema, Subject: SubjectSchema, Title: "is not lawful",
			Why:    "Both engines refuse the whole provider because of one schema that contradicts itself.",
			Fix:    "Change the schema element that is named.",
			Source: "§3 (S1 to S19), the stricter of both: \"Failed to obtain provider schema\"; here also for provider configuration, provider_meta, actions and state stores",
		},
		{
			ID: schemaVersion, RPC: rpcSchema, Subject: SubjectSchema, Title: "has a negative version",
			Why:    "Versions count upwards from zero.",
			Fix:    "Set the version to zero or more.",
			Source: "§3, both: \"Failed to obtain provider schema\"",
		},
		{
			ID: schemaIdentity, RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has an unlawful schema",
			Why:    "Terraform refuses the whole provider, and OpenTofu fails when the identity is used.",
			Fix:    "Declare one object with attributes of type bool, number, string or a list of these, each either required or optional for import.",
			Source: "§3 (S20) and §20, Terraform and both SDKs: \"Failed to obtain provider schema\"",
		},
		{
			ID: schemaIdentityVersion, RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has a schema with a negative version",
			Why:    "Versions count upwards from zero.",
			Fix:    "Set the version of the identity schema to zero or more.",
			Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		},
		{
			ID: schemaIdentityOrphan, RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has a schema, but there is no such resource type",
			Why:    "Both engines ignore it, so a misspelled type silently has no identity.",
			Fix:    "Correct the name, or drop the identity schema.",
			Source: "§1, neither engine: ignored",
		},
		{
			ID: schemaIdentitiesDiffer, RPC: rpcIdentitySchemas, Subject: SubjectIdentity, Title: "has two different schemas",
			Why:    "Which of the two holds depends on who asks.",
			Fix:    "Answer both calls from one declaration.",
			Source: "neither engine: they see only one of the two",
		},
		{
			ID: functionName, RPC: rpcSchema, Subject: SubjectSchema, Title: "has a name that is not an identifier",
			Why:    "The function could not be called, so Terraform refuses the whole provider.",
			Fix:    "Use letters, digits, underscores and dashes, and begin with a letter or an underscore.",
			Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		},
		{
			ID: functionDuplicate, RPC: rpcSchema, Subject: SubjectSchema, Title: "has two parameters of one name",
			Why:    "Messages name parameters, so Terraform refuses the whole provider.",
			Fix:    "Give each parameter, the variadic one included, a name of its own.",
			Source: "§3, Terraform: \"Failed to obtain provider schema\"",
		},
		{
			ID: functionType, RPC: rpcSchema, Subject: SubjectSchema, Title: "lacks a type",
			Why:    "Terraform refuses the whole provider, and OpenTofu crashes.",
			Fix:    "Set the return type and the type of each parameter; cty.DynamicPseudoType stands for any.",
			Source: "§3, both: \"invalid declaration for function\", or a panic",
		},
		{
			ID: schemaListIdentity, RPC: rpcSchema, Subject: SubjectSchema, Title: "is of a list resource that cannot name what it finds",
			Why:    "What is found is told by its identity, so Terraform refuses to list a type that has none.",
			Fix:    "Give the managed resource type of the same name an identity schema, or drop the list resource type.",
			Source: "§17, Terraform: \"Identity schema not found for resource type\"",
		},
		{
			ID: schemaWriteOnly, RPC: rpcSchema, Subject: SubjectSchema, Title: "has a write-only attribute where there can be none",
			Why:    "Only for managed resources and actions do engines keep the value of a write-only attribute to themselves.",
			Fix:    "Drop WriteOnly; if the value must not be shown, set Sensitive.",
			Source: "§3, neither engine; both SDKs have no such attributes there, or refuse them",
		},
		{
			ID: schemaComputed, RPC: rpcSchema, Subject: SubjectSchema, Title: "has a computed attribute where nothing is computed",
			Why:    "No answer about this type has an object, so the attribute would be null for ever.",
			Fix:    "Make the attribute required or optional, or drop it.",
			Source: "§3, neither engine; plugin-framework has no such attributes in these schemas",
		},
	}
}

func isWriteOnly(a *configschema.Attribute) bool { return a.WriteOnly }

func isComputed(a *configschema.Attribute) bool { return a.Computed }

// attributesThat are the places of some attributes of a lawful schema, in the
// order of names.
func attributesThat(are func(*configschema.Attribute) bool, at cty.Path, b *configschema.Block) []cty.Path {
	found := nestedThat(are, at, b.Attributes)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		found = append(found, attributesThat(are, at.GetAttr(name), &b.BlockTypes[name].Block)...)
	}
	return found
}

func nestedThat(are func(*configschema.Attribute) bool, at cty.Path, attrs map[string]*configschema.Attribute) (found []cty.Path) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr := attrs[name]
		if are(attr) {
			found = append(found, at.GetAttr(name))
		}
		if attr.NestedType != nil {
			found = append(found, nestedThat(are, at.GetAttr(name), attr.NestedType.Attributes)...)
		}
	}
	return found
}

// isIdentifier reports whether s can be a name in configuration: a letter or an
// underscore, then letters, digits, marks, connectors and dashes.
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
