package roottest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// possible returns an error if roots are impossible on this host.
func possible() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: only root can create one", errImpossible)
	}
	if _, err := release(); err != nil {
		return fmt.Errorf("%w: %w", errImpossible, err)
	}
	if err := isolated(context.Background(), "true"); err != nil {
		return fmt.Errorf("%w: this system does not allow namespaces: %w", errImpossible, err)
	}
	return nil
}

// prepare returns the base of a root and builds it if necessary.
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
	s, base, err := prepare(o.packages())
	if err != nil {
		return 0, err
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
			_ = r.cmd.Process.Signal(sig) // it may have ended
		}
	}()
	err = r.wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// outputs returns the directories in the flags of go test that are outside of
// the repository.
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
		if err := os.MkdirAll(dir, 0o777); err != nil { // independent of the umask
			return nil, err
		}
	}
	return dirs, nil
}

// linked returns the targets of symbolic links in the cache: several checkouts
// may share one cache.
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

// engine adds the OpenTofu or Terraform that tests outside would use to a root:
// by environment variable, or in a directory of the PATH. The one that make
// builds is in the repository.
func engine() (binds, env []string) {
	if path := os.Getenv(tfcli.EnvOverride); path != "" {
		if found, err := exec.LookPath(path); err == nil {
			if file, err := filepath.EvalSymlinks(found); err == nil && filepath.IsAbs(file) {
				const at = "/usr/local/lib/roottest/engine"
				return []string{file + ":" + at}, []string{tfcli.EnvOverride + "=" + at}
			}
		}
		return nil, nil // tests report the error
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
