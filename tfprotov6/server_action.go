package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

const action = "action"

// ValidateActionConfig is part of tfplugin.ActionServer.
func (s *server) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (resp *tfplugin.ValidateActionConfigResponse, _ error) {
	resp = &tfplugin.ValidateActionConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateActionConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.actions, action, req.ActionType)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateActionConfig(ctx, provider.ValidateActionConfigRequest{ActionType: req.ActionType, Config: config})
	c.add(got.Diagnostics)
	return resp, nil
}

// PlanAction is part of tfplugin.ActionServer.
func (s *server) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (resp *tfplugin.PlanActionResponse, _ error) {
	resp = &tfplugin.PlanActionResponse{}
	c := call{ctx: ctx, rpc: "PlanAction"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.actions, action, req.ActionType)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.PlanAction(ctx, provider.PlanActionRequest{
		ActionType:         req.ActionType,
		Config:             config,
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
	})
	c.add(got.Diagnostics)
	resp.Deferred = deferredToProto(got.Deferred)
	return resp, nil
}

// InvokeAction is part of tfplugin.ActionServer. Messages that are of no event
// come with the event of completion, which is made up where an error prevents
// the provider's own.
func (s *server) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return &tfplugin.InvokeActionServerStream{Events: func(yield func(tfplugin.InvokeActionEvent) bool) {
		c := call{ctx: ctx, rpc: "InvokeAction"}
		invoked := s.startAction(&c, req)
		if stream(&c, invoked.Events, c.actionEvent, yield) && len(c.diags) > 0 {
			yield(completed(c.diags))
		}
	}}, nil
}

func (s *server) startAction(c *call, req *tfplugin.InvokeActionRequest) (invoked provider.InvokeActionResponse) {
	defer func() {
		if r := recover(); r != nil {
			c.panicked(r)
		}
	}()
	codec := c.codec(s.schemas, s.schemas.actions, action, req.ActionType)
	if codec == nil {
		return invoked
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return invoked
	}
	invoked = s.p.InvokeAction(c.ctx, provider.InvokeActionRequest{ActionType: req.ActionType, Config: config})
	c.add(invoked.Diagnostics)
	return invoked
}

func (c *call) actionEvent(e provider.ActionEvent) tfplugin.InvokeActionEvent {
	switch e := e.(type) {
	case provider.ActionProgress:
		return tfplugin.InvokeActionEvent{Type: tfplugin.ProgressInvokeActionEventType{Message: validText(e.Message)}}
	case provider.ActionCompleted:
		return completed(append(c.take(), e.Diagnostics...))
	default:
		c.errorf(nil, "Unknown event", "%s of %s had an event of a kind that the protocol does not have. "+
			"This is a mistake in the provider's code; please report it to the provider's developers.", c.rpc, c.of())
		return completed(c.take())
	}
}

func completed(diags diag.Diagnostics) tfplugin.InvokeActionEvent {
	return tfplugin.InvokeActionEvent{Type: tfplugin.CompletedInvokeActionEventType{Diagnostics: wire.DiagnosticsToProto(diags)}}
}
