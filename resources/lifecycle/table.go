package lifecycle

import (
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// Key identifies an object on its host: its path, or a [NameKey].
type Key = address.Path

// NameKey returns the key of an object without a path. It differs from every path, since paths
// start with a slash.
func NameKey(kind, name string) Key { return Key(kind + ":" + name) }

func isPath(key Key) bool { return strings.HasPrefix(string(key), "/") }

// Table maps objects on hosts, or names such as those of planned accounts, to values. The zero
// value is empty. It is safe for concurrent use.
type Table[T any] struct {
	mu     sync.Mutex
	values map[place]T
}

type place struct {
	host string
	key  Key
}

// Set stores the value of an object.
func (t *Table[T]) Set(hostName string, key Key, value T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.values == nil {
		t.values = make(map[place]T)
	}
	t.values[place{hostName, key}] = value
}

// Get returns the value of an object, and whether there is one.
func (t *Table[T]) Get(hostName string, key Key) (value T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	value, ok = t.values[place{hostName, key}]
	return value, ok
}

// Delete removes the value of an object.
func (t *Table[T]) Delete(hostName string, key Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.values, place{hostName, key})
}

// each calls do for each object on a host. do must not use the table.
func (t *Table[T]) each(h host.Host, do func(key Key, value T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, value := range t.values {
		if at.host == h.Name() {
			do(at.key, value)
		}
	}
}

func (t *Table[T]) contains(h host.Host, key Key) bool {
	_, ok := t.Get(h.Name(), key)
	return ok
}

func (t *Table[T]) empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values) == 0
}

// objects has the facts that this process has recorded about managed objects.
type objects struct {
	// inState has the objects of the state. The plan of a create for one of them is part of a
	// replacement, so the existing object is that of the resource. Such a plan looks like a
	// first create if the object is tainted, and always with OpenTofu.
	inState Table[struct{}]
	// parts has the paths that are part of an object that this run has created or updated, by the key of that
	// object: see [Scope.RecordParts].
	parts Table[map[Key]bool]
	// created has the objects that this run created. A later delete with the same key is
	// for the old object of a create_before_destroy replacement, or of a rename without a
	// moved block: the existing object belongs to the new resource. A second create with
	// the same key is an error. The values are the types of the resources.
	created Table[string]
	parents parents
}

// parents has the directories that this run created as parents of other objects.
type parents struct {
	made Table[struct{}]

	mu       sync.Mutex
	creating map[string]*sync.RWMutex // by host name; locked for reading while directories are created
}

func (p *parents) lock(hostName string) *sync.RWMutex {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.creating == nil {
		p.creating = make(map[string]*sync.RWMutex)
	}
	if p.creating[hostName] == nil {
		p.creating[hostName] = new(sync.RWMutex)
	}
	return p.creating[hostName]
}

// create calls do, which creates directories, and records those that it returns.
func (p *parents) create(h host.Host, do func() []string) {
	creating := p.lock(h.Name())
	creating.RLock()
	defer creating.RUnlock()
	for _, dir := range do() {
		p.made.Set(h.Name(), Key(dir), struct{}{})
	}
}

// contains reports whether this run created the directory. It waits for the calls of create that are in
// progress, because a directory can have entries before the call that creates it returns.
func (p *parents) contains(h host.Host, dir Key) bool {
	creating := p.lock(h.Name())
	creating.Lock()
	defer creating.Unlock()
	return p.made.contains(h, dir)
}

// recordExisting records that an object of the state exists. The object no longer counts as
// created or updated by this run: its read or plan is part of a later run of the same process.
func (o *objects) recordExisting(h host.Host, key Key) {
	o.inState.Set(h.Name(), key, struct{}{})
	o.created.Delete(h.Name(), key)
	o.parts.Delete(h.Name(), key)
}

// recordMissing records that an object does not exist.
func (o *objects) recordMissing(h host.Host, key Key) {
	o.inState.Delete(h.Name(), key)
	o.created.Delete(h.Name(), key)
	o.parts.Delete(h.Name(), key)
}

// isPart reports whether a path is a part of an object that this run has created or updated, except for the
// object with the key except.
func (o *objects) isPart(h host.Host, at, except Key) bool {
	found := false
	o.parts.each(h, func(key Key, parts map[Key]bool) { found = found || key != except && parts[at] })
	return found
}
