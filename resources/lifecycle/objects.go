package lifecycle

import (
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// objects records the facts that this process has found out about managed objects.
type objects struct {
	// inState has the objects of the state. The plan of a create for one of them is part of
	// a replacement, and the existing object is its own: such plans of tainted objects, and
	// OpenTofu's of replacements, look like a first create.
	inState *places
	// created has the objects that this run created. A later delete with the same key is
	// for the old object of a create_before_destroy replacement, or of a rename without a
	// moved block: the existing object belongs to the new resource.
	created *places
}

func newObjects() objects { return objects{newPlaces(), newPlaces()} }

// read records that state has an object and that it exists. A later run reads before
// it deletes.
func (o objects) read(h host.Host, key Key) {
	o.inState.add(h, key)
	o.created.remove(h, key)
}

// gone records that an object does not exist.
func (o objects) gone(h host.Host, key Key) {
	o.inState.remove(h, key)
	o.created.remove(h, key)
}

// Key identifies an object on its host: its path, or a [NameKey].
type Key = address.Path

// NameKey returns the key of an object without a path. It is no path, as paths begin
// with a slash.
func NameKey(kind, name string) Key { return Key(kind + ":" + name) }

// place is an object, or another named thing, on a host.
type place struct {
	host string
	key  Key
}

// places is a set of places. It is safe for concurrent use.
type places struct {
	mu  sync.Mutex
	has map[place]struct{}
}

func newPlaces() *places { return &places{has: make(map[place]struct{})} }

func (p *places) add(h host.Host, key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.has[place{h.Name(), key}] = struct{}{}
}

func (p *places) remove(h host.Host, key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.has, place{h.Name(), key})
}

func (p *places) contains(h host.Host, key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.has[place{h.Name(), key}]
	return ok
}

func (p *places) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.has) == 0
}
