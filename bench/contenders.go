package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/bench/floor"
	"github.com/posixform/terraform-provider-posix/bench/framework"
	"github.com/posixform/terraform-provider-posix/bench/ours"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// Contender is one of the compared servers.
type Contender struct {
	Name   string
	Server tfplugin.ProviderServer
	// NewLarge builds a new provider of many resource types. Large returns a provider
	// that is built on first use. Until then the heap is small, so that each batch of
	// other cases includes several garbage collections and not only a part of one.
	NewLarge func(context.Context) (tfplugin.ProviderServer, error)
	Large    func() (tfplugin.ProviderServer, error)
}

// Contenders returns the servers. Each is configured already, as an engine configures a
// provider before it uses resources. A server that cannot be built or configured is an error.
func Contenders(ctx context.Context) ([]Contender, error) {
	own, err := ours.New(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("build package ours: %w", err)
	}
	all := []Contender{
		{Name: "floor", Server: floor.New(nil)},
		{Name: "ours", Server: own},
		{Name: "framework", Server: providerserver.NewProtocol6(&framework.Provider{})()},
	}
	large := largeProviders()
	for i, c := range all {
		if err := configure(ctx, c.Server); err != nil {
			return nil, fmt.Errorf("configure %s: %w", c.Name, err)
		}
		build := large[c.Name]
		all[i].NewLarge = build
		all[i].Large = sync.OnceValues(func() (tfplugin.ProviderServer, error) { return build(ctx) })
	}
	return all, nil
}

// largeProviders returns functions that build the large provider of each contender.
func largeProviders() map[string]func(context.Context) (tfplugin.ProviderServer, error) {
	return map[string]func(context.Context) (tfplugin.ProviderServer, error){
		"floor": func(context.Context) (tfplugin.ProviderServer, error) { return floor.NewLarge(largeTypes), nil },
		"ours": func(ctx context.Context) (tfplugin.ProviderServer, error) {
			return ours.NewLarge(ctx, largeTypes)
		},
		"framework": func(context.Context) (tfplugin.ProviderServer, error) {
			return providerserver.NewProtocol6(&framework.Large{Types: largeTypes})(), nil
		},
	}
}

func configure(ctx context.Context, s tfplugin.ProviderServer) error {
	schema, err := s.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	empty, err := msgpack.Marshal(cty.EmptyObjectVal, cty.EmptyObject)
	if err != nil {
		return err
	}
	resp, err := s.ConfigureProvider(ctx, &tfplugin.ConfigureProviderRequest{
		TerraformVersion: "1.12.6",
		Config:           &tfplugin.DynamicValue{MsgPack: empty},
	})
	if err != nil {
		return err
	}
	for _, d := range append(schema.Diagnostics, resp.Diagnostics...) {
		if d.Severity == tfplugin.DiagnosticSeverityError {
			return errors.New(d.Summary + ": " + d.Detail)
		}
	}
	return nil
}

// serveVariable is the environment variable with the name of the contender to serve.
const serveVariable = "BENCH_SERVE"

// ServeIfRequested serves the large provider of a contender if serveVariable is set, and
// then does not return. Programs that measure must call it first.
func ServeIfRequested() {
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

// serveLarge serves the large provider of a contender without protocol logging, which
// would cost all contenders the same.
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

// coldProcess starts this program again as the contender's large provider, and requests
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
