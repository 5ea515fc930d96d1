package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateResourceConfig is part of provider.Interface.
func (cl *client) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateResourceConfig"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.ValidateResourceConfig(ctx, &tfplugin.ValidateResourceConfigRequest{
		TypeName: req.TypeName,
		Config:   config,
		ClientCapabilities: &tfplugin.ValidateResourceConfigClientCapabilities{
			WriteOnlyAttributesAllowed: req.ClientCapabilities.WriteOnlyAttributesAllowed,
		},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// ReadResource is part of provider.Interface.
func (cl *client) ReadResource(ctx context.Context, req provider.ReadResourceRequest) (resp provider.ReadResourceResponse) {
	c := call{ctx: ctx, rpc: "ReadResource"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	ask := &tfplugin.ReadResourceRequest{
		TypeName:           req.TypeName,
		CurrentState:       c.encode(codec, req.PriorState, "current state"),
		Private:            req.Private,
		ProviderMeta:       c.encodeMeta(cl.schemas, req.ProviderMeta),
		ClientCapabilities: &tfplugin.ReadResourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		CurrentIdentity:    c.encodeIdentity(cl.schemas, req.CurrentIdentity),
	}
	if c.failed() {
		return resp
	}
	got, err := cl.server.ReadResource(ctx, ask)
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.NewState = c.decode(codec, got.NewState, "new state")
		resp.Private = got.Private
		resp.Deferred = deferredFromProto(got.Deferred)
		resp.Identity = c.answerIdentity(cl.schemas, got.NewIdentity)
	}
	return resp
}

// PlanResourceChange is part of provider.Interface.
func (cl *client) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	c := call{ctx: ctx, rpc: "PlanResourceChange"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	ask := &tfplugin.PlanResourceChangeRequest{
		TypeName:           req.TypeName,
		PriorState:         c.encode(codec, req.PriorState, "prior state"),
		ProposedNewState:   c.encode(codec, req.ProposedNewState, "proposed new state"),
		Config:             c.encode(codec, req.Config, "configuration"),
		PriorPrivate:       req.PriorPrivate,
		ProviderMeta:       c.encodeMeta(cl.schemas, req.ProviderMeta),
		ClientCapabilities: &tfplugin.PlanResourceChangeClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		PriorIdentity:      c.encodeIdentity(cl.schemas, req.PriorIdentity),
	}
	if c.failed() {
		return resp
	}
	got, err := cl.server.PlanResourceChange(ctx, ask)
	if !c.answered(got != nil, err) {
		return resp
	}
	c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	resp.PlannedState = c.decode(codec, got.PlannedState, "planned state")
	for _, path := range got.RequiresReplace {
		resp.RequiresReplace = append(resp.RequiresReplace, wire.PathFromProto(path))
	}
	resp.PlannedPrivate = got.PlannedPrivate
	resp.LegacyTypeSystem = got.UnsafeToUseLegacyTypeSystem
	resp.Deferred = deferredFromProto(got.Deferred)
	resp.PlannedIdentity = c.answerIdentity(cl.schemas, got.PlannedIdentity)
	return resp
}

// ApplyResourceChange is part of provider.Interface.
func (cl *client) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	c := call{ctx: ctx, rpc: "ApplyResourceChange"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	ask := &tfplugin.ApplyResourceChangeRequest{
		TypeName:        req.TypeName,
		PriorState:      c.encode(codec, req.PriorState, "prior state"),
		PlannedState:    c.encode(codec, req.PlannedState, "planned state"),
		Config:          c.encode(codec, req.Config, "configuration"),
		PlannedPrivate:  req.PlannedPrivate,
		ProviderMeta:    c.encodeMeta(cl.schemas, req.ProviderMeta),
		PlannedIdentity: c.encodeIdentity(cl.schemas, req.PlannedIdentity),
	}
	// Without an answer that can be read the object is what it was.
	resp.NewState = req.PriorState
	if c.failed() {
		return resp
	}
	got, err := cl.server.ApplyResourceChange(ctx, ask)
	if !c.answered(got != nil, err) {
		return resp
	}
	c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	resp.Private = got.Private
	resp.LegacyTypeSystem = got.UnsafeToUseLegacyTypeSystem
	resp.NewIdentity = c.answerIdentity(cl.schemas, got.NewIdentity)
	if state, err := codec.DecodeDynamic(got.NewState); err != nil {
		c.undecodable("new state", err)
	} else {
		resp.NewState = state
	}
	return resp
}

// GenerateResourceConfig is part of provider.Interface.
func (cl *client) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	c := call{ctx: ctx, rpc: "GenerateResourceConfig"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	state := c.encode(codec, req.State, "state")
	if c.failed() {
		return resp
	}
	got, err := cl.server.GenerateResourceConfig(ctx, &tfplugin.GenerateResourceConfigRequest{TypeName: req.TypeName, State: state})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.Config = c.decode(codec, got.Config, "configuration")
	}
	return resp
}
