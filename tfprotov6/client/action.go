package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateActionConfig implements provider.Interface.
func (cl *client) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) (resp provider.ValidateActionConfigResponse) {
	c := cl.call(ctx, "ValidateActionConfig")
	method := optional(cl.server, tfplugin.ActionServer.ValidateActionConfig)
	resp.Diagnostics = unary(c, method, func() *tfplugin.ValidateActionConfigRequest {
		c.Type(call.Action, req.ActionType)
		return &tfplugin.ValidateActionConfigRequest{ActionType: req.ActionType, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateActionConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// PlanAction implements provider.Interface.
func (cl *client) PlanAction(ctx context.Context, req provider.PlanActionRequest) (resp provider.PlanActionResponse) {
	c := cl.call(ctx, "PlanAction")
	method := optional(cl.server, tfplugin.ActionServer.PlanAction)
	resp.Diagnostics = unary(c, method, func() *tfplugin.PlanActionRequest {
		c.Type(call.Action, req.ActionType)
		return &tfplugin.PlanActionRequest{
			ActionType:         req.ActionType,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.PlanActionClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.PlanActionResponse) []*tfplugin.Diagnostic {
		resp.Deferred = decodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp
}

// InvokeAction implements provider.Interface.
func (cl *client) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) (resp provider.InvokeActionResponse) {
	c := cl.call(ctx, "InvokeAction")
	var failure error
	method := recordFailure(&failure, optional(cl.server, tfplugin.ActionServer.InvokeAction))
	resp.Diagnostics = unary(c, method, func() *tfplugin.InvokeActionRequest {
		c.Type(call.Action, req.ActionType)
		return &tfplugin.InvokeActionRequest{
			ActionType:         req.ActionType,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.InvokeActionClientCapabilities{},
		}
	}, func(got *tfplugin.InvokeActionServerStream) []*tfplugin.Diagnostic {
		if !responded(c, got.Events != nil, nil) {
			return nil
		}
		resp.Events = elements(c, got.Events, &failure, func(_ *call.Call, e tfplugin.InvokeActionEvent) provider.ActionEvent {
			return decodeActionEvent(e)
		}, func(d diag.Diagnostics) provider.ActionEvent { return provider.ActionCompleted{Diagnostics: d} })
		return nil
	})
	return resp
}

func decodeActionEvent(e tfplugin.InvokeActionEvent) provider.ActionEvent {
	switch e := e.Type.(type) {
	case tfplugin.ProgressInvokeActionEventType:
		return provider.ActionProgress{Message: e.Message}
	case tfplugin.CompletedInvokeActionEventType:
		return provider.ActionCompleted{Diagnostics: wire.DiagnosticsFromProto(e.Diagnostics)}
	default:
		return provider.ActionCompleted{Diagnostics: diag.Diagnostics{}.Errorf(nil, "Unknown event",
			"The provider sent an event of type %T, which the protocol does not have.", e)}
	}
}
