package serve_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// role is an environment variable that makes the test binary the program of a provider or a
// client.
const role = "SERVE_TEST_ROLE"

var addresses = []string{"registry.terraform.io/example/tiny", "registry.opentofu.org/example/tiny"}

// maxWait is the maximum time to wait for an event. It is long enough for slow hosts.
const maxWait = 2 * time.Minute

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "tiny":
		serve.Main(serve.Config{Addresses: addresses, Provider: build, Version: "1.2.3"})
	case "muxed":
		serve.Main(serve.Config{Addresses: addresses, Provider: build, Mux: func(_ context.Context, server tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
			return muxed{server}, nil
		}})
	case "client":
		invokeRun()
	case "run":
		serveRun()
	case "early":
		startOrphan()
	case "orphan":
		serveOrphan()
	case "flags":
		colour := flag.String("colour", "", "a flag of the program")
		serve.Main(serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
			return nil, errors.New("the colour is " + *colour)
		}})
	}
}

// tiny is a provider that reports its process ID and counts calls of Close.
type tiny struct {
	provider.Interface
	closed *atomic.Int32
}

func build() (provider.Interface, error) { return buildCounted(new(atomic.Int32)) }

func buildCounted(closed *atomic.Int32) (provider.Interface, error) {
	p, err := runtime.New(runtime.Definition{Name: "tiny"})
	return tiny{p, closed}, err
}

// ValidateProviderConfig returns a warning with the process ID.
func (t tiny) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	resp := t.Interface.ValidateProviderConfig(ctx, req)
	resp.Diagnostics = resp.Diagnostics.Warnf(nil, "Process", "pid %d", os.Getpid())
	return resp
}

func (t tiny) Close() error {
	t.closed.Add(1)
	return t.Interface.Close()
}

// Stop panics. The guard returns an error with the ID of a rule instead.
func (tiny) Stop(context.Context) error { panic("test panic") }

// muxed is a server with a resource type that the provider does not have.
type muxed struct{ tfplugin.ProviderServer }

func (m muxed) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	resp, err := m.ProviderServer.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}
	out := *resp
	out.ResourceSchemas = map[string]*tfplugin.Schema{"tiny_other": {Block: &tfplugin.SchemaBlock{}}}
	return &out, nil
}

// program returns the configuration to start the test binary in a role, without
// the TF_LOG variables of this process.
func program(t *testing.T, name string) client.DialConfig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A killed program leaves its sockets behind, and the path of t.TempDir is too long for them.
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return client.DialConfig{
		Path:         self,
		Env:          []string{role + "=" + name, "GORACE=atexit_sleep_ms=0", "TMPDIR=" + dir},
		StartTimeout: maxWait,
	}
}

// run starts the test binary in a role, waits for its end and returns its output.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	config := program(t, name)
	cmd := exec.CommandContext(t.Context(), config.Path, args...)
	var out, errs strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = config.Env, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
