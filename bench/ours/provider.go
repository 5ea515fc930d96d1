package ours

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// New builds the provider, without the guard.
func New() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "bench",
		Resources: map[string]runtime.ResourceRegistration{
			"file": runtime.MakeResource[File, *FileOutput, runtime.NoConfig](),
		},
	})
}
