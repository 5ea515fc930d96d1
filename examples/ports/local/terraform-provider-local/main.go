// Command terraform-provider-local is the program of the provider in package localport.
package main

import (
	localport "github.com/posixform/terraform-provider-posix/examples/ports/local"
	"github.com/posixform/terraform-provider-posix/serve"
)

func main() {
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/hashicorp/local"},
		Provider:  localport.New,
	})
}
