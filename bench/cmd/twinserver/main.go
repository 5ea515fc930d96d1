// Command twinserver serves package twin to OpenTofu or Terraform. Its file name must be
// terraform-provider-posix.
package main

import (
	"context"
	"log"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/twin"
)

func main() {
	server, err := twin.New(context.Background(), &disk.Files{})
	if err != nil {
		log.Fatal(err)
	}
	err = tf6server.Serve("registry.opentofu.org/posixform/posix", func() tfplugin.ProviderServer { return server })
	if err != nil {
		log.Fatal(err)
	}
}
