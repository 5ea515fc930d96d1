package ours

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// New builds the server, guard included.
func New(ctx context.Context) (tfplugin.ProviderServer, error) {
	p, err := runtime.New(runtime.Definition{
		Name: "bench",
		Resources: map[string]runtime.ResourceRegistration{
			"file": runtime.MakeResource[File, *FileOutput, runtime.NoConfig](),
		},
	})
	if err != nil {
		return nil, err
	}
	return tfprotov6.NewServer(ctx, guard.Wrap(p))
}
