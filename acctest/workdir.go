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

	"github.com/hashicorp/go-plugin"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// programPrefix is what the file name of each provider begins with.
const programPrefix = "terraform-provider-"

// Build compiles the main package pkg to the provider name in dir and returns
// the program's path.
func Build(ctx context.Context, dir, name, pkg string) (string, error) {
	program := filepath.Join(dir, programPrefix+name)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return program, nil
}

// Workdir is a folder with a configuration and its state, in which a test runs
// the engine's command itself and the engine starts the provider as a program:
// for what terraform-plugin-testing has no step for.
type Workdir struct {
	Dir string
	// Env is added to the environment of each command.
	Env []string

	tb  testing.TB
	cli CLI
	rc  string

	served map[string]*plugin.ReattachConfig // by source
}

// NewWorkdir makes a folder that is removed with the test. The program is a
// provider as [Build] makes it. The configuration requires it already, under its
// own name. The test is skipped where there is no engine.
func NewWorkdir(tb testing.TB, program string) *Workdir {
	tb.Helper()
	cli := Engine(tb)
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

// RegistryHost is the host that a provider address without one means to the
// engine.
func (w *Workdir) RegistryHost() string { return w.cli.RegistryHost() }

// Write makes or replaces a file of the folder.
func (w *Workdir) Write(name, text string) {
	w.tb.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600); err != nil {
		w.tb.Fatal(err)
	}
}

// Command is a command of the engine that is ready to be started.
func (w *Workdir) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.cli.Path, args...)
	cmd.Dir = w.Dir
	cmd.Env = slices.Concat(tfcli.Environ(os.Environ(), w.rc), w.reattach(), w.Env)
	return cmd
}

// Result is how a command of the engine ended.
type Result struct {
	Code   int
	Output string // what it printed, errors among it

	args []string
}

// Run runs a command of the engine to its end, whatever that is.
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

// Do runs a command of the engine that must end with one of these codes; none
// given means 0.
func (w *Workdir) Do(codes []int, args ...string) Result {
	w.tb.Helper()
	r := w.Run(args...)
	if len(codes) == 0 {
		codes = []int{0}
	}
	if slices.Contains(codes, r.Code) {
		return r
	}
	w.tb.Fatalf("%s ended with %d, want %d:\n%s", args, r.Code, codes, r.Output)
	return r
}

// Message is one thing that a command which was given -json has to say.
type Message struct {
	Type       string
	Diagnostic struct {
		Severity string
		Summary  string
		Detail   string
		Address  string
		Snippet  struct {
			// Code is the line of the configuration.
			Code string
		}
	}
	Change struct {
		Action   string
		Resource struct{ Addr string }
	}
}

// Messages are those of a command that was given -json.
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
