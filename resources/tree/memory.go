package tree

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// memory is what this process has seen. A plan reads a source several times, of which each
// file is read once for as long as it looks the same; and what was planned is what is applied.
type memory struct {
	turns chan struct{} // one for each file that is read at a time

	mu      sync.Mutex
	files   map[string]read
	planned map[place]*plan
	seen    map[place]manifest // what an imported tree had in it, when it was last read
	begun   map[place]manifest // directories that a creation has made before it failed
}

type place struct {
	host string
	path address.Path
}

func newMemory() *memory {
	return &memory{
		turns: make(chan struct{}, goruntime.GOMAXPROCS(0)),
		files: map[string]read{}, planned: map[place]*plan{}, seen: map[place]manifest{}, begun: map[place]manifest{},
	}
}

// read is what was found in a file of the source.
type read struct {
	info       os.FileInfo
	sum        [sha256.Size]byte
	size       int64
	executable bool
}

func (m *memory) read(ctx context.Context, path string) (read, error) {
	m.turns <- struct{}{}
	defer func() { <-m.turns }()
	if err := ctx.Err(); err != nil {
		return read{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return read{}, err
	}
	defer func() { _ = file.Close() }() // nothing was written: a failing Close loses nothing
	info, err := file.Stat()
	if err != nil {
		return read{}, err
	}
	m.mu.Lock()
	known, ok := m.files[path]
	m.mu.Unlock()
	if ok && looksSame(known.info, info) {
		known.executable = info.Mode()&0o100 != 0
		return known, nil
	}
	begun := time.Now()
	found := read{info: info, executable: info.Mode()&0o100 != 0}
	hash := sha256.New()
	if found.size, err = io.Copy(hash, &ending{ctx, file}); err != nil {
		return read{}, err
	}
	hash.Sum(found.sum[:0])
	if after, err := file.Stat(); err == nil && looksSame(info, after) && found.size == info.Size() && begun.Sub(info.ModTime()) > settled {
		m.mu.Lock()
		m.files[path] = found
		m.mu.Unlock()
	}
	return found, nil
}

func looksSame(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// ending is a reader that ends with its context.
type ending struct {
	ctx context.Context //nolint:containedctx // for as long as one call
	r   io.Reader
}

func (e *ending) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
}

// plan notes what is to become of a tree, and answers what was noted last.
func (m *memory) plan(h host.Host, at address.Path, p *plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planned[place{h.Name(), at}] = p
}

func (m *memory) plannedAt(h host.Host, at address.Path) *plan {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.planned[place{h.Name(), at}]
}

// see notes what an imported tree has in it; nil for nothing.
func (m *memory) see(name string, at address.Path, found manifest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[place{name, at}] = found
}

func (m *memory) seenAt(name string, at address.Path) manifest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[place{name, at}]
}

// begin notes which directories a creation has made that has failed. The next one takes them.
func (m *memory) begin(h host.Host, at address.Path, dirs []string) {
	var made manifest
	for _, dir := range dirs {
		made = append(made, item{path: dir, kind: host.TypeDirectory, made: true})
	}
	made.sort()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun[place{h.Name(), at}] = made
}

func (m *memory) takeBegun(h host.Host, at address.Path) manifest {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer delete(m.begun, place{h.Name(), at})
	return m.begun[place{h.Name(), at}]
}
