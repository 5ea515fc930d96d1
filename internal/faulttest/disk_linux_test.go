package faulttest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestAccFaultDisk checks the errors of [TestAccFullAndReadOnly] on a host over SSH, whose SFTP
// server reports all of them as a generic failure.
func TestAccFaultDisk(t *testing.T) {
	tier.Nightly(t)
	parallelInCI(t)
	dir := filepath.Join(resourcetest.TempDir(t), "small")
	resourcetest.Must(t, os.Mkdir(dir, 0o755))
	const full = "size=64k,nr_inodes=8"
	if err := unix.Mount("none", dir, "tmpfs", 0, full); err != nil {
		t.Skipf("this user cannot mount: %v", err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}}) // after the mount, which the server inherits
	w := newWorkdir(t)
	write := func(bytes, more string) {
		w.Write("main.tf", webAt(t, server, key, server.Addr())+resourcetest.ReplaceAll(`
resource "posix_file" "it" {
  host    = "web"
  path    = "DIR/it"
  content = join("", [for n in range(BYTES / 1024) : format("%01024d", n)])
  mode    = "0600"
}
`+more, "DIR", dir, "BYTES", bytes))
	}
	is := func(size int64, names ...string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		resourcetest.Must(t, err)
		found := make([]string, len(entries))
		for i, e := range entries {
			found[i] = e.Name()
		}
		if !slices.Equal(found, names) {
			t.Errorf("the directory has %q, want %q", found, names)
		}
		if info, err := os.Stat(filepath.Join(dir, "it")); size > 0 && (err != nil || info.Size() != size) {
			t.Errorf("the file is %v (error %v), want %d bytes", info, err, size)
		}
	}
	refused := func(want resourcetest.WantErrors) {
		t.Helper()
		want.Check(t, w.Run("apply", "-auto-approve", "-json"))
	}
	noSpace := resourcetest.Problem{Texts: []string{"web:" + dir, "no space left on device", "on host web is full: free space or inodes and apply again"}}
	readOnly := resourcetest.Problem{Texts: []string{"web:" + dir, "read-only file system", "on host web is mounted read-only: mount it writable, or choose a path on another file system"}}

	write("131072", "")
	refused(resourcetest.WantErrors{"posix_file.it": noSpace})
	is(0)
	write("40960", "")
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	write("49152", "") // there is no space for both the old and the new content
	refused(resourcetest.WantErrors{"posix_file.it": noSpace})
	is(40960, "it")

	// No inode is free.
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, name), "", 0o600))
	}
	const beside = `
resource "posix_directory" "new" {
  host = "web"
  path = "DIR/new"
}
resource "posix_symlink" "new" {
  host   = "web"
  path   = "DIR/link"
  target = "it"
}
`
	write("1024", beside)
	refused(resourcetest.WantErrors{"posix_file.it": noSpace, "posix_directory.new": noSpace, "posix_symlink.new": noSpace})
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		resourcetest.Must(t, os.Remove(filepath.Join(dir, name)))
	}
	is(40960, "it")

	// The file system is read-only.
	resourcetest.Must(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, full))
	refused(resourcetest.WantErrors{"posix_file.it": readOnly, "posix_directory.new": readOnly, "posix_symlink.new": readOnly})
	resourcetest.WantErrors{"posix_file.it": readOnly}.Check(t, w.Run("destroy", "-auto-approve", "-json"))
	is(40960, "it")
	resourcetest.Must(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, full))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	is(1024, "it", "link", "new")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}
