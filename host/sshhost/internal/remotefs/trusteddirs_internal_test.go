package remotefs

import (
	"context"
	"strconv"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// countingBackend has directories owned by root, except for those below /home, and counts the calls of LstatAll.
type countingBackend struct {
	Backend
	calls int
}

func (b *countingBackend) LstatAll(_ context.Context, paths []string) ([]Result, error) {
	b.calls++
	all := make([]Result, len(paths))
	for i, p := range paths {
		all[i].FileInfo = host.FileInfo{Type: host.TypeDirectory, Mode: 0o755}
		if len(p) > len("/home/") && p[:len("/home/")] == "/home/" {
			all[i].UID = 1000
		}
	}
	return all, nil
}

func (b *countingBackend) Rmdir(context.Context, string) error          { return nil }
func (b *countingBackend) Rename(context.Context, string, string) error { return nil }

func (b *countingBackend) SetAttributes(context.Context, string, host.FileType, host.Attributes) (host.FileInfo, error) {
	return host.FileInfo{Type: host.TypeDirectory}, nil
}

func (b *countingBackend) UserName(_ context.Context, uid uint32) (string, error) {
	return strconv.Itoa(int(uid)), nil
}

func (b *countingBackend) GroupName(_ context.Context, gid uint32) (string, error) {
	return strconv.Itoa(int(gid)), nil
}

// TestTrustedDirs checks when the directories above a path are checked again.
func TestTrustedDirs(t *testing.T) {
	t.Parallel()
	b := &countingBackend{}
	trusted := &TrustedDirs{}
	f := New("web1", b, b, nil, trusted)
	resolve := func(path string) {
		t.Helper()
		if _, err := f.ResolveParent(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		do   func() error
		want int // calls of LstatAll
	}{
		{"new directories", func() error { resolve("/srv/a/x"); resolve("/srv/a/b/x"); resolve("/srv/y"); return nil }, 3},
		{"known directories", func() error { resolve("/srv/a/z"); resolve("/srv/a/b/z"); resolve("/top"); return nil }, 0},
		{"a directory of a user", func() error { resolve("/home/alice/x"); resolve("/home/alice/x"); return nil }, 2},
		{"follow links", func() error { _, err := f.ResolveParent(host.WithFollowLinks(t.Context()), "/new/x"); return err }, 0},
		{"after a change of the owner", func() error {
			_, err := f.SetAttributes(t.Context(), "/srv/a", host.TypeUnknown, host.Attributes{UID: new(uint32(1000))})
			resolve("/srv/z")
			resolve("/srv/a/x")
			resolve("/srv/a/b/x")
			return err
		}, 2},
		{"after rmdir", func() error {
			err := f.Rmdir(t.Context(), "/srv/a/b")
			resolve("/srv/a/x")
			resolve("/srv/a/b/x")
			return err
		}, 1},
		{"after rename", func() error {
			err := f.Rename(t.Context(), "/srv/new", "/srv/a")
			resolve("/srv/x")
			resolve("/srv/a/x")
			return err
		}, 1},
		{"after a command", func() error { trusted.Forget(); resolve("/srv/x"); return nil }, 1},
	} {
		before := b.calls
		if err := tt.do(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := b.calls - before; got != tt.want {
			t.Errorf("%s: %d calls of LstatAll, want %d", tt.name, got, tt.want)
		}
	}
	none := New("web1", b, b, nil, nil)
	before := b.calls
	if _, err := none.ResolveParent(t.Context(), "/home/alice/x"); err != nil || b.calls != before {
		t.Errorf("%d calls of LstatAll as a user other than root, error %v, want 0 and nil", b.calls-before, err)
	}
}

// TestTryDirect checks that an operation is tried in one request with the check of the links above its path
// only while nothing is known about its directory, and only if links need a check.
func TestTryDirect(t *testing.T) {
	t.Parallel()
	b := &countingBackend{}
	trusted := &TrustedDirs{}
	f := New("web1", b, b, nil, trusted)
	for _, path := range []string{"/srv/x", "/home/alice/x"} {
		if _, err := f.ResolveParent(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	trusted.RecordLink("/var/run/x")
	for path, want := range map[string]bool{
		"/srv/y": false, "/top": false, "/var/run/y": false, "/var/x": true, "/srv/a/x": true, "/home/alice/y": true,
	} {
		if got := trusted.TryDirect(t.Context(), path); got != want {
			t.Errorf("%s: TryDirect returned %t, want %t", path, got, want)
		}
		if trusted.TryDirect(host.WithFollowLinks(t.Context()), path) || (*TrustedDirs)(nil).TryDirect(t.Context(), path) {
			t.Errorf("%s: TryDirect returned true although links need no check", path)
		}
	}
}
