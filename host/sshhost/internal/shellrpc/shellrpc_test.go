//go:build unix

package shellrpc_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// newCoalescer returns a coalescer whose session is closed when the test ends.
func newCoalescer(t *testing.T, s *remotetest.Starter) *shellrpc.Coalescer {
	t.Helper()
	h, _ := newHelper(t, s)
	return shellrpc.NewCoalescer(h)
}

// onEach runs a test on each kind of host, on one with BSD tools, and on one with unreliable tools.
func onEach(t *testing.T, test func(t *testing.T, s *remotetest.Starter)) {
	t.Helper()
	remotetest.OnEach(t, remotetest.Variants(), test)
	t.Run("BSD tools", func(t *testing.T) {
		t.Parallel()
		test(t, bsd(t))
	})
	t.Run("unreliable tools", func(t *testing.T) {
		t.Parallel()
		test(t, unreliable(t))
	})
}

// together runs f for 0…n-1 concurrently and returns the joined errors.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

var oddNames = []string{
	"plain", "plain\nlonger", "plain\\nlonger", " ", "two  spaces ", "new\nline", "\n", "ends with\n", "\r", "a\\b", "\\", "'", `"`, "$(id)", "*", "-n", "] /x", "[] /",
	"é", "\xff\xfe", "\x81\x85", "%n", "tab\t", ": No such file or directory", "x: Permission denied", strings.Repeat("n", 255),
}

// population creates files and symbolic links with unusual names, and two directories. It
// returns their paths.
func population(t *testing.T) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range oddNames {
		p := filepath.Join(dir, "files", name)
		must(os.MkdirAll(filepath.Dir(p), 0o755))
		must(os.WriteFile(p, []byte(strings.Repeat(name, i)), 0o644))
		must(os.Chmod(p, os.FileMode(0o600+i)))
		must(os.Chtimes(p, time.Time{}, time.Unix(1_700_000_000+int64(i), 123_456_789+int64(i))))
		l := filepath.Join(dir, "links", name)
		must(os.MkdirAll(filepath.Dir(l), 0o755))
		must(os.Symlink(name+"\n", l))
		paths = append(paths, p, l)
	}
	special := func(name string) string { paths = append(paths, filepath.Join(dir, name)); return paths[len(paths)-1] }
	must(os.Mkdir(special("dir"), 0o755))
	sticky := special("sticky")
	must(os.Mkdir(sticky, 0o755))
	must(syscall.Chmod(sticky, 0o7777))
	return paths
}

func wantInfo(t *testing.T, path string, got shellrpc.Info) {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	want, err := h.Lstat(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	is := host.FileInfo{
		Path: path, Type: got.Type, Mode: got.Mode, Size: got.Size, UID: got.UID, GID: got.GID, Owner: want.Owner, Group: want.Group,
		ModTime: got.ModTime, LinkTarget: got.LinkTarget,
	}
	if !is.ModTime.Equal(want.ModTime) {
		t.Errorf("%q: changed at %s, want %s", path, is.ModTime, want.ModTime)
	}
	is.ModTime = want.ModTime
	if is != want {
		t.Errorf("%q is %+v, want %+v", path, is, want)
	}
	var stat syscall.Stat_t
	err = syscall.Lstat(path, &stat)
	if err != nil || got.Inode != stat.Ino || got.Device != uint64(stat.Dev) { //nolint:unconvert // the type depends on the system
		t.Errorf("%q: inode %d on device %d, want %d on %d, error %v", path, got.Inode, got.Device, stat.Ino, stat.Dev, err)
	}
}

func TestStat(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		paths := population(t)
		c := newCoalescer(t, s)
		check := func(i int) error {
			info, err := c.Lstat(t.Context(), paths[i])
			if err == nil {
				wantInfo(t, paths[i], info)
			}
			return err
		}
		if err := together(len(paths), check); err != nil { // in one request
			t.Error(err)
		}
		for i := range paths { // separately
			if err := check(i); err != nil {
				t.Error(err)
			}
		}
		for _, p := range []string{"/", "/dev/null", "/dev"} {
			info, err := c.Lstat(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			wantInfo(t, p, info)
		}
	})
}

