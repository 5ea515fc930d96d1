package server

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateActionConfig implements tfplugin.ActionServer.
func (s *server) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	resp := &tfplugin.ValidateActionConfigResponse{}
	c := s.call(ctx, "ValidateActionConfig")
	resp.Diagnostics = unary(c, s.p.ValidateActionConfig, func() provider.ValidateActionConfigRequest {
		c.Type(call.Action, req.ActionType)
		return provider.ValidateActionConfigRequest{ActionType: req.ActionType, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateActionConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// PlanAction implements tfplugin.ActionServer.
func (s *server) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	resp := &tfplugin.PlanActionResponse{}
	c := s.call(ctx, "PlanAction")
	resp.Diagnostics = unary(c, s.p.PlanAction, func() provider.PlanActionRequest {
		c.Type(call.Action, req.ActionType)
		return provider.PlanActionRequest{
			ActionType:         req.ActionType,
			Config:             c.Decode(req.Config, "configuration"),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.PlanActionResponse) diag.Diagnostics {
		resp.Deferred = encodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp, nil
}

// InvokeAction implements tfplugin.ActionServer. Diagnostics that belong to no
// event are sent with the completed event of the provider, or with a completed event that
// the server adds.
func (s *server) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return &tfplugin.InvokeActionServerStream{Events: func(yield func(tfplugin.InvokeActionEvent) bool) {
		var invoked provider.InvokeActionResponse
		ctx, end := s.streams.start(ctx)
		defer end()
		c := s.call(ctx, "InvokeAction")
		diags := start(c, s.p.InvokeAction, func() provider.InvokeActionRequest {
			c.Type(call.Action, req.ActionType)
			return provider.InvokeActionRequest{ActionType: req.ActionType, Config: c.Decode(req.Config, "configuration")}
		}, func(got provider.InvokeActionResponse) diag.Diagnostics {
			invoked = got
			return streamed(c, got.Events != nil, got.Diagnostics)
		})
		c = c.Fork()
		c.Add(diags)
		encode := func(e provider.ActionEvent) tfplugin.InvokeActionEvent { return encodeActionEvent(c, e) }
		if call.Stream(c, invoked.Events, encode, yield) {
			if diags := c.Take(); len(diags) > 0 {
				yield(completedEvent(diags))
			}
		}
	}}, nil
}

func encodeActionEvent(c *call.Call, e provider.ActionEvent) tfplugin.InvokeActionEvent {
	switch e := e.(type) {
	case provider.ActionProgress:
		return tfplugin.InvokeActionEvent{Type: tfplugin.ProgressInvokeActionEventType{Message: diag.Printable(e.Message)}}
	case provider.ActionCompleted:
		c.Add(e.Diagnostics)
	default:
		c.Errorf(nil, "Unknown event", "%s of %s sent an event of type %T, which the protocol does not have. "+
			"This is a bug in the provider; please report it to the provider's developers.", c.RPC(), c.Subject(), e)
	}
	return completedEvent(c.Take())
}

func completedEvent(diags diag.Diagnostics) tfplugin.InvokeActionEvent {
	return tfplugin.InvokeActionEvent{Type: tfplugin.CompletedInvokeActionEventType{Diagnostics: wire.DiagnosticsToProto(diags)}}
}
