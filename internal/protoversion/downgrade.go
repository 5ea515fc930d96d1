package protoversion

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// Downgrade returns a server of protocol 6 as one of protocol 5. It requests the schema. It
// returns an error if the request fails or terraform-plugin-mux cannot convert the server, such as
// one whose schema has nested attributes, which protocol 5 does not support.
func Downgrade(ctx context.Context, server tfplugin.ProviderServer) (tfprotov5.ProviderServer, error) {
	converted, err := tf6to5server.DowngradeServer(ctx, func() tfplugin.ProviderServer { return keep6(server) })
	if err != nil {
		return nil, err
	}
	all, ok := converted.(server5)
	if !ok {
		return nil, fmt.Errorf("convert a server of protocol 6: %T lacks an optional interface", converted)
	}
	return downgraded{all}, nil
}

// server5 is a server of protocol 5 with the optional interfaces.
type server5 interface {
	tfprotov5.ProviderServer
	tfprotov5.ListResourceServer
	tfprotov5.ActionServer
}

// downgraded is a converted server.
type downgraded struct{ server5 }

// GetProviderSchema implements tfprotov5.ProviderServer.
func (d downgraded) GetProviderSchema(ctx context.Context, req *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	var original tfplugin.ServerCapabilities
	resp, err := d.server5.GetProviderSchema(context.WithValue(ctx, dropped{}, &original), req)
	if resp != nil {
		resp.ServerCapabilities = (*tfprotov5.ServerCapabilities)(&original)
	}
	return resp, err
}

// ListResource implements tfprotov5.ListResourceServer.
func (d downgraded) ListResource(ctx context.Context, req *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	return d.server5.ListResource(context.WithValue(ctx, dropped{}, req), req)
}

// ValidateListResourceConfig implements tfprotov5.ListResourceServer.
func (d downgraded) ValidateListResourceConfig(ctx context.Context, req *tfprotov5.ValidateListResourceConfigRequest) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	return d.server5.ValidateListResourceConfig(context.WithValue(ctx, dropped{}, req), req)
}

// keep6 returns the server to convert. Of the optional interfaces, it has ListResourceServer
// and ActionServer if server has them.
func keep6(server tfplugin.ProviderServer) tfplugin.ProviderServer {
	kept := kept6{server}
	lists, _ := server.(tfplugin.ListResourceServer)
	actions, _ := server.(tfplugin.ActionServer)
	switch {
	case lists != nil && actions != nil:
		return struct {
			kept6
			keptLists6
			tfplugin.ActionServer
		}{kept, keptLists6{lists}, actions}
	case lists != nil:
		return struct {
			kept6
			keptLists6
		}{kept, keptLists6{lists}}
	case actions != nil:
		return struct {
			kept6
			tfplugin.ActionServer
		}{kept, actions}
	}
	return kept
}

type kept6 struct{ tfplugin.ProviderServer }

func (k kept6) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	resp, err := k.ProviderServer.GetProviderSchema(ctx, req)
	if to, ok := ctx.Value(dropped{}).(*tfplugin.ServerCapabilities); ok && resp != nil && resp.ServerCapabilities != nil {
		*to = *resp.ServerCapabilities
	}
	return resp, err
}

type keptLists6 struct{ tfplugin.ListResourceServer }

func (k keptLists6) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	if from, ok := ctx.Value(dropped{}).(*tfprotov5.ListResourceRequest); ok && from != nil {
		req.Limit, req.IncludeResource = from.Limit, from.IncludeResource
	}
	return k.ListResourceServer.ListResource(ctx, req)
}

func (k keptLists6) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	if from, ok := ctx.Value(dropped{}).(*tfprotov5.ValidateListResourceConfigRequest); ok && from != nil {
		req.Limit, req.IncludeResourceObject = (*tfplugin.DynamicValue)(from.Limit), (*tfplugin.DynamicValue)(from.IncludeResourceObject)
	}
	return k.ListResourceServer.ValidateListResourceConfig(ctx, req)
}
