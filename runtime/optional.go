package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// SchemaVersioner returns the version of the stored form; see [Migrator]. A type without the
// method has version zero.
type SchemaVersioner interface {
	SchemaVersion() int
}

// ReplaceDeclarer returns the attribute names of the inputs whose change needs a new object,
// or paths of attributes in nested structs, such as "rule.port". The option replace of a field
// does the same. Every other change is an update, except for those of [Replacer].
type ReplaceDeclarer interface {
	ReplaceFields() []string
}

// Defaulter sets the defaults of inputs. Defaults is called only at registration,
// on a new receiver: each field that is not zero afterwards is the default of an
// optional attribute. A default that is a zero value needs a pointer field. A nil slice or
// map is null, an empty one is empty: where Read cannot distinguish them, make the empty
// one the default, and never return nil.
type Defaulter interface {
	Defaults()
}

// ConditionalDefaulter sets other defaults for objects whose configuration sets an attribute, such as
// a stricter mode for secret content. DefaultsWith is called once for each input, at
// registration, on a new receiver: each field that is not zero afterwards is the default of its
// attribute while the configuration sets the named attribute, even to an unknown value. An
// attribute with such a default must also have one in [Defaulter].
type ConditionalDefaulter interface {
	DefaultsWith(attribute string)
}

// Constrainer declares rules about inputs. Constraints is called only at
// registration.
type Constrainer interface {
	Constraints() []Constraint
}

// InputValidator checks decoded inputs. For a resource, ValidateInputs is called during plan, and again
// before Create and Update; never for a no-op, a change of only the timeouts, or a destroy. For a replacement it thus
// runs before the prior object is deleted. During plan it is called once the inputs are
// wholly known, except for those in fields of type [Value], and the provider is
// configured. It does not run when only the configuration is validated, because the
// provider is not configured then: use [CheckTogether] for rules that need only the
// values of attributes.
//
// In the other families, ValidateInputs is called before each Read, Open, List and Invoke,
// when an action is planned, and when a state store is configured.
type InputValidator[Config any] interface {
	ValidateInputs(ctx context.Context, cfg Config) error
}

// InputEquivalencer reports whether two values of an input are equivalent for this
// resource. If so, there is no change, and plan and state keep the prior value.
// Methods that are called later get the prior value too, so an input that has an
// effect on an update, such as whether to verify the result, must not be reported as
// equivalent. EquivalentInput is called only if both values are set: null is equivalent to nothing
// else. Field is the name of the attribute. Other fields of current that are
// not known yet have their zero value.
type InputEquivalencer[In any] interface {
	EquivalentInput(field string, prior, current In) bool
}

// ContextInputEquivalencer is [InputEquivalencer] with a context, for methods that call
// [Warn], or [Configured] to distinguish a nil field of current that is not known yet from
// one that is not configured. A type may have only one of the two methods.
type ContextInputEquivalencer[In any] interface {
	EquivalentInputContext(ctx context.Context, field string, prior, current In) bool
}

// ResourcePlanModifier returns which outputs an update will change; the others are planned
// unchanged, except for those that are volatile, have drifted, or are null although the provider
// must set them. It is about outputs only: [ReplaceDeclarer] and [Replacer]
// declare which changes need a new object. ModifyResourcePlan is called for a resource with prior state when the
// inputs are wholly known, except for those in fields of type [Value]. Without the method, every
// computed attribute that is not configured is unknown in the plan of an update, unless it has a value
// and the option keep.
type ResourcePlanModifier[In, Out, Config any] interface {
	ModifyResourcePlan(req ResourcePlanRequest[In, Out, Config], resp *ResourcePlanResponse) error
}

// ResourcePlanRequest has the values of a plan. Config is the zero value while the
// provider is not configured; for a type with a [Wrapper], it is the Scope. Timeouts are
// equal in both inputs, because a change of them changes no output. PriorOutputs are the
// values that were read, AppliedOutputs those that the last apply returned: the two differ if
// the object has drifted.
type ResourcePlanRequest[In, Out, Config any] struct {
	// The method gets everything in this one argument: a parameter for the context
	// would break existing resources.
	ctx context.Context //nolint:containedctx // see above

	Config         Config
	PriorInputs    In
	CurrentInputs  In
	PriorOutputs   Out
	AppliedOutputs Out
	HasPriorState  bool
}

