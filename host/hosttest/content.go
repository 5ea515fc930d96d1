package hosttest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// pattern returns n bytes of content in which a lost, repeated or moved chunk can be detected.
func pattern(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%x\x00\xff", b.Len())
	}
	return b.String()[:n]
}

var sizes = []int{0, 1, 511, 4096, 32<<10 - 1, 32 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 256<<10 + 1, 1<<20 + 7}

func testWrite(t *testing.T, s suite) {
	readers := []struct {
		name string
		wrap func(io.Reader) io.Reader
	}{
		{"plain", func(r io.Reader) io.Reader { return r }},
		{"reader only", func(r io.Reader) io.Reader { return struct{ io.Reader }{r} }},
		{"end with data", iotest.DataErrReader},
		{"halves", iotest.HalfReader},
		{"empty reads", func(r io.Reader) io.Reader { return &emptyReads{r: r} }},
	}
	for i, size := range sizes {
		reader := readers[i%len(readers)]
		run(t, s, fmt.Sprintf("%d bytes, %s", size, reader.name), func(e env) {
			p, content := e.path("file"), pattern(size)
			for _, step := range []string{"new", "replaced"} {
				info := e.made(e.WriteFile(e.ctx(), p, reader.wrap(strings.NewReader(content)), host.WriteOptions{}))
				if info.Size != int64(size) {
					e.Errorf("%s: size %d, want %d", step, info.Size, size)
				}
				e.wantContent(p, content)
				e.wantNames(e.dir, "file")
			}
		})
	}
	run(t, s, "byte by byte", func(e env) {
		content := pattern(5000)
		e.must(errOf(e.WriteFile(e.ctx(), e.path("file"), iotest.OneByteReader(strings.NewReader(content)), host.WriteOptions{})))
		e.wantContent(e.path("file"), content)
	})
	run(t, s, "shorter and longer", func(e env) {
		p := e.put("file", pattern(100_000))
		for _, size := range []int{10, 200_000, 0, 5} {
			e.put("file", pattern(size))
			e.wantContent(p, pattern(size))
		}
	})
	run(t, s, "exclusively", func(e env) {
		p := e.path("file")
		info := e.made(e.WriteFile(e.ctx(), p, strings.NewReader("first"), host.WriteOptions{Exclusive: true}))
		if info.Size != 5 {
			e.Errorf("size %d, want 5", info.Size)
		}
		e.wantError(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("second"), host.WriteOptions{Exclusive: true})), p, taken...)
		e.wantContent(p, "first")
		e.wantNames(e.dir, "file")
	})
	run(t, s, "unchanged", func(e env) {
		p := e.path("file")
		write := func(content io.Reader, stamp host.FileStamp) (host.FileInfo, error) {
			return e.WriteFile(e.ctx(), p, content, host.WriteOptions{Unchanged: &stamp})
		}
		info, err := write(strings.NewReader("first"), host.FileStamp{}) // a missing file is created
		e.must(err)
		stamp := host.FileStamp{Size: 5, ModTime: info.ModTime.Unix()}
		for name, wrong := range map[string]host.FileStamp{
			"size": {Size: 6, ModTime: stamp.ModTime}, "time": {Size: 5, ModTime: stamp.ModTime - 1}, "time and any size": {Size: -1, ModTime: stamp.ModTime + 1},
		} {
			_, err = write(strings.NewReader("second"), wrong)
			if e.wantError(err, p, host.ErrChanged); e.Failed() {
				e.Errorf("with a different %s", name)
			}
			e.wantContent(p, "first")
		}
		for _, same := range []host.FileStamp{{Size: 5}, {Size: -1}, {Size: 5, ModTime: 1 << 32}, {Size: 5, ModTime: -1 << 32}} {
			same.ModTime += e.lstat(p).ModTime.Unix() // SFTP has only 32 bits for the time
			e.must(errOf(write(strings.NewReader("again"), same)))
			e.wantContent(p, "again")
		}
		e.wantNames(e.dir, "file")
	})
	run(t, s, "unchanged, edited during the write", func(e env) {
		p := e.put("file", "first")
		stamp := host.FileStamp{Size: 5, ModTime: e.lstat(p).ModTime.Unix()}
		edited := e.put(keptFile, "edited")
		content := atEnd(pattern(100_000), func() { e.must(e.Rename(e.ctx(), edited, p)) })
		e.wantError(errOf(e.WriteFile(e.ctx(), p, content, host.WriteOptions{Unchanged: &stamp})), p, host.ErrChanged)
		e.wantContent(p, "edited")
		e.wantNames(e.dir, "file")
	})
	run(t, s, "exclusive, created during the write", func(e env) {
		p := e.path("file")
		for _, k := range kinds[1:] {
			if k.typ == host.TypeFIFO {
				continue
			}
			e.put(keptFile, "kept")
			e.wantError(errOf(e.WriteFile(e.ctx(), p, atEnd("second", func() { k.make(e, "file") }), host.WriteOptions{Exclusive: true})), p, taken...)
			if got := e.lstat(p); got.Type != k.typ {
				e.Errorf("the %s became a %s", k.name, got.Type)
			}
			e.wantContent(e.path(keptFile), "kept")
			e.clear()
		}
	})
	run(t, s, "type changes during the write", func(e env) {
		p := e.path("file")
		for _, k := range kinds[2:] {
			if k.typ == host.TypeFIFO {
				continue
			}
			e.put(keptFile, "kept")
			e.put("file", "old")
			_, err := e.WriteFile(e.ctx(), p, atEnd("new", func() {
				e.must(e.Remove(e.ctx(), p))
				k.make(e, "file")
			}), host.WriteOptions{})
			e.wantError(err, p, host.ErrNotRegular)
			if got := e.lstat(p); got.Type != k.typ {
				e.Errorf("the %s became a %s", k.name, got.Type)
			}
			e.wantContent(e.path(keptFile), "kept")
			e.clear()
		}
	})
	run(t, s, "open file keeps its content", func(e env) {
		p := e.put("file", pattern(300_000))
		info, r, err := e.Open(e.ctx(), p)
		e.must(err)
		e.put("file", "new")
		got, err := io.ReadAll(r)
		e.must(errors.Join(err, r.Close()))
		if string(got) != pattern(300_000) || info.Size != 300_000 {
			e.Errorf("read %s with info %+v, want the 300000 bytes of the old content", brief(string(got)), info)
		}
	})
	run(t, s, "hard link keeps the old content", func(e env) {
		p := e.put("file", "old")
		e.must(e.Link(e.ctx(), p, e.path("backup")))
		e.put("file", "new")
		e.wantContent(p, "new")
		e.wantContent(e.path("backup"), "old")
	})
	run(t, s, "without sync", func(e env) {
		e.must(errOf(e.WriteFile(e.ctx(), e.path("file"), strings.NewReader("x"), host.WriteOptions{NoSync: true})))
		e.wantContent(e.path("file"), "x")
	})
}

