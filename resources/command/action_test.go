package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var actions = runtime.Definition{Actions: map[string]runtime.ActionRegistration{"command": command.ActionType()}}

func invoke(t *testing.T, text string) resourcetest.Invoked {
	t.Helper()
	for _, invoked := range resourcetest.Invoke(t, resourcetest.Provider(actions), text) {
		return invoked
	}
	return resourcetest.Invoked{}
}

func action(text, more string) string {
	return fmt.Sprintf("action \"posix_command\" \"it\" {\n  config {\n    command = %q\n    %s\n  }\n}\n", text, more)
}

var end = regexp.MustCompile(`^the command on host local ended with exit code (\d+) after [0-9.]+m?s$`)

func TestActionExample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte("two\none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	invoked := invoke(t, strings.ReplaceAll(resourcetest.ExampleFile(t, "actions/posix_command/action.tf"), "/etc/app", dir))
	index, err := os.ReadFile(filepath.Join(dir, "words.idx"))
	if err != nil || string(index) != "one\ntwo\n" || len(invoked.Progress) != 2 || strings.TrimSpace(invoked.Progress[0]) != "2" || !end.MatchString(invoked.Progress[1]) {
		t.Errorf("progress %q, want 2 and the exit code; the file has %q (%v), want the lines one and two", invoked.Progress, index, err)
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprint(i+1))
	}
	const secret = "environment_wo = {\n      TOKEN = \"hunter2hunter2\"\n    }"
	for name, tt := range map[string]struct {
		command, more string
		progress      []string
		failed        string
		planned       string
	}{
		"both outputs":                  {command: "echo one; sleep 0.5; echo two >&2; sleep 0.5; printf three", progress: []string{"one", "two", "three"}},
		"blank output":                  {command: "echo; echo ' '"},
		"terminal sequences":            {command: `printf '\033[31mred\033[0m\r\n'`, progress: []string{"red"}},
		"invalid UTF-8":                 {command: `printf 'a\377b\n'`, progress: []string{"a\uFFFDb"}},
		"many lines":                    {command: "seq 1 1000", progress: append(many, "… further output is not shown")},
		"long line":                     {command: "head -c 600 /dev/zero | tr '\\0' x", progress: []string{strings.Repeat("x", 500) + " …"}},
		"very long line":                {command: "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end", progress: []string{strings.Repeat("x", 500) + " …", "end"}},
		"write-only environment":        {command: `echo "it is $TOKEN."; printf %s "$TOKEN" | base64`, more: secret, progress: []string{"it is (sensitive value).", "(sensitive value)I="}},
		"write-only input":              {command: `cat; cat >&2`, more: `stdin_wo = "first line\nsecond line"`, progress: []string{"(sensitive value)", "(sensitive value)"}},
		"input":                         {command: `cat`, more: `stdin = "first line\nx"`, progress: []string{"(sensitive value)", "x"}},
		"sensitive output":              {command: "echo secret", more: "sensitive_output = true"},
		"allowed exit code":             {command: "exit 3", more: "allowed_exit_codes = [0, 3]"},
		"settings":                      {command: `echo "$A $PWD"`, more: "working_directory = \"/\"\n    interpreter = [\"/bin/sh\", \"-ec\"]\n    environment = {\n      A = \"b\"\n    }", progress: []string{"b /"}},
		"failure":                       {command: `echo no, $TOKEN >&2; exit 4`, more: secret, progress: []string{"no, (sensitive value)"}, failed: "command: Cannot invoke posix_command: the command on host local ended with exit code 4. Its output on stderr:\nno, (sensitive value)"},
		"failure with sensitive output": {command: `echo no >&2; exit 4`, more: "sensitive_output = true", failed: "Its output is not shown"},
		"blank command":                 {command: " ", planned: "must not be blank"},
		"timeout":                       {command: `sleep 60`, more: `timeout = "3s"`, failed: "timeout: Cannot invoke posix_command: the command on host local did not end within 3s"},
		"stdin and stdin_wo":            {command: "cat", more: "stdin = \"a\"\n    stdin_wo = \"b\"", planned: "stdin_wo"},
		"duplicate variable":            {command: "env", more: "environment = {\n      TOKEN = \"x\"\n    }\n    " + secret, planned: "the variable TOKEN is also in environment"},
		"invalid variable name":         {command: "env", more: "environment_wo = {\n      \"A-B\" = \"x\"\n    }", planned: `environment_wo["A-B"]`},
		"invalid host":                  {command: "env", more: `host = "a b"`, planned: "host: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			got := invoke(t, action(tt.command, tt.more))
			if !strings.Contains(got.Planned, tt.planned) || (got.Planned == "") != (tt.planned == "") ||
				!strings.Contains(got.Failed, tt.failed) || (got.Failed == "") != (tt.failed == "") || strings.Contains(fmt.Sprint(got), "hunter2") {
				t.Errorf("plan error %q, want %q; invoke error %q, want %q; progress %q, want no secret", got.Planned, tt.planned, got.Failed, tt.failed, got.Progress)
			}
			progress := got.Progress
			if tt.failed == "" && tt.planned == "" {
				if len(progress) == 0 || !end.MatchString(progress[len(progress)-1]) {
					t.Fatalf("progress %q, want the exit code at the end", progress)
				}
				progress = progress[:len(progress)-1]
			}
			if diff := cmp.Diff(strings.Join(tt.progress, "\n"), strings.Join(progress, "\n")); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("the action took %s, want at most 30s", took)
			}
		})
	}
}
