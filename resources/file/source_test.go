package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// writeAged writes a file with an old modification time.
func writeAged(t *testing.T, path, content string) {
	t.Helper()
	resourcetest.Write(t, path, content, 0o600)
	age(t, path, time.Hour)
}

func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// TestSourceIsPlanned checks that the plan shows the digest of the source.
func TestSourceIsPlanned(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	writeAged(t, source, "hello\n")
	set := attrs{"path": str(path), "source": str(source)}
	f.ChangesTo(set, attrs{"sha256": str(helloSum)})
	f.Apply(set)
	writeAged(t, source, "hello, world\n")
	f.Changes(set, "sha256")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello, world\n", 0o644)
}

// TestSourceChangesAfterPlan checks that a source that changes between plan and apply is
// not copied, on create and on update, even if its new modification time is old.
func TestSourceChangesAfterPlan(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, source string){
		"other bytes": func(t *testing.T, source string) { resourcetest.Write(t, source, "hullo\n", 0o600) },
		"more bytes":  func(t *testing.T, source string) { resourcetest.Write(t, source, "hello\nand more", 0o600) },
		"fewer bytes": func(t *testing.T, source string) { resourcetest.Write(t, source, "hell", 0o600) },
		"emptied":     func(t *testing.T, source string) { resourcetest.Write(t, source, "", 0o600) },
		"other bytes with an old modification time": func(t *testing.T, source string) { writeAged(t, source, "hullo\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			dir := t.TempDir()
			source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
			set := attrs{"path": str(path), "source": str(source)}
			want := []string{source + " has changed since the plan was made", "Nothing was written", "plan and apply again"}

			writeAged(t, source, "hello\n")
			plan := f.Plan(set)
			change(t, source)
			resourcetest.WantError(t, f.ApplyPlan(set, plan), "source", want...)
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("lstat of the file after the failed apply: error %v, want %v", err, os.ErrNotExist)
			}
			f.Apply(set)

			writeAged(t, source, "hello\n")
			f.Apply(set)
			writeAged(t, source, "hello, world\n")
			plan = f.Plan(set)
			change(t, source)
			resourcetest.WantError(t, f.ApplyPlan(set, plan), "source", want...)
			resourcetest.WantFile(t, path, "hello\n", 0o644)
			if _, err := os.Lstat(host.TempPath(path, "")); !os.IsNotExist(err) {
				t.Errorf("lstat of the temporary file after the failed apply: error %v, want %v", err, os.ErrNotExist)
			}
			f.Apply(set)
		})
	}
}

// interruptedHost is a host that calls a function while it writes a file, after it has read
// the first bytes of the content.
type interruptedHost struct {
	host.Host
	during func()
	bytes  int // number of bytes read after the first ones
}

func (r *interruptedHost) count(content io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := content.Read(p)
		r.bytes += n
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (r *interruptedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	first := make([]byte, 3)
	if _, err := io.ReadFull(content, first); err != nil {
		return host.FileInfo{}, err
	}
	if r.during != nil {
		r.during()
	}
	return r.Host.WriteFile(ctx, path, io.MultiReader(bytes.NewReader(first), r.count(content)), opts)
}

// TestSourceChangesWhileItIsCopied checks that a change of a source during the copy is
// detected before the rename, and that a source that keeps growing does not fill the disk.
func TestSourceChangesWhileItIsCopied(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"other bytes": "hexxo\n", "more": "hello\nmore", "endless": "hello\n" + strings.Repeat("x", 10<<20), "fewer": "hell"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(t.TempDir(), "source")
			writeAged(t, source, "hello\n")
			m := resourcetest.NewHost(nil)
			h := &interruptedHost{Host: m}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			set := attrs{"path": str("/o"), "source": str(source)}
			plan := o.Plan(set)
			h.during = func() { resourcetest.Write(t, source, content, 0o600) }
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "source", "has changed since the plan was made")
			entries, err := m.ReadDir(t.Context(), "/")
			if err != nil || len(entries) > 0 {
				t.Errorf("the directory has %v (%v), want no files", entries, err)
			}
			if h.bytes > 1<<20 {
				t.Errorf("%d bytes were copied, want at most %d", h.bytes, 1<<20)
			}
		})
	}
}

// restartingHost is a host that starts to write a file and then starts over.
type restartingHost struct {
	host.Host
	during func()
}

func (r *restartingHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	seeker, ok := content.(io.Seeker)
	if !ok {
		return host.FileInfo{}, errors.New("the content is not an io.Seeker")
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if _, readErr := io.ReadFull(content, make([]byte, 4)); start != 0 || err != nil || readErr != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("the offset is %d before the first read, want 0", start), err, readErr)
	}
	if at, err := seeker.Seek(0, io.SeekCurrent); at != 4 || err != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("the offset is %d after the first read, want 4", at), err)
	}
	if _, err := seeker.Seek(2, io.SeekStart); err == nil {
		return host.FileInfo{}, errors.New("the content can be read from the middle, which changes its digest")
	}
	if at, err := seeker.Seek(start, io.SeekStart); at != 0 || err != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("the offset is %d after the seek, want 0", at), err)
	}
	if r.during != nil {
		r.during()
	}
	return r.Host.WriteFile(ctx, path, content, opts)
}

