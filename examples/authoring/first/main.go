package main

import (
	"context"
	"fmt"
	"os"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

func main() {
	if err := serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context) error {
	p, err := runtime.New(runtime.Definition{
		Name:   "zone",
		Config: runtime.MakeConfig(configure),
		Resources: map[string]runtime.ResourceRegistration{
			"record": runtime.MakeResource[Record, *RecordOutput, *Zone](),
		},
	})
	if err != nil {
		return err
	}
	server, err := tfprotov6.NewServer(ctx, guard.Wrap(p))
	if err != nil {
		return err
	}
	return tf6server.Serve("registry.terraform.io/example/zone", func() tfplugin.ProviderServer { return server })
}
