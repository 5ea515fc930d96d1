package host

import (
	"context"
	"sync"
)

// KeyedMutex is a lock for each key: a path, or the name of an object that only one
// goroutine at a time may change. Waiters get a lock in the order of their arrival. The zero value
// of a KeyedMutex is ready to use.
type KeyedMutex[Key comparable] struct {
	mu   sync.Mutex
	used map[Key]*keyLock // locks that are held or waited for
}

type keyLock struct {
	held  chan struct{} // has one element while the lock is held
	users int
}

// Lock waits until the lock of a key is free, and acquires it. If ctx ends first, Lock returns
// the cause. Otherwise, the caller must call unlock once.
func (m *KeyedMutex[Key]) Lock(ctx context.Context, key Key) (unlock func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m.mu.Lock()
	l := m.used[key]
	if l == nil {
		if m.used == nil {
			m.used = make(map[Key]*keyLock)
		}
		l = &keyLock{held: make(chan struct{}, 1)}
		m.used[key] = l
	}
	l.users++
	m.mu.Unlock()
	select {
	case l.held <- struct{}{}:
		return func() {
			<-l.held
			m.leave(key, l)
		}, nil
	case <-ctx.Done():
		m.leave(key, l)
		return nil, context.Cause(ctx)
	}
}

// leave removes one user of a lock, and deletes the lock after the last.
func (m *KeyedMutex[Key]) leave(key Key, l *keyLock) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(m.used, key)
	}
}
