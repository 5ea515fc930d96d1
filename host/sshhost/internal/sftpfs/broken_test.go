//go:build unix

package sftpfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// none implements [sftpfs.Sessions]. It returns err instead of a session.
type none struct{ err error }

func (n none) SFTP(context.Context) (sftpfs.Session, error) { return sftpfs.Session{}, n.err }

// onceOnly returns content that cannot be read again.
func onceOnly(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} }

// breaking is an operation to run while a session breaks.
type breaking struct {
	name  string
	ready func(dir string) error // creates what the operation needs
	do    func(t *testing.T, h testHost, dir string) error
	// again means that the operation must succeed with the next session, whenever the first
	// one breaks. If again is false, the operation may return the error.
	again bool
	after func(dir string) error // checks the result after a success
}

func breakings() []breaking {
	put := func(content func(string) io.Reader, opts host.WriteOptions) func(t *testing.T, h testHost, dir string) error {
		return func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			_, err := h.WriteFile(t.Context(), dir+"/file", content("new"), opts)
			return err
		}
	}
	is := func(want string) func(dir string) error {
		return func(dir string) error {
			got, err := os.ReadFile(dir + "/file")
			if err == nil && string(got) != want {
				err = fmt.Errorf("the content is %q, want %q", got, want)
			}
			return err
		}
	}
	gone := func(dir string) error {
		if _, err := os.Lstat(dir + "/file"); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, errors.New("the file must not exist"))
		}
		return nil
	}
	old := func(dir string) error { return os.WriteFile(dir+"/file", []byte("old"), 0o600) }
	nothing := func(string) error { return nil }
	seekable := func(s string) io.Reader { return strings.NewReader(s) }
	return []breaking{
		{name: "write", ready: nothing, do: put(seekable, host.WriteOptions{}), again: true, after: is("new")},
		{name: "replace", ready: old, do: put(seekable, host.WriteOptions{}), again: true, after: is("new")},
		{name: "write exclusively", ready: nothing, do: put(seekable, host.WriteOptions{Exclusive: true}), again: true, after: is("new")},
		{name: "replace, content read once", ready: old, do: put(onceOnly, host.WriteOptions{}), after: is("new")},
		{name: "remove", ready: old, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			return h.Remove(t.Context(), dir+"/file")
		}, again: true, after: gone},
		{name: "set mode", ready: old, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			_, err := h.SetAttributes(t.Context(), dir+"/file", host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o644))})
			return err
		}, again: true, after: is("old")},
		{name: "link", ready: nothing, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			_, err := h.ReplaceSymlink(t.Context(), "target", dir+"/file", nil)
			return err
		}, again: true, after: func(dir string) error { _, err := os.Readlink(dir + "/file"); return err }},
		{name: "set target", ready: func(dir string) error { return os.Symlink("old", dir+"/file") }, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			_, err := h.ReplaceSymlink(t.Context(), "target", dir+"/file", new("old"))
			return err
		}, again: true, after: func(dir string) error {
			if target, err := os.Readlink(dir + "/file"); err != nil || target != "target" {
				return errors.Join(err, fmt.Errorf("the target is %q, want target", target))
			}
			return nil
		}},
		{name: "list", ready: old, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			entries, err := h.ReadDir(t.Context(), dir)
			if err == nil && len(entries) != 1 {
				err = fmt.Errorf("the directory contains %+v, want 1 entry", entries)
			}
			return err
		}, again: true, after: is("old")},
		{name: "make a directory", ready: nothing, do: func(t *testing.T, h testHost, dir string) error {
			t.Helper()
			_, err := h.Mkdir(t.Context(), dir+"/file", host.Attributes{Mode: new(host.Mode(0o700))})
			return err
		}, after: func(dir string) error { _, err := os.ReadDir(dir + "/file"); return err }},
	}
}

// slow provides sessions. Once the first one has been opened, callers whose contexts have a deadline get an error.
type slow struct{ *sessions }

func (s slow) SFTP(ctx context.Context) (sftpfs.Session, error) {
	s.mu.Lock()
	begun := s.client != nil
	s.mu.Unlock()
	if _, hurried := ctx.Deadline(); begun && hurried {
		return sftpfs.Session{}, context.DeadlineExceeded
	}
	return s.sessions.SFTP(ctx)
}

// TestBrokenSessions breaks a session before or after each request of an operation. The
// next session must complete the operation, however late it is opened, or the error must
// report the broken session. The file must have the old or the new content, and RemoveTemp
// must remove all leftovers.
func TestBrokenSessions(t *testing.T) {
	t.Parallel()
	for _, op := range breakings() {
		for _, outcome := range []sftptest.Outcome{sftptest.Cut, sftptest.LoseReply} {
			t.Run(fmt.Sprintf("%s %d", op.name, outcome), func(t *testing.T) {
				t.Parallel()
				broke := false
				for nth := 1; nth < 40; nth++ {
					met := testBroken(t, op, outcome, nth)
					if !met {
						break
					}
					broke = true
				}
				if !broke {
					t.Error("the session was not broken at any request")
				}
			})
		}
	}
}

