// Package tfprotov6 converts between provider.Interface and protocol 6 of
// terraform-plugin-go: [NewServer] serves a provider, and [NewClient] uses a server
// as a provider, in Terraform's role.
//
// For a provider p, NewClient(NewServer(p)) behaves as p does, except that Close does not
// close p, and except for data that the protocol cannot carry: see [client.New]. The tests
// of this package check NewServer and NewClient together.
//
// A provider's program should import tfprotov6/server, as package serve does:
// this package also imports the client, with gRPC and terraform-plugin-mux.
//
// Elsewhere: tfprotov6/server has the server; tfprotov6/client the client, also for
// programs of other providers; tfprotov6/reattach handles TF_REATTACH_PROVIDERS;
// internal/wire encodes values.
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
