// Command runtimeserver serves package ours with real files to OpenTofu or Terraform. Its
// file name must be terraform-provider-bench.
package main

import (
	"context"
	"log"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/ours"
)

func main() {
	server, err := ours.New(context.Background(), &disk.Files{})
	if err != nil {
		log.Fatal(err)
	}
	err = tf6server.Serve("registry.opentofu.org/posixform/bench", func() tfplugin.ProviderServer { return server })
	if err != nil {
		log.Fatal(err)
	}
}
