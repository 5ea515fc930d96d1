//go:build unix

package sftpfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// concurrently returns a host on which do is called once, before the first request of the
// given type that contains text.
func concurrently(t *testing.T, kind byte, text string, do func() error) testHost {
	t.Helper()
	done := false
	h, _ := tapped(t, 0, func(k byte, body []byte) sftptest.Outcome {
		if k == kind && bytes.Contains(body, []byte(text)) && !done {
			done = true
			if err := do(); err != nil {
				t.Error(err)
			}
		}
		return sftptest.Pass
	})
	return h
}

// TestOpenedLink checks that a link that replaces the file before the file is opened is not
// read.
func TestOpenedLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, target := put(t, dir+"/file"), put(t, dir+"/target")
	h := concurrently(t, 3, "", func() error { return errors.Join(os.Remove(p), os.Symlink(target, p)) })
	_, _, err := h.Open(t.Context(), p)
	wantError(t, err, p, host.ErrIsSymlink)
}

// TestLinkWithoutTarget checks that Lstat returns an error for a link whose target cannot be read, such
// as the link exe of a kernel thread in /proc.
func TestLinkWithoutTarget(t *testing.T) {
	t.Parallel()
	p := t.TempDir() + "/link"
	if err := os.Symlink("target", p); err != nil {
		t.Fatal(err)
	}
	h, _ := tapped(t, 0, func(kind byte, body []byte) sftptest.Outcome {
		if kind == 19 { // READLINK: the server then reads another path
			body[len(body)-1]++
		}
		return sftptest.Pass
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := h.Lstat(ctx, p)
	wantError(t, err, p)
	if ctx.Err() != nil {
		t.Errorf("Lstat did not end within a minute: %v", err)
	}
}

// TestOpenedAnother checks that the content belongs to the returned info, even if the file
// is rewritten while it is opened.
func TestOpenedAnother(t *testing.T) {
	t.Parallel()
	for _, kind := range []byte{3, 8} { // OPEN and FSTAT
		p := put(t, t.TempDir()+"/file")
		h := concurrently(t, kind, "", func() error { return os.WriteFile(p, []byte("longer"), 0o600) })
		info, r, err := h.Open(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(content) != "longer" || info.Size != 6 {
			t.Errorf("%+v has content %q, error %v, want longer and size 6", info, content, err)
		}
	}
}

// TestTempTaken checks that the error for a missing temporary file matches [fs.ErrNotExist] only
// if the directory is missing too.
func TestTempTaken(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"write", "write exclusively", "link"} {
		for _, what := range []string{"file", "directory"} {
			dir := t.TempDir() + "/dir"
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			kind, text := byte(200), "posix-rename"
			if op == "write exclusively" {
				kind, text = 18, ""
			}
			h := concurrently(t, kind, text, func() error {
				entries, err := os.ReadDir(dir)
				if err != nil || len(entries) != 1 {
					return errors.Join(err, fmt.Errorf("the directory contains %v, want 1 entry", entries))
				}
				if err := os.Remove(dir + "/" + entries[0].Name()); err != nil || what == "file" {
					return err
				}
				return os.Remove(dir)
			})
			var err error
			if op == "link" {
				_, err = h.ReplaceSymlink(t.Context(), "x", dir+"/file", nil)
			} else {
				_, err = h.WriteFile(t.Context(), dir+"/file", strings.NewReader(""), host.WriteOptions{Exclusive: op != "write"})
			}
			if absent := errors.Is(err, fs.ErrNotExist); err == nil || absent != (what == "directory") {
				t.Errorf("%s after the removal of the %s: error %v, want an error that matches fs.ErrNotExist: %t", op, what, err, what == "directory")
			}
		}
	}
}

// TestHookLosesSession checks that an error of the hook is returned in a
// [*host.SourceError] and causes no retry, even if it reports a broken session.
func TestHookLosesSession(t *testing.T) {
	t.Parallel()
	h, dir := newTestHost(t, newSessions(t), nil), t.TempDir()
	calls := 0
	_, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader("x"), host.WriteOptions{
		BeforeReplace: func(context.Context, string) error {
			calls++
			return &sftp.LostError{Err: errors.New("test error")}
		},
	})
	var source *host.SourceError
	if !errors.As(err, &source) || calls != 1 {
		t.Errorf("error %v after %d calls, want a *host.SourceError after 1 call", err, calls)
	}
	wantNames(t, dir)
}

// TestHookHoldsNoSession checks that the session is released while the hook runs, because
// the host may allow only one.
func TestHookHoldsNoSession(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	h, dir := newTestHost(t, s, nil), t.TempDir()
	if err := h.RemoveTemp(t.Context(), dir+"/file"); err != nil { // lists the directory
		t.Fatal(err)
	}
	_, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader("x"), host.WriteOptions{
		BeforeReplace: func(context.Context, string) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.held != 0 {
				t.Errorf("%d sessions are held while the hook runs, want 0", s.held)
			}
			return s.client.Close() // so that the next operation gets another session
		},
	})
	if err != nil {
		t.Error(err)
	}
	wantNames(t, dir, "file")
}
