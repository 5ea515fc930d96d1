// Command terraform-provider-time is the program of the provider in package timeport.
package main

import (
	"time"

	timeport "github.com/posixform/terraform-provider-posix/examples/ports/time"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/serve"
)

func main() {
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/hashicorp/time"},
		Provider:  func() (provider.Interface, error) { return timeport.New(time.Now) },
	})
}
