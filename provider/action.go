package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateActionConfigRequest asks whether a configuration, perhaps partly
// unknown, is lawful.
type ValidateActionConfigRequest struct {
	ActionType string
	Config     cty.Value
}

// ValidateActionConfigResponse has the messages.
type ValidateActionConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// PlanActionRequest asks whether an action could be invoked.
type PlanActionRequest struct {
	ActionType         string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// PlanActionResponse has the messages. The only lawful deferral is
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
// [ActionCompleted]. Diagnostics are those that prevent the action altogether;
// Events may then be nil.
type InvokeActionResponse struct {
	Events      iter.Seq[ActionEvent]
	Diagnostics diag.Diagnostics
}

// ActionEvent is an [ActionProgress] or an [ActionCompleted].
type ActionEvent interface{ actionEvent() }

// ActionProgress is a message while an action runs.
type ActionProgress struct{ Message string }

// ActionCompleted ends an action; with error diagnostics it has failed.
type ActionCompleted struct{ Diagnostics diag.Diagnostics }

func (ActionProgress) actionEvent()  {}
func (ActionCompleted) actionEvent() {}
