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

// memory is what this process has read. A plan needs a source several times: each file is
// read once unless its metadata changes. It also keeps each plan for its apply.
type memory struct {
	turns chan struct{} // limits concurrent reads of files

	mu      sync.Mutex
	files   map[string]read
	planned map[place]*plan
	seen    map[place]manifest // objects in an imported tree when it was last read
	begun   map[place]manifest // directories that a failed create made
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

// read is the result of reading a source file.
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
	defer func() { _ = file.Close() }() // read only: no write can be lost
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

// ending is a reader whose Read fails when its context ends.
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

// plan stores the plan for a tree, and returns the previous one.
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

// see stores the objects of an imported tree; nil removes them.
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

// begin stores the directories that a failed create made, for the next create.
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
