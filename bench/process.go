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

// serveVariable names the contender that a process is to be.
const serveVariable = "BENCH_SERVE"

// ServeIfAsked serves the large provider of a contender, and does not return, in
// a process that was started for that. A program that measures calls it
// first of all.
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

// serveLarge has protocol logging off, which costs all contenders the same.
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

// coldProcess starts the program that runs as the contender's large provider,
// and asks it for its schema, over gRPC.
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
