//go:build unix && !aix && !solaris

package local

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// accounts caches what was found in a database: a call asks for two entries a
// file, so thousands of times for few. What is cached is dropped when the local
// file of the database changes, and after a minute for what is not in a file.
// A name that is unknown is never cached, for it may be made meanwhile.
type accounts[T any] struct {
	file  string
	mu    sync.Mutex
	stamp fileStamp
	since time.Time
	found map[string]T
}

const accountsAge = time.Minute

// get finds outside the lock: a database on the network can be slow.
func (a *accounts[T]) get(ctx context.Context, key string, find func() (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	stamp := stampOf(a.file)
	a.mu.Lock()
	if a.found == nil || stamp != a.stamp || time.Since(a.since) > accountsAge {
		a.found, a.stamp, a.since = map[string]T{}, stamp, time.Now()
	}
	into := a.found
	entry, ok := into[key]
	a.mu.Unlock()
	if ok {
		return entry, nil
	}
	entry, err := find()
	if err == nil {
		a.mu.Lock()
		into[key] = entry // what was dropped meanwhile takes this with it
		a.mu.Unlock()
	}
	return entry, err
}

type fileStamp struct {
	modified unix.Timespec
	size     int64
}

func stampOf(path string) fileStamp {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return fileStamp{}
	}
	return fileStamp{stat.Mtim, stat.Size}
}
