package remotefs

import (
	"context"
	"strconv"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// lookBackend has directories of root, except for those below /home, and counts the calls of LstatAll.
type lookBackend struct {
	Backend
	looks int
}

func (b *lookBackend) LstatAll(_ context.Context, paths []string) ([]Result, error) {
	b.looks++
	all := make([]Result, len(paths))
	for i, p := range paths {
		all[i].FileInfo = host.FileInfo{Type: host.TypeDirectory, Mode: 0o755}
		if len(p) > len("/home/") && p[:len("/home/")] == "/home/" {
			all[i].UID = 1000
		}
	}
	return all, nil
}

func (b *lookBackend) Rmdir(context.Context, string) error          { return nil }
func (b *lookBackend) Rename(context.Context, string, string) error { return nil }

func (b *lookBackend) SetAttributes(context.Context, string, host.FileType, host.Attributes) (host.FileInfo, error) {
	return host.FileInfo{Type: host.TypeDirectory}, nil
}

func (b *lookBackend) UserName(_ context.Context, uid uint32) (string, error) {
	return strconv.Itoa(int(uid)), nil
}

func (b *lookBackend) GroupName(_ context.Context, gid uint32) (string, error) {
	return strconv.Itoa(int(gid)), nil
}

// TestTrustedDirs checks when the directories above a path are checked again.
func TestTrustedDirs(t *testing.T) {
	t.Parallel()
	b := &lookBackend{}
	trusted := &TrustedDirs{}
	f := New("web1", b, b, nil, trusted)
	look := func(path string) {
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
		{"new directories", func() error { look("/srv/a/x"); look("/srv/a/b/x"); look("/srv/y"); return nil }, 3},
		{"known directories", func() error { look("/srv/a/z"); look("/srv/a/b/z"); look("/top"); return nil }, 0},
		{"a directory of a user", func() error { look("/home/alice/x"); look("/home/alice/x"); return nil }, 2},
		{"follow links", func() error { _, err := f.ResolveParent(host.WithFollowLinks(t.Context()), "/new/x"); return err }, 0},
		{"after another owner", func() error {
			_, err := f.SetAttributes(t.Context(), "/srv/a", host.TypeUnknown, host.Attributes{UID: new(uint32(1000))})
			look("/srv/z")
			look("/srv/a/x")
			look("/srv/a/b/x")
			return err
		}, 2},
		{"after rmdir", func() error {
			err := f.Rmdir(t.Context(), "/srv/a/b")
			look("/srv/a/x")
			look("/srv/a/b/x")
			return err
		}, 1},
		{"after rename", func() error {
			err := f.Rename(t.Context(), "/srv/new", "/srv/a")
			look("/srv/x")
			look("/srv/a/x")
			return err
		}, 1},
		{"after a command", func() error { trusted.Forget(); look("/srv/x"); return nil }, 1},
	} {
		before := b.looks
		if err := tt.do(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := b.looks - before; got != tt.want {
			t.Errorf("%s: %d calls of LstatAll, want %d", tt.name, got, tt.want)
		}
	}
	none := New("web1", b, b, nil, nil)
	before := b.looks
	if _, err := none.ResolveParent(t.Context(), "/home/alice/x"); err != nil || b.looks != before {
		t.Errorf("%d calls of LstatAll as a user other than root, error %v", b.looks-before, err)
	}
}
