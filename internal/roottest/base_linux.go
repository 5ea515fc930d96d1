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

// buildTime bounds the building of a base, most of which is a download.
const buildTime = 15 * time.Minute

// store is the folder that has the bases of a repository.
type store struct {
	repository string
	dir        string // .cache/roots
}

// openStore finds the repository that contains the working directory.
func openStore() (store, error) {
	here, err := os.Getwd()
	if err != nil {
		return store{}, err
	}
	repository, ok := tfcli.RepositoryRoot(here)
	if !ok {
		return store{}, fmt.Errorf("%s is in no checkout of this repository, whose cache has the roots", here)
	}
	s := store{repository: repository, dir: filepath.Join(repository, ".cache", "roots")}
	for _, dir := range []string{s.mount(), s.debs()} {
		if err := os.MkdirAll(dir, 0o755); err != nil { // what is in it has modes of its own
			return store{}, err
		}
	}
	return s, nil
}

// mount is an empty folder that namespaces mount their root at.
func (s store) mount() string { return filepath.Join(s.dir, "mount") }

// debs has the packages that were fetched.
func (s store) debs() string { return filepath.Join(s.dir, "debs") }

// base is the folder of a base, which is built where it is missing. Test
// binaries of other packages wait meanwhile.
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

// build is called with the lock held: what is unfinished now is nobody's.
func (s store) build(ctx context.Context, codename string, packages []string, dir string) error {
	if exists(dir) {
		return nil // another built it meanwhile
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

// whole has a folder built under another name, so that under its own it is whole.
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

// bootstrap makes a minimal system.
func (s store) bootstrap(ctx context.Context, codename, dir string) error {
	if _, err := lookPath("debootstrap"); err != nil {
		return err
	}
	say("building a Debian root for tests, which takes about a minute, once")
	archives, err := machineSources(codename)
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
		args = append(args, codename, dir) // debootstrap knows a mirror, too
	}
	if err := isolated(ctx, "debootstrap", args...); err != nil {
		return err
	}
	if err := configure(ctx, dir, archives); err != nil {
		return err
	}
	return s.inside(ctx, dir, "apt-get", "update", "--quiet")
}

// install makes a copy of the minimal system with more packages.
func (s store) install(ctx context.Context, minimal string, packages []string, dir string) error {
	say("installing %s into a Debian root for tests, once", strings.Join(packages, " "))
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

// isolated runs a program of the machine so that whatever it mounts and starts
// ends with it, and with this process.
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

// inside runs a program of a base that is being built, and changes it.
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

// quietly runs a command whose output is only of interest where it fails.
func quietly(cmd *exec.Cmd) error {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return ending(cmd.Run(), &out)
}

// ending adds the last lines of what a program wrote to its error.
func ending(err error, out *bytes.Buffer) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return fmt.Errorf("%w:\n%s", err, strings.Join(lines[max(0, len(lines)-20):], "\n"))
}

// lock waits until no other process builds. The lock ends with this process,
// however that ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644) // there is nothing in it
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil // nothing was written
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// lookPath looks also where only root's PATH does.
func lookPath(name string) (string, error) {
	for _, dir := range slices.Concat(filepath.SplitList(os.Getenv("PATH")), filepath.SplitList(standardPath)) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is missing: %w", name, errMissing)
}
