package server

import (
	"cmp"
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateResourceConfig implements tfplugin.ResourceServer.
func (s *server) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	resp := &tfplugin.ValidateResourceConfigResponse{}
	c := s.call(ctx, "ValidateResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateResourceConfig, func() provider.ValidateResourceConfigRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.ValidateResourceConfigRequest{
			TypeName: req.TypeName,
			Config:   c.Decode(req.Config, "configuration"),
			ClientCapabilities: provider.ClientCapabilities{
				WriteOnlyAttributesAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed,
			},
		}
	}, func(got provider.ValidateResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// ReadResource implements tfplugin.ResourceServer.
func (s *server) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	resp := &tfplugin.ReadResourceResponse{}
	c := s.call(ctx, "ReadResource")
	resp.Diagnostics = unary(c, s.p.ReadResource, func() provider.ReadResourceRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.ReadResourceRequest{
			TypeName:           req.TypeName,
			PriorState:         c.Decode(req.CurrentState, "current state"),
			Private:            req.Private,
			ProviderMeta:       c.DecodeMeta(req.ProviderMeta),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
			CurrentIdentity:    c.DecodeIdentity(req.CurrentIdentity),
		}
	}, func(got provider.ReadResourceResponse) diag.Diagnostics {
		resp.NewState = c.Encode(got.NewState, "new state")
		resp.Private = got.Private
		resp.Deferred = encodeDeferred(got.Deferred)
		resp.NewIdentity = c.EncodeIdentity(got.Identity)
		return got.Diagnostics
	})
	return resp, nil
}

// PlanResourceChange implements tfplugin.ResourceServer.
func (s *server) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	resp := &tfplugin.PlanResourceChangeResponse{}
	c := s.call(ctx, "PlanResourceChange")
	resp.Diagnostics = unary(c, s.p.PlanResourceChange, func() provider.PlanResourceChangeRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.PlanResourceChangeRequest{
			TypeName:           req.TypeName,
			PriorState:         c.Decode(req.PriorState, "prior state"),
			ProposedNewState:   c.Decode(req.ProposedNewState, "proposed new state"),
			Config:             c.Decode(req.Config, "configuration"),
			PriorPrivate:       req.PriorPrivate,
			ProviderMeta:       c.DecodeMeta(req.ProviderMeta),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
			PriorIdentity:      c.DecodeIdentity(req.PriorIdentity),
		}
	}, func(got provider.PlanResourceChangeResponse) diag.Diagnostics {
		resp.PlannedState = c.Encode(got.PlannedState, "planned state")
		for _, path := range got.RequiresReplace {
			// The path of the whole object has no steps.
			resp.RequiresReplace = append(resp.RequiresReplace, cmp.Or(wire.PathToProto(path), tftypes.NewAttributePath()))
		}
		resp.PlannedPrivate = got.PlannedPrivate
		resp.UnsafeToUseLegacyTypeSystem = got.LegacyTypeSystem
		resp.Deferred = encodeDeferred(got.Deferred)
		resp.PlannedIdentity = c.EncodeIdentity(got.PlannedIdentity)
		return got.Diagnostics
	})
	return resp, nil
}

// ApplyResourceChange implements tfplugin.ResourceServer. If the provider panics, or returns
// a state that cannot be encoded, the new state is the prior state; for a created object
// whose state cannot be encoded, it is the known part of the planned state.
func (s *server) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	resp := &tfplugin.ApplyResourceChangeResponse{}
	c := s.call(ctx, "ApplyResourceChange")
	var in provider.ApplyResourceChangeRequest
	resp.Diagnostics = unary(c, s.p.ApplyResourceChange, func() provider.ApplyResourceChangeRequest {
		if !c.Type(call.ManagedResource, req.TypeName) {
			return in
		}
		prior := c.Decode(req.PriorState, "prior state")
		if !c.Failed() {
			resp.NewState = req.PriorState
		}
		resp.Private = req.PlannedPrivate
		in = provider.ApplyResourceChangeRequest{
			TypeName:        req.TypeName,
			PriorState:      prior,
			PlannedState:    c.Decode(req.PlannedState, "planned state"),
			Config:          c.Decode(req.Config, "configuration"),
			PlannedPrivate:  req.PlannedPrivate,
			ProviderMeta:    c.DecodeMeta(req.ProviderMeta),
			PlannedIdentity: c.DecodeIdentity(req.PlannedIdentity),
		}
		if !c.Failed() && !prior.IsNull() {
			resp.NewIdentity = req.PlannedIdentity
		}
		return in
	}, func(got provider.ApplyResourceChangeResponse) diag.Diagnostics {
		resp.Private = got.Private
		resp.UnsafeToUseLegacyTypeSystem = got.LegacyTypeSystem
		resp.NewIdentity = c.EncodeIdentity(got.NewIdentity)
		state := c.Encode(got.NewState, "new state")
		switch {
		case state != nil || got.NewState == cty.NilVal:
			resp.NewState = state
		case in.PriorState.IsNull():
			// An object was created. The known values of the plan identify it; because
			// of the error, clients store it as tainted.
			resp.NewState = c.Encode(cty.UnknownAsNull(in.PlannedState), "planned state")
		}
		return got.Diagnostics
	})
	return resp, nil
}

// GenerateResourceConfig implements tfplugin.ResourceServer.
func (s *server) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	resp := &tfplugin.GenerateResourceConfigResponse{}
	c := s.call(ctx, "GenerateResourceConfig")
	resp.Diagnostics = unary(c, s.p.GenerateResourceConfig, func() provider.GenerateResourceConfigRequest {
		c.Type(call.ManagedResource, req.TypeName)
		return provider.GenerateResourceConfigRequest{TypeName: req.TypeName, State: c.Decode(req.State, "state")}
	}, func(got provider.GenerateResourceConfigResponse) diag.Diagnostics {
		resp.Config = c.Encode(got.Config, "configuration")
		return got.Diagnostics
	})
	return resp, nil
}

