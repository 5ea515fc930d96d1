package textedit_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

func add(t *testing.T, h host.Host, path, text string) error {
	t.Helper()
	_, err := textedit.File(t.Context(), resourcetest.Scope(t, h), address.Path(path), host.Attributes{}, func(was []byte) ([]byte, error) {
		return append(was, text...), nil
	})
	return err
}

// TestLeftovers checks that a change removes old temporary files of killed writers for the
// same file, but not new ones or those of another file.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	h := localHost(t)
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a file'$x*"), filepath.Join(dir, "other")
	for _, file := range []string{path, other} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := "." + textedit.TempPrefix(path)
	old := time.Now().Add(-time.Hour)
	var want []string
	for name, age := range map[string]time.Time{
		left + "old": old, left + "young": time.Now(), "." + left + "old.posix-tmp": old, "." + left + "old.posix-tmp-1": old,
		left[:len(left)-2] + "-other": old, left[:8] + "other": old,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, age, age); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "young") || strings.HasSuffix(name, "other") {
			want = append(want, name)
		}
	}
	if err := add(t, h, path, "y"); err != nil {
		t.Fatal(err)
	}
	want = append(want, filepath.Base(path), "other")
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(want)
	slices.Sort(names)
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("the directory has %q, want %q (%v)", names, want, err)
	}
	if content, err := os.ReadFile(path); string(content) != "xy" {
		t.Errorf("the file has %q (%v), want xy", content, err)
	}
}

