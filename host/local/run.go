//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// Exit codes of a POSIX shell for a command that it could not run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// outputDelay is how long to wait for output from processes that a command leaves running.
const outputDelay = 2 * time.Second

// maxBusy is how long to wait while a program is open for writing. A child of this process
// has, from fork until exec, copies of the descriptors of files that are being written at that time.
const (
	maxBusy   = 5 * time.Second
	busyPause = 10 * time.Millisecond
)

// Run implements [host.Runner].
func (h *Host) Run(ctx context.Context, command host.Command) (host.Result, error) {
	if err := ctx.Err(); err != nil {
		return host.Result{}, h.fail("run", command.Dir, notBegun(err))
	}
	if err := checkCommand(command); err != nil {
		return host.Result{}, h.fail("run", command.Dir, notBegun(err))
	}
	result, err := run(ctx, command)
	for start := time.Now(); isBusy(err) && time.Since(start) < maxBusy; {
		_ = host.Sleep(ctx, busyPause) // run returns the error of the context
		result, err = run(ctx, command)
	}
	return result, h.fail("run "+host.QuotePath(command.Args[0]), command.Dir, err)
}

// notBegun returns the error for a command that was not started because of err, without a
// wrapper of package os.
func notBegun(err error) error { return &host.NotStartedError{Err: cause(err)} }

// isBusy reports whether a command was not started because its program is open for writing.
func isBusy(err error) bool {
	_, not := errors.AsType[*host.NotStartedError](err)
	return not && errors.Is(err, syscall.ETXTBSY)
}

func checkCommand(command host.Command) error {
	if err := command.Check(); err != nil || command.Dir == "" {
		return err
	}
	stat, err := os.Stat(command.Dir)
	if err != nil {
		return err
	}
	return fileType(stat.Mode()).Want(host.TypeDirectory)
}

// run runs the command in a session of its own. When ctx ends, the process group of the command is killed. The
// command has no terminal: it cannot wait for input there, and if it runs as another user, such as the
// owner of an authorized key, that user cannot insert input for the operator's shell (TIOCSTI).
func run(ctx context.Context, command host.Command) (host.Result, error) {
	cmd := exec.CommandContext(ctx, command.Args[0], command.Args[1:]...)
	if list, added := command.Env["PATH"]; added && !strings.Contains(command.Args[0], "/") {
		cmd.Path, cmd.Err = lookPath(list, command.Args[0]) // os/exec used the PATH of this process
	}
	cmd.Dir = command.Dir
	cmd.Env = environment(os.Environ(), command.Env)
	cmd.Stdin = command.Stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay // a read of Stdin may never end
	outputs, err := connect(cmd, command.Stdout, command.Stderr)
	if err != nil {
		return host.Result{}, notBegun(err)
	}
	err = cmd.Start()
	for _, o := range outputs {
		_ = o.write.Close() // a started command has a copy of the descriptor
		go o.copy()
	}
	if err != nil {
		_ = finish(outputs, 0)
		return notStarted(ctx, command, err)
	}
	err = cmd.Wait()
	lost := finish(outputs, outputDelay)
	if ctx.Err() != nil {
		return host.Result{}, ctx.Err()
	}
	_, exited := errors.AsType[*exec.ExitError](err)
	if err != nil && !exited && !errors.Is(err, exec.ErrWaitDelay) {
		return host.Result{}, err
	}
	if lost != nil && !exited {
		return host.Result{}, lost
	}
	return result(cmd.ProcessState), nil
}

// lookPath returns the path of a program in the directories of a PATH. Like [exec.LookPath], it does not use programs
// in relative directories.
func lookPath(list, name string) (string, error) {
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return name, &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// inherited lists the variables of the provider's environment that commands inherit,
// besides those of the locale. Other variables may be secrets, such as the passwords of hosts, credentials
// of other providers and variables of the plugin protocol, and a command may run as, or be
// readable by, another user.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
}

// environment returns the variables of the provider's own environment that a command
// inherits, and the additional variables. Unless own is nil, the result is not nil: with nil,
// package os/exec would pass on all variables.
func environment(own []string, added map[string]string) []string {
	env := slices.DeleteFunc(slices.Clone(own), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(inherited, name) && !strings.HasPrefix(name, "LC_")
	})
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return env
}

func result(state *os.ProcessState) host.Result {
	status := state.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return host.Result{ExitCode: status.ExitStatus()}
	}
	return host.Result{
		ExitCode: 128 + int(status.Signal()),
		Signal:   strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG"),
	}
}

// notStarted returns the result that a shell would give for a program that is not found or not
// executable, so that it is the same on all hosts, and writes the reason to Stderr. For other
// reasons it returns a [*host.NotStartedError].
func notStarted(ctx context.Context, command host.Command, err error) (host.Result, error) {
	if ctx.Err() != nil {
		return host.Result{}, notBegun(ctx.Err())
	}
	var result host.Result
	var text string
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot),
		errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		result.ExitCode, text = exitNotFound, "not found"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC), errors.Is(err, syscall.EISDIR):
		result.ExitCode, text = exitNotExecutable, "cannot be executed"
	default: // too many processes, an argument list that is too long, …
		return host.Result{}, notBegun(err)
	}
	if command.Stderr != nil {
		if _, err := io.WriteString(command.Stderr, command.Args[0]+": "+text+"\n"); err != nil {
			return host.Result{}, err
		}
	}
	return result, nil
}
