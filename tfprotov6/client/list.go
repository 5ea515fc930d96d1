package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

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
	method := optional(cl.server, tfplugin.ListResourceServer.ListResource)
	resp.Diagnostics = unary(c, method, func() *tfplugin.ListResourceRequest {
		c.Type(call.ListResource, req.TypeName)
		in := &tfplugin.ListResourceRequest{
			TypeName:        req.TypeName,
			Config:          c.Encode(req.Config, "configuration"),
			IncludeResource: req.IncludeResourceObject,
			Limit:           req.Limit,
		}
		if !c.Failed() {
			c.Type(call.ManagedResource, req.TypeName) // of the results
		}
		return in
	}, func(got *tfplugin.ListResourceServerStream) []*tfplugin.Diagnostic {
		if got.Results == nil {
			return nil
		}
		resp.Results = func(yield func(provider.ListResult) bool) {
			c := c.Fork()
			decode := func(r tfplugin.ListResourceResult) provider.ListResult { return decodeListResult(c.Fork(), r) }
			if call.Stream(c, got.Results, decode, yield) && c.Failed() {
				yield(provider.ListResult{Diagnostics: c.Take()})
			}
		}
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
