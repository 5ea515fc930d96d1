package protoversion

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
)

// Upgrade returns a server of protocol 5 as one of protocol 6. It does not call the server.
// It returns an error if terraform-plugin-mux cannot convert the server.
func Upgrade(ctx context.Context, server tfprotov5.ProviderServer) (tfplugin.ProviderServer, error) {
	converted, err := tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return keep5(server) })
	if err != nil {
		return nil, err
	}
	all, ok := converted.(server6)
	if !ok {
		return nil, fmt.Errorf("convert a server of protocol 5: %T lacks an optional interface", converted)
	}
	return upgraded{all}, nil
}

// server6 is a server of protocol 6 with the optional interfaces.
type server6 interface {
	tfplugin.ProviderServer
	tfplugin.ListResourceServer
	tfplugin.ActionServer
	tfplugin.StateStoreServer
}

// upgraded is a converted server.
type upgraded struct{ server6 }

// GetProviderSchema implements tfplugin.ProviderServer.
func (u upgraded) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	var original tfprotov5.ServerCapabilities
	resp, err := u.server6.GetProviderSchema(context.WithValue(ctx, dropped{}, &original), req)
	if resp != nil && resp.ServerCapabilities != nil {
		resp.ServerCapabilities.GenerateResourceConfig = original.GenerateResourceConfig
	}
	return resp, err
}

// ListResource implements tfplugin.ListResourceServer.
func (u upgraded) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return u.server6.ListResource(context.WithValue(ctx, dropped{}, req), req)
}

// ValidateListResourceConfig implements tfplugin.ListResourceServer.
func (u upgraded) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return u.server6.ValidateListResourceConfig(context.WithValue(ctx, dropped{}, req), req)
}

// keep5 returns the server to convert. It has those optional interfaces that server has.
func keep5(server tfprotov5.ProviderServer) tfprotov5.ProviderServer {
	kept := kept5{server}
	lists, _ := server.(tfprotov5.ListResourceServer)
	actions, _ := server.(tfprotov5.ActionServer)
	switch {
	case lists != nil && actions != nil:
		return struct {
			kept5
			keptLists5
			tfprotov5.ActionServer
		}{kept, keptLists5{lists}, actions}
	case lists != nil:
		return struct {
			kept5
			keptLists5
		}{kept, keptLists5{lists}}
	case actions != nil:
		return struct {
			kept5
			tfprotov5.ActionServer
		}{kept, actions}
	}
	return kept
}

type kept5 struct{ tfprotov5.ProviderServer }

func (k kept5) GetProviderSchema(ctx context.Context, req *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	resp, err := k.ProviderServer.GetProviderSchema(ctx, req)
	if to, ok := ctx.Value(dropped{}).(*tfprotov5.ServerCapabilities); ok && resp != nil && resp.ServerCapabilities != nil {
		*to = *resp.ServerCapabilities
	}
	return resp, err
}

type keptLists5 struct{ tfprotov5.ListResourceServer }

func (k keptLists5) ListResource(ctx context.Context, req *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	if from, ok := ctx.Value(dropped{}).(*tfplugin.ListResourceRequest); ok && from != nil {
		req.Limit, req.IncludeResource = from.Limit, from.IncludeResource
	}
	return k.ListResourceServer.ListResource(ctx, req)
}

func (k keptLists5) ValidateListResourceConfig(ctx context.Context, req *tfprotov5.ValidateListResourceConfigRequest) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	if from, ok := ctx.Value(dropped{}).(*tfplugin.ValidateListResourceConfigRequest); ok && from != nil {
		req.Limit, req.IncludeResourceObject = (*tfprotov5.DynamicValue)(from.Limit), (*tfprotov5.DynamicValue)(from.IncludeResourceObject)
	}
	return k.ListResourceServer.ValidateListResourceConfig(ctx, req)
}
