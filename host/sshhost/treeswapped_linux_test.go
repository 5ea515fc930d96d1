package sshhost_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestSwappedTree checks that no file of a tree is written through a symbolic link that another user
// repeatedly exchanges with a directory of the tree, or with the root of the tree.
func TestSwappedTree(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	for _, swapped := range []string{"tree/sub", "tree"} {
		t.Run(swapped, func(t *testing.T) {
			t.Parallel()
			h := open(t, o)
			dir := directory(t, h, plain)
			target, at, link := filepath.Join(t.TempDir(), "target"), filepath.Join(dir, swapped), filepath.Join(dir, swapped+" link")
			sub := filepath.Join(dir, "tree/sub")
			if err := errors.Join(os.MkdirAll(sub, 0o755), os.MkdirAll(filepath.Join(target, "sub"), 0o755), os.Symlink(target, link),
				os.Lchown(filepath.Join(dir, "tree"), 65534, 65534), os.Lchown(sub, 65534, 65534)); err != nil {
				t.Fatal(err)
			}
			files := []host.TreeFile{{
				Path: "sub/file", Attributes: host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(65534))}, Size: 1,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil },
			}}
			var swapping sync.WaitGroup
			ctx, stop := context.WithCancel(t.Context())
			swapping.Go(func() {
				for ctx.Err() == nil {
					if err := unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
						t.Error(err)
						return
					}
				}
			})
			write := func() error { return host.WriteTree(t.Context(), h, filepath.Join(dir, "tree"), files) }
			done := 0
			for range tier.Pick(20, 20, 500) {
				if err := write(); err == nil {
					done++
				}
			}
			stop()
			swapping.Wait()
			t.Logf("%d trees were written", done)
			if info, err := os.Lstat(at); err == nil && info.Mode().Type() == os.ModeSymlink {
				if err := unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
					t.Fatal(err)
				}
			}
			if err := write(); err != nil {
				t.Errorf("the tree cannot be written after the end of the exchanges: %v", err)
			}
			err := filepath.WalkDir(target, func(path string, _ os.DirEntry, err error) error {
				if path != target && path != filepath.Join(target, "sub") {
					t.Errorf("%s was written through the link", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
