package sshhost

import (
	"context"
	"errors"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var _ host.ParentMaker = (*Host)(nil)

// use does something with the host's files, as soon as there may be a connection.
// What SFTP can not do is done by the shell.
func (h *Host) use(ctx context.Context, verb, path string, do func(f host.Files) error) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail(verb, path, err)
	}
	defer done()
	if h.bare() {
		return do(h.shell)
	}
	err = do(h.transfer)
	switch without, is := errors.AsType[*noSFTPError](err); {
	case is:
		h.without.Store(without)
		return h.neither(without, do(h.shell))
	case errors.Is(err, errors.ErrUnsupported) && !ofSource(err):
		switch other := do(h.shell); {
		case noShell(other):
			return h.neither(err, other)
		case !errors.Is(other, errors.ErrUnsupported):
			return other
		}
	}
	return err
}

// begin is what every operation on a path starts with. The operation may be
// connected until done is called.
func (h *Host) begin(ctx context.Context, path string) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := host.CheckPath(path); err != nil {
		return nil, err
	}
	return h.admission.enter(ctx)
}

// look is use for what has no effect, and answers what is at path.
func (h *Host) look(ctx context.Context, verb, path string, do func(f host.Files) (host.FileInfo, error)) (host.FileInfo, error) {
	var info host.FileInfo
	err := h.use(ctx, verb, path, func(f host.Files) (err error) {
		if info, err = do(f); err == nil {
			err = h.fail(verb, path, h.label(ctx, &info))
		}
		return err
	})
	return answer(info, err)
}

// change is use for what has an effect, and answers what then is at path. Names
// are looked up before as well, as afterwards it is too late for an error.
func (h *Host) change(ctx context.Context, verb, path string, attrs host.Attributes,
	do func(f host.Files) (host.FileInfo, error),
) (host.FileInfo, error) {
	var info host.FileInfo
	err := h.use(ctx, verb, path, func(f host.Files) error {
		defer h.openAhead(ctx)()
		if err := h.foresee(ctx, attrs); err != nil {
			return h.fail(verb, path, err)
		}
		var err error
		if info, err = do(f); err != nil {
			return err
		}
		ctx, cancel := remote.Lingering(ctx, afterwards)
		defer cancel()
		return h.fail(verb, path, h.label(ctx, &info))
	})
	return answer(info, err)
}

func answer(info host.FileInfo, err error) (host.FileInfo, error) {
	if err != nil {
		return host.FileInfo{}, err
	}
	return info, nil
}

// Lstat implements [host.Files].
func (h *Host) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	return h.look(ctx, "stat", path, func(f host.Files) (host.FileInfo, error) { return f.Lstat(ctx, path) })
}

// Open implements [host.Files].
func (h *Host) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	var content io.ReadCloser
	done, err := h.begin(ctx, path) // for the reader
	if err != nil {
		return host.FileInfo{}, nil, h.fail("read", path, err)
	}
	info, err := h.look(ctx, "read", path, func(f host.Files) (info host.FileInfo, err error) {
		info, content, err = f.Open(ctx, path)
		return info, err
	})
	if err != nil {
		if content != nil {
			_ = content.Close() // it is not read
		}
		done()
		return host.FileInfo{}, nil, err
	}
	return info, &reader{content, done}, nil
}

// reader is an open file, which needs the connection until it is closed.
type reader struct {
	io.ReadCloser
	done func()
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	err := r.ReadCloser.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}

// ReadDir implements [host.Files].
func (h *Host) ReadDir(ctx context.Context, path string) (entries []host.DirEntry, err error) {
	err = h.use(ctx, "list", path, func(f host.Files) (err error) {
		entries, err = f.ReadDir(ctx, path)
		return err
	})
	return entries, err
}

// WriteFile implements [host.Files].
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	content, rewind := rewinding(content)
	var before error
	return h.change(ctx, "write", path, opts.Attributes, func(f host.Files) (host.FileInfo, error) {
		if before != nil && !rewind() {
			return host.FileInfo{}, before
		}
		info, err := f.WriteFile(ctx, path, content, opts)
		before = unsure(err)
		return info, before
	})
}

// RemoveTemp implements [host.Files].
func (h *Host) RemoveTemp(ctx context.Context, path string) error {
	return h.use(ctx, "remove the temporary file of", path, func(f host.Files) error { return f.RemoveTemp(ctx, path) })
}

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	return h.change(ctx, "make directory", path, attrs, func(f host.Files) (host.FileInfo, error) {
		info, err := f.Mkdir(ctx, path, attrs)
		return info, unsure(err)
	})
}

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return h.use(ctx, "remove", path, func(f host.Files) error { return f.Remove(ctx, path) })
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	return h.use(ctx, "remove directory", path, func(f host.Files) error { return f.Rmdir(ctx, path) })
}

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	return h.use(ctx, "rename", oldPath, func(f host.Files) error { return unsure(f.Rename(ctx, oldPath, newPath)) })
}

// Link implements [host.Files].
func (h *Host) Link(ctx context.Context, oldPath, newPath string) error {
	return h.use(ctx, "link", oldPath, func(f host.Files) error { return unsure(f.Link(ctx, oldPath, newPath)) })
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	return h.change(ctx, "make link", path, host.Attributes{}, func(f host.Files) (host.FileInfo, error) {
		info, err := f.Symlink(ctx, target, path)
		return info, unsure(err)
	})
}

// ReplaceSymlink implements [host.Files].
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	return h.change(ctx, "make link", path, host.Attributes{}, func(f host.Files) (host.FileInfo, error) {
		return f.ReplaceSymlink(ctx, target, path)
	})
}

// SetAttributes implements [host.Files].
func (h *Host) SetAttributes(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	return h.change(ctx, "set mode and owner of", path, attrs, func(f host.Files) (host.FileInfo, error) {
		return f.SetAttributes(ctx, path, attrs)
	})
}

// MakeParents implements [host.ParentMaker].
func (h *Host) MakeParents(ctx context.Context, path string, attrs host.Attributes) (made []string, err error) {
	err = h.use(ctx, "make parents of", path, func(f host.Files) (err error) {
		if maker, ok := f.(host.ParentMaker); ok {
			made, err = maker.MakeParents(ctx, path, attrs)
		} else {
			made, err = host.MakeParents(ctx, onlyHost{h}, path, attrs)
		}
		return unsure(err)
	})
	return made, err
}
