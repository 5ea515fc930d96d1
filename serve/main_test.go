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

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// role is the variable that makes the test binary a provider's program.
const role = "SERVE_TEST_ROLE"

var addresses = []string{"registry.terraform.io/example/tiny", "registry.opentofu.org/example/tiny"}

// patience is for what is certain to happen on a machine however slow.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "tiny":
		serve.Main(serve.Config{Addresses: addresses, Provider: build, Version: "1.2.3"})
	case "flags":
		colour := flag.String("colour", "", "a flag of the program's own")
		serve.Main(serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
			return nil, errors.New("the colour is " + *colour)
		}})
	}
}

// tiny is a provider that says which process it is in, and counts how often it
// is closed.
type tiny struct {
	provider.Interface
	closed *atomic.Int32
}

func build() (provider.Interface, error) { return buildCounted(new(atomic.Int32)) }

func buildCounted(closed *atomic.Int32) (provider.Interface, error) {
	p, err := runtime.New(runtime.Definition{Name: "tiny"})
	return tiny{p, closed}, err
}

// ValidateProviderConfig warns of who answers.
func (t tiny) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	resp := t.Interface.ValidateProviderConfig(ctx, req)
	resp.Diagnostics = resp.Diagnostics.Warnf(nil, "Witness", "pid %d", os.Getpid())
	return resp
}

func (t tiny) Close() error {
	t.closed.Add(1)
	return t.Interface.Close()
}

// Stop panics: the guard makes an error of that, with the id of a rule.
func (tiny) Stop(context.Context) error { panic("out of cheese") }

// program is the test binary in a role, without what this process's own
// environment says about logs.
func program(t *testing.T, name string) client.DialConfig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return client.DialConfig{
		Path:         self,
		Env:          []string{role + "=" + name, "GORACE=atexit_sleep_ms=0", "TMPDIR=" + t.TempDir()},
		StartTimeout: patience,
	}
}

// run runs the program to its end, as a person would.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	config := program(t, name)
	cmd := exec.CommandContext(t.Context(), config.Path, args...)
	var out, errs strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = config.Env, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
