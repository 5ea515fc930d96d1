package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateActionConfigRequest validates a configuration, which may contain
// unknown values.
type ValidateActionConfigRequest struct {
	ActionType string
	Config     cty.Value
}

// ValidateActionConfigResponse has the diagnostics.
type ValidateActionConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// PlanActionRequest checks whether an action can be invoked.
type PlanActionRequest struct {
	ActionType         string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// PlanActionResponse has the diagnostics. The only valid deferral reason is
// [DeferredReasonProviderConfigUnknown].
type PlanActionResponse struct {
	Diagnostics diag.Diagnostics
	Deferred    *Deferred
}

// InvokeActionRequest invokes an action. Config is wholly known.
type InvokeActionRequest struct {
	ActionType         string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// InvokeActionResponse has the events as they happen; the last one is
// [ActionCompleted]. Diagnostics has the errors that prevent the action; Events
// may then be nil.
type InvokeActionResponse struct {
	Events      iter.Seq[ActionEvent]
	Diagnostics diag.Diagnostics
}

// ActionEvent is an [ActionProgress] or an [ActionCompleted].
type ActionEvent interface{ actionEvent() }

// ActionProgress is a progress message of a running action.
type ActionProgress struct{ Message string }

// ActionCompleted ends an action. Error diagnostics mean that it failed.
type ActionCompleted struct{ Diagnostics diag.Diagnostics }

func (ActionProgress) actionEvent()  {}
func (ActionCompleted) actionEvent() {}
