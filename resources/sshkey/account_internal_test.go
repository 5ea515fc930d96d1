package sshkey

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// bsdPrograms are scripts that replace programs of FreeBSD. FreeBSD's su has the option -c for a login class and -s
// without an argument. With -m, su runs the login shell of the caller, and passes -m and -f to the shell if it is csh.
var bsdPrograms = map[string]string{
	"uname": "echo FreeBSD",
	"id":    "echo 0",
	"su": `while getopts flmsc: option; do
	case $option in f | m) ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
[ "$1" = deploy ] || { echo "su: unknown login: $1" >&2; exit 1; }
shift
exec $ROOT_SHELL "$@"`,
}

// TestAsUserOnBSD runs a script with a replacement for FreeBSD's su, once with each installed shell that root may have.
func TestAsUserOnBSD(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, script := range bsdPrograms {
		resourcetest.Write(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n", 0o755)
	}
	for _, shell := range []string{"/bin/sh", "/bin/csh -m -f", "/bin/tcsh -m -f"} {
		if _, err := os.Stat(strings.Fields(shell)[0]); err != nil {
			continue
		}
		const script = "echo \"$# $1 $2 $3\" 'a!b'\nread -r line\necho \"$line\"\nexit 75"
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", asUserScript, "sh", "deploy", "1001", script, "/home/a b", "x", "y\"$!")
		cmd.Env = []string{"PATH=" + dir, "ROOT_SHELL=" + shell}
		cmd.Stdin = strings.NewReader("ssh-ed25519 x\n")
		out, err := cmd.CombinedOutput()
		if want := "3 /home/a b x y\"$! a!b\nssh-ed25519 x\n"; string(out) != want || cmd.ProcessState.ExitCode() != exitConflict {
			t.Errorf("%s: the script ended with %v and the output %q, want exit code %d and %q", shell, err, out, exitConflict, want)
		}
	}
}

// rootHost is a host that runs operations as root.
type rootHost struct{ host.Host }

func (rootHost) RunsAsRoot() bool { return true }

// TestRootHint checks that the error about a failed su recommends running as root only if the provider does not.
func TestRootHint(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{UID: 1001, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		_, err := io.WriteString(cmd.Stderr, "su: unknown login: deploy")
		return host.Result{ExitCode: 1}, err
	}})
	for h, want := range map[host.Host]bool{h: true, rootHost{h}: false} {
		_, err := account{host.User{Name: "deploy", UID: 1002}, h}.read(t.Context())
		if err == nil || !strings.Contains(err.Error(), "su: unknown login: deploy") || strings.Contains(err.Error(), "must run as root") != want {
			t.Errorf("as root: %t: error %v, want the output of su, and a hint to run as root only if not root", !want, err)
		}
	}
}
