// Package runtime makes a [provider.Interface] out of plain Go structs.
//
// A resource is a struct: its exported fields are the inputs, another struct has
// the outputs, and Create, Read, Update and Delete do the work. Both are walked
// once, at registration, into the schema and into the plans by which values are
// converted; a mistake in a tag, a type or the signature of an optional method
// is an error of [New], naming the field or method.
//
// # A resource
//
// [TypedResource] is what every resource does; [MakeResource] registers it. Each
// further power is a method that the resource may have:
//
//   - Defaults: [Defaulter], values of inputs that configuration leaves unset
//   - Constraints: [Constrainer], which inputs exclude or need each other
//   - ValidateInputs: [InputValidator], checks that need the decoded inputs
//   - EquivalentInput: [InputEquivalencer], two spellings of one value
//   - ModifyResourcePlan: [ResourcePlanModifier], which outputs will change
//   - Identity: [Identifier], what tells one object from another
//   - MutableIdentity: [IdentityMutator], identities that may change
//   - ParseImportID: [ImportIDParser], the text form of an identity
//   - Import: [Importer], what Read needs to find an existing object
//   - ImportByID: [IDImporter], import for resources without identity
//   - Migrations: [Migrator], state of older schema versions
//   - IdentityVersion, IdentityMigrations: the same for identities
//   - Moves: [Mover], state of other resource types
//   - Descriptions: [Describer], the words of the schema
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
// # Invariants
//
// A resource's method never runs with inputs that are not wholly known, except
// EquivalentInput. What a method returns together with an error is stored, so
// that nothing is lost. A panic in a method becomes one diagnostic. Nothing of a
// value is ever part of a message that this package words.
//
// Elsewhere: what clients accept is judged by package guard, bytes are the
// concern of tfprotov6 and internal/wire.
package runtime
