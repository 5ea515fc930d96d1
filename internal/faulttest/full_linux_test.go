package faulttest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccFullAndReadOnly checks a full and a read-only file system: existing files
// stay, no temporary file is left, each error has advice, and the next run succeeds
// once the cause is removed.
func TestAccFullAndReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := filepath.Join(resourcetest.TempDir(t), "small")
	resourcetest.Must(t, os.Mkdir(dir, 0o755))
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,nr_inodes=8"); err != nil {
		t.Skipf("this user cannot mount: %v", err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	write := func(bytes, more string) {
		w.Write("main.tf", resourcetest.ReplaceAll(`
resource "posix_file" "it" {
  path    = "DIR/it"
  content = join("", [for n in range(BYTES / 1024) : format("%01024d", n)])
  mode    = "0600"
  write_options = { backup = true }
}
`+more, "DIR", dir, "BYTES", bytes))
	}
	is := func(size int64, names ...string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		resourcetest.Must(t, err)
		var found []string
		for _, e := range entries {
			found = append(found, e.Name())
		}
		if strings.Join(found, " ") != strings.Join(names, " ") {
			t.Errorf("the directory has %q, want %q", found, names)
		}
		if info, err := os.Stat(filepath.Join(dir, "it")); size > 0 && (err != nil || info.Size() != size) {
			t.Errorf("the file is %v (error %v), want %d bytes", info, err, size)
		}
	}
	full := resourcetest.Problem{Texts: []string{"write " + dir + "/it: no space left on device", "on host local is full: free space or inodes and apply again"}}
	apply := func() { t.Helper(); w.Do(nil, "apply", "-auto-approve", "-no-color") }

	write("131072", "")
	resourcetest.WantErrors{"posix_file.it": full}.Check(t, w.Run("apply", "-auto-approve", "-json"))
	is(0)
	write("40960", "")
	apply()
	is(40960, "it")
	// There is no space for both the old and the new content, with or without a backup.
	write("49152", "")
	resourcetest.WantErrors{"posix_file.it": full}.Check(t, w.Run("apply", "-auto-approve", "-json"))
	is(40960, "it")
	resourcetest.Must(t, os.Truncate(filepath.Join(dir, "it"), 1))
	apply()
	entries, err := os.ReadDir(dir)
	resourcetest.Must(t, err)
	is(49152, entries[0].Name(), "it") // the backup of the file truncated by hand
	resourcetest.Must(t, os.Remove(filepath.Join(dir, entries[0].Name())))

	// No inode is free.
	write("49152", `
resource "posix_directory" "more" {
  count = 8
  path  = "DIR/more${count.index}"
}
`)
	r := w.Run("apply", "-auto-approve", "-no-color")
	if text := strings.Join(strings.Fields(strings.ReplaceAll(r.Output, "│", "")), " "); r.Code != 1 || !strings.Contains(text, "free space or inodes") {
		t.Errorf("without free inodes: exit code %d, want 1 and an error with the advice:\n%s", r.Code, r.Output)
	}
	write("49152", "")
	apply()
	is(49152, "it")

	// The file system is read-only.
	resourcetest.Must(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, "size=64k,nr_inodes=8"))
	readOnly := func(what string) resourcetest.Problem {
		return resourcetest.Problem{Texts: []string{what, "read-only file system", "on host local is mounted read-only: mount it writable, or choose a path on another file system"}}
	}
	write("1024", "resource \"posix_directory\" \"new\" {\n  path = \"DIR/new\"\n}\nresource \"posix_symlink\" \"new\" {\n  path = \"DIR/link\"\n  target = \"it\"\n}\n")
	resourcetest.WantErrors{
		"posix_file.it": readOnly("write " + dir + "/it"), "posix_directory.new": readOnly("make directory " + dir + "/new"), "posix_symlink.new": readOnly("make link " + dir + "/link"),
	}.Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.WantErrors{"posix_file.it": readOnly("remove " + dir + "/it")}.Check(t, w.Run("destroy", "-auto-approve", "-json"))
	is(49152, "it")
	resourcetest.Must(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, "size=64k,nr_inodes=8"))
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	is(0)
}
