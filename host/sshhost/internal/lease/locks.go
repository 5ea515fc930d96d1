package lease

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// maxWait is how long a writer waits for another writer of the same path.
const maxWait = 5 * time.Second

// Locks serialises the writers of one path in this process.
type Locks struct{ paths host.KeyedMutex[string] }

// Lock waits for the lock of a path, up to maxWait. A writer that does not get it writes
// concurrently; the file then has the content of one of the writers.
func (l *Locks) Lock(ctx context.Context, path string) (release func(), err error) {
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if release, err = l.paths.Lock(limited, path); err != nil && ctx.Err() == nil {
		return func() {}, nil
	}
	return release, err
}
