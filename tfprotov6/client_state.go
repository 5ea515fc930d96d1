package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// UpgradeResourceState is part of provider.Interface.
func (cl *client) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	c := call{ctx: ctx, rpc: "UpgradeResourceState"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TypeName)
	if codec == nil {
		return resp
	}
	got, err := cl.server.UpgradeResourceState(ctx, &tfplugin.UpgradeResourceStateRequest{
		TypeName: req.TypeName,
		Version:  req.Version,
		RawState: rawStateToProto(req.RawStateJSON, req.RawStateFlatmap),
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.UpgradedState = c.decode(codec, got.UpgradedState, "upgraded state")
	}
	return resp
}

// UpgradeResourceIdentity is part of provider.Interface.
func (cl *client) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) (resp provider.UpgradeResourceIdentityResponse) {
	c := call{ctx: ctx, rpc: "UpgradeResourceIdentity"}
	defer c.finish(&resp.Diagnostics)
	if c.resource(cl.schemas, req.TypeName) == nil {
		return resp
	}
	got, err := cl.server.UpgradeResourceIdentity(ctx, &tfplugin.UpgradeResourceIdentityRequest{
		TypeName:    req.TypeName,
		Version:     req.Version,
		RawIdentity: rawStateToProto(req.RawIdentityJSON, nil),
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.UpgradedIdentity = c.answerIdentity(cl.schemas, got.UpgradedIdentity)
	}
	return resp
}

// ImportResourceState is part of provider.Interface.
func (cl *client) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	c := call{ctx: ctx, rpc: "ImportResourceState"}
	defer c.finish(&resp.Diagnostics)
	if c.resource(cl.schemas, req.TypeName) == nil {
		return resp
	}
	identity := c.encodeIdentity(cl.schemas, req.Identity)
	if c.failed() {
		return resp
	}
	got, err := cl.server.ImportResourceState(ctx, &tfplugin.ImportResourceStateRequest{
		TypeName:           req.TypeName,
		ID:                 req.ID,
		ClientCapabilities: &tfplugin.ImportResourceStateClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		Identity:           identity,
	})
	if !c.answered(got != nil, err) {
		return resp
	}
	c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	resp.Deferred = deferredFromProto(got.Deferred)
	for _, imported := range got.ImportedResources {
		codec := c.resource(cl.schemas, imported.TypeName)
		if codec == nil {
			continue
		}
		resp.ImportedResources = append(resp.ImportedResources, provider.ImportedResource{
			TypeName: imported.TypeName,
			State:    c.decode(codec, imported.State, "imported state"),
			Private:  imported.Private,
			Identity: c.answerIdentity(cl.schemas, imported.Identity),
		})
	}
	return resp
}

// MoveResourceState is part of provider.Interface.
func (cl *client) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) (resp provider.MoveResourceStateResponse) {
	c := call{ctx: ctx, rpc: "MoveResourceState"}
	defer c.finish(&resp.Diagnostics)
	codec := c.resource(cl.schemas, req.TargetTypeName)
	if codec == nil {
		return resp
	}
	got, err := cl.server.MoveResourceState(ctx, &tfplugin.MoveResourceStateRequest{
		SourcePrivate:         req.SourcePrivate,
		SourceProviderAddress: req.SourceProviderAddress,
		SourceSchemaVersion:   req.SourceSchemaVersion,
		SourceState:           rawStateToProto(req.SourceStateJSON, nil),
		SourceTypeName:        req.SourceTypeName,
		TargetTypeName:        req.TargetTypeName,
		SourceIdentity:        rawStateToProto(req.SourceIdentity, nil),
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.TargetState = c.decode(codec, got.TargetState, "target state")
		resp.TargetPrivate = got.TargetPrivate
		resp.TargetIdentity = c.answerIdentity(cl.schemas, got.TargetIdentity)
	}
	return resp
}
