// Package plans defines plans: the change of each resource instance with its reason,
// the changes of outputs, and the detected drift.
//
// Package engine makes and applies plans; engine/planjson renders them.
//
// Invariants: plans are immutable. The values of objects and actions have the marks
// (sensitive) of package lang.
//
// Elsewhere: package states has the state.
package plans

import (
	"cmp"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// Mode is the purpose of a plan.
type Mode int

const (
	// NormalMode makes the objects match the configuration.
	NormalMode Mode = iota
	// DestroyMode destroys the objects.
	DestroyMode
	// RefreshOnlyMode updates the state and changes no object.
	RefreshOnlyMode
)

// Plan is a set of changes to apply.
type Plan struct {
	Mode Mode
	// Timestamp is the time of the plan, and the result of plantimestamp in the plan and
	// in the apply.
	Timestamp time.Time
	// PrevRunState is the state before the plan, with moved objects at their new
	// addresses. PriorState is the same state after upgrading, refreshing and importing.
	PrevRunState, PriorState *states.State
	// Changes are sorted by address.
	Changes []*ResourceInstanceChange
	// Drift has the changes that refreshing found, and a no-op for each object that only moved.
	Drift   []*ResourceInstanceChange
	Outputs []*OutputChange
	// Actions are the actions to invoke, sorted by the addresses of their triggers.
	Actions []*ActionInvocation
	// Variables are the given variables of the root module.
	Variables map[string]cty.Value
	// FunctionResults are the known results of functions of providers and of functions that
	// read files, by their calls. The engine records them only for Terraform.
	FunctionResults map[string]cty.Value
	// Checks are the results of conditions.
	Checks []CheckResult
	// Targets are the targets of the request.
	Targets []string
	// Errored is set for a plan that cannot be applied.
	Errored bool
}

// Empty reports whether the plan has no action other than NoOp, no import and no move of an
// object, and no change of an output of the root module.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Changes, func(c *ResourceInstanceChange) bool { return c.Action != NoOp || c.Importing != nil || c.Moved() }) &&
		!slices.ContainsFunc(p.Outputs, func(o *OutputChange) bool { return o.Action != NoOp })
}

// ActionInvocation is an action that a change triggers.
type ActionInvocation struct {
	Action   addrs.AbsResourceInstance
	Provider addrs.AbsProviderConfig
	// Trigger is the object whose change triggers the action at Event, such as
	// after_create.
	Trigger addrs.AbsResourceInstance
	Event   string
	// TriggerIndex is the index of the action_trigger block, ActionIndex that of the
	// action in it.
	TriggerIndex, ActionIndex int
	// Config may have unknown values.
	Config cty.Value
}

// ResourceInstanceChange is the change of one object.
type ResourceInstanceChange struct {
	Addr addrs.AbsResourceInstance
	// PrevRunAddr is the object's address in the previous run.
	PrevRunAddr addrs.AbsResourceInstance
	// DeposedKey is set if the change deletes or forgets a deposed object.
	DeposedKey states.DeposedKey
	Provider   addrs.AbsProviderConfig

	Action Action
	Reason ActionReason
	// Before and After have the type implied by the schema. Before is null for a creation,
	// After for a deletion. After may have unknown values.
	Before, After cty.Value
	// BeforeIdentity and AfterIdentity are of the identity's type; cty.NilVal if there
	// is none.
	BeforeIdentity, AfterIdentity cty.Value
	// RequiredReplace are the paths that require replacement.
	RequiredReplace []cty.Path
	// Private is the planned private data of the provider.
	Private []byte
	// Importing is set if the object is imported in this run.
	Importing *Importing
	// GeneratedConfig is the generated configuration of an import, or "".
	GeneratedConfig string
}

// Moved reports whether the object had a different address in the previous run.
func (c *ResourceInstanceChange) Moved() bool {
	return c.PrevRunAddr.Resource.Resource.Type != "" && !c.Addr.Equal(c.PrevRunAddr)
}

// Importing is the ID or identity of an import.
type Importing struct {
	ID string
	// Identity is cty.NilVal for an import by ID.
	Identity cty.Value
}

// OutputChange is the change of an output of the root module.
type OutputChange struct {
	Name          string
	Action        Action
	Before, After cty.Value
	Sensitive     bool
}

// CheckResult is the result of the conditions of one instance of an object.
type CheckResult struct {
	// Kind is "resource", "output_value", "check" or "var".
	Kind string
	// Object is the address of the object as configured, Instance that of the instance.
	Object, Instance string
	Status           CheckStatus
	Problems         []string
}

// CheckStatus is the result of conditions.
type CheckStatus string

const (
	// CheckPass means that all conditions hold.
	CheckPass CheckStatus = "pass"
	// CheckFail means that a condition failed.
	CheckFail CheckStatus = "fail"
	// CheckError means that a condition could not be evaluated.
	CheckError CheckStatus = "error"
	// CheckUnknown means that the result is known after apply.
	CheckUnknown CheckStatus = "unknown"
)

// Action is the operation of a change on an object.
type Action rune

// The actions with their symbols.
const (
	NoOp             Action = 0
	Create           Action = '+'
	Read             Action = '←'
	Update           Action = '~'
	DeleteThenCreate Action = '∓'
	CreateThenDelete Action = '±'
	Delete           Action = '-'
	// Forget removes the object from the state and does not destroy it.
	Forget Action = '.'
)

var actionNames = map[Action]string{
	NoOp: "NoOp", Create: "Create", Read: "Read", Update: "Update", DeleteThenCreate: "DeleteThenCreate",
	CreateThenDelete: "CreateThenDelete", Delete: "Delete", Forget: "Forget",
}

// IsReplace reports whether the object is deleted and created.
func (a Action) IsReplace() bool { return a == DeleteThenCreate || a == CreateThenDelete }

// String returns the name of the action in messages.
func (a Action) String() string {
	return cmp.Or(actionNames[a], "Action("+string(rune(a))+")")
}

// ActionReason is the reason for an action if it is not obvious; the texts are those of
// the JSON form of plans.
type ActionReason string

// The reasons of actions.
const (
	NoReason                      ActionReason = ""
	ReplaceBecauseTainted         ActionReason = "replace_because_tainted"
	ReplaceBecauseCannotUpdate    ActionReason = "replace_because_cannot_update"
	ReplaceByRequest              ActionReason = "replace_by_request"
	ReplaceByTriggers             ActionReason = "replace_by_triggers"
	DeleteBecauseNoResourceConfig ActionReason = "delete_because_no_resource_config"
	DeleteBecauseNoModule         ActionReason = "delete_because_no_module"
	DeleteBecauseWrongRepetition  ActionReason = "delete_because_wrong_repetition"
	DeleteBecauseCountIndex       ActionReason = "delete_because_count_index"
	DeleteBecauseEachKey          ActionReason = "delete_because_each_key"
	DeleteBecauseEnabledFalse     ActionReason = "delete_because_enabled_false"
	DeleteBecauseNoMoveTarget     ActionReason = "delete_because_no_move_target"
	ReadBecauseConfigUnknown      ActionReason = "read_because_config_unknown"
	ReadBecauseDependencyPending  ActionReason = "read_because_dependency_pending"
	ReadBecauseCheckNested        ActionReason = "read_because_check_nested"
)
