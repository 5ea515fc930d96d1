package server

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

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
				c.Type(call.ManagedResource, req.TypeName) // of the results
			}
			return in
		}, func(got provider.ListResourceResponse) diag.Diagnostics {
			found = got
			return got.Diagnostics
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
		DisplayName: r.DisplayName,
		Identity:    c.EncodeIdentity(r.Identity),
		Resource:    c.Encode(r.ResourceObject, "resource object"),
	}
	out.Diagnostics = wire.DiagnosticsToProto(c.Take())
	return out
}