// testBroken breaks the first session at its nth request, and reports whether the session had that
// many requests.
func testBroken(t *testing.T, op breaking, outcome sftptest.Outcome, nth int) bool {
	t.Helper()
	dir := t.TempDir()
	if err := op.ready(dir); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	count := 0
	met := false
	s := newSessions(t)
	s.wrap = func(session int, server *sftptest.Server) io.ReadWriteCloser {
		return &sftptest.Tap{Server: server, Request: func(byte, []byte) sftptest.Outcome {
			mu.Lock()
			defer mu.Unlock()
			if session > 1 {
				return sftptest.Pass
			}
			if count++; count == nth {
				met = true
				return outcome
			}
			return sftptest.Pass
		}}
	}
	var from sftpfs.Sessions = s
	if op.again {
		from = slow{s}
	}
	h := newTestHost(t, from, nil)
	err := op.do(t, h, dir)
	mu.Lock()
	broke := met
	mu.Unlock()
	switch {
	case err == nil:
		if err := op.after(dir); err != nil {
			t.Errorf("request %d: the operation returned no error, but the result is wrong: %v", nth, err)
		}
	case op.again || !errors.Is(err, sftp.ErrClosed):
		t.Errorf("request %d: error %v, want none, or an error that matches ErrClosed if again is false", nth, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		t.Errorf("request %d: error %v matches fs.ErrNotExist or fs.ErrExist, although the outcome is unknown", nth, err)
	}
	if op.name == "make a directory" {
		return broke
	}
	if left, err := os.ReadFile(dir + "/file"); err == nil && string(left) != "old" && string(left) != "new" {
		t.Errorf("request %d: the content is %q, want old or new", nth, left)
	}
	if err := h.RemoveTemp(t.Context(), dir+"/file"); err != nil {
		t.Error(err)
	}
	wantNames(t, dir, "file")
	return broke
}

// TestLostSessions checks the error of an operation whose sessions all break.
func TestLostSessions(t *testing.T) {
	t.Parallel()
	s := newSessions(t)
	s.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
		return &sftptest.Tap{Server: server, Request: func(byte, []byte) sftptest.Outcome { return sftptest.Cut }}
	}
	_, err := newTestHost(t, s, nil).Lstat(t.Context(), t.TempDir())
	if !errors.Is(err, host.ErrLost) || errors.Is(err, host.ErrUnreachable) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want an error that matches only ErrLost", err)
	}
}

// wantNames checks that a directory has no names other than want.
func wantNames(tb testing.TB, dir string, want ...string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(want, e.Name()) {
			tb.Errorf("%s contains %s, want only %q", filepath.Base(dir), e.Name(), want)
		}
	}
}

// TestBrokenWithinRename checks the case of a server that is killed during a rename and
// leaves both names. Another file with the same attributes must not be mistaken for the
// written one.
func TestBrokenWithinRename(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rename func(temp, file string) error
		want   error
	}{
		"link without unlink": {os.Link, nil},
		"another file with the same attributes": {func(temp, file string) error {
			info, err := os.Stat(temp)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(file, []byte("NEW"), info.Mode()), os.Chtimes(file, info.ModTime(), info.ModTime()))
		}, fs.ErrExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rename = 18 // SSH_FXP_RENAME
			dir, s := t.TempDir(), newSessions(t)
			s.wrap = func(session int, server *sftptest.Server) io.ReadWriteCloser {
				return &sftptest.Tap{Server: server, Request: func(kind byte, _ []byte) sftptest.Outcome {
					if kind != rename || session > 1 {
						return sftptest.Pass
					}
					temps, err := filepath.Glob(dir + "/.*")
					if err != nil || len(temps) != 1 {
						t.Errorf("the directory has %q, error %v, want one temporary file", temps, err)
					} else if err := tt.rename(temps[0], dir+"/file"); err != nil {
						t.Error(err)
					}
					return sftptest.Cut
				}}
			}
			_, err := newTestHost(t, s, nil).WriteFile(t.Context(), dir+"/file", strings.NewReader("new"), host.WriteOptions{Exclusive: true})
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			got, err := os.ReadFile(dir + "/file")
			if want := map[bool]string{true: "new", false: "NEW"}[tt.want == nil]; err != nil || string(got) != want {
				t.Errorf("content %q, error %v, want %q", got, err, want)
			}
			wantNames(t, dir, "file")
		})
	}
}