// TestWaitsForLock checks that a change waits for the lock of the directory.
func TestWaitsForLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	h, done := localHost(t), make(chan error, 1)
	go func() { done <- add(t, h, path, "y") }()
	time.Sleep(300 * time.Millisecond)
	if content, err := os.ReadFile(path); string(content) != "x" {
		t.Errorf("the file has %q while another process holds the lock (%v), want x", content, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if content, err := os.ReadFile(path); string(content) != "xy" {
		t.Errorf("the file has %q (%v), want xy", content, err)
	}
}

// TestAttributes checks that a change keeps or sets the mode, and leaves no other files.
func TestAttributes(t *testing.T) {
	t.Parallel()
	h := localHost(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	attrs := host.Attributes{}
	for _, want := range []host.Mode{0o0751, 0o640} {
		info, err := textedit.File(t.Context(), resourcetest.Scope(t, h), address.Path(path), attrs, func(was []byte) ([]byte, error) {
			return append(was, 'y'), nil
		})
		if err != nil || info.Mode != want || info.Path != path {
			t.Errorf("textedit.File returns %+v (%v), want the mode %s and the path %s", info, err, want, path)
		}
		attrs.Mode = new(host.Mode(0o640))
	}
	if content, err := os.ReadFile(path); string(content) != "xyy" {
		t.Errorf("the file has %q (%v), want xyy", content, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the directory has %v (%v), want 1 entry", names, err)
	}
}

// accessList is an access control list in the form of the kernel: user::rw-, user:1234:rw-, group::r--,
// mask::rw-, other::---. A file with this list has the mode 0660.
var accessList = func() []byte {
	const anyone = 0xffffffff
	list := []byte{2, 0, 0, 0}
	for _, entry := range []struct {
		tag, rights uint16
		id          uint32
	}{{1, 6, anyone}, {2, 6, 1234}, {4, 4, anyone}, {16, 6, anyone}, {32, 0, anyone}} {
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.rights)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	return list
}()

const accessListName = "system.posix_acl_access"

// TestAccessControlList checks that a change keeps the access control list of a file: without
// the list, the owning group would have the rights that the mode shows.
func TestAccessControlList(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]host.Host{
		"local": localHost(t), "SSH": remoteHost(t, server(t, sshdtest.Config{})), "shell": remoteHost(t, server(t, sshdtest.Config{Subsystem: sshdtest.None})),
	} {
		path := filepath.Join(t.TempDir(), "file")
		resourcetest.Write(t, path, "x", 0o600)
		if err := unix.Setxattr(path, accessListName, accessList, 0); err != nil {
			t.Skipf("the file system has no access control lists: %v", err)
		}
		for range 2 { // the second change may be made by a process that the first has started
			if err := add(t, h, path, "y"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		resourcetest.WantFile(t, path, "xyy", 0o660)
		list := make([]byte, 1000)
		n, err := unix.Getxattr(path, accessListName, list)
		if err != nil || !bytes.Equal(list[:n], accessList) {
			t.Errorf("%s: the list is %x (%v), want %x", name, list[:max(n, 0)], err, accessList)
		}
	}
}

// TestAccessControlListLost checks that a file is not changed if its access control
// list cannot be kept.
func TestAccessControlListLost(t *testing.T) {
	bin := t.TempDir()
	resourcetest.Write(t, filepath.Join(bin, "cp"), "#!/bin/sh\necho unknown option >&2\nexit 1\n", 0o755)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Write(t, path, "x", 0o600)
	if err := unix.Setxattr(path, accessListName, accessList, 0); err != nil {
		t.Skipf("the file system has no access control lists: %v", err)
	}
	err := add(t, localHost(t), path, "y")
	if err == nil || !strings.Contains(err.Error(), path+" on host local was not changed: unknown option\nits access control list cannot be kept") {
		t.Errorf("error %v, want an error about the access control list", err)
	}
	resourcetest.WantFile(t, path, "x", 0o660)
}

// TestSync checks that the directory is synced after a change.
func TestSync(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	record, path := filepath.Join(bin, "record"), filepath.Join(dir, "file")
	resourcetest.Write(t, filepath.Join(bin, "sync"), "#!/bin/sh\nprintf '%s ' \"$@\" \"$(cat "+path+")\" >"+record+"\n", 0o755)
	resourcetest.Write(t, path, "x", 0o600)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if err := add(t, localHost(t), path, "y"); err != nil {
		t.Fatal(err)
	}
	if synced, err := os.ReadFile(record); string(synced) != dir+" xy " {
		t.Errorf("the record of sync is %q (%v), want the directory and the new content xy", synced, err)
	}
}

// TestAccessControlListOfLink checks that a user who can write to the directory cannot make root change the
// mode of another file, by replacing the new file with a link.
func TestAccessControlListOfLink(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	path, victim := filepath.Join(dir, "file"), filepath.Join(bin, "victim")
	resourcetest.Write(t, victim, "secret", 0o600)
	resourcetest.Write(t, path, "x", 0o600)
	if err := unix.Setxattr(path, accessListName, accessList, 0); err != nil {
		t.Skipf("the file system has no access control lists: %v", err)
	}
	resourcetest.Write(t, filepath.Join(bin, "ls"), "#!/bin/sh\nln -sf "+victim+" "+dir+"/."+textedit.TempPrefix(path)+"*\n"+
		"PATH=/usr/bin:/bin exec ls \"$@\"\n", 0o755)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if err := add(t, localHost(t), path, "y"); err == nil || !strings.Contains(err.Error(), "its access control list cannot be kept") {
		t.Errorf("error %v, want an error about the access control list", err)
	}
	resourcetest.WantFile(t, victim, "secret", 0o600)
	resourcetest.WantFile(t, path, "x", 0o660)
}

// TestReplacedByLink checks that a user who can write to the directory cannot make root create a file in another
// directory by replacing the old file with a link to that directory.
func TestReplacedByLink(t *testing.T) {
	bin, dir, victim := t.TempDir(), t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "file")
	resourcetest.Write(t, path, "x", 0o600)
	resourcetest.Write(t, filepath.Join(bin, "stat"), "#!/bin/sh\nln -sf "+victim+" "+path+"\nexit 1\n", 0o755)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if err := add(t, localHost(t), path, "y"); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(victim); err != nil || len(entries) > 0 {
		t.Errorf("the other directory has %v (%v), want nothing", entries, err)
	}
	resourcetest.WantFile(t, path, "xy", 0o600)
}
