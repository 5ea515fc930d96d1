package plans

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// Mode is what a plan is for.
type Mode int

const (
	// NormalMode brings what is there to what configuration says.
	NormalMode Mode = iota
	// DestroyMode removes everything.
	DestroyMode
	// RefreshOnlyMode records what is there and changes nothing.
	RefreshOnlyMode
)

// Plan is what an apply would do.
type Plan struct {
	Mode Mode
	// Timestamp is when the plan was made: what plantimestamp says, in its apply
	// too.
	Timestamp time.Time
	// PrevRunState is the state that the plan began with, moved and upgraded;
	// PriorState is the same after refreshing.
	PrevRunState, PriorState *states.State
	// Changes are in the order of their addresses.
	Changes []*ResourceInstanceChange
	// Drift has what refreshing found changed, no-ops left out.
	Drift   []*ResourceInstanceChange
	Outputs []*OutputChange
	// Variables are those of the root module, as they were given.
	Variables map[string]cty.Value
	// Checks are results of conditions, for display.
	Checks []CheckResult
	// ForceReplace and Targets are as asked for.
	ForceReplace []addrs.AbsResourceInstance
	Targets      []string
	// Errored marks a plan that cannot be applied.
	Errored bool
}

// Empty reports whether applying the plan would change nothing: no resource,
// and no output of the root module.
func (p *Plan) Empty() bool {
	for _, c := range p.Changes {
		if c.Action != NoOp || c.Importing != nil || c.Moved() {
			return false
		}
	}
	for _, o := range p.Outputs {
		if o.Action != NoOp {
			return false
		}
	}
	return true
}

// ResourceInstanceChange is what is done with one object.
type ResourceInstanceChange struct {
	Addr addrs.AbsResourceInstance
	// PrevRunAddr is where the object was in the previous run.
	PrevRunAddr addrs.AbsResourceInstance
	// DeposedKey is set where the change is the deletion of a deposed object.
	DeposedKey states.DeposedKey
	Provider   addrs.AbsProviderConfig

	Action Action
	Reason ActionReason
	// Before and After have the type that the schema implies. After has unknown
	// values; it is null for a deletion, Before for a creation.
	Before, After cty.Value
	// BeforeIdentity and AfterIdentity are null or of the identity's type;
	// cty.NilVal where the type has none.
	BeforeIdentity, AfterIdentity cty.Value
	// RequiredReplace has the paths that ask for replacement.
	RequiredReplace []cty.Path
	// Private is what the provider planned.
	Private []byte
	// Importing is set where the object is taken over in this run.
	Importing *Importing
	// GeneratedConfig is the configuration written for an import, or "".
	GeneratedConfig string
}

// Moved reports whether the object had another address in the previous run.
func (c *ResourceInstanceChange) Moved() bool {
	return c.PrevRunAddr.Resource.Resource.Type != "" && !c.Addr.Equal(c.PrevRunAddr)
}

// Importing is what an object is imported by.
type Importing struct {
	ID string
	// Identity is cty.NilVal where the import is by id.
	Identity cty.Value
}

// OutputChange is what becomes of an output of the root module.
type OutputChange struct {
	Name          string
	Action        Action
	Before, After cty.Value
	Sensitive     bool
}

// CheckResult is the outcome of the conditions of one object.
type CheckResult struct {
	// Kind is "resource", "output_value", "check" or "var".
	Kind string
	// Object is the address of the object as configured, Instance that of the
	// instance.
	Object, Instance string
	Status           CheckStatus
	Problems         []string
}

// CheckStatus is the outcome of conditions.
type CheckStatus string

const (
	// CheckPass is for conditions that hold.
	CheckPass CheckStatus = "pass"
	// CheckFail is for conditions that do not.
	CheckFail CheckStatus = "fail"
	// CheckError is for conditions that could not be evaluated.
	CheckError CheckStatus = "error"
	// CheckUnknown is for conditions that will be known after apply.
	CheckUnknown CheckStatus = "unknown"
)
