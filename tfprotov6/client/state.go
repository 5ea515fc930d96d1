package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// UpgradeResourceState implements provider.Interface.
func (cl *client) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	c := cl.call(ctx, "UpgradeResourceState")
	resp.Diagnostics = unary(c, cl.server.UpgradeResourceState, func() *tfplugin.UpgradeResourceStateRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.UpgradeResourceStateRequest{
			TypeName: req.TypeName,
			Version:  req.Version,
			RawState: rawState(req.RawStateJSON, req.RawStateFlatmap),
		}
	}, func(got *tfplugin.UpgradeResourceStateResponse) []*tfplugin.Diagnostic {
		resp.UpgradedState = c.Decode(got.UpgradedState, "upgraded state")
		return got.Diagnostics
	})
	return resp
}

// UpgradeResourceIdentity implements provider.Interface.
func (cl *client) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) (resp provider.UpgradeResourceIdentityResponse) {
	c := cl.call(ctx, "UpgradeResourceIdentity")
	resp.Diagnostics = unary(c, cl.server.UpgradeResourceIdentity, func() *tfplugin.UpgradeResourceIdentityRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.UpgradeResourceIdentityRequest{
			TypeName:    req.TypeName,
			Version:     req.Version,
			RawIdentity: rawState(req.RawIdentityJSON, nil),
		}
	}, func(got *tfplugin.UpgradeResourceIdentityResponse) []*tfplugin.Diagnostic {
		resp.UpgradedIdentity = decodeIdentity(c, got.UpgradedIdentity)
		return got.Diagnostics
	})
	return resp
}

// ImportResourceState implements provider.Interface.
func (cl *client) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	c := cl.call(ctx, "ImportResourceState")
	resp.Diagnostics = unary(c, cl.server.ImportResourceState, func() *tfplugin.ImportResourceStateRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.ImportResourceStateRequest{
			TypeName:           req.TypeName,
			ID:                 req.ID,
			ClientCapabilities: &tfplugin.ImportResourceStateClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
			Identity:           c.EncodeIdentity(req.Identity),
		}
	}, func(got *tfplugin.ImportResourceStateResponse) []*tfplugin.Diagnostic {
		resp.Deferred = decodeDeferred(got.Deferred)
		for _, imported := range got.ImportedResources {
			if !c.Type(call.ManagedResource, imported.TypeName) {
				continue
			}
			resp.ImportedResources = append(resp.ImportedResources, provider.ImportedResource{
				TypeName: imported.TypeName,
				State:    c.Decode(imported.State, "imported state"),
				Private:  imported.Private,
				Identity: decodeIdentity(c, imported.Identity),
			})
		}
		return got.Diagnostics
	})
	return resp
}

// MoveResourceState implements provider.Interface.
func (cl *client) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) (resp provider.MoveResourceStateResponse) {
	c := cl.call(ctx, "MoveResourceState")
	resp.Diagnostics = unary(c, cl.server.MoveResourceState, func() *tfplugin.MoveResourceStateRequest {
		c.Type(call.ManagedResource, req.TargetTypeName)
		return &tfplugin.MoveResourceStateRequest{
			SourcePrivate:         req.SourcePrivate,
			SourceProviderAddress: req.SourceProviderAddress,
			SourceSchemaVersion:   req.SourceSchemaVersion,
			SourceState:           rawState(req.SourceStateJSON, nil),
			SourceTypeName:        req.SourceTypeName,
			TargetTypeName:        req.TargetTypeName,
			SourceIdentity:        rawState(req.SourceIdentity, nil),
		}
	}, func(got *tfplugin.MoveResourceStateResponse) []*tfplugin.Diagnostic {
		resp.TargetState = c.Decode(got.TargetState, "target state")
		resp.TargetPrivate = got.TargetPrivate
		resp.TargetIdentity = decodeIdentity(c, got.TargetIdentity)
		return got.Diagnostics
	})
	return resp
}

func rawState(json []byte, flatmap map[string]string) *tfplugin.RawState {
	if json == nil && flatmap == nil {
		return nil
	}
	return &tfplugin.RawState{JSON: json, Flatmap: flatmap}
}
