package sftp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// gated is a connection whose replies can be held back.
type gated struct {
	*sftptest.Server
	mu   sync.Mutex
	gate chan struct{} // closed while replies pass
}

func newGated(tb testing.TB) *gated {
	tb.Helper()
	g := &gated{Server: sftptest.Start(tb), gate: make(chan struct{})}
	close(g.gate)
	return g
}

func (g *gated) Read(p []byte) (int, error) {
	n, err := g.Server.Read(p)
	g.mu.Lock()
	gate := g.gate
	g.mu.Unlock()
	<-gate
	return n, err
}

// hold holds replies back until the returned function is called.
func (g *gated) hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := make(chan struct{})
	g.gate = gate
	return func() { close(gate) }
}

// openFiles returns how many files a server has open. It skips the test if there is no /proc.
func openFiles(tb testing.TB, s *sftptest.Server) int {
	tb.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.PID()))
	if err != nil {
		tb.Skip("this host does not list the open files of a process")
	}
	return len(entries)
}

// eventually waits until done returns true, and fails the test after a minute.
func eventually(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	for start := time.Now(); !done(); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			tb.Fatalf("timed out after a minute, want: %s", what)
		}
	}
}

// TestLateReplies checks that a call ends with its context, that a file opened by its late
// reply is closed, and that other calls are not affected.
func TestLateReplies(t *testing.T) {
	t.Parallel()
	server := newGated(t)
	c, dir := connect(t, server), t.TempDir()
	write(t, c, dir+"/file", bytes.NewReader(make([]byte, 5<<20)))
	f := do(t, c.Batch().Open(dir+"/file", sftp.Read, sftp.Attrs{}))
	do(t, c.Batch().Lstat(dir))
	before := openFiles(t, server.Server)

	calls := map[string]func(ctx context.Context) error{
		"open": func(ctx context.Context) error {
			_, err := c.Batch().Open(dir+"/file", sftp.Read, sftp.Attrs{}).Do(ctx)
			return err
		},
		"list": func(ctx context.Context) error { _, err := readDir(ctx, c, dir); return err },
		"stat": func(ctx context.Context) error { _, err := c.Batch().Lstat(dir).Do(ctx); return err },
		"write": func(ctx context.Context) error {
			b := c.Batch()
			b.WriteFrom(f, bytes.NewReader(make([]byte, 5<<20)))
			return b.Do(ctx)
		},
		"read": func(ctx context.Context) error {
			r := c.NewReader(ctx, f, 0, 5<<20)
			_, err := io.ReadAll(r)
			return err
		},
	}
	for name, call := range calls {
		release := server.hold()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
		release()
		do(t, c.Batch().Lstat(dir))
	}
	eventually(t, "files are closed", func() bool { return openFiles(t, server.Server) == before })
	f.Discard()
}

// TestReaderClosed checks that closing a reader early leaves no file open.
func TestReaderClosed(t *testing.T) {
	t.Parallel()
	server := sftptest.Start(t)
	c, dir := connect(t, server), t.TempDir()
	write(t, c, dir+"/file", bytes.NewReader(make([]byte, 5<<20)))
	do(t, c.Batch().Lstat(dir))
	before := openFiles(t, server)
	for n := range 20 {
		r := c.NewReader(t.Context(), do(t, c.Batch().Open(dir+"/file", sftp.Read, sftp.Attrs{})), 0, 5<<20)
		if _, err := io.ReadFull(r, make([]byte, n*100_000)); err != nil {
			t.Error(err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Error("Read succeeded after Close")
		}
	}
	eventually(t, "files are closed", func() bool { return openFiles(t, server) == before })
}

// TestLost checks that pending calls without a reply fail after the end of the session, and
// that later calls fail with the error of the session.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*gated, *sftp.Client) error{
		"killed": func(s *gated, _ *sftp.Client) error { return s.Kill() },
		"closed": func(_ *gated, c *sftp.Client) error { return c.Close() },
	} {
		server := newGated(t)
		c, dir := connect(t, server), t.TempDir()
		f := create(t, c, dir+"/file")
		release := server.hold()
		errs := make(chan error, 20)
		for i := range cap(errs) {
			go func() {
				b := c.Batch()
				if i%2 == 0 {
					b.WriteFrom(f, bytes.NewReader(make([]byte, 9<<20)))
				}
				b.Lstat(dir)
				errs <- b.Do(t.Context())
			}()
		}
		time.Sleep(20 * time.Millisecond)
		if err := end(server, c); err != nil && name != "closed" {
			t.Error(err)
		}
		release()
		for range cap(errs) {
			if err := <-errs; !errors.Is(err, sftp.ErrClosed) && err != nil { // some replies may have arrived
				t.Errorf("%s: error %v", name, err)
			}
		}
		<-c.Done()
		var lost *sftp.LostError
		if _, err := c.Batch().Lstat(dir).Do(t.Context()); !errors.As(err, &lost) || err != c.Err() || errors.Is(err, fs.ErrNotExist) { //nolint:errorlint // the same error
			t.Errorf("%s: error %v", name, err)
		}
		f.Discard()
	}
}

