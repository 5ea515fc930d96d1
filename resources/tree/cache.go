package tree

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// cache has the digests of the files that this process has read, and the plans that it has made. A plan
// scans a source several times: a file is not read again if its metadata shows that it is unchanged.
// Apply uses the plan that was made in the same process.
type cache struct {
	slots chan struct{} // limits the number of files that are read concurrently

	mu    sync.Mutex
	files map[string]sourceFile

	planned    lifecycle.Table[*plan]
	imported   lifecycle.Table[manifest]   // content of imported trees when they were last read
	unfinished lifecycle.Table[unfinished] // trees whose last create failed, for the next create
}

// unfinished is a tree whose last create failed.
type unfinished struct {
	made  manifest // objects that this create and earlier ones made
	state *Output  // outputs in the state when Delete was called
}

func newCache() *cache {
	return &cache{slots: make(chan struct{}, goruntime.GOMAXPROCS(0)), files: map[string]sourceFile{}}
}

// sourceFile has the digest and the metadata of a file of the source.
type sourceFile struct {
	info       os.FileInfo
	sum        [sha256.Size]byte
	size       int64
	executable bool
}

// read returns the digest and the metadata of a file, and reads its content only if it may have changed since the
// last read. The caller holds one of the slots.
func (c *cache) read(ctx context.Context, path string) (sourceFile, error) {
	if err := ctx.Err(); err != nil {
		return sourceFile{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return sourceFile{}, err
	}
	defer func() { _ = file.Close() }() // read only
	info, err := file.Stat()
	if err != nil {
		return sourceFile{}, err
	}
	c.mu.Lock()
	known, ok := c.files[path]
	c.mu.Unlock()
	if ok && sameMetadata(known.info, info) {
		known.executable = info.Mode()&0o100 != 0
		return known, nil
	}
	start := time.Now()
	found := sourceFile{info: info, executable: info.Mode()&0o100 != 0}
	hash := sha256.New()
	if found.size, err = io.Copy(hash, &contextReader{ctx, file}); err != nil {
		return sourceFile{}, err
	}
	hash.Sum(found.sum[:0])
	if after, err := file.Stat(); err == nil && sameMetadata(info, after) && found.size == info.Size() && start.Sub(info.ModTime()) > minAge {
		c.mu.Lock()
		c.files[path] = found
		c.mu.Unlock()
	}
	return found, nil
}

// minAge is the age from which a modification time proves that a file has not changed
// since: file systems have resolutions of up to two seconds.
const minAge = 2 * time.Second

func sameMetadata(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// contextReader is a reader that fails when its context ends.
type contextReader struct {
	ctx context.Context //nolint:containedctx // scope of one call
	r   io.Reader
}

func (e *contextReader) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
}
