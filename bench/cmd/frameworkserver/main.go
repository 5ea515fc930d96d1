// Command frameworkserver serves package framework with real files to OpenTofu or
// Terraform. Its file name must be terraform-provider-bench.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/framework"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider {
		return &framework.Provider{Files: &disk.Files{}}
	}, providerserver.ServeOpts{Address: "registry.opentofu.org/posixform/bench"})
	if err != nil {
		log.Fatal(err)
	}
}
