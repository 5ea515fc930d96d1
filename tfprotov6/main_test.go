package tfprotov6_test

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

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// role is the variable that makes the test binary one of the programs below.
const role = "TFPROTOV6_TEST_ROLE"

// ours is a variable of the tests' environment that no program is given.
const ours = "TFPROTOV6_TEST_OURS"

// programs are what tests start, with what they do. All of them are this binary.
var programs = map[string]func() error{
	"v6": func() error { return serve6(witness{fake: newFake()}) },
	"v5": func() error {
		return tf5server.Serve("test/five", func() tfprotov5.ProviderServer { return five{} })
	},
	"wayward": func() error { return serve6(wayward{fake: newFake()}) },
	"crash":   func() error { return serve6(crashing{fake: newFake()}) },
	"no plugin": func() error {
		fmt.Println("Hello! How can I help you?")
		return nil
	},
	"exit": func() error { return errors.New("no licence found, giving up") },
	"silent": func() error {
		fmt.Fprintln(os.Stderr, "thinking about it")
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
	"deaf": func() error { // says where it serves and does not
		fmt.Println("1|6|unix|/nowhere|grpc")
		fmt.Fprintln(os.Stderr, "lost my ears")
		time.Sleep(time.Hour)
		return nil
	},
	"stubborn": func() error { // serves, and does not end when it should
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		if err := serve6(witness{fake: newFake()}); err != nil {
			return err
		}
		time.Sleep(time.Hour)
		return nil
	},
	"parent": func() error { // leaves a child behind that holds its output open
		child := exec.Command("sleep", "600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "my child is pid %d\n", child.Process.Pid)
		return serve6(witness{fake: newFake()})
	},
}

func TestMain(m *testing.M) {
	if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off")); err != nil {
		panic(err)
	}
	program, ok := programs[os.Getenv(role)]
	if !ok {
		if err := os.Setenv(ours, "yes"); err != nil {
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
	server, err := tfprotov6.NewServer(context.Background(), p)
	if err != nil {
		return err
	}
	return tf6server.Serve("test/six", func() tfplugin.ProviderServer { return server })
}

// witness is a provider that says who asks.
type witness struct{ *fake }

func (w witness) ValidateProviderConfig(ctx context.Context, _ provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	fmt.Fprintln(os.Stderr, "I was asked")
	resp.Diagnostics = resp.Diagnostics.Warnf(nil, "Witness", "%s", seen(ctx))
	return resp
}

func (w witness) ReadResource(ctx context.Context, _ provider.ReadResourceRequest) provider.ReadResourceResponse {
	fmt.Fprintln(os.Stderr, "I am reading")
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "I was let go")
	time.Sleep(time.Second) // an answer is not to be in time
	return provider.ReadResourceResponse{}
}

func (w witness) Stop(context.Context) error { return nil }

func (w witness) Close() error { return nil }

// seen says which process was asked, and whether both sides proved who they are.
func seen(ctx context.Context) string {
	text := fmt.Sprintf("pid %d", os.Getpid())
	if from, ok := peer.FromContext(ctx); ok {
		if info, ok := from.AuthInfo.(credentials.TLSInfo); ok && len(info.State.VerifiedChains) > 0 && info.State.Version >= tls.VersionTLS12 {
			text += ", mutual TLS"
		}
	}
	if os.Getenv(ours) != "" {
		text += ", the environment of its client"
	}
	return text
}

// wayward is a provider that plans what it likes.
type wayward struct{ *fake }

func (w wayward) PlanResourceChange(context.Context, provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return provider.PlanResourceChangeResponse{PlannedState: plain(cty.StringVal("another"))}
}

// crashing is a provider that does.
type crashing struct{ *fake }

func (c crashing) ReadResource(context.Context, provider.ReadResourceRequest) provider.ReadResourceResponse {
	fmt.Fprintln(os.Stderr, strings.Repeat("just a line\n", 50))
	go func() { panic("out of cheese") }() // where nobody recovers
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
		Diagnostics:    []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityWarning, Summary: "Witness", Detail: seen(ctx)}},
	}, nil
}

func (five) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}
