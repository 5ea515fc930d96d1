package scenarios_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

// commandLine runs scenarios with the real command, whose provider is served from this
// process.
type commandLine struct{ program string }

func (cli commandLine) run(tb testing.TB, s *Scenario) []Outcome {
	tb.Helper()
	dir := tb.TempDir()
	if s.Prior != "" {
		prior, err := PriorState(s)
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, stateFile), prior, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	var out []Outcome
	for _, step := range s.Steps {
		server := newServer(tb, step)
		writeFiles(tb, dir, step.Files)
		running, stop := served(tb, server)
		o := cli.command(tb, dir, running, step.Command)
		stop()
		finish(tb, server, &o)
		o.hold(tb, stateIn(tb, dir))
		out = append(out, o)
	}
	return out
}

const stateFile = "terraform.tfstate"

// stateIn returns the state in a directory, or nil if there is none.
func stateIn(tb testing.TB, dir string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		tb.Fatal(err)
	}
	return text
}

// hold records the objects and outputs of a state.
func (o *Outcome) hold(tb testing.TB, state []byte) {
	tb.Helper()
	var err error
	if o.Holds, o.Outputs, err = Held(state); err != nil {
		tb.Fatal(err)
	}
}

// newServer returns the provider of a step.
func newServer(tb testing.TB, step Step) *Server {
	tb.Helper()
	behaviour, err := ParseBehaviour("behaviour.hcl", step.Behaviour)
	if err != nil {
		tb.Fatal(err)
	}
	server, err := NewServer(step.Schema, behaviour)
	if err != nil {
		tb.Fatal(err)
	}
	return server
}

// finish records the provider's calls. The test fails if the provider's script has errors.
func finish(tb testing.TB, server *Server, o *Outcome) {
	tb.Helper()
	o.Calls = server.Calls()
	for _, err := range server.Broken() {
		tb.Error(err)
	}
}

// writeFiles replaces the configuration files of the root module, and writes and installs
// the local modules.
func writeFiles(tb testing.TB, dir string, files map[string][]byte) {
	tb.Helper()
	old, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			tb.Fatal(err)
		}
	}
	modules := map[string]string{}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if directory := filepath.ToSlash(filepath.Dir(name)); directory != "." {
			modules[directory] = directory
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
			tb.Fatal(err)
		}
	}
	installModules(tb, dir, modules)
}

// installModules installs local modules as init does. Each module call must have the name
// of its directory.
func installModules(tb testing.TB, dir string, modules map[string]string) {
	tb.Helper()
	if len(modules) == 0 {
		return
	}
	type module struct{ Key, Source, Dir string }
	manifest := struct{ Modules []module }{[]module{{Dir: "."}}}
	for directory := range modules {
		manifest.Modules = append(manifest.Modules, module{Key: strings.ReplaceAll(directory, "/", "."), Source: "./" + directory, Dir: directory})
	}
	text, err := json.Marshal(manifest)
	modulesDir := filepath.Join(dir, ".terraform", "modules")
	if err := errors.Join(err, os.MkdirAll(modulesDir, 0o700), os.WriteFile(filepath.Join(modulesDir, "modules.json"), text, 0o600)); err != nil {
		tb.Fatal(err)
	}
}

// served serves the provider until stop is called. It returns the value of
// TF_REATTACH_PROVIDERS.
func served(tb testing.TB, server tfplugin.ProviderServer) (running string, stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	started, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- tf6server.Serve(ProviderSource, func() tfplugin.ProviderServer { return server },
			tf6server.WithDebug(ctx, started, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	}
	select {
	case config := <-started:
		text, err := reattach.Format(map[string]*plugin.ReattachConfig{ProviderSource: config})
		if err != nil {
			tb.Fatal(err)
		}
		return text, stop
	case err := <-ended:
		cancel()
		tb.Fatalf("the server ended before it was ready: %v", err)
		return "", nil
	}
}

// command runs one command and parses its output.
func (cli commandLine) command(tb testing.TB, dir, running string, words []string) Outcome {
	tb.Helper()
	args := append([]string(nil), words[1:]...)
	switch words[0] {
	case "plan":
		args = append([]string{"plan", "-json"}, args...)
	case "apply":
		args = append([]string{"apply", "-json", "-auto-approve"}, args...)
	case "destroy":
		args = append([]string{"apply", "-destroy", "-json", "-auto-approve"}, args...)
	case "refresh":
		args = append([]string{"apply", "-refresh-only", "-json", "-auto-approve"}, args...)
	case "import":
		args = append([]string{"import", "-no-color"}, args...)
	default:
		tb.Fatalf("unknown command %q", words[0])
	}
	cmd := exec.CommandContext(tb.Context(), cli.program, args...)
	cmd.Dir = dir
	cmd.Env = append(tfcli.Environ(os.Environ(), ""), "TF_REATTACH_PROVIDERS="+running)
	text, err := cmd.CombinedOutput()
	o := Outcome{}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		o.Failed = true
	} else if err != nil {
		tb.Fatal(err)
	}
	if os.Getenv("SCENARIO_OUTPUT") != "" {
		tb.Logf("%s\n%s", words, text)
	}
	o.Messages, o.Plans = parseJSON(tb, text)
	if words[0] == "import" {
		o.Messages = parsePlain(string(text))
	}
	return o
}

// parseJSON returns the messages and the plan of a command with -json.
func parseJSON(tb testing.TB, output []byte) (messages []Message, planned []string) {
	tb.Helper()
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var m struct {
			Type       string
			Diagnostic struct{ Severity, Summary, Detail, Address string }
			Change     struct {
				Action, Reason string
				Resource       struct {
					Addr string
				}
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			tb.Fatalf("read %q: %v", line, err)
		}
		switch m.Type {
		case "diagnostic":
			d := m.Diagnostic
			messages = append(messages, NewMessage(d.Severity, d.Address, d.Summary, d.Detail))
		case "planned_change":
			planned = append(planned, m.Change.Action+" "+m.Change.Resource.Addr)
		}
	}
	return messages, planned
}

var (
	plainTitle = regexp.MustCompile(`(?m)^(Error|Warning): (.*)$`)
	plainAbout = regexp.MustCompile(`(?m)^  with (\S+),$`)
)

// parsePlain returns the messages of a command without -json.
func parsePlain(output string) []Message {
	output = strings.NewReplacer("│ ", "", "│", "", "╷", "", "╵", "").Replace(output)
	var out []Message
	titles := plainTitle.FindAllStringSubmatchIndex(output, -1)
	for i, at := range titles {
		end := len(output)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		address := ""
		if about := plainAbout.FindStringSubmatch(output[at[0]:end]); about != nil {
			address = about[1]
		}
		out = append(out, NewMessage(strings.ToLower(output[at[2]:at[3]]), address, output[at[4]:at[5]], output[at[5]:end]))
	}
	return out
}
