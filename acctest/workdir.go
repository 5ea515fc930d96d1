package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

// programPrefix is the prefix of a provider's file name.
const programPrefix = "terraform-provider-"

// Build compiles the main package pkg as provider name in dir and returns the path of
// the program. An error contains the output of go build.
func Build(ctx context.Context, dir, name, pkg string) (string, error) {
	program := filepath.Join(dir, programPrefix+name)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return program, nil
}

// Workdir is a directory with a configuration and its state, in which a test runs
// commands that terraform-plugin-testing has no step for.
type Workdir struct {
	Dir string
	// Env is added to the environment of each command.
	Env []string

	tb  testing.TB
	cli CLI
	rc  string

	served map[string]*plugin.ReattachConfig // by source
}

// NewWorkdir creates a directory with a configuration that requires the provider, and
// removes it when the test ends. The program is a path that [Build] returned. Without the
// CLI of OpenTofu or Terraform, the test is skipped or fails as in [NeedsCLI].
func NewWorkdir(tb testing.TB, program string) *Workdir {
	tb.Helper()
	cli := NeedsCLI(tb)
	dir := tb.TempDir()
	w := &Workdir{Dir: filepath.Join(dir, "config"), tb: tb, cli: cli, rc: filepath.Join(dir, "cli.tfrc"), served: map[string]*plugin.ReattachConfig{}}
	name := strings.TrimPrefix(filepath.Base(program), programPrefix)
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"%s/%s\" = %q\n  }\n}\n", Namespace, name, filepath.Dir(program))
	if err := errors.Join(
		os.Mkdir(w.Dir, 0o700),
		os.WriteFile(w.rc, []byte(overrides), 0o600),
	); err != nil {
		tb.Fatal(err)
	}
	w.Write("providers.tf", fmt.Sprintf("terraform {\n  required_providers {\n    %s = {\n      source = \"%s/%[1]s\"\n    }\n  }\n}\n", name, Namespace))
	return w
}

// RegistryHost returns the default registry host of the command.
func (w *Workdir) RegistryHost() string { return w.cli.RegistryHost() }

// Write creates or replaces a file in the directory.
func (w *Workdir) Write(name, text string) {
	w.tb.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600); err != nil {
		w.tb.Fatal(err)
	}
}

// Command returns a command that is ready to be started.
func (w *Workdir) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.cli.Path, args...)
	cmd.Dir = w.Dir
	cmd.Env = slices.Concat(tfcli.Environ(os.Environ(), w.rc), w.reattach(), w.Env)
	return cmd
}

// Result is the result of a command.
type Result struct {
	Code   int
	Output string // stdout and stderr

	args []string
}

// Run runs a command and returns its result, whatever its exit code is.
func (w *Workdir) Run(args ...string) Result {
	w.tb.Helper()
	out, err := w.Command(w.tb.Context(), args...).CombinedOutput()
	r := Result{Output: string(out), args: args}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		r.Code = exit.ExitCode()
	} else if err != nil {
		w.tb.Fatalf("%s: %v\n%s", args, err, out)
	}
	return r
}

// Do runs a command and fails the test unless it exits with one of the codes. No codes
// mean 0.
func (w *Workdir) Do(codes []int, args ...string) Result {
	w.tb.Helper()
	r := w.Run(args...)
	if len(codes) == 0 {
		codes = []int{0}
	}
	if slices.Contains(codes, r.Code) {
		return r
	}
	w.tb.Fatalf("the command %s ended with exit code %d, want %d:\n%s", args, r.Code, codes, r.Output)
	return r
}

// Message is one line of the output of a command with -json.
type Message struct {
	Type       string
	Diagnostic struct {
		Severity string
		Summary  string
		Detail   string
		Address  string
		Snippet  struct {
			// Code has the source lines.
			Code string
		}
	}
	Change struct {
		Action   string
		Resource struct{ Addr string }
	}
}

// Messages parses the output of a command with -json.
func (r Result) Messages(tb testing.TB) []Message {
	tb.Helper()
	var all []Message
	for line := range strings.Lines(r.Output) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var m Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			tb.Fatalf("%s printed %q: %v", r.args, line, err)
		}
		all = append(all, m)
	}
	return all
}

// NewServedWorkdir is like [NewWorkdir], but serves the provider from this process,
// wrapped in the guard, until the test ends. It is for tests that inspect or replace parts
// of the provider. All commands use the same instance.
func NewServedWorkdir(tb testing.TB, name string, build func() (provider.Interface, error)) *Workdir {
	tb.Helper()
	w := NewWorkdir(tb, filepath.Join(tb.TempDir(), programPrefix+name))
	w.Serve(Namespace+"/"+name, build)
	return w
}

// Serve serves a provider under a source address such as "hashicorp/local" from this
// process, wrapped in the guard, until the test ends. All commands use that instance
// until withdraw is called.
func (w *Workdir) Serve(source string, build func() (provider.Interface, error)) (withdraw func()) {
	tb := w.tb
	tb.Helper()
	server, err := Factories(source, build)[source]()
	if err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	started, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- tf6server.Serve(w.RegistryHost()+"/"+source, func() tfplugin.ProviderServer { return server },
			tf6server.WithDebug(ctx, started, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	tb.Cleanup(func() {
		stop()
		err := <-served
		if s, ok := server.(*closingServer); ok {
			err = errors.Join(err, s.Close())
		}
		if err != nil {
			tb.Error(err)
		}
	})
	select {
	case config := <-started:
		w.served[source] = config
	case err := <-served:
		served <- nil
		tb.Fatalf("the server ended before it was ready: %v", err)
	}
	return func() { delete(w.served, source) }
}

// reattach returns the environment variable with which a command finds the served
// providers, or nil if there are none.
func (w *Workdir) reattach() []string {
	if len(w.served) == 0 {
		return nil
	}
	text, err := reattach.Format(w.served)
	if err != nil {
		w.tb.Fatal(err)
	}
	return []string{"TF_REATTACH_PROVIDERS=" + text}
}
