package fleet_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/walkthrough"
)

const module = "github.com/posixform/terraform-provider-posix"

// names has the names of the hosts, sorted.
var names = []string{"bastion", "db", "web"}

// TestWalkThrough runs the commands of README.md after the start of the servers.
func TestWalkThrough(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	sshdtest.Require(t)
	bin := t.TempDir()
	provider, err := acctest.Build(t.Context(), bin, "posix", module)
	must(t, err)
	w := acctest.NewWorkdir(t, provider)
	text, err := os.ReadFile("main.tf")
	must(t, err)
	w.Write("main.tf", string(text))
	w.Write("providers.tf", "") // main.tf has the required providers
	stop := startServers(t, bin, w.Dir)
	root := rootOf(t, w.Dir)

	// Checks after each command, in the order of the README.
	applied := func(greeting string) func(r acctest.Result) {
		return func(r acctest.Result) {
			for _, name := range names {
				content, err := os.ReadFile(filepath.Join(root, name, "settings.ini"))
				if want := fmt.Sprintf("name     = %s\ngreeting = %s\n", name, greeting); err != nil || string(content) != want {
					t.Errorf("settings.ini on %s: got %q, error %v, want %q", name, content, err, want)
				}
			}
			content, err := os.ReadFile(filepath.Join(root, "db", "by-tunnel"))
			if err != nil || string(content) != "This came through the tunnel.\n" {
				t.Errorf("the file written through the tunnel: got %q, error %v, want %q", content, err, "This came through the tunnel.\n")
			}
			for _, verb := range []string{"Open", "Clos"} { // "Open complete" of OpenTofu, "Opening complete" of Terraform
				if line := regexp.MustCompile(`ephemeral\.posix_tunnel\.db: ` + verb + `(e|ing)? complete`); !line.MatchString(r.Output) {
					t.Errorf("the output lacks %s:\n%s", line, r.Output)
				}
			}
			walkthrough.Prints(strings.ReplaceAll(outputs(t), "hello", greeting))(t, r.Output)
		}
	}
	planned := func(want string) func(r acctest.Result) {
		return func(r acctest.Result) {
			if !strings.Contains(r.Output, want) {
				t.Errorf("the output lacks %q:\n%s", want, r.Output)
			}
		}
	}
	expected := []struct {
		command string
		check   func(r acctest.Result)
	}{
		{"tofu apply", applied("hello")},
		{"tofu plan", planned("No changes")},
		{"rm db", func(acctest.Result) {}},
		{"tofu plan", planned(`posix_file.settings["db"]`)},
		{"tofu apply -var greeting=welcome", applied("welcome")},
		{"tofu destroy", func(acctest.Result) {
			for _, name := range names {
				if _, err := os.Lstat(filepath.Join(root, name)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s still exists (error %v)", name, err)
				}
			}
		}},
	}
	var commands []string
	for _, e := range expected {
		commands = append(commands, e.command)
	}
	if got := guide(t); !slices.Equal(got, commands) {
		t.Fatalf("README.md has the commands %q, the test has %q", got, commands)
	}
	for _, e := range expected {
		args, engine := strings.CutPrefix(e.command, "tofu ")
		if !engine {
			must(t, os.Remove(filepath.Join(root, "db", "settings.ini")))
			continue
		}
		list := append(strings.Fields(args), "-no-color")
		if list[0] != "plan" {
			list = append(list, "-auto-approve") // answers the prompt
		}
		e.check(w.Do(nil, list...))
	}

	// All connections to db are forwarded by bastion: those of the provider and those of the
	// tunnel, so there are at least twice as many as to web.
	output := stop()
	connections := map[string]int{}
	led := 0
	for line := range strings.Lines(output) {
		var name string
		var n int
		_, err := fmt.Sscanf(line, "%s had %d connections", &name, &n)
		must(t, err)
		connections[name] = n
		if _, through, found := strings.Cut(line, "and forwarded "); found {
			_, err := fmt.Sscan(through, &led)
			must(t, err)
		}
	}
	if got := slices.Sorted(maps.Keys(connections)); !slices.Equal(got, names) {
		t.Errorf("got connections to %q, want %q:\n%s", got, names, output)
	}
	if led != connections["db"] || led < 2*connections["web"] {
		t.Errorf("bastion forwarded %d connections to db, want all %d, and at least twice the %d to web:\n%s", led, connections["db"], connections["web"], output)
	}
	for _, path := range []string{root, filepath.Join(w.Dir, "fleet.auto.tfvars.json")} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s still exists after the stop (error %v)", path, err)
		}
	}
}

// guide returns the commands of README.md after the start of the servers, with the removal
// of the file on db as "rm db".
func guide(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	must(t, err)
	_, after, found := strings.Cut(string(text), "go run ./examples/fleet/servers\n")
	if !found {
		t.Fatal("README.md lacks the command that starts the servers")
	}
	var commands []string
	for line := range strings.Lines(after) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "tofu "):
			commands = append(commands, line)
		case strings.HasPrefix(line, "rm ") && strings.HasSuffix(line, `/db/settings.ini"`):
			commands = append(commands, "rm db")
		}
	}
	return commands
}

// outputs returns the text of README.md from "Outputs:" to the end of its block: the output
// values that a reader sees after the first apply.
func outputs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	must(t, err)
	_, after, found := strings.Cut(string(text), "```text\nOutputs:\n")
	shown, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("README.md shows no output values")
	}
	return "Outputs:\n" + shown
}

// startServers starts the servers with the configuration in dir and waits until they run. The
// function stop stops them and returns what they print from then on.
func startServers(t *testing.T, bin, dir string) (stop func() string) {
	t.Helper()
	program := filepath.Join(bin, "servers")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./servers").CombinedOutput(); err != nil {
		t.Fatalf("cannot build the servers: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "-dir", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the program then stops the servers
	cmd.WaitDelay = time.Minute
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("cannot read the output of the servers: %v; the command returned error %v", err, cmd.Wait())
		}
		if strings.Contains(line, "Ctrl-C") {
			break
		}
	}
	return func() string {
		must(t, cmd.Process.Signal(os.Interrupt))
		output, err := io.ReadAll(lines)
		must(t, err, cmd.Wait())
		return string(output)
	}
}

func rootOf(t *testing.T, dir string) string {
	t.Helper()
	var v struct{ Root string }
	text, err := os.ReadFile(filepath.Join(dir, "fleet.auto.tfvars.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &v))
	return v.Root
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
