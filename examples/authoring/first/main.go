package main

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
)

func main() {
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/example/zone"},
		Provider:  build,
	})
}

func build() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name:   "zone",
		Config: runtime.MakeConfig(configure),
		Resources: map[string]runtime.ResourceRegistration{
			"record": runtime.MakeResource[Record, *RecordOutput, *Zone](),
		},
	})
}
