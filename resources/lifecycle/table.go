package lifecycle

import (
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

// Table has values of objects, or of other named things, on hosts. The zero value is empty. It
// is safe for concurrent use.
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

func (t *Table[T]) contains(h host.Host, key Key) bool {
	_, ok := t.Get(h.Name(), key)
	return ok
}

func (t *Table[T]) empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values) == 0
}