// emptyReads is a reader whose every second Read returns 0 bytes and no error, as
// io.Reader allows.
type emptyReads struct {
	r    io.Reader
	wait bool
}

func (h *emptyReads) Read(p []byte) (int, error) {
	if h.wait = !h.wait; h.wait {
		return 0, nil
	}
	return h.r.Read(p)
}

// atEnd returns a reader of s that calls do before it returns io.EOF.
func atEnd(s string, do func()) io.Reader {
	return io.MultiReader(strings.NewReader(s), readerFunc(func([]byte) (int, error) {
		do()
		return 0, io.EOF
	}))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func testRead(t *testing.T, s suite) {
	for _, size := range sizes {
		run(t, s, fmt.Sprintf("%d bytes", size), func(e env) {
			content := pattern(size)
			p := e.put("file", content)
			info, r, err := e.Open(e.ctx(), p)
			e.must(err)
			if want := e.lstat(p); info != want {
				e.Errorf("Open returned %+v, Lstat %+v, want the same", info, want)
			}
			if err := iotest.TestReader(r, []byte(content)); err != nil {
				e.Error(err)
			}
			e.must(r.Close())
			info, sum, err := host.Digest(e.ctx(), e.Host, p)
			e.must(err)
			if sum != sha256.Sum256([]byte(content)) || info.Size != int64(size) {
				e.Errorf("Digest returned %x with %+v, want %x and size %d", sum, info, sha256.Sum256([]byte(content)), size)
			}
		})
	}
	run(t, s, "closed early", func(e env) {
		p := e.put("file", pattern(1<<20))
		for range 20 {
			_, r, err := e.Open(e.ctx(), p)
			e.must(err)
			_, err = io.ReadFull(r, make([]byte, 10))
			e.must(errors.Join(err, r.Close()))
		}
	})
	run(t, s, "many at once", func(e env) {
		var open []io.ReadCloser
		for i := range 50 {
			_, r, err := e.Open(e.ctx(), e.put(fmt.Sprint(i), pattern(100+i)))
			e.must(err)
			open = append(open, r)
		}
		for i, r := range slices.Backward(open) {
			got, err := io.ReadAll(r)
			e.must(errors.Join(err, r.Close()))
			if string(got) != pattern(100+i) {
				e.Errorf("file %d has the content %s, want %s", i, brief(string(got)), brief(pattern(100+i)))
			}
		}
	})
}

func testInfo(t *testing.T, s suite) {
	run(t, s, "kinds", func(e env) {
		e.put(keptFile, "kept")
		e.mkdir(keptDir)
		for _, k := range kinds[1:] {
			if !k.make(e, k.name) {
				continue
			}
			info := e.lstat(e.path(k.name))
			if info.Type != k.typ || info.Path != e.path(k.name) || info.Owner == "" || info.Group == "" {
				e.Errorf("Lstat of the %s returned %+v, want type %s, path %s, an owner and a group", k.name, info, k.typ, e.path(k.name))
			}
			if (info.LinkTarget != "") != (k.typ == host.TypeSymlink) {
				e.Errorf("got the link target %q of a %s, want a target for every symbolic link and for nothing else", info.LinkTarget, info.Type)
			}
			if age := time.Since(info.ModTime); age > time.Hour || age < -time.Hour {
				e.Errorf("the modification time of the %s is %s ago, want at most an hour before or after now", k.name, age)
			}
			owner, err := e.LookupUser(e.ctx(), info.Owner)
			e.must(err)
			group, err := e.LookupGroup(e.ctx(), info.Group)
			e.must(err)
			if owner.UID != info.UID || group.GID != info.GID {
				e.Errorf("Lstat returned %+v, LookupUser %+v, LookupGroup %+v, want the same UID and GID", info, owner, group)
			}
		}
	})
	run(t, s, "modification time", func(e env) {
		p := e.put("file", "a")
		first := e.lstat(p)
		time.Sleep(1100 * time.Millisecond) // some hosts report file times only in whole seconds
		e.must(e.setMode(p, 0o640))
		if got := e.lstat(p).ModTime; !got.Equal(first.ModTime) {
			e.Errorf("a change of mode changed the modification time from %s to %s", first.ModTime, got)
		}
		e.put("file", "b")
		if got := e.lstat(p).ModTime; !got.After(first.ModTime) {
			e.Errorf("a write changed the modification time from %s to %s, want a later one", first.ModTime, got)
		}
	})
}

// Stream tests that content of size bytes is written and read while the process
// allocates no more than limit bytes.
func Stream(t *testing.T, newHost NewHost, size int64, limit uint64) {
	h, dir := newHost(t)
	e := env{T: t, Host: h, dir: dir}
	p := e.path("big")
	written, read := sha256.New(), sha256.New()
	source := io.TeeReader(io.LimitReader(&counter{}, size), written)
	used := allocated(func() {
		info, err := e.WriteFile(e.ctx(), p, source, host.WriteOptions{NoSync: true})
		e.must(err)
		if info.Size != size {
			e.Errorf("size %d, want %d", info.Size, size)
		}
		_, r, err := e.Open(e.ctx(), p)
		e.must(err)
		_, err = io.CopyBuffer(struct{ io.Writer }{read}, struct{ io.Reader }{r}, make([]byte, 64<<10))
		e.must(errors.Join(err, r.Close()))
	})
	if !bytes.Equal(written.Sum(nil), read.Sum(nil)) {
		e.Error("the content read differs from the content written")
	}
	if used > limit {
		e.Errorf("%d bytes were allocated for content of %d bytes, want at most %d", used, size, limit)
	}
}

// counter is a reader of endless content whose blocks of eight bytes all differ.
type counter struct{ n uint64 }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c.n >> (c.n % 8 * 8))
		c.n++
	}
	return len(p), nil
}