// ValidateDataResourceConfig implements tfplugin.DataSourceServer.
func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	resp := &tfplugin.ValidateDataResourceConfigResponse{}
	c := s.call(ctx, "ValidateDataResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateDataResourceConfig, func() provider.ValidateDataResourceConfigRequest {
		c.Type(call.DataSource, req.TypeName)
		return provider.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateDataResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// ReadDataSource implements tfplugin.DataSourceServer.
func (s *server) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	resp := &tfplugin.ReadDataSourceResponse{}
	c := s.call(ctx, "ReadDataSource")
	resp.Diagnostics = unary(c, s.p.ReadDataSource, func() provider.ReadDataSourceRequest {
		c.Type(call.DataSource, req.TypeName)
		return provider.ReadDataSourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Decode(req.Config, "configuration"),
			ProviderMeta:       c.DecodeMeta(req.ProviderMeta),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.ReadDataSourceResponse) diag.Diagnostics {
		resp.State = c.Encode(got.State, "state")
		resp.Deferred = encodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp, nil
}

// The next four RPCs return an object or an identity in the current schema of its type: upgraded
// from an older version, imported, or moved from another type.

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
// objects of types other than the requested one.
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

// ValidateListResourceConfig implements tfplugin.ListResourceServer.
func (s *server) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	resp := &tfplugin.ValidateListResourceConfigResponse{}
	c := s.call(ctx, "ValidateListResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateListResourceConfig, func() provider.ValidateListResourceConfigRequest {
		c.Type(call.ListResource, req.TypeName)
		return provider.ValidateListResourceConfigRequest{
			TypeName:              req.TypeName,
			Config:                c.Decode(req.Config, "configuration"),
			IncludeResourceObject: c.DecodeWith(call.IncludeResourceCodec, req.IncludeResourceObject, "include_resource"),
			Limit:                 c.DecodeWith(call.LimitCodec, req.Limit, "limit"),
		}
	}, func(got provider.ValidateListResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// ListResource implements tfplugin.ListResourceServer. Diagnostics that belong
// to no result are sent as a result of their own.
func (s *server) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return &tfplugin.ListResourceServerStream{Results: func(yield func(tfplugin.ListResourceResult) bool) {
		var found provider.ListResourceResponse
		ctx, end := s.streams.start(ctx)
		defer end()
		c := s.call(ctx, "ListResource")
		diags := start(c, s.p.ListResource, func() provider.ListResourceRequest {
			c.Type(call.ListResource, req.TypeName)
			in := provider.ListResourceRequest{
				TypeName:              req.TypeName,
				Config:                c.Decode(req.Config, "configuration"),
				IncludeResourceObject: req.IncludeResource,
				Limit:                 req.Limit,
			}
			if !c.Failed() {
				c.Type(call.ManagedResource, req.TypeName) // the type of the results
			}
			return in
		}, func(got provider.ListResourceResponse) diag.Diagnostics {
			found = got
			return streamed(c, got.Results != nil, got.Diagnostics)
		})
		if len(diags) > 0 && !yield(tfplugin.ListResourceResult{Diagnostics: wire.DiagnosticsToProto(diags)}) {
			return
		}
		c = c.Fork()
		if call.Stream(c, found.Results, func(r provider.ListResult) tfplugin.ListResourceResult { return encodeListResult(c.Fork(), r) }, yield) && c.Failed() {
			yield(tfplugin.ListResourceResult{Diagnostics: wire.DiagnosticsToProto(c.Take())})
		}
	}}, nil
}

func encodeListResult(c *call.Call, r provider.ListResult) tfplugin.ListResourceResult {
	c.Add(r.Diagnostics)
	out := tfplugin.ListResourceResult{
		DisplayName: diag.Printable(r.DisplayName),
		Identity:    c.EncodeIdentity(r.Identity),
		Resource:    c.Encode(r.ResourceObject, "resource object"),
	}
	out.Diagnostics = wire.DiagnosticsToProto(c.Take())
	return out
}

// ValidateEphemeralResourceConfig implements tfplugin.EphemeralResourceServer.
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	resp := &tfplugin.ValidateEphemeralResourceConfigResponse{}
	c := s.call(ctx, "ValidateEphemeralResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateEphemeralResourceConfig, func() provider.ValidateEphemeralResourceConfigRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateEphemeralResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// OpenEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	resp := &tfplugin.OpenEphemeralResourceResponse{}
	c := s.call(ctx, "OpenEphemeralResource")
	resp.Diagnostics = unary(c, s.p.OpenEphemeralResource, func() provider.OpenEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.OpenEphemeralResourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Decode(req.Config, "configuration"),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.OpenEphemeralResourceResponse) diag.Diagnostics {
		resp.Result = c.Encode(got.Result, "result")
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		resp.Deferred = encodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp, nil
}

// RenewEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	resp := &tfplugin.RenewEphemeralResourceResponse{}
	c := s.call(ctx, "RenewEphemeralResource")
	resp.Diagnostics = unary(c, s.p.RenewEphemeralResource, func() provider.RenewEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got provider.RenewEphemeralResourceResponse) diag.Diagnostics {
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		return got.Diagnostics
	})
	return resp, nil
}

// CloseEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	resp := &tfplugin.CloseEphemeralResourceResponse{}
	ctx, end := uninterrupted(ctx)
	defer end()
	c := s.call(ctx, "CloseEphemeralResource")
	resp.Diagnostics = unary(c, s.p.CloseEphemeralResource, func() provider.CloseEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got provider.CloseEphemeralResourceResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}