// stuck is a connection that, until it is closed, blocks reads after some bytes, and all writes except
// that of the version packet.
type stuck struct {
	io.Reader
	closed chan struct{}
	once   sync.Once
}

func newStuck(hello []byte) *stuck {
	s := &stuck{closed: make(chan struct{})}
	s.Reader = io.MultiReader(bytes.NewReader(hello), readerFunc(func([]byte) (int, error) {
		<-s.closed
		return 0, net.ErrClosed
	}))
	return s
}

func (s *stuck) Write(p []byte) (int, error) {
	if len(p) == 9 { // the version packet
		return len(p), nil
	}
	<-s.closed
	return 0, net.ErrClosed
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestStuck checks that calls on a stuck connection end with their contexts, and that the
// queue is bounded.
func TestStuck(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	tier.CI(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := sftp.New(ctx, newStuck(nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	c := connect(t, newStuck(version(3)))
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	long := strings.Repeat("x", 30_000)
	for range 1000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := c.Batch().Lstat(long).Do(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		cancel()
	}
	goruntime.GC()
	goruntime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes are allocated for a stuck connection, want at most 8 MiB", grown)
	}
}

// version returns a server's version packet.
func version(v byte, extensions ...string) []byte {
	b := []byte{0, 0, 0, 0, 2, 0, 0, 0, v}
	for _, s := range extensions {
		b = append(append(b, 0, 0, 0, byte(len(s))), s...)
	}
	b[3] = byte(len(b) - 4)
	return b
}

// TestNoServer checks that the error contains the reason why a program is not an SFTP
// server.
func TestNoServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sends []byte
		want  string
	}{
		"nothing":         {nil, "closed the session before"},
		"truncated":       {version(3)[:7], "closed the session before"},
		"text of a shell": {[]byte("Welcome to this host!\nIt is Tuesday.\n"), `"Welcome to this host!\nIt is Tuesday.\n"`},
		"old version":     {version(2), "version 2"},
		"binary data":     {[]byte("\xff\xfe\xfd\xfc\xfb\xfa"), "violated the protocol"},
		"another packet":  {[]byte{0, 0, 0, 5, 101, 0, 0, 0, 1}, "violated the protocol"},
		"truncated list":  {version(3, "posix-rename@openssh.com"), "violated the protocol"},
	} {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = io.ReadFull(theirs, make([]byte, 9))
			_, _ = theirs.Write(tt.sends)
			_ = theirs.Close()
		}()
		_, err := sftp.New(t.Context(), ours)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want it to contain %q", name, err, tt.want)
		}
		if _, err := ours.Write([]byte{0}); err == nil {
			t.Errorf("%s: the connection was not closed", name)
		}
	}
}

// TestNoLeak checks that no goroutine outlives a session, however calls ended.
func TestNoLeak(t *testing.T) { //nolint:paralleltest // counts goroutines
	before := goruntime.NumGoroutine()
	for range 5 {
		t.Run("session", func(t *testing.T) {
			server := newGated(t)
			c, dir := connect(t, server), t.TempDir()
			f := create(t, c, dir+"/file")
			release := server.hold()
			for range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Microsecond)
				b := c.Batch()
				b.WriteFrom(f, bytes.NewReader(make([]byte, 100_000)))
				b.Open(dir+"/file", sftp.Read, sftp.Attrs{})
				_ = b.Do(ctx)
				cancel()
			}
			r := c.NewReader(t.Context(), f, 0, 1000)
			_ = r.Close()
			release()
		})
	}
	eventually(t, fmt.Sprintf("at most %d goroutines", before), func() bool { return goruntime.NumGoroutine() <= before })
}

// TestContentPanics checks that a panic of the content's reader leaves the session usable.
func TestContentPanics(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	f := create(t, c, dir+"/file")
	for _, size := range []int{0, 3 << 20} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			b := c.Batch()
			b.WriteFrom(f, io.MultiReader(bytes.NewReader(make([]byte, size)), readerFunc(func([]byte) (int, error) { panic("x") })))
			_ = b.Do(t.Context())
		}()
	}
	do(t, c.Batch().Fstat(f))
}

// TestUnknownRevision checks that an extension with an unknown version is not used.
func TestUnknownRevision(t *testing.T) {
	t.Parallel()
	c := connect(t, newStuck(version(3, "posix-rename@openssh.com", "2", "hardlink@openssh.com", "1")))
	if c.Has(sftp.ExtPosixRename) || !c.Has(sftp.ExtHardlink) {
		t.Errorf("posix-rename with an unknown version is used: %t, hardlink with a known version: %t, want false, true",
			c.Has(sftp.ExtPosixRename), c.Has(sftp.ExtHardlink))
	}
}
