package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// canceling is a host that cancels the caller's context when a directory is read.
type canceling struct {
	host.Host
	cancel context.CancelFunc
}

func (c *canceling) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	defer c.cancel()
	return c.Host.ReadDir(ctx, path)
}

// TestWalkTreeCanceled checks that the error of a walk whose context ends names the host and the
// path.
func TestWalkTreeCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := host.WalkTree(ctx, &canceling{memory.New(memory.Config{Name: "web"}), cancel}, "/", host.TreeQuery{All: true})
	named, ok := errors.AsType[*host.Error](err)
	if !ok || named.Host != "web" || named.Path != "/" || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a canceled read of / on web", err)
	}
}

// endless is a host whose directories have directories, to any depth.
type endless struct {
	host.Host
	listings atomic.Int32
}

func (e *endless) ReadDir(context.Context, string) ([]host.DirEntry, error) {
	if e.listings.Add(1) > 5000 {
		return nil, nil // ends the walk
	}
	entries := make([]host.DirEntry, 90)
	for i := range entries {
		entries[i] = host.DirEntry{Name: fmt.Sprint(i), Type: host.TypeDirectory}
	}
	return entries, nil
}

func (*endless) Lstat(_ context.Context, path string) (host.FileInfo, error) {
	return host.FileInfo{Path: path, Type: host.TypeDirectory}, nil
}

// TestWalkTreeEndless checks that names count toward the limit when they are listed: until their attributes
// are read, a host could list many more.
func TestWalkTreeEndless(t *testing.T) {
	t.Parallel()
	h := &endless{Host: memory.New(memory.Config{})}
	_, err := host.ReadTree(t.Context(), h, "/", host.TreeQuery{All: true, Limit: 1000})
	if n := h.listings.Load(); !errors.Is(err, host.ErrTooMany) || n > 500 {
		t.Errorf("error %v after %d listings, want %v after at most 500", err, n, host.ErrTooMany)
	}
}

// panicking is a host whose directories can be listed, and whose WriteFile and Lstat below / panic.
type panicking struct{ host.Host }

func (panicking) Lstat(_ context.Context, path string) (host.FileInfo, error) {
	if path != "/" {
		panic("unexpected reply")
	}
	return host.FileInfo{Path: path, Type: host.TypeDirectory}, nil
}

func (panicking) ReadDir(context.Context, string) ([]host.DirEntry, error) {
	return []host.DirEntry{{Name: "a", Type: host.TypeRegular}, {Name: "b", Type: host.TypeRegular}}, nil
}

func (panicking) WriteFile(context.Context, string, io.Reader, host.WriteOptions) (host.FileInfo, error) {
	panic("unexpected reply")
}

// TestTreePanics checks that a panic in the goroutines that read and write a tree is an error of the
// call, and does not end the process.
func TestTreePanics(t *testing.T) {
	t.Parallel()
	h := panicking{memory.New(memory.Config{Name: "web"})}
	_, err := host.WalkTree(t.Context(), h, "/", host.TreeQuery{All: true})
	if named, is := errors.AsType[*host.Error](err); !is || named.Host != "web" || !strings.Contains(err.Error(), "panicked: unexpected reply") {
		t.Errorf("WalkTree: error %v, want the panic as an error of web", err)
	}
	file := host.TreeFile{
		Path: "a", Attributes: host.Attributes{Mode: new(host.Mode(0o644))},
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil },
	}
	if err := host.WriteEach(t.Context(), h, "/", []host.TreeFile{file}); err == nil || !strings.Contains(err.Error(), "panicked: unexpected reply") {
		t.Errorf("WriteEach: error %v, want the panic", err)
	}
}

// wide is a host with one directory of many files, whose attributes can be read when ready is
// closed.
type wide struct {
	host.Host
	files int
	ready chan struct{}
}

func (w *wide) ReadDir(context.Context, string) ([]host.DirEntry, error) {
	entries := make([]host.DirEntry, w.files)
	for i := range entries {
		entries[i] = host.DirEntry{Name: fmt.Sprint(i), Type: host.TypeRegular}
	}
	return entries, nil
}

func (w *wide) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	if path == "/" {
		return w.Host.Lstat(ctx, path)
	}
	<-w.ready
	return host.FileInfo{Path: path, Type: host.TypeRegular}, nil
}

// TestWalkTreeGoroutines checks that a walk does not have one goroutine for each file.
func TestWalkTreeGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const files = 2000
		h := &wide{Host: memory.New(memory.Config{}), files: files, ready: make(chan struct{})}
		before := goruntime.NumGoroutine()
		done := make(chan error)
		go func() {
			found, err := host.WalkTree(t.Context(), h, "/", host.TreeQuery{All: true})
			if err == nil && len(found) != files+1 {
				err = fmt.Errorf("%d objects, want %d", len(found), files+1)
			}
			done <- err
		}()
		synctest.Wait()
		if more := goruntime.NumGoroutine() - before; more > files/2 {
			t.Errorf("the walk started %d goroutines for %d files, want at most %d", more, files, files/2)
		}
		close(h.ready)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
