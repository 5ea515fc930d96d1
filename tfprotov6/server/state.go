package server

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// The RPCs that convert an object to the current schema of its type: from an
// older version, from another type, or by import.

// UpgradeResourceState implements tfplugin.ResourceServer.
func (s *server) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	resp := &tfplugin.UpgradeResourceStateResponse{}
	c := s.call(ctx, "UpgradeResourceState")
	resp.Diagnostics = unary(c, s.p.UpgradeResourceState, func() provider.UpgradeResourceStateRequest {
		c.Type(call.ManagedResource, req.TypeName)
		in := provider.UpgradeResourceStateRequest{TypeName: req.TypeName, Version: req.Version, RawStateJSON: rawJSON(req.RawState)}
		if req.RawState != nil {
			in.RawStateFlatmap = req.RawState.Flatmap
		}
		return in
	}, func(got provider.UpgradeResourceStateResponse) diag.Diagnostics {
		resp.UpgradedState = c.Encode(got.UpgradedState, "upgraded state")
		return got.Diagnostics
	})
	return resp, nil
}

// UpgradeResourceIdentity implements tfplugin.ResourceServer.
func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	resp := &tfplugin.UpgradeResourceIdentityResponse{}
	c := s.call(ctx, "UpgradeResourceIdentity")
	resp.Diagnostics = unary(c, s.p.UpgradeResourceIdentity, func() provider.UpgradeResourceIdentityRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.UpgradeResourceIdentityRequest{TypeName: req.TypeName, Version: req.Version, RawIdentityJSON: rawJSON(req.RawIdentity)}
	}, func(got provider.UpgradeResourceIdentityResponse) diag.Diagnostics {
		resp.UpgradedIdentity = c.EncodeIdentity(got.UpgradedIdentity)
		return got.Diagnostics
	})
	return resp, nil
}

// ImportResourceState implements tfplugin.ResourceServer. An import may return
// objects of other types than the requested one.
func (s *server) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	resp := &tfplugin.ImportResourceStateResponse{}
	c := s.call(ctx, "ImportResourceState")
	resp.Diagnostics = unary(c, s.p.ImportResourceState, func() provider.ImportResourceStateRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.ImportResourceStateRequest{
			TypeName:           req.TypeName,
			ID:                 req.ID,
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
			Identity:           c.DecodeIdentity(req.Identity),
		}
	}, func(got provider.ImportResourceStateResponse) diag.Diagnostics {
		resp.Deferred = encodeDeferred(got.Deferred)
		for _, imported := range got.ImportedResources {
			if !c.Type(call.ManagedResource, imported.TypeName) {
				continue
			}
			resp.ImportedResources = append(resp.ImportedResources, &tfplugin.ImportedResource{
				TypeName: imported.TypeName,
				State:    c.Encode(imported.State, "imported state"),
				Private:  imported.Private,
				Identity: c.EncodeIdentity(imported.Identity),
			})
		}
		return got.Diagnostics
	})
	return resp, nil
}

// MoveResourceState implements tfplugin.ResourceServer.
func (s *server) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	resp := &tfplugin.MoveResourceStateResponse{}
	c := s.call(ctx, "MoveResourceState")
	resp.Diagnostics = unary(c, s.p.MoveResourceState, func() provider.MoveResourceStateRequest {
		c.Type(call.ManagedResource, req.TargetTypeName)
		return provider.MoveResourceStateRequest{
			SourceProviderAddress: req.SourceProviderAddress,
			SourceTypeName:        req.SourceTypeName,
			SourceSchemaVersion:   req.SourceSchemaVersion,
			SourceStateJSON:       rawJSON(req.SourceState),
			SourcePrivate:         req.SourcePrivate,
			TargetTypeName:        req.TargetTypeName,
			SourceIdentity:        rawJSON(req.SourceIdentity),
		}
	}, func(got provider.MoveResourceStateResponse) diag.Diagnostics {
		resp.TargetState = c.Encode(got.TargetState, "target state")
		resp.TargetPrivate = got.TargetPrivate
		resp.TargetIdentity = c.EncodeIdentity(got.TargetIdentity)
		return got.Diagnostics
	})
	return resp, nil
}

func rawJSON(raw *tfplugin.RawState) []byte {
	if raw == nil {
		return nil
	}
	return raw.JSON
}
