package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"

	"github.com/posixform/terraform-provider-posix/acctest"
	localport "github.com/posixform/terraform-provider-posix/examples/ports/local"
)

// protoV5ProviderFactories replaces that of the module's tests, and returns the port in place
// of the module's own provider.
func protoV5ProviderFactories() map[string]func() (tfprotov5.ProviderServer, error) {
	return downgrade(acctest.Factories("local", localport.New))
}
