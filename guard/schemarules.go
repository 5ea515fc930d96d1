package guard

import "unicode"

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
	}
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