// Context returns the context of the plan, for reading the object or its sources:
// Stop cancels it, and [Warn] accepts it. For a request that was made by hand, as in a
// test, it is the background context.
func (r *ResourcePlanRequest[In, Out, Config]) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// ResourcePlanResponse collects the outputs that the apply will change, those whose drift is ignored, and warnings.
type ResourcePlanResponse struct {
	unknown  map[string]bool
	kept     map[string]bool
	warnings diag.Diagnostics
}

// MarkOutputUnknown adds outputs that the apply will compute. This makes the plan
// an update, unless they are all configured and have no computed attributes inside. An output with the
// option keep that has a value cannot be added.
func (r *ResourcePlanResponse) MarkOutputUnknown(fields ...string) {
	mark(&r.unknown, fields)
}

// KeepOutput adds outputs that are correct although they differ from the last apply:
// their drift does not cause an update.
func (r *ResourcePlanResponse) KeepOutput(fields ...string) {
	mark(&r.kept, fields)
}

// Warn adds a warning about an attribute, or about the whole object if the name is
// empty.
func (r *ResourcePlanResponse) Warn(attribute, summary, detail string) {
	r.warnings = append(r.warnings, newWarning(attribute, summary, detail))
}

func mark(set *map[string]bool, names []string) {
	if *set == nil {
		*set = make(map[string]bool, len(names))
	}
	for _, n := range names {
		(*set)[n] = true
	}
}

// Identifier returns the identity of an object as a struct: its non-pointer fields are
// required for import, and its pointers are optional. Identity must set every field, even the
// optional ones, and return the same identity for the life of the object, unless
// [IdentityMutator] allows it to change.
//
// ID is any struct; the method is found by its name.
type Identifier[ID, Out, Config any] interface {
	Identity(cfg Config, out Out) ID
}

// IdentityMutator reports whether the identity of an object may change. Without the method it may not.
type IdentityMutator interface {
	MutableIdentity() bool
}

// ImportIDParser parses an import ID as an identity. Without the method, the ID is the value
// of the only required attribute of the identity, which must be a string.
type ImportIDParser[ID any] interface {
	ParseImportID(id string) (ID, error)
}

// Importer returns the outputs that Read needs to find the object with an identity.
// Without the method, the attributes of the identity are copied to the attributes of the resource
// with the same names.
type Importer[ID, Out, Config any] interface {
	Import(ctx context.Context, cfg Config, id ID) (Out, error)
}

// IDImporter returns the outputs that Read needs to find the object with an import ID. It is
// for resources without an identity.
type IDImporter[Out, Config any] interface {
	ImportByID(ctx context.Context, cfg Config, id string) (Out, error)
}

// Migrator returns the migrations from older schema versions, one for each version;
// see [Migrate].
type Migrator interface {
	Migrations() []Migration
}

// IdentityVersioner returns the version of the identity schema. A type without the method
// has version zero.
type IdentityVersioner interface {
	IdentityVersion() int
}

// IdentityMigrator is [Migrator] for identities.
type IdentityMigrator interface {
	IdentityMigrations() []Migration
}

// Mover returns the resource types whose objects a moved block can move to this
// type; see [MoveFrom].
type Mover interface {
	Moves() []Move
}

// Describer returns the descriptions of the schema, by Go name: Type for a type,
// Type.Field for a field. Any struct with fields for attributes may have it. The
// method is generated from doc comments, see cmd/describe. A paragraph that starts with
// "Deprecated: " is the deprecation message: an argument, a block or a whole type with one
// is deprecated in the schema, and a configuration that sets it gets a warning.
type Describer interface {
	Descriptions() map[string]string
}

func newWarning(attribute, summary, detail string) diag.Diagnostic {
	m := diag.Diagnostic{Severity: diag.Warning, Summary: summary, Detail: detail}
	if attribute != "" {
		m.Path = cty.GetAttrPath(attribute)
	}
	return m
}
