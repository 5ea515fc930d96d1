package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestManyLinks checks that root follows as many links as the system.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	if err := os.Symlink(".", filepath.Join(dir, "0")); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 41; i++ {
		if err := os.Symlink(strconv.Itoa(i-1), filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Lstat(t.Context(), filepath.Join(dir, "39/0")); err != nil { // after 40 links
		t.Error(err)
	}
	if _, err := h.Lstat(t.Context(), filepath.Join(dir, "40/0")); !errors.Is(err, unix.ELOOP) {
		t.Errorf("error %v, want %v", err, unix.ELOOP)
	}
}

// TestNewOwner checks that a change of mode and owner never gives the new owner what only the
// old mode grants, nor the old owner what only the new mode grants.
func TestNewOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the test needs root")
	}
	h, dir := newHost(t)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	modes := [2]host.Mode{0o440, 0o604} // of the file of user 0, and of user 1
	var watching sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	watching.Go(func() {
		for ctx.Err() == nil {
			var stat unix.Stat_t
			if err := unix.Lstat(path, &stat); err != nil {
				t.Error(err)
				return
			}
			if mode := host.Mode(stat.Mode) & host.ModeMask; stat.Uid > 1 || mode&^modes[stat.Uid] != 0 {
				t.Errorf("the file of user %d has mode %s", stat.Uid, mode)
				return
			}
		}
	})
	for i := range tier.Pick(500, 2000, 20000) {
		attrs := host.Attributes{Mode: &modes[i%2], UID: new(uint32(i % 2))}
		if _, err := h.SetAttributes(t.Context(), path, attrs); err != nil {
			t.Error(err)
			break
		}
	}
	stop()
	watching.Wait()
}

// TestSwappedParent checks that operations of root change nothing through a symbolic link that another
// user repeatedly exchanges with a directory above the path, and that they leave no open files.
func TestSwappedParent(t *testing.T) { //nolint:paralleltest // open files of other tests would count
	if os.Geteuid() != 0 {
		t.Skip("the test needs root")
	}
	h, dir := newHost(t)
	home, target := filepath.Join(dir, "home"), filepath.Join(dir, "target")
	sub, link := filepath.Join(home, "sub"), filepath.Join(home, "link")
	err := errors.Join(os.Mkdir(home, 0o755), os.Mkdir(target, 0o755), os.Mkdir(sub, 0o755), os.Symlink(target, link),
		os.WriteFile(filepath.Join(target, "file"), []byte("secret"), 0o600), os.WriteFile(filepath.Join(sub, "file"), nil, 0o600),
		os.Chown(home, 65534, 65534), os.Chown(sub, 65534, 65534))
	if err != nil {
		t.Fatal(err)
	}
	var swapping sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	swapping.Go(func() {
		for ctx.Err() == nil {
			if err := unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
		}
	})
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	open, done, refused := files(), 0, 0
	for range tier.Pick(300, 1000, 10000) {
		for _, err := range []error{
			func() error {
				_, err := h.WriteFile(t.Context(), sub+"/new", strings.NewReader("x"), host.WriteOptions{NoSync: true})
				return err
			}(),
			func() error {
				_, err := h.SetAttributes(t.Context(), sub+"/file", host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(65534))})
				return err
			}(),
			func() error { _, err := h.Mkdir(t.Context(), sub+"/dir", host.Attributes{}); return err }(),
			h.Rmdir(t.Context(), sub+"/dir"),
			func() error { _, err := h.ReplaceSymlink(t.Context(), "x", sub+"/x"); return err }(),
			h.Rename(t.Context(), sub+"/x", sub+"/y"),
			h.Remove(t.Context(), sub+"/y"),
		} {
			if _, unsafe := errors.AsType[*host.UnsafeLinkError](err); unsafe {
				refused++
			}
			if err == nil {
				done++
			}
		}
		if info, err := h.Lstat(t.Context(), sub+"/file"); err == nil && info.Size != 0 {
			t.Error("Lstat returned the file of root")
		}
		entries, err := os.ReadDir(target)
		if err != nil || len(entries) != 1 {
			t.Fatalf("root's directory has %v, error %v", entries, err)
		}
		info, err := os.Lstat(filepath.Join(target, "file"))
		if err != nil || info.Mode() != 0o600 {
			t.Fatalf("the file of root has mode %v, error %v", info.Mode(), err)
		}
	}
	stop()
	swapping.Wait()
	if done == 0 || refused == 0 {
		t.Errorf("%d operations succeeded and %d were refused, want some of both", done, refused)
	}
	if now := files(); now > open {
		t.Errorf("%d files are open, %d were before", now, open)
	}
}
