package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

const managedResource = "managed resource type"

func (c *call) resource(s *schemas, name string) *wire.Codec {
	return c.codec(s, s.resources, managedResource, name)
}

// ValidateResourceConfig is part of tfplugin.ResourceServer.
func (s *server) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (resp *tfplugin.ValidateResourceConfigResponse, _ error) {
	resp = &tfplugin.ValidateResourceConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateResourceConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	var can provider.ClientCapabilities
	if req.ClientCapabilities != nil {
		can.WriteOnlyAttributesAllowed = req.ClientCapabilities.WriteOnlyAttributesAllowed
	}
	got := s.p.ValidateResourceConfig(ctx, provider.ValidateResourceConfigRequest{
		TypeName:           req.TypeName,
		Config:             config,
		ClientCapabilities: can,
	})
	c.add(got.Diagnostics)
	return resp, nil
}

// ReadResource is part of tfplugin.ResourceServer.
func (s *server) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (resp *tfplugin.ReadResourceResponse, _ error) {
	resp = &tfplugin.ReadResourceResponse{}
	c := call{ctx: ctx, rpc: "ReadResource"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	ask := provider.ReadResourceRequest{
		TypeName:           req.TypeName,
		PriorState:         c.decode(codec, req.CurrentState, "current state"),
		Private:            req.Private,
		ProviderMeta:       c.decodeMeta(s.schemas, req.ProviderMeta),
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		CurrentIdentity:    c.requestIdentity(s.schemas, req.CurrentIdentity),
	}
	if c.failed() {
		return resp, nil
	}
	got := s.p.ReadResource(ctx, ask)
	c.add(got.Diagnostics)
	resp.NewState = c.encode(codec, got.NewState, "new state")
	resp.Private = got.Private
	resp.Deferred = deferredToProto(got.Deferred)
	resp.NewIdentity = c.encodeIdentity(s.schemas, got.Identity)
	return resp, nil
}

// PlanResourceChange is part of tfplugin.ResourceServer.
func (s *server) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (resp *tfplugin.PlanResourceChangeResponse, _ error) {
	resp = &tfplugin.PlanResourceChangeResponse{}
	c := call{ctx: ctx, rpc: "PlanResourceChange"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	ask := provider.PlanResourceChangeRequest{
		TypeName:           req.TypeName,
		PriorState:         c.decode(codec, req.PriorState, "prior state"),
		ProposedNewState:   c.decode(codec, req.ProposedNewState, "proposed new state"),
		Config:             c.decode(codec, req.Config, "configuration"),
		PriorPrivate:       req.PriorPrivate,
		ProviderMeta:       c.decodeMeta(s.schemas, req.ProviderMeta),
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		PriorIdentity:      c.requestIdentity(s.schemas, req.PriorIdentity),
	}
	if c.failed() {
		return resp, nil
	}
	got := s.p.PlanResourceChange(ctx, ask)
	c.add(got.Diagnostics)
	resp.PlannedState = c.encode(codec, got.PlannedState, "planned state")
	for _, path := range got.RequiresReplace {
		// The path of the whole object has no protocol form but one without
		// steps.
		at := wire.PathToProto(path)
		if at == nil {
			at = tftypes.NewAttributePath()
		}
		resp.RequiresReplace = append(resp.RequiresReplace, at)
	}
	resp.PlannedPrivate = got.PlannedPrivate
	resp.UnsafeToUseLegacyTypeSystem = got.LegacyTypeSystem
	resp.Deferred = deferredToProto(got.Deferred)
	resp.PlannedIdentity = c.encodeIdentity(s.schemas, got.PlannedIdentity)
	return resp, nil
}

// ApplyResourceChange is part of tfplugin.ResourceServer.
func (s *server) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (resp *tfplugin.ApplyResourceChangeResponse, _ error) {
	resp = &tfplugin.ApplyResourceChangeResponse{}
	c := call{ctx: ctx, rpc: "ApplyResourceChange"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	prior := c.decode(codec, req.PriorState, "prior state")
	if !c.failed() {
		// Until there is a better answer, and if a panic prevents one, the object
		// is what it was. What was not read is not repeated.
		resp.NewState = req.PriorState
	}
	resp.Private = req.PlannedPrivate
	ask := provider.ApplyResourceChangeRequest{
		TypeName:        req.TypeName,
		PriorState:      prior,
		PlannedState:    c.decode(codec, req.PlannedState, "planned state"),
		Config:          c.decode(codec, req.Config, "configuration"),
		PlannedPrivate:  req.PlannedPrivate,
		ProviderMeta:    c.decodeMeta(s.schemas, req.ProviderMeta),
		PlannedIdentity: c.requestIdentity(s.schemas, req.PlannedIdentity),
	}
	if c.failed() {
		return resp, nil
	}
	if !ask.PriorState.IsNull() {
		resp.NewIdentity = req.PlannedIdentity
	}
	got := s.p.ApplyResourceChange(ctx, ask)
	c.add(got.Diagnostics)
	resp.Private = got.Private
	resp.UnsafeToUseLegacyTypeSystem = got.LegacyTypeSystem
	resp.NewIdentity = c.encodeIdentity(s.schemas, got.NewIdentity)
	state, err := codec.EncodeDynamic(got.NewState)
	if err == nil {
		resp.NewState = state
		return resp, nil
	}
	c.encode(codec, got.NewState, "new state")
	if ask.PriorState.IsNull() {
		// An object was created. What was planned, as far as it was known, keeps
		// a hold of it; with the error above clients store it as tainted.
		resp.NewState = c.encode(codec, cty.UnknownAsNull(ask.PlannedState), "planned state")
	}
	return resp, nil
}

// GenerateResourceConfig is part of tfplugin.ResourceServer.
func (s *server) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (resp *tfplugin.GenerateResourceConfigResponse, _ error) {
	resp = &tfplugin.GenerateResourceConfigResponse{}
	c := call{ctx: ctx, rpc: "GenerateResourceConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	state := c.decode(codec, req.State, "state")
	if c.failed() {
		return resp, nil
	}
	got := s.p.GenerateResourceConfig(ctx, provider.GenerateResourceConfigRequest{TypeName: req.TypeName, State: state})
	c.add(got.Diagnostics)
	resp.Config = c.encode(codec, got.Config, "configuration")
	return resp, nil
}
