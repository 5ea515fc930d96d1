package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

const listResource = "list resource type"

// The arguments that each list block has beside its own configuration.
var (
	includeCodec = wire.NewCodec(cty.Bool)
	limitCodec   = wire.NewCodec(cty.Number)
)

// ValidateListResourceConfig is part of tfplugin.ListResourceServer.
func (s *server) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (resp *tfplugin.ValidateListResourceConfigResponse, _ error) {
	resp = &tfplugin.ValidateListResourceConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateListResourceConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.lists, listResource, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	ask := provider.ValidateListResourceConfigRequest{
		TypeName:              req.TypeName,
		Config:                c.decode(codec, req.Config, "configuration"),
		IncludeResourceObject: c.decode(includeCodec, req.IncludeResourceObject, "include_resource"),
		Limit:                 c.decode(limitCodec, req.Limit, "limit"),
	}
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateListResourceConfig(ctx, ask)
	c.add(got.Diagnostics)
	return resp, nil
}

// ListResource is part of tfplugin.ListResourceServer. What prevents the search
// comes as a result with nothing but messages.
func (s *server) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return &tfplugin.ListResourceServerStream{Results: func(yield func(tfplugin.ListResourceResult) bool) {
		c := call{ctx: ctx, rpc: "ListResource"}
		found, resource := s.startList(&c, req)
		messages := func() bool {
			diags := c.take()
			return len(diags) == 0 || yield(tfplugin.ListResourceResult{Diagnostics: wire.DiagnosticsToProto(diags)})
		}
		if !messages() {
			return
		}
		if stream(&c, found.Results, func(r provider.ListResult) tfplugin.ListResourceResult {
			return c.listResult(s.schemas, resource, r)
		}, yield) {
			messages()
		}
	}}, nil
}

// startList asks the provider for a stream of results; resource is the codec of
// the objects in it.
func (s *server) startList(c *call, req *tfplugin.ListResourceRequest) (found provider.ListResourceResponse, resource *wire.Codec) {
	defer func() {
		if r := recover(); r != nil {
			c.panicked(r)
		}
	}()
	codec := c.codec(s.schemas, s.schemas.lists, listResource, req.TypeName)
	if codec == nil {
		return found, nil
	}
	if resource = c.resource(s.schemas, req.TypeName); resource == nil {
		return found, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return found, nil
	}
	found = s.p.ListResource(c.ctx, provider.ListResourceRequest{
		TypeName:              req.TypeName,
		Config:                config,
		IncludeResourceObject: req.IncludeResource,
		Limit:                 req.Limit,
	})
	c.add(found.Diagnostics)
	return found, resource
}

func (c *call) listResult(s *schemas, resource *wire.Codec, r provider.ListResult) tfplugin.ListResourceResult {
	// The messages of one result go with it.
	one := call{ctx: c.ctx, rpc: c.rpc, typ: c.typ, diags: append(diag.Diagnostics(nil), r.Diagnostics...)}
	out := tfplugin.ListResourceResult{
		DisplayName: r.DisplayName,
		Identity:    one.encodeIdentity(s, r.Identity),
		Resource:    one.encode(resource, r.ResourceObject, "resource object"),
	}
	out.Diagnostics = wire.DiagnosticsToProto(one.diags)
	return out
}
