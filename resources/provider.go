package resources

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Provider manages files, directories and links of POSIX hosts. The machine that
// it runs on is the host `local`, which needs no configuration.
type Provider struct{}

// New is the provider. Version is the one of its release, for messages.
func New(version string) (provider.Interface, error) {
	p, err := build(local.New)
	if err != nil {
		return nil, fmt.Errorf("posix provider %s: %w", version, err)
	}
	return p, nil
}

// build makes the provider for the machine that localHost finds when the
// provider is configured: to describe its schema it needs none.
func build(localHost func() (host.Host, error)) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "posix",
		Config: runtime.MakeConfig(func(context.Context, *Provider) (*target.Hosts, error) {
			h, err := localHost()
			if err != nil {
				return nil, err
			}
			return target.NewHosts(h)
		}),
		Resources: map[string]runtime.ResourceRegistration{
			"directory": directory.Resource(),
			"file":      file.Resource(),
			"symlink":   symlink.Resource(),
		},
	})
}
