package configs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// refused is a configuration with its expected diagnostics.
type refused struct {
	name  string
	files map[string]string
	// want has the diagnostics as "Error: summary" or "Warning: summary", sorted.
	want []string
	// deviation is the reason why the command's diagnostics differ, or "".
	deviation string
}

// readRefused reads testdata/refused.txt. A case starts with "=== name", has files that
// start with "-- name --", and ends with its diagnostics, each after ">>> ". A
// line that starts with "!!! " has the reason why the command's diagnostics differ.
func readRefused(t *testing.T) []refused {
	t.Helper()
	text, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []refused
	var file string
	for line := range strings.Lines(string(text)) {
		header := strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(header, "=== "); ok {
			out = append(out, refused{name: name, files: map[string]string{}})
			continue
		}
		if len(out) == 0 { // the comment at the start of the file
			continue
		}
		last := &out[len(out)-1]
		if name, ok := strings.CutPrefix(header, "-- "); ok {
			file = strings.TrimSuffix(name, " --")
			last.files[file] = ""
			continue
		}
		if why, ok := strings.CutPrefix(header, "!!! "); ok {
			last.deviation = why
			continue
		}
		if message, ok := strings.CutPrefix(header, ">>> "); ok {
			last.want = append(last.want, message)
			continue
		}
		last.files[file] += line
	}
	return out
}

func TestRefused(t *testing.T) {
	t.Parallel()
	cases := readRefused(t)
	if len(cases) < 150 {
		t.Fatalf("read %d cases, want at least 150", len(cases))
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, diags := configs.Load(files(tt.files), ".", configs.Options{Version: "1.12.6"})
			var got []string
			for _, d := range diags {
				got = append(got, severities[d.Severity]+d.Summary)
				if d.Subject == nil || d.Subject.Filename == "" {
					t.Errorf("the message %q has no subject", d.Summary)
				}
				if d.Detail == "" {
					t.Errorf("the message %q has no detail", d.Summary)
				}
				if d.Summary == "Not supported by the in-process engine" && !saysWhatToDo.MatchString(d.Detail) {
					t.Errorf("the detail does not say what is not supported and what to do: %s", d.Detail)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s\n%v", diff, diags.Errs())
			}
		})
	}
}

// saysWhatToDo matches the detail of an error about a construct that the engine does not support.
var saysWhatToDo = regexp.MustCompile(`^The in-process engine does not support \S.*\. [A-Z].*\. Test cases can also run with the CLI \(ACCTEST_ENGINE=cli\)\.$`)

var severities = map[hcl.DiagnosticSeverity]string{hcl.DiagError: "Error: ", hcl.DiagWarning: "Warning: "}

// TestRefusedByTheCommand compares the table with the output of the command. A case starts one or
// two processes, so only every tenth runs unless the command is required (POSIX_ACC=require).
func TestRefusedByTheCommand(t *testing.T) {
	t.Parallel()
	required := os.Getenv("POSIX_ACC") == "require"
	cli, _, err := tfcli.FromEnvironment().Find(t.Context())
	switch {
	case err != nil && required:
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	if cli.Kind != tfcli.OpenTofu {
		t.Skipf("the table has OpenTofu's summaries, and the command is %s", cli)
	}
	for i, tt := range readRefused(t) {
		if !required && i%10 != 0 {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.deviation != "" {
				t.Skip(tt.deviation)
			}
			dir := t.TempDir()
			modules := false
			for name, content := range tt.files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				modules = modules || filepath.Dir(name) != dir
			}
			if modules { // init may fail; validate reports the errors
				_, _ = command(t, cli, dir, "init", "-backend=false").Output()
			}
			out, _ := command(t, cli, dir, "validate", "-json").Output()
			var output struct {
				Diagnostics []struct{ Severity, Summary string }
			}
			if err := json.Unmarshal(out, &output); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got []string
			for _, d := range output.Diagnostics {
				got = append(got, strings.ToUpper(d.Severity[:1])+d.Severity[1:]+": "+d.Summary)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

func command(t *testing.T, cli tfcli.CLI, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cli.Path, args...)
	cmd.Dir = dir
	cmd.Env = tfcli.Environ(os.Environ(), os.DevNull)
	return cmd
}