// TestStatErrors checks that each error is matched to its path, whatever other paths are
// in the batch.
func TestStatErrors(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		dir := t.TempDir()
		file := filepath.Join(dir, "file")
		loop := filepath.Join(dir, "loop")
		if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink("loop", loop)); err != nil {
			t.Fatal(err)
		}
		type want struct {
			path string
			err  []error
		}
		absent := []error{fs.ErrNotExist}
		wants := []want{
			{file, nil},
			{filepath.Join(dir, "absent"), absent},
			{filepath.Join(dir, "absent", "below"), absent},
			{filepath.Join(file, "below"), []error{fs.ErrNotExist, host.ErrNotDirectory}},
			{filepath.Join(loop, "below"), []error{}},
			{loop, nil},
			{filepath.Join(dir, strings.Repeat("n", 256)), []error{}},
		}
		for _, name := range oddNames {
			wants = append(wants, want{filepath.Join(dir, name), absent})
		}
		c := newCoalescer(t, s)
		check := func(i int) error {
			w := wants[i]
			_, err := c.Lstat(t.Context(), w.path)
			if (err == nil) != (w.err == nil) {
				t.Errorf("%q: error %v, want an error: %t", w.path, err, w.err != nil)
			}
			for _, target := range w.err {
				if !errors.Is(err, target) {
					t.Errorf("%q: error %q is not %q", w.path, err, target)
				}
			}
			if len(w.err) == 0 && errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: error %q matches fs.ErrNotExist", w.path, err)
			}
			return nil
		}
		_ = together(len(wants), check)
		for i := range wants {
			_ = check(i)
		}
	})
}

// asNobody returns a host whose user is not root, and a directory of that user.
func asNobody(t *testing.T) (*remotetest.Starter, string) {
	t.Helper()
	if os.Getuid() != 0 {
		return &remotetest.Starter{}, t.TempDir()
	}
	const nobody = 65534
	dir := openDir(t)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return &remotetest.Starter{UID: nobody, GID: nobody}, dir
}

// openDir returns a new directory that every user may enter: the parent of t.TempDir is private.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNotPermitted(t *testing.T) {
	t.Parallel()
	s, dir := asNobody(t)
	closed, secret := filepath.Join(dir, "closed"), filepath.Join(dir, "secret")
	if err := errors.Join(os.Mkdir(closed, 0), os.WriteFile(secret, nil, 0)); err != nil {
		t.Fatal(err)
	}
	c := newCoalescer(t, s)
	for _, p := range []string{filepath.Join(closed, "x"), filepath.Join(closed, "new\nline")} {
		if _, err := c.Lstat(t.Context(), p); !errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: error %v, want %v only", p, err, fs.ErrPermission)
		}
		if _, _, err := c.Digest(t.Context(), p); !errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: error %v, want %v only", p, err, fs.ErrPermission)
		}
	}
	if os.Getuid() == 0 {
		if err := os.Chown(secret, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Lstat(t.Context(), secret); err != nil {
		t.Error(err)
	}
	if _, _, err := c.Digest(t.Context(), secret); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want %v", err, fs.ErrPermission)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		paths := population(t)
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, fifo, "/dev/zero", filepath.Join(t.TempDir(), "absent"))
		c := newCoalescer(t, s)
		check := func(i int) error {
			p := paths[i]
			info, sum, err := c.Digest(t.Context(), p)
			stat, statErr := os.Lstat(p)
			switch {
			case statErr != nil:
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%q: error %v, want %v", p, err, fs.ErrNotExist)
				}
			case !stat.Mode().IsRegular():
				if !errors.Is(err, host.ErrNotRegular) {
					t.Errorf("%q: error %v, want %v", p, err, host.ErrNotRegular)
				}
			case err != nil:
				t.Errorf("%q: %v", p, err)
			default:
				wantInfo(t, p, info)
				content, err := os.ReadFile(p)
				if err != nil || sum != sha256.Sum256(content) {
					t.Errorf("%q: digest %x, want %x (error %v)", p, sum, sha256.Sum256(content), err)
				}
			}
			return nil
		}
		_ = together(len(paths), check)
		for i := range paths {
			_ = check(i)
		}
	})
}

