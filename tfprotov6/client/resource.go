package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateResourceConfig implements provider.Interface.
func (cl *client) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	c := cl.call(ctx, "ValidateResourceConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateResourceConfig, func() *tfplugin.ValidateResourceConfigRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.ValidateResourceConfigRequest{
			TypeName: req.TypeName,
			Config:   c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.ValidateResourceConfigClientCapabilities{
				WriteOnlyAttributesAllowed: req.ClientCapabilities.WriteOnlyAttributesAllowed,
			},
		}
	}, func(got *tfplugin.ValidateResourceConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// ReadResource implements provider.Interface.
func (cl *client) ReadResource(ctx context.Context, req provider.ReadResourceRequest) (resp provider.ReadResourceResponse) {
	c := cl.call(ctx, "ReadResource")
	resp.Diagnostics = unary(c, cl.server.ReadResource, func() *tfplugin.ReadResourceRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.ReadResourceRequest{
			TypeName:           req.TypeName,
			CurrentState:       c.Encode(req.PriorState, "current state"),
			Private:            req.Private,
			ProviderMeta:       c.EncodeMeta(req.ProviderMeta),
			ClientCapabilities: &tfplugin.ReadResourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
			CurrentIdentity:    c.EncodeIdentity(req.CurrentIdentity),
		}
	}, func(got *tfplugin.ReadResourceResponse) []*tfplugin.Diagnostic {
		resp.NewState = c.Decode(got.NewState, "new state")
		resp.Private = got.Private
		resp.Deferred = decodeDeferred(got.Deferred)
		resp.Identity = decodeIdentity(c, got.NewIdentity)
		return got.Diagnostics
	})
	return resp
}

// PlanResourceChange implements provider.Interface.
func (cl *client) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	c := cl.call(ctx, "PlanResourceChange")
	resp.Diagnostics = unary(c, cl.server.PlanResourceChange, func() *tfplugin.PlanResourceChangeRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.PlanResourceChangeRequest{
			TypeName:           req.TypeName,
			PriorState:         c.Encode(req.PriorState, "prior state"),
			ProposedNewState:   c.Encode(req.ProposedNewState, "proposed new state"),
			Config:             c.Encode(req.Config, "configuration"),
			PriorPrivate:       req.PriorPrivate,
			ProviderMeta:       c.EncodeMeta(req.ProviderMeta),
			ClientCapabilities: &tfplugin.PlanResourceChangeClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
			PriorIdentity:      c.EncodeIdentity(req.PriorIdentity),
		}
	}, func(got *tfplugin.PlanResourceChangeResponse) []*tfplugin.Diagnostic {
		resp.PlannedState = c.Decode(got.PlannedState, "planned state")
		for _, path := range got.RequiresReplace {
			resp.RequiresReplace = append(resp.RequiresReplace, wire.PathFromProto(path))
		}
		resp.PlannedPrivate = got.PlannedPrivate
		resp.LegacyTypeSystem = got.UnsafeToUseLegacyTypeSystem
		resp.Deferred = decodeDeferred(got.Deferred)
		resp.PlannedIdentity = decodeIdentity(c, got.PlannedIdentity)
		return got.Diagnostics
	})
	return resp
}

// ApplyResourceChange implements provider.Interface. Without a response that can
// be decoded, the new state is the prior state, unless the type is unknown.
func (cl *client) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	c := cl.call(ctx, "ApplyResourceChange")
	resp.Diagnostics = unary(c, cl.server.ApplyResourceChange, func() *tfplugin.ApplyResourceChangeRequest {
		if !c.Type(call.ManagedResource, req.TypeName) {
			return nil
		}
		resp.NewState = req.PriorState
		return &tfplugin.ApplyResourceChangeRequest{
			TypeName:        req.TypeName,
			PriorState:      c.Encode(req.PriorState, "prior state"),
			PlannedState:    c.Encode(req.PlannedState, "planned state"),
			Config:          c.Encode(req.Config, "configuration"),
			PlannedPrivate:  req.PlannedPrivate,
			ProviderMeta:    c.EncodeMeta(req.ProviderMeta),
			PlannedIdentity: c.EncodeIdentity(req.PlannedIdentity),
		}
	}, func(got *tfplugin.ApplyResourceChangeResponse) []*tfplugin.Diagnostic {
		resp.Private = got.Private
		resp.LegacyTypeSystem = got.UnsafeToUseLegacyTypeSystem
		resp.NewIdentity = decodeIdentity(c, got.NewIdentity)
		if state := c.Decode(got.NewState, "new state"); state != cty.NilVal {
			resp.NewState = state
		}
		return got.Diagnostics
	})
	return resp
}

// GenerateResourceConfig implements provider.Interface.
func (cl *client) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	c := cl.call(ctx, "GenerateResourceConfig")
	resp.Diagnostics = unary(c, cl.server.GenerateResourceConfig, func() *tfplugin.GenerateResourceConfigRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return &tfplugin.GenerateResourceConfigRequest{TypeName: req.TypeName, State: c.Encode(req.State, "state")}
	}, func(got *tfplugin.GenerateResourceConfigResponse) []*tfplugin.Diagnostic {
		resp.Config = c.Decode(got.Config, "configuration")
		return got.Diagnostics
	})
	return resp
}

