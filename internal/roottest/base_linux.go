package roottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// buildTime limits the time to build a base. Downloads take most of this time.
const buildTime = 15 * time.Minute

// store is the directory with the bases of a repository.
type store struct {
	repository string
	dir        string // .cache/roots
}

// openStore returns the store of the repository that contains the working
// directory. It creates the directories of the store.
func openStore() (store, error) {
	here, err := os.Getwd()
	if err != nil {
		return store{}, err
	}
	repository, ok := tfcli.RepositoryRoot(here)
	if !ok {
		return store{}, fmt.Errorf("%s is not in a checkout of this repository, where roots are cached", here)
	}
	s := store{repository: repository, dir: filepath.Join(repository, ".cache", "roots")}
	for _, dir := range []string{s.mount(), s.debs()} {
		if err := os.MkdirAll(dir, 0o755); err != nil { // the files in it have their own modes
			return store{}, err
		}
	}
	return s, nil
}

// mount returns an empty directory on which each root is mounted in its own namespace.
func (s store) mount() string { return filepath.Join(s.dir, "mount") }

// debs returns the directory with downloaded packages.
func (s store) debs() string { return filepath.Join(s.dir, "debs") }

// base returns the directory of a base and builds it if it is missing. Test
// binaries of other packages that need a missing base wait until it is built.
func (s store) base(packages []string) (string, error) {
	codename, err := release()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(s.dir, baseName(codename, packages))
	if exists(dir) {
		return dir, nil
	}
	unlock, err := lock(filepath.Join(s.dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	if err := s.build(ctx, codename, packages, dir); err != nil {
		return "", fmt.Errorf("build a Debian root: %w", err)
	}
	return dir, nil
}

// build builds a base, and first the minimal base if it is missing. It removes the unfinished
// directories of interrupted builds. The caller holds the lock, so no other build uses them.
func (s store) build(ctx context.Context, codename string, packages []string, dir string) error {
	if exists(dir) {
		return nil // another process has built it
	}
	unfinished, err := filepath.Glob(filepath.Join(s.dir, "unfinished-*"))
	if err != nil {
		return err
	}
	for _, left := range unfinished {
		if err := os.RemoveAll(left); err != nil {
			return err
		}
	}
	minimal := filepath.Join(s.dir, baseName(codename, nil))
	if !exists(minimal) {
		if err := s.whole(minimal, func(dir string) error { return s.bootstrap(ctx, codename, dir) }); err != nil {
			return err
		}
	}
	if len(packages) == 0 {
		return nil
	}
	return s.whole(dir, func(dir string) error { return s.install(ctx, minimal, packages, dir) })
}

// whole calls build for a directory with a temporary name and then renames the directory to
// dir. On an error, it removes the directory.
func (s store) whole(dir string, build func(dir string) error) error {
	partial := filepath.Join(s.dir, "unfinished-"+filepath.Base(dir))
	err := build(partial)
	if err == nil {
		err = os.Rename(partial, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return nil
}

// bootstrap installs a minimal system.
func (s store) bootstrap(ctx context.Context, codename, dir string) error {
	if _, err := lookPath("debootstrap"); err != nil {
		return err
	}
	logf("building a Debian root for tests (only once, takes about a minute)")
	archives, err := hostSources(codename)
	if err != nil {
		return err
	}
	args := []string{"--variant=minbase", "--cache-dir=" + s.debs()}
	for _, a := range archives {
		mirror, ok := a.mirror(codename)
		if !ok {
			continue
		}
		args = append(args, "--components="+strings.Join(a.components, ","))
		if a.keyring != "" && exists(a.keyring) {
			args = append(args, "--keyring="+a.keyring)
		}
		args = append(args, codename, dir, mirror)
		break
	}
	if args[len(args)-2] != dir {
		args = append(args, codename, dir) // debootstrap has a default mirror
	}
	if err := isolated(ctx, "debootstrap", args...); err != nil {
		return err
	}
	if err := configure(ctx, dir, archives); err != nil {
		return err
	}
	return s.inside(ctx, dir, "apt-get", "update", "--quiet")
}

// install copies the minimal system to dir and installs packages into the copy.
func (s store) install(ctx context.Context, minimal string, packages []string, dir string) error {
	logf("installing %s into a Debian root for tests (only once)", strings.Join(packages, " "))
	if err := isolated(ctx, "cp", "--archive", "--reflink=auto", minimal, dir); err != nil {
		return err
	}
	const script = `set -e
apt-get install --quiet --yes --no-install-recommends "$@" ||
  { apt-get update --quiet; apt-get install --quiet --yes --no-install-recommends "$@"; }
rm -f /etc/ssh/ssh_host_* # each root has its own
`
	return s.inside(ctx, dir, append([]string{"sh", "-c", script, "install"}, packages...)...)
}

// isolated runs a program of the host in namespaces, so that its mounts and
// processes end with it and with this process.
func isolated(ctx context.Context, program string, args ...string) error {
	path, err := lookPath(program)
	if err != nil {
		return err
	}
	const script = `set -e
mount --make-rprivate /
mount -t proc proc /proc
exec "$@"
`
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, "isolated", path}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PATH="+standardPath)
	cmd.SysProcAttr = namespaces(false)
	return quietly(cmd)
}

// inside runs a program in a base that is being built.
func (s store) inside(ctx context.Context, dir string, command ...string) error {
	var out bytes.Buffer
	r, err := launch(ctx, spec{
		Mount: s.mount(), Base: dir, Writable: true,
		Hostname: "localhost",
		Binds:    []string{s.debs() + ":/var/cache/apt/archives"},
		Command:  command,
		Dir:      "/",
		Env:      environment(os.Environ(), "DEBIAN_FRONTEND=noninteractive"),
		Files:    identity("localhost"),
	}, func(cmd *exec.Cmd) { cmd.Stdout, cmd.Stderr = &out, &out })
	if err != nil {
		return err
	}
	return ending(r.wait(), &out)
}

// quietly runs a command and returns its output only in an error.
func quietly(cmd *exec.Cmd) error {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return ending(cmd.Run(), &out)
}

// ending returns err with the last lines of a program's output, or nil if err is nil.
func ending(err error, out *bytes.Buffer) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return fmt.Errorf("%w:\n%s", err, strings.Join(lines[max(0, len(lines)-20):], "\n"))
}

// lock locks a file, which it creates if necessary, and waits while another process holds the
// lock. The lock ends with unlock or with this process.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644) // the file stays empty
	if err != nil {
		return nil, err
	}
	return lockFile(f)
}

// lockFile is like [lock] for an open file or directory, which unlock closes. lockFile closes
// it on an error.
func lockFile(f *os.File) (unlock func(), err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	return func() { _ = f.Close() }, nil // nothing was written
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// lookPath searches for a program in the PATH and then in standardPath. The error
// for a missing program wraps errMissing.
func lookPath(name string) (string, error) {
	for _, dir := range slices.Concat(filepath.SplitList(os.Getenv("PATH")), filepath.SplitList(standardPath)) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is missing: %w", name, errMissing)
}
