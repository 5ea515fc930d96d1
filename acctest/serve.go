package acctest

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// Factories serves a provider under its local name to terraform-plugin-testing,
// in this process and with the guard around it as in production. The client
// starts a provider anew for each command, so build is called often.
func Factories(name string, build func() (provider.Interface, error)) map[string]func() (tfplugin.ProviderServer, error) {
	return map[string]func() (tfplugin.ProviderServer, error){
		name: func() (tfplugin.ProviderServer, error) {
			p, err := build()
			if err != nil {
				return nil, err
			}
			return tfprotov6.NewServer(context.Background(), guard.Wrap(p))
		},
	}
}
