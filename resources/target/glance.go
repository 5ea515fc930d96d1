package target

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

const (
	// farLook is how long a look takes from which on it is worth to save some, and
	// manyLooks is how many there are before others can be expected.
	farLook   = 5 * time.Millisecond
	manyLooks = 8
	// listPatience is how many looks a list may take: a directory may have a million
	// names in it.
	listPatience = 6
	// glanceAge is for how long a list counts.
	glanceAge = 2 * time.Second
)

// Glance is an Lstat by which a plan finds out early what an apply would stumble
// over. What is to be created is mostly not there: on a host that is far away, many
// looks into one directory are one list of it, by which a file that was made in the
// last moment is missed. Whoever creates looks by himself.
func (s *Hosts) Glance(ctx context.Context, h host.Host, at Path) (host.FileInfo, error) {
	g := s.glance(h, at)
	if g.absent(ctx, h, at) {
		return host.FileInfo{}, &host.Error{Op: "stat", Host: h.Name(), Path: string(at), Err: fs.ErrNotExist}
	}
	begun := time.Now()
	info, err := h.Lstat(ctx, string(at))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		g.took(time.Since(begun))
	}
	return info, err
}

func (s *Hosts) glance(h host.Host, at Path) *glance {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := place{h.Name(), Path(path.Dir(string(at)))}
	if s.glances[dir] == nil {
		s.glances[dir] = &glance{dir: string(dir.path)}
	}
	return s.glances[dir]
}

// glance is what is known of a directory.
type glance struct {
	dir string

	mu    sync.Mutex
	looks int
	least time.Duration // that one took; zero before
	list  *list         // the last one; nil before
}

// list is what a directory had in it.
type list struct {
	done chan struct{} // closed when the rest is set
	at   time.Time
	has  map[string]bool // nil where it could not be listed
}

func (g *glance) took(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.least == 0 || d < g.least {
		g.least = d
	}
}

// absent says whether a list says that nothing is there.
func (g *glance) absent(ctx context.Context, h host.Host, at Path) bool {
	g.mu.Lock()
	g.looks++
	l, limit := g.list, listPatience*g.least
	lists := g.looks > manyLooks && g.least >= farLook && (l == nil || l.old())
	if lists {
		l = &list{done: make(chan struct{})}
		g.list = l
	}
	g.mu.Unlock()
	switch {
	case lists:
		l.read(ctx, h, g.dir, limit)
	case l == nil:
		return false
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return false
	}
	return l.has != nil && time.Since(l.at) < glanceAge && !l.has[path.Base(string(at))]
}

// old says whether there may be another one. There is none of what was not to be
// listed.
func (l *list) old() bool {
	select {
	case <-l.done:
		return l.has != nil && time.Since(l.at) >= glanceAge
	default:
		return false
	}
}

func (l *list) read(ctx context.Context, h host.Host, dir string, limit time.Duration) {
	defer close(l.done)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l.at = time.Now()
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return
	}
	l.has = make(map[string]bool, len(entries))
	for _, e := range entries {
		l.has[e.Name] = true
	}
}