// decodeIdentity decodes the identity of a response. If there is none, it returns
// [cty.NilVal] and not null.
func decodeIdentity(c *call.Call, data *tfplugin.ResourceIdentityData) cty.Value {
	if data == nil {
		return cty.NilVal
	}
	return c.DecodeIdentity(data)
}

// ValidateDataResourceConfig implements provider.Interface.
func (cl *client) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) (resp provider.ValidateDataResourceConfigResponse) {
	c := cl.call(ctx, "ValidateDataResourceConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateDataResourceConfig, func() *tfplugin.ValidateDataResourceConfigRequest {
		c.Type(call.DataSource, req.TypeName)
		return &tfplugin.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateDataResourceConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// ReadDataSource implements provider.Interface.
func (cl *client) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	c := cl.call(ctx, "ReadDataSource")
	resp.Diagnostics = unary(c, cl.server.ReadDataSource, func() *tfplugin.ReadDataSourceRequest {
		c.Type(call.DataSource, req.TypeName)
		return &tfplugin.ReadDataSourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Encode(req.Config, "configuration"),
			ProviderMeta:       c.EncodeMeta(req.ProviderMeta),
			ClientCapabilities: &tfplugin.ReadDataSourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.ReadDataSourceResponse) []*tfplugin.Diagnostic {
		resp.State = c.Decode(got.State, "state")
		resp.Deferred = decodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp
}

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

// ValidateListResourceConfig implements provider.Interface.
func (cl *client) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) (resp provider.ValidateListResourceConfigResponse) {
	c := cl.call(ctx, "ValidateListResourceConfig")
	method := optional(cl.server, tfplugin.ListResourceServer.ValidateListResourceConfig)
	resp.Diagnostics = unary(c, method, func() *tfplugin.ValidateListResourceConfigRequest {
		c.Type(call.ListResource, req.TypeName)
		return &tfplugin.ValidateListResourceConfigRequest{
			TypeName:              req.TypeName,
			Config:                c.Encode(req.Config, "configuration"),
			IncludeResourceObject: c.EncodeWith(call.IncludeResourceCodec, req.IncludeResourceObject, "include_resource"),
			Limit:                 c.EncodeWith(call.LimitCodec, req.Limit, "limit"),
		}
	}, func(got *tfplugin.ValidateListResourceConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// ListResource implements provider.Interface.
func (cl *client) ListResource(ctx context.Context, req provider.ListResourceRequest) (resp provider.ListResourceResponse) {
	c := cl.call(ctx, "ListResource")
	var failure error
	method := recordFailure(&failure, optional(cl.server, tfplugin.ListResourceServer.ListResource))
	resp.Diagnostics = unary(c, method, func() *tfplugin.ListResourceRequest {
		c.Type(call.ListResource, req.TypeName)
		in := &tfplugin.ListResourceRequest{
			TypeName:        req.TypeName,
			Config:          c.Encode(req.Config, "configuration"),
			IncludeResource: req.IncludeResourceObject,
			Limit:           req.Limit,
		}
		if !c.Failed() {
			c.Type(call.ManagedResource, req.TypeName) // the type of the results
		}
		return in
	}, func(got *tfplugin.ListResourceServerStream) []*tfplugin.Diagnostic {
		if !responded(c, got.Results != nil, nil) {
			return nil
		}
		resp.Results = elements(c, got.Results, &failure, decodeListResult, func(d diag.Diagnostics) provider.ListResult {
			return provider.ListResult{Diagnostics: d}
		})
		return nil
	})
	return resp
}

func decodeListResult(c *call.Call, r tfplugin.ListResourceResult) provider.ListResult {
	c.Add(wire.DiagnosticsFromProto(r.Diagnostics))
	out := provider.ListResult{DisplayName: r.DisplayName, Identity: decodeIdentity(c, r.Identity)}
	if r.Resource != nil {
		out.ResourceObject = c.Decode(r.Resource, "resource object")
	}
	out.Diagnostics = c.Take()
	return out
}

// ValidateEphemeralResourceConfig implements provider.Interface.
func (cl *client) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) (resp provider.ValidateEphemeralResourceConfigResponse) {
	c := cl.call(ctx, "ValidateEphemeralResourceConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateEphemeralResourceConfig, func() *tfplugin.ValidateEphemeralResourceConfigRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateEphemeralResourceConfigResponse) []*tfplugin.Diagnostic {
		return got.Diagnostics
	})
	return resp
}

// OpenEphemeralResource implements provider.Interface.
func (cl *client) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	c := cl.call(ctx, "OpenEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.OpenEphemeralResource, func() *tfplugin.OpenEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.OpenEphemeralResourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.OpenEphemeralResourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.OpenEphemeralResourceResponse) []*tfplugin.Diagnostic {
		resp.Result = c.Decode(got.Result, "result")
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		resp.Deferred = decodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp
}

// RenewEphemeralResource implements provider.Interface.
func (cl *client) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) (resp provider.RenewEphemeralResourceResponse) {
	c := cl.call(ctx, "RenewEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.RenewEphemeralResource, func() *tfplugin.RenewEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got *tfplugin.RenewEphemeralResourceResponse) []*tfplugin.Diagnostic {
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		return got.Diagnostics
	})
	return resp
}

// CloseEphemeralResource implements provider.Interface.
func (cl *client) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	c := cl.call(ctx, "CloseEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.CloseEphemeralResource, func() *tfplugin.CloseEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got *tfplugin.CloseEphemeralResourceResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}
