package bench

import (
	"context"
	"errors"
	"fmt"
	"os"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// serveVariable selects the contender that a process serves.
const serveVariable = "BENCH_SERVE"

// ServeIfAsked serves the large provider of a contender if the process was started for
// that, and then does not return. Programs that measure must call it first.
func ServeIfAsked() {
	name := os.Getenv(serveVariable)
	if name == "" {
		return
	}
	if err := serveLarge(context.Background(), name); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveLarge serves without protocol logging, which costs all contenders the same.
func serveLarge(ctx context.Context, name string) error {
	for _, variable := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO"} {
		if err := os.Setenv(variable, "off"); err != nil {
			return err
		}
	}
	build, ok := largeProviders()[name]
	if !ok {
		return fmt.Errorf("no contender %q", name)
	}
	server, err := build(ctx)
	if err != nil {
		return err
	}
	return tf6server.Serve("registry.opentofu.org/posixform/bench", func() tfplugin.ProviderServer { return server })
}

// coldProcess starts the running program as the contender's large provider, and requests
// its schema over gRPC.
func coldProcess(ctx context.Context, c Contender) (_ Answer, err error) {
	program, err := os.Executable()
	if err != nil {
		return Answer{}, err
	}
	remote, err := client.Dial(ctx, client.DialConfig{
		Path: program,
		Env:  append(os.Environ(), serveVariable+"="+c.Name),
	})
	if err != nil {
		return Answer{}, err
	}
	defer func() { err = errors.Join(err, remote.Close()) }()
	have := remote.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{})
	if n := len(have.ResourceTypes); n != largeTypes {
		return Answer{}, fmt.Errorf("the process of %s has %d resource types, want %d", c.Name, n, largeTypes)
	}
	return Answer{}, have.Diagnostics.Err()
}
