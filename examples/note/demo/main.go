package main

import (
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
)

func main() {
	serve.Main(serve.Config{Addresses: []string{"registry.terraform.io/example/demo"}, Provider: build})
}

func build() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "demo",
		Resources: map[string]runtime.ResourceRegistration{
			"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
		},
	})
}
