// Package runtime makes a [provider.Interface] from plain Go structs.
//
// A resource is a struct: its exported fields are the inputs, another struct has the
// outputs, and Create, Read, Update and Delete do the work. [New] derives the schema
// and the conversion of values from the structs. A mistake in a tag, a type or the
// signature of an optional method is an error of [New] with the name of the field or
// method.
//
// # Families
//
//   - [TypedResource], [MakeResource]: managed resources; with [MakeWrappedResource], a [Wrapper]
//     runs their methods
//   - [TypedDataSource], [MakeDataSource]: data sources
//   - [TypedEphemeral], [MakeEphemeral]: ephemeral resources
//   - [MakeFunc]: functions, which are plain Go functions
//   - [TypedLister], [MakeLister]: list resources
//   - [TypedAction], [MakeAction]: actions
//   - [TypedStateStore], [MakeStateStore]: state stores
//   - [MakeConfig], [MakeMeta]: the provider block, and provider_meta blocks
//
// # Optional methods
//
// Any struct of inputs, including a nested struct and a provider block, may have:
//
//   - Defaults: [Defaulter], default values
//   - Constraints: [Constrainer], rules about values and between inputs
//   - Descriptions: [Describer], the texts of the schema
//
// The inputs of every family except functions, but neither nested structs nor provider blocks, may have:
//
//   - ValidateInputs: [InputValidator], checks that need the decoded inputs
//
// Managed resources may have:
//
//   - DefaultsWith: [ConditionalDefaulter], defaults that depend on other attributes
//   - EquivalentInput: [InputEquivalencer], equivalent values of an input; with a context,
//     EquivalentInputContext: [ContextInputEquivalencer]
//   - ModifyResourcePlan: [ResourcePlanModifier], which outputs will change
//   - ReplaceFields: [ReplaceDeclarer], inputs whose change needs a new object
//   - ReplaceOn: [Replacer], which other changes need one
//   - PlanOutputs: [OutputPlanner], outputs that are known before an apply
//   - Identity: [Identifier], the identity of an object
//   - MutableIdentity: [IdentityMutator], identities that may change
//   - ParseImportID: [ImportIDParser], the identity for an import ID
//   - Import: [Importer], the outputs that Read needs to find an object
//   - ImportByID: [IDImporter], import for resources without an identity
//   - SchemaVersion, Migrations: [SchemaVersioner], [Migrator], state of older schema versions
//   - IdentityVersion, IdentityMigrations: [IdentityVersioner], [IdentityMigrator], the same for
//     identities
//   - Moves: [Mover], state of other resource types
//   - OperationTimeouts: [TimeoutDeclarer], timeouts of operations; data sources may have it too
//   - Locks: [Locker], locks that operations hold
//
// Ephemeral resources may have Renew ([EphemeralRenewer]) and Close
// ([EphemeralCloser]), actions PlanAction ([ActionPlanner]), state stores Open
// ([StateStoreOpener]) and ChunkSize ([ChunkSizer]), a Config SameName ([Aliaser]), and a
// string type SemanticEquals ([SemanticEqualer]). Methods can call [Warn], [Private], [Defer],
// [Meta], [Retry], [Lock], [Plans], [PlansCreate], [Imports], [Configured] and [TypeName].
//
// # Fields
//
// The name of an attribute is that of its field in snake case (SHA256 is sha256,
// OwnerID is owner_id), or the name in a tag: `tf:"name,options"`. A field of the
// inputs is required unless it is a pointer (except *big.Float) or a [Value], has a default,
// or is tagged optional or block. A field that only the outputs have is computed. A field that
// inputs and outputs have is one attribute: the value that Create, Read and Update return is compared with the
// configured one to find drift. If it is tagged computed in the outputs, the provider
// sets the value where it is not configured.
//
// Options: optional, computed, sensitive, writeonly, set (of a slice), block,
// volatile (an output that changes by itself, which is not drift), transient (a
// volatile output about a plan and its apply, which is null in the prior state of the
// next run), keep (of an output: an update keeps its value), replace (of an input or an
// attribute inside it: a change needs a new object), and the name "-" for a field that
// is not an attribute.
//
// A struct, or a slice, set or map of structs, is a nested attribute, or a block if it
// is tagged so. Inputs and outputs have the same struct type. Inside it, the provider
// determines a field tagged computed, and one tagged optional and computed where it is
// not configured. Such values are kept in lists by position, in maps by key, and in
// sets if the elements are otherwise equal.
//
// # Invariants
//
// During plan, no method of a resource except EquivalentInput, EquivalentInputContext and ReplaceOn
// is called while an input is unknown, unless its field is a [Value]. Create, Read, Update and Delete never get
// unknown inputs. Outputs that Create or Update returns with an error are stored, so that nothing
// is lost. A panic in a method becomes one diagnostic. The messages of this package never contain a
// part of a value, except of an identity, an import ID or a timeout.
//
// Elsewhere: package guard checks what clients accept; tfprotov6 and internal/wire
// encode and decode.
package runtime

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe ReadTimeout Timeouts