// TestNoSession checks that WriteFile and Open return the error of opening a session, and WriteFile adds the path.
func TestNoSession(t *testing.T) {
	t.Parallel()
	reason := errors.New("test error")
	h := newTestHost(t, none{reason}, nil)
	_, err := h.WriteFile(t.Context(), "/x", strings.NewReader(""), host.WriteOptions{})
	var typed *host.Error
	if !errors.Is(err, reason) || !errors.As(err, &typed) || typed.Path != "/x" {
		t.Errorf("WriteFile returned error %v, want a *host.Error for /x that matches %q", err, reason)
	}
	if _, _, err = h.Open(t.Context(), "/x"); !errors.Is(err, reason) {
		t.Errorf("Open returned error %v, want an error that matches %q", err, reason)
	}
}

// unreachable provides one session. Once the session has ended, the host is not reachable.
type unreachable struct{ *sessions }

func (u unreachable) SFTP(ctx context.Context) (sftpfs.Session, error) {
	u.mu.Lock()
	begun := u.begun
	ended := u.client != nil && u.client.Err() != nil
	u.mu.Unlock()
	if begun > 0 && ended {
		return sftpfs.Session{}, fmt.Errorf("connect to host web1: %w", host.ErrUnreachable)
	}
	return u.sessions.SFTP(ctx)
}

// searches are the types of the requests that search for leftovers: close, lstat, opendir and readdir. In
// addition, a session starts with a request for the limits of the server.
const searches = "\x04\x07\x0b\x0c"

// TestUnreachableAfterLoss checks the error of a change during which the session breaks
// and the host becomes unreachable: it matches [sftp.ErrClosed], names the temporary file that
// a write leaves, and does not match [host.ErrUnreachable], which means that no operation was
// started.
func TestUnreachableAfterLoss(t *testing.T) {
	t.Parallel()
	for _, op := range breakings() {
		if op.name == "list" {
			continue
		}
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			for nth := 1; nth < 40; nth++ {
				dir, s := t.TempDir(), newSessions(t)
				if err := op.ready(dir); err != nil {
					t.Fatal(err)
				}
				var count atomic.Int32
				var changes atomic.Bool
				s.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
					return &sftptest.Tap{Server: server, Request: func(kind byte, body []byte) sftptest.Outcome {
						if !strings.ContainsRune(searches, rune(kind)) && !strings.Contains(string(body), "limits@openssh.com") {
							changes.Store(true)
						}
						if int(count.Add(1)) == nth {
							return sftptest.LoseReply
						}
						return sftptest.Pass
					}}
				}
				err := op.do(t, newTestHost(t, unreachable{s}, nil), dir)
				if errors.Is(err, host.ErrUnreachable) && !changes.Load() {
					continue // the search for leftovers, which runs during the operation, lost the session
				}
				if err == nil && int(count.Load()) < nth {
					return
				}
				if err == nil { // the reply was not needed
					continue
				}
				if !errors.Is(err, sftp.ErrClosed) || errors.Is(err, host.ErrUnreachable) {
					t.Errorf("request %d: error %v, want an error that matches ErrClosed and not ErrUnreachable", nth, err)
				}
				temps, globErr := filepath.Glob(dir + "/.*")
				if globErr != nil {
					t.Fatal(globErr)
				}
				for _, temp := range temps {
					if (strings.Contains(op.name, "write") || strings.Contains(op.name, "replace")) && !strings.Contains(err.Error(), temp) {
						t.Errorf("request %d: error %v does not name %s", nth, err, temp)
					}
				}
			}
		})
	}
}

// TestLeftoverIsRecorded checks that a temporary file that cannot be removed because there
// is no session is recorded as a leftover, although its lease names a running process.
func TestLeftoverIsRecorded(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"write", "link"} {
		s, dir := newSessions(t), t.TempDir()
		var down atomic.Bool
		s.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
			return &sftptest.Tap{Server: server, Request: func(_ byte, body []byte) sftptest.Outcome {
				if down.Load() || strings.Contains(string(body), "posix-rename") {
					down.Store(true)
					return sftptest.Cut
				}
				return sftptest.Pass
			}}
		}
		h := newTestHost(t, s, nil)
		var err error
		if op == "write" {
			_, err = h.WriteFile(t.Context(), dir+"/file", strings.NewReader("x"), host.WriteOptions{})
		} else {
			_, err = h.ReplaceSymlink(t.Context(), "x", dir+"/file", nil)
		}
		if entries, readErr := os.ReadDir(dir); !errors.Is(err, sftp.ErrClosed) || len(entries) == 0 {
			t.Errorf("%s: error %v, want %v; the directory contains %v (error of ReadDir %v), want a leftover", op, err, sftp.ErrClosed, entries, readErr)
		}
		down.Store(false)
		if err := h.RemoveTemp(t.Context(), dir+"/file"); err != nil {
			t.Error(err)
		}
		wantNames(t, dir)
	}
}
