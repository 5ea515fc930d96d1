package hosttest

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// must ends the test if a required step fails.
func (e env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// errOf returns the error of a call whose other result is not needed.
func errOf[T any](_ T, err error) error { return err }

// made returns the info of an operation. It ends the test if the operation failed, and checks that
// Lstat returns the same info.
func (e env) made(info host.FileInfo, err error) host.FileInfo {
	e.Helper()
	e.must(err)
	if got := e.lstat(info.Path); got != info {
		e.Errorf("the operation returned %+v, Lstat %+v, want the same", info, got)
	}
	return info
}

// put writes a file with mode 0644 and returns its path.
func (e env) put(name, content string) string {
	e.Helper()
	return e.putMode(name, content, 0o644)
}

func (e env) putMode(name, content string, mode host.Mode) string {
	e.Helper()
	p := e.path(name)
	_, err := e.WriteFile(e.ctx(), p, strings.NewReader(content),
		host.WriteOptions{Attributes: host.Attributes{Mode: &mode}, NoSync: true})
	e.must(err)
	return p
}

// mkdir makes a directory with mode 0755 and returns its path.
func (e env) mkdir(name string) string {
	e.Helper()
	e.must(errOf(e.Mkdir(e.ctx(), e.path(name), host.Attributes{})))
	return e.path(name)
}

func (e env) symlink(target, name string) string {
	e.Helper()
	e.must(errOf(e.Symlink(e.ctx(), target, e.path(name))))
	return e.path(name)
}

// fifo creates a named pipe, for which the contract has no method, and reports whether the
// host can create one.
func (e env) fifo(name string) bool {
	e.Helper()
	result, err := e.Run(e.ctx(), host.Command{Args: []string{"mkfifo", "-m", "644", "--", e.path(name)}})
	if errors.Is(err, errors.ErrUnsupported) || err == nil && result.ExitCode == 127 {
		return false
	}
	e.must(err)
	if result.ExitCode != 0 {
		e.Fatalf("mkfifo ended with exit code %d, want 0", result.ExitCode)
	}
	return true
}

// clear removes the contents of the test's directory.
func (e env) clear() {
	e.Helper()
	for _, name := range e.names(e.dir) {
		e.removeAll(name)
	}
}

// removeAll removes the named file or directory tree, if it exists.
func (e env) removeAll(name string) {
	e.Helper()
	info, err := e.Lstat(e.ctx(), e.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err == nil && info.Type != host.TypeDirectory:
		e.must(e.Remove(e.ctx(), info.Path))
		return
	}
	e.must(err)
	for _, inside := range e.names(info.Path) {
		e.removeAll(name + "/" + inside)
	}
	e.must(e.Rmdir(e.ctx(), info.Path))
}

func (e env) lstat(path string) host.FileInfo {
	e.Helper()
	info, err := e.Lstat(e.ctx(), path)
	e.must(err)
	return info
}

// content reads a whole file.
func (e env) content(path string) string {
	e.Helper()
	_, r, err := e.Open(e.ctx(), path)
	e.must(err)
	b, err := io.ReadAll(r)
	e.must(errors.Join(err, r.Close()))
	return string(b)
}

func (e env) wantContent(path, want string) {
	e.Helper()
	if got := e.content(path); got != want {
		e.Errorf("content of %s is %s, want %s", host.QuotePath(path), brief(got), brief(want))
	}
}

func (e env) wantAbsent(path string) {
	e.Helper()
	if info, err := e.Lstat(e.ctx(), path); !errors.Is(err, fs.ErrNotExist) {
		e.Errorf("Lstat of %s: %+v (error %v), want no object", host.QuotePath(path), info, err)
	}
}

// wantNames checks the names in a directory. It detects leftover temporary files too.
func (e env) wantNames(dir string, want ...string) {
	e.Helper()
	got := e.names(dir)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		e.Errorf("%s contains %q, want %q", dir, got, want)
	}
}

func (e env) names(dir string) []string {
	e.Helper()
	entries, err := e.ReadDir(e.ctx(), dir)
	e.must(err)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name
	}
	return names
}

// wantError checks that err is a [*host.Error] of this host for path, that it matches all
// of want, and that it matches fs.ErrNotExist only if want has it.
func (e env) wantError(err error, path string, want ...error) {
	e.Helper()
	if err == nil {
		e.Errorf("no error, want an error for path %q that matches %v", path, want)
		return
	}
	var typed *host.Error
	if !errors.As(err, &typed) {
		e.Errorf("error %v is a %T, want a *host.Error", err, err)
		return
	}
	if typed.Host != e.Name() || typed.Path != path || typed.Op == "" {
		e.Errorf("error %q has op %q, host %q, path %q; want an op, host %q, path %q",
			err, typed.Op, typed.Host, typed.Path, e.Name(), path)
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			e.Errorf("error %q does not match %q", err, w)
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !slices.Contains(want, fs.ErrNotExist) {
		e.Errorf("error %q matches fs.ErrNotExist", err)
	}
	if path != "" && host.IsTempPath(typed.Path) != host.IsTempPath(path) {
		e.Errorf("error %q has the path %q, want a temporary path: %t", err, typed.Path, host.IsTempPath(path))
	}
}

// privileged reports whether the host's user can bypass permission checks.
func (e env) privileged() bool {
	e.Helper()
	dir := e.mkdir("privilege")
	e.must(e.setMode(dir, 0))
	_, err := e.ReadDir(e.ctx(), dir)
	e.must(errors.Join(e.setMode(dir, 0o700), e.Rmdir(e.ctx(), dir)))
	return err == nil
}

func (e env) setMode(path string, mode host.Mode) error {
	_, err := e.SetAttributes(e.ctx(), path, host.TypeUnknown, host.Attributes{Mode: &mode})
	return err
}

func brief(s string) string {
	if len(s) > 60 {
		return host.QuotePath(s[:60]) + "…"
	}
	return host.QuotePath(s)
}
