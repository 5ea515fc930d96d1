package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-provider-time/internal/clock"

	"github.com/posixform/terraform-provider-posix/acctest"
	timeport "github.com/posixform/terraform-provider-posix/examples/ports/time"
	"github.com/posixform/terraform-provider-posix/provider"
)

// These functions replace those of the module's tests, and return the port in place of the
// module's own provider.

func protoV5ProviderFactories() map[string]func() (tfprotov5.ProviderServer, error) {
	return downgrade(protoV6ProviderFactories())
}

func protoV5ProviderFactoriesTestProvider(c clock.Clock) map[string]func() (tfprotov5.ProviderServer, error) {
	return downgrade(factories(c))
}

func protoV6ProviderFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	return factories(clock.NewClock())
}

func factories(c clock.Clock) map[string]func() (tfprotov6.ProviderServer, error) {
	return acctest.Factories("time", func() (provider.Interface, error) { return timeport.New(c.Now) })
}
