package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// NewServer calls [server.New].
func NewServer(ctx context.Context, p provider.Interface) (tfplugin.ProviderServer, error) {
	return server.New(ctx, p)
}

// NewClient calls [client.New].
func NewClient(server tfplugin.ProviderServer) (provider.Interface, error) {
	return client.New(server)
}
