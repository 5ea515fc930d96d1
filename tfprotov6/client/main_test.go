package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// role is the environment variable that selects an entry of the map programs to run instead of the tests.
const role = "CLIENT_TEST_ROLE"

// testsOnly is an environment variable that is set in the tests and not passed to programs.
const testsOnly = "CLIENT_TEST_TESTS_ONLY"

// programs are the programs that tests start, by their role. All of them are this binary.
var programs = map[string]func() error{
	"v6": func() error { return serve6(reporter{}) },
	"v5": func() error {
		return tf5server.Serve("test/five", func() tfprotov5.ProviderServer { return five{} })
	},
	"invalid plan":  func() error { return serve6(invalidPlan{}) },
	"crash":         func() error { return serve6(crashing{}) },
	"interruptible": func() error { return serve6(interruptible{}) },
	"no plugin": func() error {
		fmt.Println("usage: program [flags]")
		return nil
	},
	"exit": func() error { return errors.New("no licence found") },
	"silent": func() error {
		fmt.Fprintln(os.Stderr, "still starting")
		time.Sleep(time.Hour)
		return nil
	},
	"protocol 4": func() error {
		fmt.Println("1|4|unix|/nowhere|grpc")
		time.Sleep(time.Hour)
		return nil
	},
	"netrpc": func() error {
		fmt.Println("1|5|unix|/nowhere|netrpc")
		time.Sleep(time.Hour)
		return nil
	},
	"not listening": func() error { // announces an address that it does not serve
		fmt.Println("1|6|unix|/nowhere|grpc")
		fmt.Fprintln(os.Stderr, "not listening")
		time.Sleep(time.Hour)
		return nil
	},
	"ignores signals": func() error {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		if err := serve6(reporter{}); err != nil {
			return err
		}
		time.Sleep(time.Hour)
		return nil
	},
	"parent": func() error { // leaves a child process that keeps the output of the program open
		child := exec.Command("sleep", "600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "my child is pid %d\n", child.Process.Pid)
		return serve6(reporter{})
	},
}

func TestMain(m *testing.M) {
	if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off")); err != nil {
		panic(err)
	}
	program, ok := programs[os.Getenv(role)]
	if !ok {
		if err := os.Setenv(testsOnly, "yes"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func serve6(p provider.Interface) error {
	served, err := server.New(context.Background(), p)
	if err != nil {
		return err
	}
	return tf6server.Serve("test/six", func() tfplugin.ProviderServer { return served })
}

// typeName is the resource type of the providers of protocol 6 below.
const typeName = "test_plain"

// plain returns a value of the type typeName.
func plain(host string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"host": cty.StringVal(host)})
}

// schemas is a provider with schemas. Its other methods except Stop are those of
// provider.Unimplemented.
type schemas struct{ provider.Unimplemented }

func (schemas) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	schema := provider.Schema{Body: &configschema.Block{
		Attributes: map[string]*configschema.Attribute{"host": {Type: cty.String, Optional: true}},
	}}
	return provider.GetProviderSchemaResponse{Provider: schema, ResourceTypes: map[string]provider.Schema{typeName: schema}}
}

func (schemas) Stop(context.Context) error { return nil }

// reporter is a provider that reports how it is called.
type reporter struct{ schemas }

func (reporter) ValidateProviderConfig(ctx context.Context, _ provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	fmt.Fprintln(os.Stderr, "validate called")
	resp.Diagnostics = resp.Diagnostics.Warnf(nil, "Report", "%s", report(ctx))
	return resp
}

func (reporter) ReadResource(ctx context.Context, _ provider.ReadResourceRequest) provider.ReadResourceResponse {
	fmt.Fprintln(os.Stderr, "read called")
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "read canceled")
	time.Sleep(time.Second) // the client has returned by then
	return provider.ReadResourceResponse{}
}

// report describes the process of the provider, the authentication of the connection, and
// whether testsOnly is set.
func report(ctx context.Context) string {
	text := fmt.Sprintf("pid %d", os.Getpid())
	if from, ok := peer.FromContext(ctx); ok {
		if info, ok := from.AuthInfo.(credentials.TLSInfo); ok && len(info.State.VerifiedChains) > 0 && info.State.Version >= tls.VersionTLS12 {
			text += ", mutual TLS"
		}
	}
	if os.Getenv(testsOnly) != "" {
		text += ", the environment of its client"
	}
	return text
}

// invalidPlan is a provider whose plans differ from the configuration.
type invalidPlan struct{ schemas }

func (invalidPlan) PlanResourceChange(context.Context, provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return provider.PlanResourceChangeResponse{PlannedState: plain("another")}
}

// crashing is a provider that crashes when it reads a resource or starts a stream.
type crashing struct{ schemas }

func (c crashing) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	resp := c.schemas.GetProviderSchema(ctx, req)
	resp.ListResourceTypes, resp.Actions, resp.StateStores = resp.ResourceTypes, resp.ResourceTypes, resp.ResourceTypes
	return resp
}

func (crashing) ListResource(context.Context, provider.ListResourceRequest) provider.ListResourceResponse {
	defer os.Exit(4)
	return provider.ListResourceResponse{}
}

func (crashing) InvokeAction(context.Context, provider.InvokeActionRequest) provider.InvokeActionResponse {
	defer os.Exit(4)
	return provider.InvokeActionResponse{}
}

func (crashing) ReadStateBytes(context.Context, provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	defer os.Exit(4)
	return provider.ReadStateBytesResponse{}
}

func (crashing) ReadResource(context.Context, provider.ReadResourceRequest) provider.ReadResourceResponse {
	fmt.Fprintln(os.Stderr, strings.Repeat("log line\n", 50))
	go func() { panic("test crash") }() // not recovered
	time.Sleep(time.Hour)
	return provider.ReadResourceResponse{}
}

// five is a provider of protocol 5.
type five struct{ tfprotov5.ProviderServer }

func (five) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	block := &tfprotov5.SchemaBlock{}
	return &tfprotov5.GetProviderSchemaResponse{
		Provider:        &tfprotov5.Schema{Block: block},
		ResourceSchemas: map[string]*tfprotov5.Schema{"five_thing": {Version: 5, Block: block}},
	}, nil
}

func (five) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (five) PrepareProviderConfig(ctx context.Context, req *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{
		PreparedConfig: req.Config,
		Diagnostics:    []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityWarning, Summary: "Report", Detail: report(ctx)}},
	}, nil
}

func (five) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}
