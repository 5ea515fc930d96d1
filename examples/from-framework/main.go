package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"

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
		Mux: mux(&before.Provider{Shop: s, Types: []func() resource.Resource{before.NewShelf}}),
	})
}

// mux returns a function that serves theirs together with the server of this runtime.
func mux(theirs *before.Provider) func(context.Context, tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
	return func(ctx context.Context, server tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
		muxed, err := tf6muxserver.NewMuxServer(ctx, func() tfplugin.ProviderServer { return server }, providerserver.NewProtocol6(theirs))
		if err != nil {
			return nil, err
		}
		return muxed.ProviderServer(), nil
	}
}

// main]
