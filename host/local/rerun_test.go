//go:build unix && !aix && !solaris

package local_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// rerunEnv is set in test processes that a test of this package started; its value
// consists of the part to run and the argument of that part.
const rerunEnv = "HOST_LOCAL_TEST_PART"

// TestConformanceAsOtherUser runs TestConformance in processes with a different user or umask, because
// both apply to a whole process. The fast tier runs only the tests of permissions, which root skips.
func TestConformanceAsOtherUser(t *testing.T) {
	t.Parallel()
	if os.Getenv(rerunEnv) != "" {
		t.Skip("this is a process of another test")
	}
	const nobody = 65534
	type process struct {
		name, umask string
		user        uint32
		part        int // of the suite; make ci runs it in two parts
	}
	all := []process{
		{"another user, umask 077", "077", nobody, 0},
		{"another user, umask 000", "000", nobody, 1},
		{"same user, umask 777", "777", 0, 0},
	}
	for _, tt := range tier.Pick(all[:1], all, all) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := openDir(t)
			binary := filepath.Join(dir, "test") // the binary of go test is in a directory that only its user can enter
			if err := copyProgram(t.Context(), binary, os.Args[0]); err != nil {
				t.Fatal(err)
			}
			part, parts := tier.Pick(0, tt.part, 0), tier.Pick(1, 2, 1)
			tests := tier.Pick("^TestConformance$/^permission$", "^TestConformance$", "^TestConformance$")
			cmd := rerun(binary, fmt.Sprintf("%s:%d/%d", conformancePart, part, parts), tests)
			cmd.Dir = dir
			cmd.Env = append(cmd.Env, "TMPDIR="+dir, "GOTMPDIR="+dir, "HOME="+dir)
			cmd.Args = append([]string{"sh", "-c", `umask "$0" && exec "$@"`, tt.umask}, cmd.Args...)
			cmd.Path = "/bin/sh"
			if tt.user != 0 {
				if os.Geteuid() != 0 {
					t.Skip("only root can run a process as another user")
				}
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: tt.user, Gid: tt.user}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// -test.v prints each test: a run that skipped everything would pass too.
			passed := regexp.MustCompile(`(?m)^ +--- PASS: TestConformance/`).FindAll(out, -1)
			if len(passed) < tier.Pick(7, 150, 300) {
				t.Errorf("only %d tests passed, want at least %d", len(passed), tier.Pick(7, 150, 300))
			}
			if want := fmt.Sprintf("as user %d ", tt.user); tt.user != 0 && !strings.Contains(string(out), want) {
				t.Errorf("the suite did not run %s", want)
			}
		})
	}
}

// rerun returns a command that runs some tests of this package as the given part.
func rerun(binary, part, tests string) *exec.Cmd {
	cmd := exec.Command(binary, "-test.run="+tests, "-test.v=true", "-test.timeout=5m", "-test.parallel=8")
	cmd.Env = append(os.Environ(), rerunEnv+"="+part)
	return cmd
}

// openDir returns a new directory that every user may enter and use: t.TempDir is
// inside a directory with mode 0700.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "host-local-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyProgram copies an executable file. This process must not open the copy for writing:
// another test that starts a program at the same time would inherit the descriptor, and a file
// that is open for writing cannot be executed.
func copyProgram(ctx context.Context, to, from string) error {
	if output, err := exec.CommandContext(ctx, "cp", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return os.Chmod(to, 0o755)
}

// conformancePart is the part that runs the tests of the contract, or some of them.
const conformancePart = "conformance"

// partOf returns the argument of the given part, and reports whether this process runs that part.
func partOf(part string) (string, bool) {
	return strings.CutPrefix(os.Getenv(rerunEnv), part+":")
}
