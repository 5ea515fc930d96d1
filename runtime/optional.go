package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Defaulter sets the inputs that have a default. It is called once, at
// registration, on a fresh receiver: each field that is not its zero value
// afterwards is the default of an optional attribute. A default that is a zero
// value needs a pointer field.
type Defaulter interface {
	Defaults()
}

// Constrainer declares which inputs exclude or need each other. It is called
// once, at registration.
type Constrainer interface {
	Constraints() []Constraint
}

// InputValidator checks decoded inputs. It runs during plan once the inputs are
// wholly known and the provider is configured, so that for a replacement it
// runs before the prior object is deleted, and again before Create and Update;
// never for a no-op or a destroy.
type InputValidator[Config any] interface {
	ValidateInputs(ctx context.Context, cfg Config) error
}

// InputEquivalencer reports whether two values of an input mean the same for
// this resource. If so, the change is no change, and the plan and the state
// keep the spelling that they have. Methods that are called after it see that
// spelling, too, so that an input which has an effect on an update, such as whether
// it is verified, must not be reported as equivalent. Field is the attribute's name. Other
// fields of current that are not known yet have their zero value; with [Configured], a
// field that is configured and nil tells that it is one of these.
type InputEquivalencer[In any] interface {
	EquivalentInput(ctx context.Context, field string, prior, current In) bool
}

// ResourcePlanModifier says which outputs an update will change; the others are
// planned to stay, but for volatile ones. It runs for a resource with prior state when the inputs are
// wholly known. Without it every computed attribute is unknown while an update
// is planned.
type ResourcePlanModifier[In, Out, Config any] interface {
	ModifyResourcePlan(req ResourcePlanRequest[In, Out, Config], resp *ResourcePlanResponse) error
}

// ResourcePlanRequest is what a plan is made of. Config is the zero value while
// the provider is not configured. Timeouts are the same in both inputs: a change
// of them changes no output. PriorOutputs are what was read, AppliedOutputs what
// the last apply returned: they differ where the object has drifted.
type ResourcePlanRequest[In, Out, Config any] struct {
	// The method has this one argument for all that it is told: a parameter for
	// the context would break every resource that has it already.
	ctx context.Context //nolint:containedctx // see above

	Config         Config
	PriorInputs    In
	CurrentInputs  In
	PriorOutputs   Out
	AppliedOutputs Out
	HasPriorState  bool
}

// Context is the one of the plan, for a look at the object or what it is made
// from: Stop ends it, and [Warn] takes it. Of a request that was made
// by hand, as in a test, it is the background.
func (r *ResourcePlanRequest[In, Out, Config]) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// ResourcePlanResponse collects what apply will change.
type ResourcePlanResponse struct {
	unknown  map[string]bool
	kept     map[string]bool
	replace  map[string]bool
	warnings diag.Diagnostics
}

// MarkOutputUnknown names outputs that apply will compute. That alone makes the
// resource an update.
func (r *ResourcePlanResponse) MarkOutputUnknown(fields ...string) {
	mark(&r.unknown, fields)
}

// KeepOutput names outputs that are as they should be, although they are not as
// they were last applied: that drift is no reason for an update.
func (r *ResourcePlanResponse) KeepOutput(fields ...string) {
	mark(&r.kept, fields)
}

// MarkReplace names inputs whose change needs a new object in this case; it
// adds to ReplaceFields. A field that has not changed is left alone.
func (r *ResourcePlanResponse) MarkReplace(fields ...string) {
	mark(&r.replace, fields)
}

// Warn adds a warning about an attribute, or about the whole object when the
// name is empty.
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

// Identifier gives an object its identity, a struct: non-pointer fields are
// required for import, pointers are optional. It must fill in every field, also
// the optional ones, and give the same answer for the life of the object.
//
// ID is any struct; the method is found by its name.
type Identifier[ID, Out, Config any] interface {
	Identity(cfg Config, out Out) ID
}

// IdentityMutator allows the identity of an object to change while it lives.
type IdentityMutator interface {
	MutableIdentity() bool
}

// ImportIDParser turns an import id into an identity. Without it the id is the
// value of the identity's only required attribute, which must be a string.
type ImportIDParser[ID any] interface {
	ParseImportID(id string) (ID, error)
}

// Importer gives Read what it needs to find the object of an identity. Without
// it, the attributes of the identity are copied to those of the same name.
type Importer[ID, Out, Config any] interface {
	Import(ctx context.Context, cfg Config, id ID) (Out, error)
}

// IDImporter is import for resources without identity.
type IDImporter[Out, Config any] interface {
	ImportByID(ctx context.Context, cfg Config, id string) (Out, error)
}

// Migrator has the steps that bring state of older schema versions forward, one
// for each version; see [Migrate].
type Migrator interface {
	Migrations() []Migration
}

// IdentityVersioner gives the version of the identity; without it, it is zero.
type IdentityVersioner interface {
	IdentityVersion() int
}

// IdentityMigrator is [Migrator] for identities.
type IdentityMigrator interface {
	IdentityMigrations() []Migration
}

// Mover has the resource types whose objects can become objects of this type by
// a moved block; see [MoveFrom].
type Mover interface {
	Moves() []Move
}

// Describer gives the words of the schema, by Go name: those of a type under
// its name, those of a field under Type.Field. Any struct that fields are taken
// from may have it. The method is generated from the doc comments, see
// cmd/describe.
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
