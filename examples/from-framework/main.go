// Command from-framework is a provider that is migrated from terraform-plugin-framework and SDKv2 to
// package runtime one resource type at a time: shop_item is migrated; shop_shelf is on the
// framework and shop_order on SDKv2. The test runs each release of the migration. The command is a module of
// its own, so that the provider of this repository does not depend on these libraries.
//
// Elsewhere: docs/from-framework.md shows parts of the code.
package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"

	"example.com/from-framework/after"
	"example.com/from-framework/before"
	"example.com/from-framework/shop"
)

// [main

func main() {
	s := &shop.Shop{}
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/example/shop"},
		Provider: func() (provider.Interface, error) {
			return after.New(s, map[string]runtime.ResourceRegistration{
				"item": runtime.MakeResource[after.Item, *after.ItemOutput, *shop.Shop](),
			})
		},
		Mux: func(ctx context.Context, ours tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
			sdk, err := before.SDKServer(s, map[string]*schema.Resource{"shop_order": before.NewOrder()})
			if err != nil {
				return nil, err
			}
			framework := &before.Provider{Shop: s, Types: []func() resource.Resource{before.NewShelf}}
			return mux(ctx, ours, sdk, providerserver.NewProtocol6(framework)())
		},
	})
}

// mux returns a server with the resource types of all servers.
func mux(ctx context.Context, servers ...tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
	var all []func() tfplugin.ProviderServer
	for _, server := range servers {
		all = append(all, func() tfplugin.ProviderServer { return server })
	}
	muxed, err := tf6muxserver.NewMuxServer(ctx, all...)
	if err != nil {
		return nil, err
	}
	return muxed.ProviderServer(), nil
}

// main]
