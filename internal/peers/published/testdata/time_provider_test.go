package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-provider-time/internal/clock"

	"github.com/posixform/terraform-provider-posix/acctest"
	timeport "github.com/posixform/terraform-provider-posix/examples/ports/time"
	"github.com/posixform/terraform-provider-posix/provider"
)

// These functions have the names that the tests of the module call. They return the port in
// place of the module's own provider.

type v5Factories = map[string]func() (tfprotov5.ProviderServer, error)

func protoV5ProviderFactories() v5Factories {
	return protoV5ProviderFactoriesTestProvider(clock.NewClock())
}

func protoV5ProviderFactoriesTestProvider(c clock.Clock) v5Factories {
	return v5Factories{"time": func() (tfprotov5.ProviderServer, error) {
		server, err := factories(c)["time"]()
		if err != nil {
			return nil, err
		}
		return tf6to5server.DowngradeServer(context.Background(), func() tfprotov6.ProviderServer { return server })
	}}
}

func protoV6ProviderFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	return factories(clock.NewClock())
}

func factories(c clock.Clock) map[string]func() (tfprotov6.ProviderServer, error) {
	return acctest.Factories("time", func() (provider.Interface, error) { return timeport.New(c.Now) })
}

// providerVersion080 is the release whose states the tests of upgrades begin with.
func providerVersion080() map[string]resource.ExternalProvider {
	return map[string]resource.ExternalProvider{"time": {Source: "hashicorp/time", VersionConstraint: "0.8.0"}}
}
