package directory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestForceDestroyKeepsMounts checks that force_destroy deletes nothing if there is a mount
// point inside.
func TestForceDestroyKeepsMounts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "dir")
	d := newDirectory(t)
	set := attrs{"path": str(dir), "force_destroy": cty.True}
	d.Apply(set)
	resourcetest.Write(t, filepath.Join(dir, "first"), "x", 0o600)
	mounted := filepath.Join(dir, "sub", "mnt")
	if err := os.MkdirAll(mounted, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", mounted, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("this user cannot mount: %v", err)
	}
	defer func() { _ = unix.Unmount(mounted, 0) }()
	precious := filepath.Join(mounted, "precious")
	resourcetest.Write(t, precious, "x", 0o600)

	resourcetest.WantError(t, d.Destroy(), "", mounted, "is a mount point", "unmount it first")
	for _, path := range []string{precious, filepath.Join(dir, "first")} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the content was deleted: %v", err)
		}
	}
	if err := unix.Unmount(mounted, 0); err != nil {
		t.Fatal(err)
	}
	if diags := d.Destroy(); diags.HasErrors() {
		t.Error(diags)
	}
}
