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

// aged writes a file with an old modification time.
func aged(t *testing.T, path, content string) {
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

// The plan shows the digest of the source.
func TestSourceIsPlanned(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	aged(t, source, "hello\n")
	set := attrs{"path": str(path), "source": str(source)}
	f.ChangesTo(set, attrs{"sha256": str(helloSum)})
	f.Apply(set)
	aged(t, source, "hello, world\n")
	f.Changes(set, "sha256")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello, world\n", 0o644)
}

// A source that changes between plan and apply is not copied, on create and on update,
// with or without a new modification time.
func TestSourceChangesAfterPlan(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, source string){
		"other bytes": func(t *testing.T, source string) { resourcetest.Write(t, source, "hullo\n", 0o600) },
		"more bytes":  func(t *testing.T, source string) { resourcetest.Write(t, source, "hello\nand more", 0o600) },
		"fewer bytes": func(t *testing.T, source string) { resourcetest.Write(t, source, "hell", 0o600) },
		"emptied":     func(t *testing.T, source string) { resourcetest.Write(t, source, "", 0o600) },
		"other bytes with an old modification time": func(t *testing.T, source string) { aged(t, source, "hullo\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			dir := t.TempDir()
			source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
			set := attrs{"path": str(path), "source": str(source)}
			words := []string{source + " has changed since the plan was made", "Nothing was written", "plan and apply again"}

			aged(t, source, "hello\n")
			plan := f.Plan(set)
			change(t, source)
			resourcetest.WantError(t, f.ApplyPlan(set, plan), "source", words...)
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("it was written all the same: %v", err)
			}
			f.Apply(set)

			aged(t, source, "hello\n")
			f.Apply(set)
			aged(t, source, "hello, world\n")
			plan = f.Plan(set)
			change(t, source)
			resourcetest.WantError(t, f.ApplyPlan(set, plan), "source", words...)
			resourcetest.WantFile(t, path, "hello\n", 0o644)
			if _, err := os.Lstat(host.TempPath(path, "")); !os.IsNotExist(err) {
				t.Errorf("a temporary file: %v", err)
			}
			f.Apply(set)
		})
	}
}

// restless is a host that changes the source of a file while it is copied, after the
// first bytes.
type restless struct {
	host.Host
	meanwhile func()
	bytes     int // read so far
}

func (r *restless) count(content io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := content.Read(p)
		r.bytes += n
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (r *restless) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	first := make([]byte, 3)
	if _, err := io.ReadFull(content, first); err != nil {
		return host.FileInfo{}, err
	}
	if r.meanwhile != nil {
		r.meanwhile()
	}
	return r.Host.WriteFile(ctx, path, io.MultiReader(bytes.NewReader(first), r.count(content)), opts)
}

// A change of a source during the copy is detected before the rename, and a source that
// grows without end does not fill the disk.
func TestSourceChangesWhileItIsCopied(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"other bytes": "hexxo\n", "more": "hello\nmore", "endless": "hello\n" + strings.Repeat("x", 10<<20), "fewer": "hell"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(t.TempDir(), "source")
			aged(t, source, "hello\n")
			m := resourcetest.NewHost(nil)
			h := &restless{Host: m}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			set := attrs{"path": str("/o"), "source": str(source)}
			plan := o.Plan(set)
			h.meanwhile = func() { resourcetest.Write(t, source, content, 0o600) }
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "source", "has changed since the plan was made")
			entries, err := m.ReadDir(t.Context(), "/")
			if err != nil || len(entries) > 0 {
				t.Errorf("left behind: %v (%v)", entries, err)
			}
			if h.bytes > 1<<20 {
				t.Errorf("%d bytes of a source of 6 were copied", h.bytes)
			}
		})
	}
}

// repeating is a host that starts to write a file and has to start again.
type repeating struct {
	host.Host
	meanwhile func()
}

func (r *repeating) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	seeker, ok := content.(io.Seeker)
	if !ok {
		return host.FileInfo{}, errors.New("the content cannot be read once more")
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if _, readErr := io.ReadFull(content, make([]byte, 4)); start != 0 || err != nil || readErr != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("it starts at %d", start), err, readErr)
	}
	if at, err := seeker.Seek(0, io.SeekCurrent); at != 4 || err != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("it is at %d", at), err)
	}
	if _, err := seeker.Seek(2, io.SeekStart); err == nil {
		return host.FileInfo{}, errors.New("it can be read from the middle, so that its digest is another")
	}
	if at, err := seeker.Seek(start, io.SeekStart); at != 0 || err != nil {
		return host.FileInfo{}, errors.Join(fmt.Errorf("it begins again at %d", at), err)
	}
	if r.meanwhile != nil {
		r.meanwhile()
	}
	return r.Host.WriteFile(ctx, path, content, opts)
}

