//go:build unix && !aix && !solaris

package local_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

const noFilesPart = "no files"

// TestPartNoFiles is the program of a process that can open only a few files: too few to run a
// command. A lookup that fails for this reason must not look like a missing user.
func TestPartNoFiles(t *testing.T) { //nolint:paralleltest // the limit applies to the whole process
	if _, ok := partOf(noFilesPart); !ok {
		t.Skip("this runs only as a process of another test")
	}
	h, _ := newHost(t)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}); err != nil {
		t.Fatal(err)
	}
	open := openAll(t)
	if _, missing := exec.LookPath("getent"); missing == nil { // macOS has no getent
		if user, err := h.LookupUser(t.Context(), "no-such-user"); !errors.Is(err, unix.EMFILE) {
			t.Errorf("lookup without free file descriptors: %+v, error %v, want %v", user, err, unix.EMFILE)
		}
	}
	input := open[len(open)-1]
	for free := range 5 { // four are needed for the pipes of the outputs, and more to start a process
		var stdout, stderr strings.Builder
		command := host.Command{Args: []string{"echo", "x"}, Stdin: input, Stdout: &stdout, Stderr: &stderr}
		result, err := h.Run(t.Context(), command)
		if _, not := errors.AsType[*host.NotStartedError](err); !not || !errors.Is(err, unix.EMFILE) {
			t.Errorf("%d free descriptors: Run returned %+v, error %v, want a NotStartedError that matches %v", free, result, err, unix.EMFILE)
		}
		left := openAll(t)
		if len(left) != free {
			t.Errorf("%d descriptors were free before the command, %d after, want the same number", free, len(left))
		}
		left = append(left, open[0])
		open = open[1:]
		for _, file := range left {
			_ = file.Close() // nothing was written to it
		}
	}
	for _, file := range open {
		_ = file.Close() // nothing was written to it
	}
}

// openAll opens files until no more can be opened.
func openAll(t *testing.T) (open []*os.File) {
	t.Helper()
	for {
		file, err := os.Open(os.DevNull)
		if errors.Is(err, unix.EMFILE) {
			return open
		}
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, file)
	}
}

// TestNoFiles checks that a command fails to start if too few files can be opened, and that Run
// then leaves none open.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	if os.Getenv(rerunEnv) != "" {
		t.Skip("this is a process of another test")
	}
	out, err := rerun(os.Args[0], noFilesPart+":", "^TestPartNoFiles$").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPartNoFiles") {
		t.Errorf("the process of TestPartNoFiles failed: %v\n%s", err, out)
	}
}
