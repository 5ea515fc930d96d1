package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateActionConfig is part of provider.Interface.
func (cl *client) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) (resp provider.ValidateActionConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateActionConfig"}
	defer c.finish(&resp.Diagnostics)
	server, config := c.action(cl, req.ActionType, req.Config)
	if c.failed() {
		return resp
	}
	got, err := server.ValidateActionConfig(ctx, &tfplugin.ValidateActionConfigRequest{ActionType: req.ActionType, Config: config})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// PlanAction is part of provider.Interface.
func (cl *client) PlanAction(ctx context.Context, req provider.PlanActionRequest) (resp provider.PlanActionResponse) {
	c := call{ctx: ctx, rpc: "PlanAction"}
	defer c.finish(&resp.Diagnostics)
	server, config := c.action(cl, req.ActionType, req.Config)
	if c.failed() {
		return resp
	}
	got, err := server.PlanAction(ctx, &tfplugin.PlanActionRequest{
		ActionType:         req.ActionType,
		Config:             config,
		ClientCapabilities: &tfplugin.PlanActionClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.Deferred = deferredFromProto(got.Deferred)
	}
	return resp
}

// InvokeAction is part of provider.Interface.
func (cl *client) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) (resp provider.InvokeActionResponse) {
	c := call{ctx: ctx, rpc: "InvokeAction"}
	defer c.finish(&resp.Diagnostics)
	server, config := c.action(cl, req.ActionType, req.Config)
	if c.failed() {
		return resp
	}
	got, err := server.InvokeAction(ctx, &tfplugin.InvokeActionRequest{
		ActionType:         req.ActionType,
		Config:             config,
		ClientCapabilities: &tfplugin.InvokeActionClientCapabilities{},
	})
	if c.answered(got != nil, err) && got.Events != nil {
		resp.Events = func(yield func(provider.ActionEvent) bool) {
			c := call{ctx: ctx, rpc: c.rpc, typ: c.typ}
			if stream(&c, got.Events, actionEventFromProto, yield) && len(c.diags) > 0 {
				yield(provider.ActionCompleted{Diagnostics: c.diags})
			}
		}
	}
	return resp
}

// action prepares a request about an action.
func (c *call) action(cl *client, name string, config cty.Value) (tfplugin.ActionServer, *tfplugin.DynamicValue) {
	codec := c.codec(cl.schemas, cl.schemas.actions, action, name)
	server, ok := cl.server.(tfplugin.ActionServer)
	if codec == nil || !c.offered(ok) {
		return nil, nil
	}
	return server, c.encode(codec, config, "configuration")
}

func actionEventFromProto(e tfplugin.InvokeActionEvent) provider.ActionEvent {
	switch e := e.Type.(type) {
	case tfplugin.ProgressInvokeActionEventType:
		return provider.ActionProgress{Message: e.Message}
	case tfplugin.CompletedInvokeActionEventType:
		return provider.ActionCompleted{Diagnostics: wire.DiagnosticsFromProto(e.Diagnostics)}
	default:
		return provider.ActionCompleted{Diagnostics: diag.Diagnostics{}.Errorf(nil, "Unknown event",
			"The provider sent an event of a kind that the protocol does not have.")}
	}
}
