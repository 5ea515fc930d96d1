package lifecycle

import (
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// objects records the facts that this process has found out about managed objects.
type objects struct {
	// inState has the objects of the state. The plan of a create for one of them is part of a
	// replacement, so the existing object is that of the resource. Such a plan looks like a
	// first create if the object is tainted, and always with OpenTofu.
	inState *places
	// created has the objects that this run created. A later delete with the same key is
	// for the old object of a create_before_destroy replacement, or of a rename without a
	// moved block: the existing object belongs to the new resource. A second create with
	// the same key is an error.
	created *places
	// parents has the directories that this run created as parents of other objects.
	parents *places
}

func newObjects() objects { return objects{newPlaces(), newPlaces(), newPlaces()} }

// recordExisting records that an object of the state exists. It is no longer one that this run
// created: the read belongs to a later run of the same process.
func (o objects) recordExisting(h host.Host, key Key) {
	o.inState.add(h, key)
	o.created.remove(h, key)
}

// recordMissing records that an object does not exist.
func (o objects) recordMissing(h host.Host, key Key) {
	o.inState.remove(h, key)
	o.created.remove(h, key)
}

// Key identifies an object on its host: its path, or a [NameKey].
type Key = address.Path

// NameKey returns the key of an object without a path. It differs from every path, since paths
// start with a slash.
func NameKey(kind, name string) Key { return Key(kind + ":" + name) }

func isPath(key Key) bool { return strings.HasPrefix(string(key), "/") }

// place is an object, or another named thing, on a host.
type place struct {
	host string
	key  Key
}

// places is a set of places, each with the resource type that was given for it. It is safe for
// concurrent use.
type places struct {
	mu  sync.Mutex
	has map[place]string
}

func newPlaces() *places { return &places{has: make(map[place]string)} }

func (p *places) add(h host.Host, key Key) { p.addOf(h, key, "") }

func (p *places) addOf(h host.Host, key Key, typeName string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.has[place{h.Name(), key}] = typeName
}

func (p *places) remove(h host.Host, key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.has, place{h.Name(), key})
}

func (p *places) contains(h host.Host, key Key) bool {
	_, ok := p.typeName(h, key)
	return ok
}

func (p *places) typeName(h host.Host, key Key) (name string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, ok = p.has[place{h.Name(), key}]
	return name, ok
}

func (p *places) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.has) == 0
}
