package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateListResourceConfig is part of provider.Interface.
func (cl *client) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) (resp provider.ValidateListResourceConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateListResourceConfig"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.lists, listResource, req.TypeName)
	server, ok := cl.server.(tfplugin.ListResourceServer)
	if codec == nil || !c.offered(ok) {
		return resp
	}
	ask := &tfplugin.ValidateListResourceConfigRequest{
		TypeName:              req.TypeName,
		Config:                c.encode(codec, req.Config, "configuration"),
		IncludeResourceObject: c.encode(includeCodec, req.IncludeResourceObject, "include_resource"),
		Limit:                 c.encode(limitCodec, req.Limit, "limit"),
	}
	if c.failed() {
		return resp
	}
	got, err := server.ValidateListResourceConfig(ctx, ask)
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// ListResource is part of provider.Interface.
func (cl *client) ListResource(ctx context.Context, req provider.ListResourceRequest) (resp provider.ListResourceResponse) {
	c := call{ctx: ctx, rpc: "ListResource"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.lists, listResource, req.TypeName)
	server, ok := cl.server.(tfplugin.ListResourceServer)
	if codec == nil || !c.offered(ok) {
		return resp
	}
	resource := c.resource(cl.schemas, req.TypeName)
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := server.ListResource(ctx, &tfplugin.ListResourceRequest{
		TypeName:        req.TypeName,
		Config:          config,
		IncludeResource: req.IncludeResourceObject,
		Limit:           req.Limit,
	})
	if c.answered(got != nil, err) && got.Results != nil {
		resp.Results = func(yield func(provider.ListResult) bool) {
			c := call{ctx: ctx, rpc: c.rpc, typ: c.typ}
			if stream(&c, got.Results, func(r tfplugin.ListResourceResult) provider.ListResult {
				return c.listResultFromProto(cl.schemas, resource, r)
			}, yield) && len(c.diags) > 0 {
				yield(provider.ListResult{Diagnostics: c.diags})
			}
		}
	}
	return resp
}

func (c *call) listResultFromProto(s *schemas, resource *wire.Codec, r tfplugin.ListResourceResult) provider.ListResult {
	one := call{ctx: c.ctx, rpc: c.rpc, typ: c.typ, diags: wire.DiagnosticsFromProto(r.Diagnostics)}
	out := provider.ListResult{DisplayName: r.DisplayName, Identity: one.answerIdentity(s, r.Identity)}
	if r.Resource != nil {
		out.ResourceObject = one.decode(resource, r.Resource, "resource object")
	}
	out.Diagnostics = one.diags
	return out
}
