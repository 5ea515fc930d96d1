// Package runtime makes a [provider.Interface] out of plain Go structs.
//
// A resource is a struct: its exported fields are the inputs, another struct has
// the outputs, and Create, Read, Update and Delete do the work. Both are walked
// once, at registration, into the schema and into the plans by which values are
// converted; a mistake in a tag, a type or the signature of an optional method
// is an error of [New], naming the field or method.
//
// # The families
//
//   - [TypedResource], [MakeResource]: managed resources
//   - [TypedDataSource], [MakeDataSource]: data sources
//   - [TypedEphemeral], [MakeEphemeral]: objects that last for one run
//   - [MakeFunc]: functions, which are plain Go functions
//   - [TypedLister], [MakeLister]: searches for objects of a managed resource
//   - [TypedAction], [MakeAction]: actions
//   - [TypedStateStore], [MakeStateStore]: state stores
//   - [MakeConfig], [MakeMeta]: the provider block, and provider_meta blocks
//
// # Powers
//
// Each further power is a method that a type may have. Any struct of inputs, also
// a nested one and a provider block, may have
//
//   - Defaults: [Defaulter], values of inputs that configuration leaves unset
//   - Constraints: [Constrainer], rules about values and between inputs
//   - Descriptions: [Describer], the words of the schema
//
// the inputs of every family but the blocks
//
//   - ValidateInputs: [InputValidator], checks that need the decoded inputs
//
// and managed resources
//
//   - EquivalentInput: [InputEquivalencer], two spellings of one value
//   - ModifyResourcePlan: [ResourcePlanModifier], which outputs will change
//   - ReplaceOn: [Replacer], which changes need a new object
//   - PlanOutputs: [OutputPlanner], outputs that are known before an apply
//   - Identity: [Identifier], what tells one object from another
//   - MutableIdentity: [IdentityMutator], identities that may change
//   - ParseImportID: [ImportIDParser], the text form of an identity
//   - Import: [Importer], what Read needs to find an existing object
//   - ImportByID: [IDImporter], import for resources without identity
//   - Migrations: [Migrator], state of older schema versions
//   - IdentityVersion, IdentityMigrations: the same for identities
//   - Moves: [Mover], state of other resource types
//   - OperationTimeouts: [TimeoutDeclarer], how long operations may take
//   - Locks: [Locker], what no two operations may change at the same time
//
// Ephemeral resources may have Renew ([EphemeralRenewer]) and Close
// ([EphemeralCloser]), actions PlanAction ([ActionPlanner]), and a type of text
// SemanticEquals ([SemanticEqualer]). Below a method, [Warn], [Private], [Defer],
// [Meta], [Retry], [Lock], [PlansCreate] and [Configured] are at hand.
//
// # Fields
//
// An attribute is named by its field in snake case (SHA256 is sha256, OwnerID is
// owner_id), or by a tag: `tf:"name,options"`. A field of the inputs is required
// unless it is a pointer, has a default or is tagged optional. A field that only
// the outputs have is computed. A field of both has one attribute: what Create,
// Read and Update return in it is compared with what was configured, which is
// how drift is found; tagged computed in the outputs, the provider chooses the
// value where configuration is silent.
//
// Options: optional, computed, sensitive, writeonly, set (of a slice), block,
// volatile (an output that changes by itself and is no drift), and the name "-"
// for a field that is no attribute.
//
// A struct, or a slice, set or map of structs, is a nested attribute, or a block
// where it is tagged so. Both sides have the same struct type; inside of it a
// field tagged computed is the provider's to decide, one tagged optional and
// computed where configuration is silent. Elements of lists keep what was decided
// by their position, of maps by their key, of sets by being otherwise equal.
//
// # Invariants
//
// A resource's method never runs with inputs that are not wholly known, except
// EquivalentInput and ReplaceOn. What a method returns together with an error is
// stored, so that nothing is lost. A panic in a method becomes one diagnostic.
// Nothing of a value is ever part of a message that this package words.
//
// Elsewhere: what clients accept is judged by package guard, bytes are the
// concern of tfprotov6 and internal/wire.
package runtime

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe ReadTimeout Timeouts
