package main

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/serve"
)

// addresses returns the source addresses of this provider in the registries of Terraform and OpenTofu.
func addresses() []string {
	return []string{"registry.terraform.io/posixform/posix", "registry.opentofu.org/posixform/posix"}
}

// version is set by the linker in a release.
var version string

func main() {
	version := serve.Version(version)
	serve.Main(serve.Config{
		Addresses: addresses(),
		Provider:  func() (provider.Interface, error) { return resources.New(version) },
		Version:   version,
	})
}
