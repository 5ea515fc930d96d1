package resources

import (
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Build returns the provider with one host, regardless of its configuration.
func Build(localHost func() (host.Host, error)) (provider.Interface, error) {
	return build(func(*hosts.Provider) (*lifecycle.Hosts, error) {
		h, err := localHost()
		if err != nil {
			return nil, err
		}
		return lifecycle.NewHosts(h)
	})
}

// BuildFleet returns the provider with the hosts of its configuration.
func BuildFleet(m hosts.Backends) (provider.Interface, error) {
	return build(func(block *hosts.Provider) (*lifecycle.Hosts, error) { return hosts.New(block, m), nil })
}
