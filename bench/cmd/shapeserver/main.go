// Command shapeserver serves package shapes to OpenTofu or Terraform. Its file name must be
// terraform-provider-bench.
package main

import (
	"log"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/bench/shapes"
)

func main() {
	server := shapes.New()
	err := tf6server.Serve("registry.opentofu.org/posixform/bench", func() tfplugin.ProviderServer { return server })
	if err != nil {
		log.Fatal(err)
	}
}
