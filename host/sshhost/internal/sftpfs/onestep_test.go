//go:build unix

package sftpfs_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// Without an extension, what can be done without it is, and what can not be done in
// one step is left alone.
func TestFallbacks(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, newSessions(t, "-P", "posix-rename,hardlink,lsetstat,fsync,statvfs,limits"), nil)
	dir := t.TempDir()
	p := dir + "/file"
	info, err := h.WriteFile(t.Context(), p, strings.NewReader("one"), host.WriteOptions{
		Attributes: host.Attributes{Mode: new(host.Mode(0o640))},
	})
	if err != nil || info.Mode != 0o640 {
		t.Errorf("mode %s, error %v", info.Mode, err)
	}
	_, err = h.WriteFile(t.Context(), p, strings.NewReader("exclusive"), host.WriteOptions{Exclusive: true})
	wantError(t, err, p, fs.ErrExist)
	_, err = h.WriteFile(t.Context(), p, strings.NewReader("two"), host.WriteOptions{})
	wantError(t, err, p, errors.ErrUnsupported)
	if _, err = h.ReplaceSymlink(t.Context(), "one", dir+"/link"); err != nil {
		t.Error(err)
	}
	_, err = h.ReplaceSymlink(t.Context(), "two", dir+"/link")
	wantError(t, err, dir+"/link", errors.ErrUnsupported)
	wantError(t, h.Rename(t.Context(), dir+"/link", p), p, errors.ErrUnsupported)
	wantError(t, h.Link(t.Context(), p, dir+"/other"), dir+"/other", errors.ErrUnsupported)
	if os.Geteuid() == 0 {
		_, err = h.SetAttributes(t.Context(), dir+"/link", host.Attributes{UID: new(uint32(5))})
		wantError(t, err, dir+"/link", errors.ErrUnsupported)
	}
	wantNames(t, dir, "file", "link")
	content, contentErr := os.ReadFile(p)
	target, targetErr := os.Readlink(dir + "/link")
	if string(content) != "one" || target != "one" {
		t.Errorf("content %q, target %q, errors %v, %v", content, target, contentErr, targetErr)
	}

	if err := errors.Join(os.Mkdir(dir+"/from", 0o700), os.Mkdir(dir+"/to", 0o700)); err != nil {
		t.Fatal(err)
	}
	wantError(t, h.Rename(t.Context(), dir+"/from", dir+"/to"), dir+"/to", errors.ErrUnsupported)
	for _, names := range [][2]string{{"/to", "/to"}, {"/from", "/new"}, {"/file", "/moved"}, {"/link", "/moved link"}} {
		if err := h.Rename(t.Context(), dir+names[0], dir+names[1]); err != nil {
			t.Error(err)
		}
	}
	wantNames(t, dir, "moved", "moved link", "new", "to")
	info, err = h.SetAttributes(t.Context(), dir+"/to", host.Attributes{Mode: new(host.Mode(0o2750))})
	if err != nil || info.Mode != 0o2750 {
		t.Errorf("mode %s, error %v", info.Mode, err)
	}
}

// What gets the name while a file is made is seen, also by a server that replaces
// nothing: then whoever can is to do it, or to say what is there.
func TestPlacedByOthers(t *testing.T) {
	t.Parallel()
	var meanwhile func() error // what happens just before a plain rename
	sessions := newSessions(t, "-P", "posix-rename")
	sessions.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
		return &sftptest.Tap{Server: server, Request: func(kind byte, _ []byte) sftptest.Fate {
			if kind == 18 && meanwhile != nil {
				if err := meanwhile(); err != nil {
					t.Error(err)
				}
			}
			return sftptest.Pass
		}}
	}
	placer := &renames{}
	h := testHost{Files: sftpfs.New("web", sessions, names{newTestHost(t, nil, nil)}, nil, placer)}
	dir := t.TempDir()
	write := func(name, content string) error {
		_, err := h.WriteFile(t.Context(), dir+name, strings.NewReader(content), host.WriteOptions{})
		return err
	}
	want := func(name, content string, placed int, err error) {
		t.Helper()
		got, readErr := os.ReadFile(dir + name)
		if err != nil || string(got) != content || placer.called != placed {
			t.Errorf("content %q, placed %d times by others, errors %v, %v", got, placer.called, err, readErr)
		}
	}
	want("/new", "one", 0, write("/new", "one"))
	want("/new", "two", 1, write("/new", "two"))
	meanwhile = func() error { return os.WriteFile(dir+"/taken", []byte("meanwhile"), 0o600) }
	want("/taken", "mine", 2, write("/taken", "mine"))
	meanwhile = func() error { return os.Symlink("/", dir+"/link") }
	_, err := h.ReplaceSymlink(t.Context(), "x", dir+"/link")
	wantError(t, err, dir+"/link", errors.ErrUnsupported)
	meanwhile = nil
	placer.err = fs.ErrPermission
	wantError(t, write("/new", "three"), dir+"/new", fs.ErrPermission)
	want("/new", "two", 3, nil)
	wantNames(t, dir, "link", "new", "taken")
}

// renames places by this machine's own rename.
type renames struct {
	called int
	err    error
}

func (r *renames) Place(_ context.Context, temp, path string) error {
	r.called++
	if r.err != nil {
		return r.err
	}
	return os.Rename(temp, path)
}