// TestSourceCopyRestarted checks that a copy can be restarted, and that the content is
// verified again.
func TestSourceCopyRestarted(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "source")
	writeAged(t, source, "hello\n")
	h := &restartingHost{Host: resourcetest.NewHost(nil)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/o"), "source": str(source)}
	o.Apply(set)
	if got := contentOf(t, h, "/o"); got != "hello\n" {
		t.Errorf("the file has %q, want %q", got, "hello\n")
	}
	writeAged(t, source, "hullo\n")
	plan := o.Plan(set)
	h.during = func() { resourcetest.Write(t, source, "hallo\n", 0o600) }
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "source", "has changed since the plan was made")
	if got := contentOf(t, h, "/o"); got != "hello\n" {
		t.Errorf("the file has %q, want %q", got, "hello\n")
	}
}

// TestSourceOfSeveralFiles checks that a source that changes between the plans of two files is copied only to the
// second file.
func TestSourceOfSeveralFiles(t *testing.T) {
	t.Parallel()
	p := resourcetest.New(t, types)
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	one, two := resourcetest.NewObject(t, p, "posix_file"), resourcetest.NewObject(t, p, "posix_file")
	setOne := attrs{"path": str(filepath.Join(dir, "one")), "source": str(source)}
	setTwo := attrs{"path": str(filepath.Join(dir, "two")), "source": str(source)}
	writeAged(t, source, "hello\n")
	planOne := one.Plan(setOne)
	writeAged(t, source, "hello, world\n")
	planTwo := two.Plan(setTwo)
	resourcetest.WantError(t, one.ApplyPlan(setOne, planOne), "source", "has changed since the plan was made")
	if diags := two.ApplyPlan(setTwo, planTwo); diags.HasErrors() {
		t.Error(diags)
	}
}

// TestSourceIsReadOnce checks that a source is read once for its digest, unless its metadata changes or it was
// modified recently.
func TestSourceIsReadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	writeAged(t, source, "hello\n")
	f := newFile(t)
	set := attrs{"path": str(path), "source": str(source)}
	f.Apply(set)
	// Content that changes without its metadata is not read again for a plan. A copy verifies
	// the content that it reads.
	then := resourcetest.Inode(t, source).ModTime()
	resourcetest.Write(t, source, "hullo\n", 0o600)
	if err := os.Chtimes(source, then, then); err != nil {
		t.Fatal(err)
	}
	f.NoChange(set)
	// A change of metadata causes another read.
	age(t, source, time.Minute)
	f.Changes(set, "sha256")
	// A recently modified file is read again even with the same modification time.
	resourcetest.Write(t, source, "hello\n", 0o600)
	then = resourcetest.Inode(t, source).ModTime()
	f.Changes(set)
	resourcetest.Write(t, source, "hallo\n", 0o600)
	if err := os.Chtimes(source, then, then); err != nil {
		t.Fatal(err)
	}
	f.Changes(set, "sha256")
}

// discardingHost is a host that discards the content of files, and records the maximum heap
// memory in use during the writes.
type discardingHost struct {
	host.Host
	bytes int64
	heap  uint64
}

func (d *discardingHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := content.Read(buffer)
		if d.bytes += int64(n); d.bytes%(16<<20) == 0 {
			var m goruntime.MemStats
			goruntime.ReadMemStats(&m)
			d.heap = max(d.heap, m.HeapInuse)
		}
		if err == io.EOF {
			return d.Host.WriteFile(ctx, path, strings.NewReader(""), opts)
		}
		if err != nil {
			return host.FileInfo{}, err
		}
	}
}

// TestSourceLargerThanMemory checks that a source is not held in memory as a whole. It does
// not run in parallel with other tests, because it measures the memory of the process.
func TestSourceLargerThanMemory(t *testing.T) {
	const size = 128 << 20
	source := filepath.Join(t.TempDir(), "source")
	resourcetest.Write(t, source, "", 0o600)
	if err := os.Truncate(source, size); err != nil {
		t.Fatal(err)
	}
	h := &discardingHost{Host: resourcetest.NewHost(nil)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/o"), "source": str(source)}
	goruntime.GC()
	var before goruntime.MemStats
	goruntime.ReadMemStats(&before)
	if diags := o.ApplyPlan(set, o.Plan(set)); diags.HasErrors() {
		t.Fatal(diags)
	}
	if h.bytes != size {
		t.Errorf("%d bytes were copied, want %d", h.bytes, size)
	}
	if grown := int64(h.heap) - int64(before.HeapInuse); grown > 32<<20 {
		t.Errorf("the heap memory in use grew by %d bytes to copy %d bytes, want at most 32 MiB", grown, size)
	}
}