// TestDigestOfChangingFile checks that the returned digest and info belong to the same
// content.
func TestDigestOfChangingFile(t *testing.T) {
	t.Parallel()
	c := newCoalescer(t, &remotetest.Starter{})
	dir := t.TempDir()
	p := filepath.Join(dir, "file")
	put := func(n int) {
		temp := filepath.Join(dir, "temp")
		if err := errors.Join(os.WriteFile(temp, make([]byte, n), 0o600), os.Rename(temp, p)); err != nil {
			t.Error(err)
		}
	}
	put(0)
	ctx, cancel := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	var pause atomic.Int64
	pause.Store(int64(3 * time.Millisecond))
	writer.Go(func() {
		for n := 0; ctx.Err() == nil; n = (n + 1) % 100 {
			put(n)
			time.Sleep(time.Duration(pause.Load()))
		}
	})
	seen := 0
	for try := 0; seen < 20 && try < 200; try++ {
		info, sum, err := c.Digest(t.Context(), p)
		if err != nil { // the file changed too often
			pause.Store(pause.Load() * 5 / 4)
			continue
		}
		pause.Store(pause.Load() * 4 / 5)
		seen++
		if sum != sha256.Sum256(make([]byte, info.Size)) {
			t.Errorf("wrong digest of a file with %d bytes", info.Size)
		}
	}
	cancel()
	writer.Wait()
	if seen == 0 {
		t.Error("every digest failed because the file changed")
	}
}

func TestHostsThatCannot(t *testing.T) {
	t.Parallel()
	p := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCoalescer(t, only(t, "sh", "stat", "readlink"))
	info, err := c.Lstat(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	wantInfo(t, p, info)
	if _, _, err := c.Digest(t.Context(), p); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no sha256sum: error %v, want %v", err, errors.ErrUnsupported)
	}
	c = newCoalescer(t, only(t, "sh", "sha256sum"))
	if _, err := c.Lstat(t.Context(), p); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no stat: error %v, want %v", err, errors.ErrUnsupported)
	}
	if _, _, err := c.Digest(t.Context(), p); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no stat: error %v, want %v", err, errors.ErrUnsupported)
	}
	for _, tool := range []string{"shasum", "openssl"} {
		remotetest.Need(t, tool)
		c = newCoalescer(t, only(t, "sh", "stat", "readlink", "perl", tool))
		if _, sum, err := c.Digest(t.Context(), p); err != nil || sum != sha256.Sum256([]byte("x")) {
			t.Errorf("%s: digest %x, error %v, want that of x", tool, sum, err)
		}
	}
}

func TestTemps(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		dir := t.TempDir()
		var all []string
		for i, name := range oddNames {
			if strings.Contains(name, "/") {
				continue
			}
			target := filepath.Join(dir, name)
			left := []string{host.TempPath(target, ""), host.TempPath(target, fmt.Sprint("a-", i))}
			others := []string{target, host.TempPath(target, "") + "x"}
			for _, p := range append(slices.Clip(left), others...) {
				if err := os.WriteFile(p, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, left...)
		}
		dangling := host.TempPath(filepath.Join(dir, "dangling"), "")
		if err := os.Symlink("nowhere", dangling); err != nil {
			t.Fatal(err)
		}
		all = append(all, dangling)
		c := newCoalescer(t, s)
		got, err := c.Leftovers(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i] = filepath.Base(all[i])
		}
		wantSame(t, got, all)
		for p, want := range map[string]error{filepath.Join(dir, "absent"): fs.ErrNotExist, filepath.Join(dir, "plain"): fs.ErrNotExist, "/": nil} {
			if got, err := c.Leftovers(t.Context(), p); !errors.Is(err, want) || len(got) > 0 {
				t.Errorf("%s: %q, error %v, want %v", p, got, err, want)
			}
		}
	})
}
