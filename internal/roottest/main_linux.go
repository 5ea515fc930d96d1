package roottest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// possible returns an error if roots are impossible on this host.
func possible() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: only the user root can create them", errImpossible)
	}
	if _, err := release(); err != nil {
		return fmt.Errorf("%w: %w", errImpossible, err)
	}
	if err := isolated(context.Background(), "true"); err != nil {
		return fmt.Errorf("%w: this host does not allow namespaces: %w", errImpossible, err)
	}
	return nil
}

// prepare returns the store and the directory of the base of a root, which it builds if
// necessary.
func prepare(packages []string) (store, string, error) {
	if err := possible(); err != nil {
		return store{}, "", err
	}
	s, err := openStore()
	if err != nil {
		return store{}, "", err
	}
	base, err := s.base(packages)
	return s, base, err
}

// within runs this test binary in a root with the same arguments, and returns
// its exit status.
func within(o Options) (int, error) {
	if o.Systemd {
		return 0, errors.New("tests cannot run in a root with systemd: use roottest.Start")
	}
	s, base, err := prepare(o.packages())
	if err != nil {
		return 0, err
	}
	for _, started := range o.Starts {
		if _, err := s.base(started.startedPackages()); err != nil {
			return 0, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	const hostname = "roottest"
	token := rand.Text()
	binds, env := engine()
	binds = slices.Concat([]string{s.repository, filepath.Dir(self)}, s.linked(), binds)
	written, err := outputs()
	if err != nil {
		return 0, err
	}
	r, err := launch(context.Background(), spec{
		Mount: s.mount(), Base: base,
		Hostname: hostname, PrivateNet: o.PrivateNet,
		Binds:   append(binds, written...),
		Files:   identity(hostname),
		Token:   token,
		Command: append([]string{self}, os.Args[1:]...),
		Dir:     dir,
		Env:     environment(os.Environ(), append(env, envToken+"="+token)...),
	}, func(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr })
	if err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	go func() {
		for sig := range signals {
			_ = r.cmd.Process.Signal(sig) // the process may have ended
		}
	}()
	err = r.wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// outputs creates and returns the directories to which go test writes output because of flags
// with absolute paths.
func outputs() ([]string, error) {
	var dirs []string
	for _, name := range []string{"test.outputdir", "test.gocoverdir", "test.fuzzcachedir"} {
		if dir := value(name); filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	if file := value("test.testlogfile"); filepath.IsAbs(file) {
		dirs = append(dirs, filepath.Dir(file))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil { // the umask applies
			return nil, err
		}
	}
	return dirs, nil
}

// linked returns the paths outside of the repository to which the cache, or the OpenTofu
// command in it, is linked. Several checkouts may share one cache.
func (s store) linked() []string {
	var found []string
	for _, path := range []string{filepath.Join(s.repository, ".cache"), filepath.Join(s.repository, ".cache", "bin", "tofu")} {
		target, err := filepath.EvalSymlinks(path)
		if err == nil && !strings.HasPrefix(target, s.repository+string(filepath.Separator)) {
			found = append(found, target)
		}
	}
	return found
}

// engine returns the binds and environment variables that give a root the OpenTofu or
// Terraform of the host: the command in [tfcli.EnvOverride], or those on the PATH. The
// command that make builds is in the repository.
func engine() (binds, env []string) {
	if path := os.Getenv(tfcli.EnvOverride); path != "" {
		if found, err := exec.LookPath(path); err == nil {
			if file, err := filepath.EvalSymlinks(found); err == nil && filepath.IsAbs(file) {
				const at = "/usr/local/lib/roottest/engine"
				return []string{file + ":" + at}, []string{tfcli.EnvOverride + "=" + at}
			}
		}
		return nil, nil // the tests report the error
	}
	for _, name := range []string{"tofu", "terraform"} {
		found, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if file, err := filepath.EvalSymlinks(found); err == nil && !strings.Contains(file, ":") {
			binds = append(binds, file+":/usr/local/bin/"+name)
		}
	}
	return binds, nil
}

const (
	// firstName is the name of a test binary that runs as the first process of a
	// root.
	firstName = "roottest-first"
	// lifeline is the file descriptor of a pipe with the spec of the root. The pipe
	// closes when the process that started the root ends.
	lifeline = 3
)

// failed is the exit status of the first process on an error, for example if it cannot create the
// root or run the command. Without systemd, it is also the status when the lifeline closes.
const failed = 125

// init calls [first] if this test binary was started as the first process of a root. Any test
// binary can be started in this way, and must not run anything else first. The checks of
// the name and of PID 1 exclude other processes.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) > 0 && os.Args[0] == firstName && os.Getpid() == 1 {
		os.Exit(first())
	}
}

// first creates the root, runs the command, and reaps orphans until the command ends. It
// returns the exit status. With systemd, it calls host; in the first process of a boot, the
// command replaces this process. All processes of the root end with the first process.
func first() int {
	pipe := os.NewFile(lifeline, "lifeline")
	unix.CloseOnExec(lifeline)
	var s spec
	decoder := json.NewDecoder(pipe)
	if err := decoder.Decode(&s); err != nil {
		return complain(fmt.Errorf("read the spec of the root: %w", err))
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, pipe) // until the pipe closes
		close(ended)
		if !s.Systemd {
			os.Exit(failed)
		}
	}()
	if s.Systemd {
		return s.host(ended)
	}
	if err := s.enter(); err != nil {
		return complain(err)
	}
	if err := restrict(); err != nil {
		return complain(err)
	}
	if s.Root != "" {
		return complain(unix.Exec(s.Command[0], s.Command, s.Env))
	}
	return s.run()
}

func complain(err error) int {
	logf("%v", err)
	return failed
}

// run runs the command, forwards signals to it, reaps orphans until it ends, and returns its exit
// status. If a signal ends the command, the exit status is 128 plus the number of the signal.
func (s *spec) run() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	path := s.Command[0]
	if !filepath.IsAbs(path) {
		var err error
		if path, err = lookPath(path); err != nil {
			return complain(err)
		}
	}
	process, err := os.StartProcess(path, s.Command, &os.ProcAttr{
		Dir: s.Dir, Env: s.Env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		return complain(err)
	}
	go func() {
		for sig := range signals {
			_ = process.Signal(sig) // the process may have ended
		}
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return complain(fmt.Errorf("wait for %s: %w", path, err))
		case pid != process.Pid: // an orphan was reaped
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// restrict removes from the bounding set some capabilities that namespaces do not restrict: those to
// change the clock, load kernel modules and access I/O ports. The command runs without them.
func restrict() error {
	for _, capability := range []uintptr{unix.CAP_SYS_TIME, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return fmt.Errorf("drop a capability: %w", err)
		}
	}
	return nil
}