// A copy can be restarted, and the content is verified again.
func TestSourceIsCopiedOnceMore(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "source")
	aged(t, source, "hello\n")
	h := &repeating{Host: resourcetest.NewHost(nil)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/o"), "source": str(source)}
	o.Apply(set)
	if got := contentOf(t, h, "/o"); got != "hello\n" {
		t.Errorf("the file has %q", got)
	}
	aged(t, source, "hullo\n")
	plan := o.Plan(set)
	h.meanwhile = func() { resourcetest.Write(t, source, "hallo\n", 0o600) }
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "source", "has changed since the plan was made")
	if got := contentOf(t, h, "/o"); got != "hello\n" {
		t.Errorf("the file has %q", got)
	}
}

// Two files with one source: each gets its planned content.
func TestSourceOfSeveralFiles(t *testing.T) {
	t.Parallel()
	p := resourcetest.New(t, types)
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	one, two := resourcetest.NewObject(t, p, "posix_file"), resourcetest.NewObject(t, p, "posix_file")
	setOne := attrs{"path": str(filepath.Join(dir, "one")), "source": str(source)}
	setTwo := attrs{"path": str(filepath.Join(dir, "two")), "source": str(source)}
	aged(t, source, "hello\n")
	planOne := one.Plan(setOne)
	aged(t, source, "hello, world\n")
	planTwo := two.Plan(setTwo)
	resourcetest.WantError(t, one.ApplyPlan(setOne, planOne), "source", "has changed since the plan was made")
	if diags := two.ApplyPlan(setTwo, planTwo); diags.HasErrors() {
		t.Error(diags)
	}
}

// A source is read once for its digest, unless its metadata changes.
func TestSourceIsReadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	aged(t, source, "hello\n")
	f := newFile(t)
	set := attrs{"path": str(path), "source": str(source)}
	f.Apply(set)
	// Content that changes without its metadata is not read again here;
	// TestSourceChangesAfterPlan shows that it is not copied.
	then := resourcetest.Inode(t, source).ModTime()
	resourcetest.Write(t, source, "hullo\n", 0o600)
	if err := os.Chtimes(source, then, then); err != nil {
		t.Fatal(err)
	}
	f.NoChange(set)
	// A change of metadata causes another read.
	age(t, source, time.Minute)
	f.Changes(set, "sha256")
	// The modification time of a new file proves nothing: it is read again.
	resourcetest.Write(t, source, "hello\n", 0o600)
	then = resourcetest.Inode(t, source).ModTime()
	f.Changes(set)
	resourcetest.Write(t, source, "hallo\n", 0o600)
	if err := os.Chtimes(source, then, then); err != nil {
		t.Fatal(err)
	}
	f.Changes(set, "sha256")
}

// discarding is a host that discards the content of files, and records the memory in
// use meanwhile.
type discarding struct {
	host.Host
	bytes int64
	heap  uint64
}

func (d *discarding) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
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

// A source is never held in memory as a whole.
func TestSourceLargerThanMemory(t *testing.T) {
	const size = 128 << 20 // not parallel, to measure the memory of this test only
	source := filepath.Join(t.TempDir(), "source")
	resourcetest.Write(t, source, "", 0o600)
	if err := os.Truncate(source, size); err != nil {
		t.Fatal(err)
	}
	h := &discarding{Host: resourcetest.NewHost(nil)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/o"), "source": str(source)}
	goruntime.GC()
	var before goruntime.MemStats
	goruntime.ReadMemStats(&before)
	if diags := o.ApplyPlan(set, o.Plan(set)); diags.HasErrors() {
		t.Fatal(diags)
	}
	if h.bytes != size {
		t.Errorf("%d bytes were copied", h.bytes)
	}
	if grown := int64(h.heap) - int64(before.HeapInuse); grown > 32<<20 {
		t.Errorf("%d bytes of memory were in use to copy %d", grown, size)
	}
}
