package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

// The RPCs that bring an object into the present schema of its type: from an
// older one, from another type, or from outside.

// UpgradeResourceState is part of tfplugin.ResourceServer.
func (s *server) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (resp *tfplugin.UpgradeResourceStateResponse, _ error) {
	resp = &tfplugin.UpgradeResourceStateResponse{}
	c := call{ctx: ctx, rpc: "UpgradeResourceState"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	got := s.p.UpgradeResourceState(ctx, provider.UpgradeResourceStateRequest{
		TypeName:        req.TypeName,
		Version:         req.Version,
		RawStateJSON:    jsonOf(req.RawState),
		RawStateFlatmap: flatmapOf(req.RawState),
	})
	c.add(got.Diagnostics)
	resp.UpgradedState = c.encode(codec, got.UpgradedState, "upgraded state")
	return resp, nil
}

// UpgradeResourceIdentity is part of tfplugin.ResourceServer.
func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (resp *tfplugin.UpgradeResourceIdentityResponse, _ error) {
	resp = &tfplugin.UpgradeResourceIdentityResponse{}
	c := call{ctx: ctx, rpc: "UpgradeResourceIdentity"}
	defer c.end(&resp.Diagnostics)
	if c.resource(s.schemas, req.TypeName) == nil {
		return resp, nil
	}
	got := s.p.UpgradeResourceIdentity(ctx, provider.UpgradeResourceIdentityRequest{
		TypeName:        req.TypeName,
		Version:         req.Version,
		RawIdentityJSON: jsonOf(req.RawIdentity),
	})
	c.add(got.Diagnostics)
	resp.UpgradedIdentity = c.encodeIdentity(s.schemas, got.UpgradedIdentity)
	return resp, nil
}

// ImportResourceState is part of tfplugin.ResourceServer.
func (s *server) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (resp *tfplugin.ImportResourceStateResponse, _ error) {
	resp = &tfplugin.ImportResourceStateResponse{}
	c := call{ctx: ctx, rpc: "ImportResourceState"}
	defer c.end(&resp.Diagnostics)
	if c.resource(s.schemas, req.TypeName) == nil {
		return resp, nil
	}
	ask := provider.ImportResourceStateRequest{
		TypeName:           req.TypeName,
		ID:                 req.ID,
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		Identity:           c.requestIdentity(s.schemas, req.Identity),
	}
	if c.failed() {
		return resp, nil
	}
	got := s.p.ImportResourceState(ctx, ask)
	c.add(got.Diagnostics)
	resp.Deferred = deferredToProto(got.Deferred)
	for _, imported := range got.ImportedResources {
		// An import may find objects of another type than was asked for.
		codec := c.resource(s.schemas, imported.TypeName)
		if codec == nil {
			continue
		}
		resp.ImportedResources = append(resp.ImportedResources, &tfplugin.ImportedResource{
			TypeName: imported.TypeName,
			State:    c.encode(codec, imported.State, "imported state"),
			Private:  imported.Private,
			Identity: c.encodeIdentity(s.schemas, imported.Identity),
		})
	}
	return resp, nil
}

// MoveResourceState is part of tfplugin.ResourceServer.
func (s *server) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (resp *tfplugin.MoveResourceStateResponse, _ error) {
	resp = &tfplugin.MoveResourceStateResponse{}
	c := call{ctx: ctx, rpc: "MoveResourceState"}
	defer c.end(&resp.Diagnostics)
	codec := c.resource(s.schemas, req.TargetTypeName)
	if codec == nil {
		return resp, nil
	}
	got := s.p.MoveResourceState(ctx, provider.MoveResourceStateRequest{
		SourceProviderAddress: req.SourceProviderAddress,
		SourceTypeName:        req.SourceTypeName,
		SourceSchemaVersion:   req.SourceSchemaVersion,
		SourceStateJSON:       jsonOf(req.SourceState),
		SourcePrivate:         req.SourcePrivate,
		TargetTypeName:        req.TargetTypeName,
		SourceIdentity:        jsonOf(req.SourceIdentity),
	})
	c.add(got.Diagnostics)
	resp.TargetState = c.encode(codec, got.TargetState, "target state")
	resp.TargetPrivate = got.TargetPrivate
	resp.TargetIdentity = c.encodeIdentity(s.schemas, got.TargetIdentity)
	return resp, nil
}
