//go:build unix && !aix && !solaris

package local

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// accounts caches lookups in a user or group database: each file needs two, and most files
// have the same owners. Entries from the local file are dropped when that file changes,
// others after a minute. Unknown names are not cached, because the account may be created
// soon.
type accounts[T any] struct {
	file  string
	mu    sync.Mutex
	stamp fileStamp
	since time.Time
	found map[string]T
}

const accountsAge = time.Minute

// get calls find without holding the lock: a network directory can be slow.
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
		into[key] = entry // if the cache was reset in the meantime, the old map is discarded with this entry
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
