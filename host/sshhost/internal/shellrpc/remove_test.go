//go:build unix

package shellrpc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
)

// Objects of the type are removed, whatever their names, and no others.
func TestRemoveOnly(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		for _, want := range []host.FileType{host.TypeRegular, host.TypeSymlink, host.TypeDirectory} {
			paths := append(population(t), filepath.Join(t.TempDir(), "absent"))
			c := newCoalescer(t, s)
			if err := together(len(paths), func(i int) error {
				was, absent := os.Lstat(paths[i])
				goes := absent == nil && want != host.TypeDirectory &&
					was.Mode().Type() == map[host.FileType]os.FileMode{host.TypeSymlink: os.ModeSymlink}[want]
				removed, err := c.RemoveOnly(t.Context(), paths[i], want)
				if err != nil || removed != goes {
					t.Errorf("%s %q: removed %v, want %v, error %v", want, paths[i], removed, goes, err)
				}
				if _, gone := os.Lstat(paths[i]); (gone != nil) != (goes || absent != nil) {
					t.Errorf("%s %q: afterwards %v", want, paths[i], gone)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	})
}

// Of several paths in one batch, each that can be removed is removed.
func TestRemoveOnlySome(t *testing.T) {
	t.Parallel()
	s, dir := asNobody(t)
	if os.Getuid() != 0 {
		t.Skip("only a user without root is refused")
	}
	c := newCoalescer(t, s)
	protected := t.TempDir() // root's
	for p := protected; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{dir + "/a", protected + "/b", dir + "/c"}
	for _, p := range paths {
		if err := os.WriteFile(p, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := together(len(paths), func(i int) error {
		removed, err := c.RemoveOnly(t.Context(), paths[i], host.TypeRegular)
		if _, gone := os.Lstat(paths[i]); err != nil || removed != (i != 1) || (gone != nil) != removed {
			t.Errorf("%s: removed %v, error %v, afterwards %v", paths[i], removed, err, gone)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
