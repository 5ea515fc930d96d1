package configs_test

import (
	"fmt"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

func ExampleLoad() {
	config, diags := configs.Load(configs.Files{
		"main.tf": []byte(`
			resource "posix_file" "motd" {
			  path = "/etc/motd"
			}
			resource "posix_file" "motd" {}
		`),
	}, ".", configs.Options{})
	for addr, resource := range config.Module.Resources {
		provider, _ := config.ResolveProvider(resource.ProviderConfigRef)
		fmt.Println(addr, "at", resource.DeclRange, "by", provider)
	}
	fmt.Println(diags[0].Summary)
	fmt.Println(config.ProviderFor("terraform") == addrs.BuiltIn)
	// Output:
	// posix_file.motd at main.tf:2,4-32 by provider["registry.opentofu.org/hashicorp/posix"]
	// Duplicate resource "posix_file" configuration
	// true
}
