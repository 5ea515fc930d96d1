package muxed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"

	"github.com/posixform/terraform-provider-posix/internal/peers/legacy"
)

// V5 returns a server of both parts over protocol 5, which both support.
func V5(ctx context.Context, cloud *legacy.Cloud) (tfprotov5.ProviderServer, error) {
	mux, err := tf5muxserver.NewMuxServer(ctx,
		legacy.Provider(cloud).GRPCProvider,
		providerserver.NewProtocol5(migrated{}),
	)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}

// V6 returns a server of both parts over protocol 6. It upgrades the protocol of the part
// on terraform-plugin-sdk.
func V6(ctx context.Context, cloud *legacy.Cloud) (tfplugin.ProviderServer, error) {
	upgraded, err := tf5to6server.UpgradeServer(ctx, legacy.Provider(cloud).GRPCProvider)
	if err != nil {
		return nil, err
	}
	mux, err := tf6muxserver.NewMuxServer(ctx,
		func() tfplugin.ProviderServer { return upgraded },
		providerserver.NewProtocol6(migrated{}),
	)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}

// Downgraded returns V6 over protocol 5, so that the protocol of the part on
// terraform-plugin-sdk is translated twice.
func Downgraded(ctx context.Context, cloud *legacy.Cloud) (tfprotov5.ProviderServer, error) {
	server, err := V6(ctx, cloud)
	if err != nil {
		return nil, err
	}
	return tf6to5server.DowngradeServer(ctx, func() tfplugin.ProviderServer { return server })
}
