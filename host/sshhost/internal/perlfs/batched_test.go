//go:build unix

package perlfs_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/perlfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// batchedHost has the files of perlfs, to test the operations that the shell does for many files in one request.
type batchedHost struct {
	*perlfs.Files
	others atomic.Int32 // calls of the function for digests that the process does not calculate
}

func newBatchedHost(tb testing.TB, starter remote.Starter) *batchedHost {
	tb.Helper()
	c, err := sftp.New(tb.Context(), sftptest.Start(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	keeper := &remotetest.Keeper[*perlfs.Session]{}
	tb.Cleanup(keeper.Close)
	return &batchedHost{Files: perlfs.New(sftpfs.New(sftpSession{c}), starter, keeper, func() bool { return true })}
}

// start starts the process, which is a side effect of an operation.
func (h *batchedHost) start(tb testing.TB) {
	tb.Helper()
	if _, err := h.SetAttributes(tb.Context(), tb.TempDir(), host.TypeDirectory, host.Attributes{}); err != nil {
		tb.Fatal(err)
	}
}

var errOther = errors.New("the other function was called")

// digest calls Digest with a function that returns errOther, for digests that the process does not calculate.
func (h *batchedHost) digest(tb testing.TB, path string, direct bool) (host.FileInfo, [32]byte, error) {
	tb.Helper()
	return h.Digest(tb.Context(), path, direct, func(context.Context, string) (host.FileInfo, [32]byte, error) {
		h.others.Add(1)
		return host.FileInfo{}, [32]byte{}, errOther
	})
}

// unchanged waits until the files that were made before count as unchanged.
func unchanged() { time.Sleep(200 * time.Millisecond) }

// TestDigest checks the digests of files, and for which files the other function is called: a digest must be
// of a single version of the content, and a large file would delay other requests.
func TestDigest(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	h := newBatchedHost(t, s)
	h.start(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{"empty": "", "binary\n'": "\x00\xff\n", "largest": strings.Repeat("x", 1<<20), "too large": strings.Repeat("x", 1<<20+1)}
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("empty", dir+"/link"), os.Symlink(".", dir+"/above")); err != nil {
		t.Fatal(err)
	}
	unchanged()
	for name, content := range contents {
		for _, direct := range []bool{true, false} {
			requests := s.Writes()
			info, sum, err := h.digest(t, dir+"/"+name, direct)
			if name == "too large" {
				if !errors.Is(err, errOther) {
					t.Errorf("%s: error %v, want %v", name, err, errOther)
				}
				continue
			}
			want, lstatErr := h.Lstat(t.Context(), dir+"/"+name)
			if err != nil || lstatErr != nil || sum != sha256.Sum256([]byte(content)) || info != want {
				t.Errorf("%q: digest %x of %+v, error %v, want that of %.20q and %+v, error %v", name, sum, info, err, content, want, lstatErr)
			}
			if n := s.Writes() - requests; n != 1 {
				t.Errorf("%q: %d requests, want 1", name, n)
			}
		}
	}
	if _, _, err := h.digest(t, dir+"/above/empty", false); err != nil {
		t.Errorf("digest of a path with a link that may be followed: error %v, want none", err)
	}
	for name, direct := range map[string]bool{"link": false, "above/empty": true, ".": false} {
		if _, _, err := h.digest(t, dir+"/"+name, direct); !errors.Is(err, errOther) {
			t.Errorf("%s: error %v, want %v", name, err, errOther)
		}
	}
	if _, _, err := h.digest(t, dir+"/absent", true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("digest of a file that does not exist: error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestDigestOfChangedFile checks that the other function is called for a file that has just changed: two
// changes within one tick of the clock set the same times.
func TestDigestOfChangedFile(t *testing.T) {
	t.Parallel()
	h := newBatchedHost(t, newStarter(t))
	h.start(t)
	path := t.TempDir() + "/file"
	future := time.Now().Add(time.Hour)
	for range 20 { // the time between the change and the request is not limited
		if err := errors.Join(os.WriteFile(path, []byte("new"), 0o600), os.Chtimes(path, future, future)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.digest(t, path, false); errors.Is(err, errOther) {
			return
		}
	}
	t.Error("the process returned the digests of files that had just changed, want calls of the other function")
}

// TestFewDigests checks that the process is not started for a few files, and that hosts without the modules
// for digests get no requests for digests.
func TestFewDigests(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	without := t.TempDir()
	if err := errors.Join(os.Mkdir(without+"/Digest", 0o700), os.WriteFile(without+"/Digest/SHA.pm", []byte("die;\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	unchanged()
	for name, env := range map[string][]string{"all modules": nil, "no Digest::SHA": {"PERL5LIB=" + without}} {
		s := newStarter(t)
		s.Env = env
		h := newBatchedHost(t, s)
		for n := range 20 {
			_, _, _ = h.digest(t, path, false) // the other function returns an error
			if want := min(n/10, 1); s.Starts() != want {
				t.Fatalf("%s: %d processes after %d digests, want %d", name, s.Starts(), n+1, want)
			}
		}
		others, writes := 11, 1+9 // the start is a write; the other function is also called for the digest that starts the process
		if env != nil {
			others, writes = 20, 1
		}
		if int(h.others.Load()) != others || s.Writes() != writes {
			t.Errorf("%s: %d calls of the other function and %d requests, want %d and %d", name, h.others.Load(), s.Writes(), others, writes)
		}
	}
}

// TestRemoveOnly checks that only an object of the wanted type is removed.
func TestRemoveOnly(t *testing.T) {
	t.Parallel()
	h := newBatchedHost(t, newStarter(t))
	h.start(t)
	dir := t.TempDir()
	objects := map[string]host.FileType{"file": host.TypeRegular, "link": host.TypeSymlink, "directory": host.TypeDirectory}
	if err := errors.Join(os.WriteFile(dir+"/file", nil, 0), os.Symlink("file", dir+"/link"), os.Mkdir(dir+"/directory", 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []host.FileType{host.TypeUnknown, host.TypeDirectory, host.TypeRegular, host.TypeSymlink} {
		for name, is := range objects {
			removed, err := h.RemoveOnly(t.Context(), dir+"/"+name, want)
			_, lstatErr := os.Lstat(dir + "/" + name)
			if gone := want == is && is != host.TypeDirectory; err != nil || removed != gone || errors.Is(lstatErr, fs.ErrNotExist) != gone {
				t.Errorf("%s as %v: removed %t, error %v; then Lstat: %v; want removed %t", name, want, removed, err, lstatErr, gone)
			} else if gone {
				delete(objects, name)
			}
		}
	}
	if removed, err := h.RemoveOnly(t.Context(), dir+"/absent", host.TypeRegular); removed || err != nil {
		t.Errorf("RemoveOnly of an object that does not exist: removed %t, error %v, want false, nil", removed, err)
	}
}

// TestBatchedBrokenConnections checks that the outcome of a request without a reply counts as unknown, and
// that an incomplete request has no effect.
func TestBatchedBrokenConnections(t *testing.T) {
	t.Parallel()
	for _, outcome := range []requestOutcome{cut, loseReply} {
		b := &breaking{Starter: newStarter(t)}
		h := newBatchedHost(t, b)
		h.start(t)
		path := t.TempDir() + "/file"
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		unchanged()
		b.outcome.Store(int32(outcome))
		if _, _, err := h.digest(t, path, false); !errors.Is(err, errOther) {
			t.Errorf("digest: error %v, want %v", err, errOther)
		}
		h.start(t)
		b.outcome.Store(int32(outcome))
		removed, err := h.RemoveOnly(t.Context(), path, host.TypeRegular)
		_, lstatErr := os.Lstat(path)
		if removed || err != nil || errors.Is(lstatErr, fs.ErrNotExist) != (outcome == loseReply) {
			t.Errorf("removal with outcome %d: removed %t, error %v; then Lstat: %v; want false, nil and the file removed: %t", outcome, removed, err, lstatErr, outcome == loseReply)
		}
	}
}
