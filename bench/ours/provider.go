package ours

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// New builds the server, guard included. Files, if not nil, makes the objects
// real files; otherwise they are in memory only, that is, the prior state is
// taken for what is there.
func New(ctx context.Context, files *disk.Files) (tfplugin.ProviderServer, error) {
	p, err := runtime.New(runtime.Definition{
		Name: "bench",
		Resources: map[string]runtime.ResourceRegistration{
			"file": runtime.MakeResourceWith[File, *FileOutput, runtime.NoConfig](func() *File { return &File{files: files} }),
		},
	})
	if err != nil {
		return nil, err
	}
	return tfprotov6.NewServer(ctx, guard.Wrap(p))
}
