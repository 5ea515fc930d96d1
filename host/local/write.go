//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

// WriteFile implements [host.Files].
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := h.writeFile(ctx, path, content, opts)
	return info, h.fail("write", path, err)
}

func (h *Host) writeFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	if err := beginMake(ctx, path); err != nil {
		return host.FileInfo{}, err
	}
	old, err := replaceable(path, opts.Exclusive)
	if err != nil {
		return host.FileInfo{}, err
	}
	t, err := newTemp(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	stat, err := build(ctx, t, path, content, keep(opts.Attributes, old), opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	return h.info(ctx, path, stat), nil
}

// build takes a temporary file from empty to the target's name, or removes it:
// also when the caller's reader or hook panics.
func build(ctx context.Context, t *temp, path string, content io.Reader, attrs host.Attributes, opts host.WriteOptions) (stat fs.FileInfo, err error) {
	placed := false
	defer func() {
		if !placed {
			err = undone(err, t.discard())
		}
		t.release()
	}()
	if stat, err = fill(ctx, t, content, attrs, opts.NoSync); err != nil {
		return nil, err
	}
	if opts.BeforeReplace != nil {
		if err := opts.BeforeReplace(ctx, t.name); err != nil {
			return nil, &host.SourceError{Source: "before replace", Err: err}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.takePlace(path, opts.Exclusive); err != nil {
		return nil, err
	}
	placed = true
	return stat, nil
}

// replaceable is the file that is to be replaced, nil when there is none. It
// answers early and for good messages; takePlace decides.
func replaceable(path string, exclusive bool) (fs.FileInfo, error) {
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // a missing parent shows when the temporary file is made
	case err != nil:
		return nil, err
	case exclusive:
		return nil, fs.ErrExist
	}
	return old, wantType(old, host.TypeRegular)
}

// keep completes attributes by those of the file that is replaced.
func keep(attrs host.Attributes, old fs.FileInfo) host.Attributes {
	if old == nil {
		if attrs.Mode == nil {
			attrs.Mode = new(host.Mode(0o600))
		}
		return attrs
	}
	mode, uid, gid := owned(old)
	if attrs.Mode == nil {
		attrs.Mode = &mode
	}
	if attrs.UID == nil {
		attrs.UID = &uid
	}
	if attrs.GID == nil {
		attrs.GID = &gid
	}
	return attrs
}

// fill makes the temporary file complete and closes it for writing. Once it is
// synced and closed no error of the disk can be outstanding.
func fill(ctx context.Context, t *temp, content io.Reader, attrs host.Attributes, noSync bool) (fs.FileInfo, error) {
	if err := copyContent(ctx, t.file, content); err != nil {
		return nil, err
	}
	if err := setNew(t.file, t.stat, attrs); err != nil {
		return nil, err
	}
	if !noSync {
		if err := t.file.Sync(); err != nil {
			return nil, err
		}
	}
	stat, err := t.file.Stat()
	if err != nil {
		return nil, err
	}
	if err := attrs.Accepted(owned(stat)); err != nil {
		return nil, err
	}
	return stat, t.file.Close()
}

var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// copyContent tells whose failure it was, and looks at the context between
// chunks.
func copyContent(ctx context.Context, file *os.File, content io.Reader) error {
	buffer := buffers.Get().(*[64 << 10]byte)
	defer func() {
		clear(buffer[:]) // contents are secrets: none stays behind in the pool
		buffers.Put(buffer)
	}()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := content.Read(buffer[:])
		if _, err := file.Write(buffer[:n]); err != nil {
			return err
		}
		switch {
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return &host.SourceError{Source: "content", Err: readErr}
		}
	}
}

// takePlace gives the file its name. What is there was looked at when the write
// began; it is looked at again now, for that may be long ago.
func (t *temp) takePlace(path string, exclusive bool) error {
	if !t.named() {
		return errLost
	}
	if exclusive {
		return renameNew(t.name, path)
	}
	if _, err := replaceable(path, false); err != nil {
		return err
	}
	return renameOver(t.name, path)
}

// renameByLink takes a name that nothing has, in two steps, for file systems
// without a one-step way. A writer killed between them leaves a second name,
// which no one holds a lock on: it is removed as a left-over.
func renameByLink(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	if err := unlink(from); err != nil {
		return fmt.Errorf("the file is complete, but its temporary name remains: %w", err)
	}
	return nil
}
