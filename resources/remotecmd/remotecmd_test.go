package remotecmd_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

func here(t *testing.T) host.Host {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestArgumentsUnchanged(t *testing.T) {
	t.Parallel()
	odd := []string{"", " ", "a b", `'"$(exit 3)\`, "-n", "*", "line\nline", "é\x01", "$1"}
	for _, call := range []remotecmd.Call{
		{Args: append([]string{"printf", `<%s>`}, odd...)},
		remotecmd.Shell(`printf '<%s>' "$@"`, odd...),
	} {
		r, err := call.Run(t.Context(), here(t))
		if want := "<" + strings.Join(odd, "><") + ">"; err != nil || r.Stdout != want {
			t.Errorf("the arguments are %q (%v), want %q", r.Stdout, err, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("PATH", "/usr/bin:/bin")
	r, err := remotecmd.Shell(`echo "$LC_ALL $PATH"`).Run(t.Context(), here(t))
	if err != nil || !strings.HasPrefix(r.Stdout, "C /usr/bin:/bin:") || !strings.Contains(r.Stdout, ":/usr/sbin") {
		t.Errorf("environment: %q, %v", r.Stdout, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	h := here(t)
	for name, tt := range map[string]struct {
		call remotecmd.Call
		want string
	}{
		"missing":         {remotecmd.Call{Args: []string{"no-such-program-x", "a"}}, "host local has no program no-such-program-x"},
		"missing of env":  {remotecmd.Call{Args: []string{"env", "A=b", "no-such-program-x"}}, "host local has no program no-such-program-x"},
		"missing script":  {remotecmd.Shell(`no-such-program-x`), "a script on host local ended with exit code 127: "},
		"failed script":   {remotecmd.Shell(`echo out; echo "it is $1" >&2; exit 4`, "bad"), "a script on host local ended with exit code 4: it is bad"},
		"period":          {remotecmd.Shell(`echo "cannot lock; try again later." >&2; exit 4`), "cannot lock; try again later"},
		"only stdout":     {remotecmd.Shell(`echo out; exit 4`), "ended with exit code 4: out"},
		"no output":       {remotecmd.Call{Args: []string{"false"}}, "false on host local ended with exit code 1 and no output"},
		"password in URL": {remotecmd.Shell(`echo "ERROR: https://al:hunter2@x.example.com/a@b: timed out" >&2; exit 1`), "ERROR: https://…@x.example.com/a@b: timed out"},
		"odd password":    {remotecmd.Shell(`echo "ERROR: https://al:@hunter2@x.example.com" >&2; exit 1`), "ERROR: https://…@x.example.com"},
		"signal":          {remotecmd.Shell(`kill -TERM $$`), "signal TERM"},
		"stdin not shown": {remotecmd.Call{Args: []string{"sh", "-c", "read x; exit 1"}, Stdin: "hunter2"}, "exit code 1 and no output"},
		"quoted":          {remotecmd.Call{Args: []string{"ls", "/no such"}}, `ls "/no such" on host local`},
		"end of output":   {remotecmd.Shell(`i=0; while [ $i -lt 999 ]; do echo line $i; i=$((i+1)); done; exit 1`), "line 998"},
		"too much output": {remotecmd.Shell(`head -c 40000000 /dev/zero`), "exceeded 32 MiB"},
		"endless output":  {remotecmd.Shell(`cat /dev/zero`), "a script on host local was killed, because its output exceeded 32 MiB"},
		"endless errors":  {remotecmd.Shell(`cat /dev/zero >&2`), "exceeded 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.call.Run(t.Context(), h)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1500 || strings.Contains(err.Error(), "hunter2") || strings.HasSuffix(err.Error(), ".") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if remotecmd.IsMissing(err) != strings.HasPrefix(name, "missing") {
				t.Errorf("%v: IsMissing returns %t", err, remotecmd.IsMissing(err))
			}
		})
	}
	if r, err := (remotecmd.Call{Args: []string{"sh", "-c", "exit 2"}, Answers: []int{2}}).Run(t.Context(), h); err != nil || r.ExitCode != 2 {
		t.Errorf("an exit code in Answers: %v, %v, want exit code 2", r, err)
	}
	if _, err := remotecmd.Run(t.Context(), h, "sh", "-c", "exit 3"); !remotecmd.FailedWith(err, 2, 3) || remotecmd.FailedWith(err, 4) {
		t.Errorf("FailedWith(err, 2, 3) = %t, want true; FailedWith(err, 4) = %t, want false: %v", remotecmd.FailedWith(err, 2, 3), remotecmd.FailedWith(err, 4), err)
	}
	if _, err := remotecmd.Run(t.Context(), memory.New(memory.Config{}), "true"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a host that cannot run programs: %v", err)
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	var got []string
	h := memory.New(memory.Config{Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		got = remotecmd.Program(cmd)
		return host.Result{}, nil
	}})
	if _, err := remotecmd.Run(t.Context(), h, "a", "b c"); err != nil || strings.Join(got, "|") != "a|b c" {
		t.Errorf("the program is %q, %v", got, err)
	}
	if p := remotecmd.Program(host.Command{Args: []string{"/bin/sh", "-c", "true"}}); p != nil {
		t.Errorf("Program of another command returns %q, want nil", p)
	}
}

// TestRootHintOfHosts checks that the remedy fits the host: sudo cannot be configured for the
// host local.
func TestRootHintOfHosts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		host.LocalName: "Services can only be managed by root: run Terraform as root",
		"web":          "Services can only be managed by root: set sudo = {} for host web",
	} {
		err := remotecmd.WithRootHint(memory.New(memory.Config{Name: name}), "Services", errors.New("Access denied"))
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	denied := errors.New("nginx: bind() to 0.0.0.0:80 failed (13: Permission denied)")
	if err := remotecmd.WithRootHint(rootHost{memory.New(memory.Config{Name: "web"})}, "Services", denied); err != denied { //nolint:errorlint // it must not be wrapped
		t.Errorf("as root: %v", err)
	}
}

// rootHost is a host on which operations are known to run as root.
type rootHost struct{ host.Host }

func (rootHost) RunsAsRoot() bool { return true }
