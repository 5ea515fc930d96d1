package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// use runs commands on a host and returns their output and the files in dir, which must be
// the same on a real host and on its transcript.
func use(t *testing.T, h host.Host, dir string) []string {
	t.Helper()
	var output []string
	run := func(c remotecmd.Call) {
		r, err := c.Run(t.Context(), h)
		text := r.Stdout + "|" + r.Stderr
		if err != nil {
			text += "|" + err.Error()
		}
		output = append(output, text)
	}
	look := remotecmd.Shell(`cat -- "$1"`, dir+"/counter")
	replace(t, h, dir)
	add := remotecmd.Shell(`echo x >> "$1"; chmod 0640 "$1"; ln -sfn "$1" "$1.link"; mkdir -p "$1.d"; cat`, dir+"/counter")
	add.Stdin = "tab\tand \x01 and no end"
	run(look)
	run(add)
	run(look)
	run(look)
	run(add)
	run(look)
	run(remotecmd.Call{Args: []string{"pwd"}, Dir: "/"})
	run(remotecmd.Shell(`rm -r "$1" "$1.d"; exit 3`, dir+"/counter"))
	run(remotecmd.Call{Args: []string{"no-such-program-x"}})
	r, err := h.Run(t.Context(), host.Command{Args: []string{"sh", "-c", "kill -TERM $$"}})
	if err != nil || r.Signal != "TERM" {
		t.Errorf("a command ended by SIGTERM: got %+v, error %v, want the signal TERM", r, err)
	}
	return append(output, files(t, h, dir)...)
}

// replace changes a file with package textedit, which runs a script.
func replace(t *testing.T, h host.Host, dir string) {
	t.Helper()
	scope := resourcetest.Scope(t, h)
	path := address.Path(dir + "/there")
	if _, err := textedit.File(t.Context(), scope, path, host.Attributes{}, func(was []byte) ([]byte, error) { return append(was, "more"...), nil }); err != nil {
		t.Error(err)
	}
	if _, is, err := textedit.Read(t.Context(), h, path); err != nil || string(is) != "first\nno endmore" {
		t.Errorf("the edited file has %q, error %v, want %q", is, err, "first\nno endmore")
	}
}

func files(t *testing.T, h host.Host, dir string) []string {
	t.Helper()
	entries, err := h.ReadDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		info, err := h.Lstat(t.Context(), dir+"/"+e.Name)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e.Name+" "+info.Mode.String()+" "+info.LinkTarget)
	}
	return found
}

func options(dir string) transcript.Options {
	return transcript.Options{
		Real:     local.New,
		ReadOnly: func(args []string) bool { return strings.HasPrefix(strings.Join(args, " "), "/bin/sh -c cat") },
		Watch:    []string{dir, dir + "/none"},
		Versions: [][]string{{"echo", "a tool 1.0\nmore"}},
	}
}

// TestRecordAndReplay checks that recorded calls are replayed, including changes of
// files.
func TestRecordAndReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "watched")
	path := filepath.Join(t.TempDir(), "it.transcript")
	if err := errors.Join(os.Mkdir(dir, 0o750), os.WriteFile(dir+"/there", []byte("first\nno end"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var recorded, replayed []string
	t.Run("record", func(t *testing.T) {
		t.Setenv(transcript.Variable, "1")
		recorded = use(t, transcript.Host(t, path, options(dir)), dir)
	})
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# Recorded from: a tool 1.0\n") {
		t.Fatalf("the transcript lacks the version, or cannot be read (%v):\n%s", err, text)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Run("replay", func(t *testing.T) {
		h := transcript.Host(t, path, options(dir))
		_, content, err := h.Open(t.Context(), dir+"/there")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(content); err != nil || string(got) != "first\nno end" {
			t.Errorf("the recorded file has %q, error %v, want %q", got, err, "first\nno end")
		}
		replayed = use(t, h, dir)
	})
	if diff := cmp.Diff(recorded, replayed); diff != "" {
		t.Errorf("results (-recorded +replayed):\n%s\n%s", diff, text)
	}
}

// TestFailedRecording checks that a failed recording does not write a transcript.
func TestFailedRecording(t *testing.T) {
	t.Setenv(transcript.Variable, "1")
	path := filepath.Join(t.TempDir(), "it.transcript")
	tb := &failureRecorder{TB: t}
	h := transcript.Host(tb, path, options(t.TempDir()))
	if _, err := remotecmd.Run(t.Context(), h, "true"); err != nil {
		t.Fatal(err)
	}
	tb.failed = append(tb.failed, "something else")
	tb.end()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed recording wrote a transcript (error %v)", err)
	}
}

const strict = `# By hand.
file "/f" 0600
: text

? "look"
> before 1

? "look"
> before 2

$ "change" "a"
gone "/f"

? "look"
> between

$ "change" "b"

? "look"
> after
`

// TestStrict checks which calls of a test are allowed, and which results are replayed.
func TestStrict(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "it.transcript")
	if err := os.WriteFile(path, []byte(strict), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		calls  string // separated by commas
		output string
		fails  string // a part of the failure of the test, or ""
	}{
		"as recorded":              {"look,look,change a,look,change b,look", "before 1,before 2,,between,,after", ""},
		"repeated read-only calls": {"look,look,look,change a,change b,look,look", "before 1,before 2,before 2,,,after,after", ""},
		"in another order":         {"change b,look,change a,look", ",after,,after", ""},
		"one change too many":      {"change a,change b,change a", ",,", `no record of this call after the previous calls: "change" "a"`},
		"one change too few":       {"change a", "", `has a call that the test did not make: "change" "b"`},
		"another call":             {"change a,change b,change c", ",,", `"change" "c"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := &failureRecorder{TB: t}
			h := transcript.Host(tb, path, transcript.Options{})
			var output []string
			for command := range strings.SplitSeq(tt.calls, ",") {
				r, err := remotecmd.Run(context.Background(), h, strings.Fields(command)...)
				output = append(output, strings.TrimSpace(r.Stdout))
				if err != nil && tt.fails == "" {
					t.Errorf("%s: %v", command, err)
				}
			}
			tb.end()
			failed := strings.Join(tb.failed, "\n")
			if got := strings.Join(output, ","); got != tt.output || !strings.Contains(failed, tt.fails) || (failed != "") != (tt.fails != "") {
				t.Errorf("got output %q and failure %q, want %q and %q", got, failed, tt.output, tt.fails)
			}
			if _, err := h.Lstat(t.Context(), "/f"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Lstat of a removed file returned error %v, want fs.ErrNotExist", err)
			}
		})
	}
}

// failureRecorder is a TB that records failures, and the functions that Cleanup registers.
type failureRecorder struct {
	testing.TB
	failed   []string
	cleanups []func()
}

func (r *failureRecorder) Helper()          {}
func (r *failureRecorder) Failed() bool     { return len(r.failed) > 0 }
func (r *failureRecorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *failureRecorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, strings.TrimSpace(fmt.Sprintf(format, args...)))
}
func (r *failureRecorder) Error(args ...any) { r.Errorf("%v", args...) }
func (r *failureRecorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}
