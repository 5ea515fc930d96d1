//go:build unix

package sftpfs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// tapped returns a host with a session, and the tap that observes its requests.
func tapped(tb testing.TB, quiet time.Duration, request func(kind byte, body []byte) sftptest.Outcome) (testHost, *sftptest.Tap) {
	tb.Helper()
	s := newSessions(tb)
	tap := &sftptest.Tap{Request: request, Quiet: quiet}
	s.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
		tap.Server = server
		return tap
	}
	h := newTestHost(tb, s, nil)
	if _, err := h.Lstat(tb.Context(), "/"); err != nil { // starts the session
		tb.Fatal(err)
	}
	return h, tap
}

// TestRoundTrips checks the number of round trips of operations.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	h, tap := tapped(t, 20*time.Millisecond, nil)
	dir := t.TempDir()
	put := func(name string, opts host.WriteOptions) error {
		_, err := h.WriteFile(t.Context(), dir+"/"+name, strings.NewReader(strings.Repeat("x", 1024)), opts)
		return err
	}
	n, target := 0, "x"
	next := func() string { n++; return fmt.Sprint(n) }
	if err := errors.Join(put("first", host.WriteOptions{}), os.Symlink(target, dir+"/link")); err != nil {
		t.Fatal(err)
	}
	full := host.Attributes{Mode: new(host.Mode(0o640))}
	for _, tt := range []struct {
		name string
		want int
		root bool
		do   func() error
	}{
		{name: "first file of a directory", want: 3, do: func() error {
			name := "dir" + next()
			return errors.Join(os.Mkdir(dir+"/"+name, 0o700), put(name+"/file", host.WriteOptions{Attributes: full}))
		}},
		{name: "a new file", want: 3, do: func() error { return put(next(), host.WriteOptions{Attributes: full}) }},
		{name: "a replaced file", want: 3, do: func() error { return put("first", host.WriteOptions{}) }},
		{name: "an exclusive file", want: 3, do: func() error { return put(next(), host.WriteOptions{Exclusive: true}) }},
		{name: "a file of another user", want: 3, root: true, do: func() error {
			return put(next(), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(5))}})
		}},
		{name: "a file of another group with more permissions than others", want: 4, root: true, do: func() error {
			return put(next(), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o640)), GID: new(uint32(5))}})
		}},
		{name: "Lstat", want: 1, do: func() error { _, err := h.Lstat(t.Context(), dir+"/first"); return err }},
		{name: "Lstat of a link", want: 1, do: func() error { _, err := h.Lstat(t.Context(), dir+"/link"); return err }},
		{name: "reading", want: 3, do: func() error {
			_, r, err := h.Open(t.Context(), dir+"/first")
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, r)
			return errors.Join(err, r.Close())
		}},
		{name: "Mkdir", want: 1, do: func() error { _, err := h.Mkdir(t.Context(), dir+"/d"+next(), host.Attributes{}); return err }},
		{name: "Remove", want: 1, do: func() error {
			name := dir + "/r" + next()
			return errors.Join(os.WriteFile(name, nil, 0o600), h.Remove(t.Context(), name))
		}},
		{name: "Symlink", want: 1, do: func() error { _, err := h.Symlink(t.Context(), "x", dir+"/l"+next()); return err }},
		{name: "ReplaceSymlink", want: 2, do: func() error {
			was := target
			target += next()
			_, err := h.ReplaceSymlink(t.Context(), target, dir+"/link", &was)
			return err
		}},
		{name: "SetAttributes", want: 2, do: func() error {
			n++
			_, err := h.SetAttributes(t.Context(), dir+"/first", host.TypeRegular, host.Attributes{Mode: new(host.Mode(0o700 + n%2*0o40))})
			return err
		}},
		{name: "SetAttributes without a change", want: 1, do: func() error {
			_, err := h.SetAttributes(t.Context(), dir+"/first", host.TypeRegular, host.Attributes{})
			return err
		}},
	} {
		if tt.root && os.Geteuid() != 0 {
			continue
		}
		got, err := tap.Least(tt.want, tt.do)
		if err != nil || got != tt.want {
			t.Errorf("%s takes %d round trips, want %d; error %v", tt.name, got, tt.want, err)
		}
	}
}

// TestOneSearch checks that a directory is searched for leftovers once, however many files
// are written to it.
func TestOneSearch(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	searches := 0
	h, _ := tapped(t, 0, func(kind byte, _ []byte) sftptest.Outcome {
		mu.Lock()
		defer mu.Unlock()
		if kind == 11 { // OPENDIR
			searches++
		}
		return sftptest.Pass
	})
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			for j := range 20 {
				path := fmt.Sprintf("%s/%d-%d", dir, i, j)
				_, err := h.WriteFile(t.Context(), path, strings.NewReader("x"), host.WriteOptions{NoSync: true})
				if err == nil && j%2 == 0 {
					err = h.Remove(t.Context(), path)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if searches != 1 {
		t.Errorf("%d searches, want 1", searches)
	}
}

//nolint:paralleltest // allocations of other tests would count
func TestStream(t *testing.T) {
	h := newTestHost(t, newSessions(t), nil)
	hosttest.Stream(t, func(t *testing.T) (host.Host, string) { t.Helper(); return h, t.TempDir() }, 64<<20, 8<<20)
}

func BenchmarkWriteFile(b *testing.B) {
	h, dir := newTestHost(b, newSessions(b), nil), b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		_, err := h.WriteFile(b.Context(), dir+"/file", strings.NewReader(strings.Repeat("x", 1024)), host.WriteOptions{NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLstat(b *testing.B) {
	h, dir := newTestHost(b, newSessions(b), nil), b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Lstat(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}
