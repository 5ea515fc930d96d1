package textedit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
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
		t.Errorf("the file has %q (%v)", content, err)
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
	done := make(chan error, 1)
	go func() { done <- add(t, localHost(t), path, "y") }()
	time.Sleep(300 * time.Millisecond)
	if content, err := os.ReadFile(path); string(content) != "x" {
		t.Errorf("the file has %q while another process holds the lock (%v)", content, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if content, err := os.ReadFile(path); string(content) != "xy" {
		t.Errorf("the file has %q (%v)", content, err)
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
			t.Errorf("%+v (%v), want the mode %s", info, err, want)
		}
		attrs.Mode = new(host.Mode(0o640))
	}
	if content, err := os.ReadFile(path); string(content) != "xyy" {
		t.Errorf("the file has %q (%v)", content, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the directory has %v (%v)", names, err)
	}
}
