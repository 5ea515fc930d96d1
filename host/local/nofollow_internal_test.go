//go:build linux

package local

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestChmodPlace checks that chmodNoFollow, and chmodPlace, its fallback for older kernels, change
// the mode of a file, and return an error for a link and for a missing file.
func TestChmodPlace(t *testing.T) {
	t.Parallel()
	for name, chmod := range map[string]func(string, uint32) error{"call": chmodNoFollow, "place": chmodPlace} {
		dir := t.TempDir()
		file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, link); err != nil {
			t.Fatal(err)
		}
		if err := chmod(file, 0o4751); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := chmod(link, 0o777); err == nil {
			t.Errorf("%s: no error for a link", name)
		}
		if err := chmod(filepath.Join(dir, "absent"), 0o777); err == nil {
			t.Errorf("%s: no error for a missing file", name)
		}
		stat, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode, _, _ := owned(stat); mode != host.Mode(0o4751) {
			t.Errorf("%s: mode %s, want 4751", name, mode)
		}
	}
}
