package sshhost

import (
	"context"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var _ host.ParentMaker = (*Host)(nil)

// use does something with the host's files in the mode of the host.
func (h *Host) use(ctx context.Context, verb, path string, do func(m *mode) error) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail(verb, path, err)
	}
	defer done()
	m, err := h.currentMode(ctx)
	if err != nil {
		return h.fail(verb, path, err)
	}
	return do(m)
}

// begin checks the path of an operation and waits until the host may be connected,
// which it then may until done is called.
func (h *Host) begin(ctx context.Context, path string) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := host.CheckPath(path); err != nil {
		return nil, err
	}
	return h.admission.enter(ctx)
}

// read is use for an operation without an effect. It returns what is at path.
func (h *Host) read(ctx context.Context, verb, path string, do func(f host.Files) (host.FileInfo, error)) (host.FileInfo, error) {
	var info host.FileInfo
	err := h.use(ctx, verb, path, func(m *mode) (err error) {
		if info, err = do(m.files); err == nil {
			err = h.fail(verb, path, label(ctx, m.names, &info))
		}
		return err
	})
	return answer(info, err)
}

// change is use for an operation that changes what is at path, and returns what is
// there then. Names are looked up first as well: after the change it is too late to
// fail.
func (h *Host) change(ctx context.Context, verb, path string, attrs host.Attributes,
	do func(f host.Files) (host.FileInfo, error),
) (host.FileInfo, error) {
	var info host.FileInfo
	err := h.use(ctx, verb, path, func(m *mode) error {
		if err := m.lookUpNames(ctx, attrs); err != nil {
			return h.fail(verb, path, err)
		}
		var err error
		if info, err = do(m.files); err != nil {
			return err
		}
		ctx, cancel := remote.WithGracePeriod(ctx, afterwards)
		defer cancel()
		return h.fail(verb, path, label(ctx, m.names, &info))
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
	return h.read(ctx, "stat", path, func(f host.Files) (host.FileInfo, error) { return f.Lstat(ctx, path) })
}

// Open implements [host.Files].
func (h *Host) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	var content io.ReadCloser
	done, err := h.begin(ctx, path) // for the reader
	if err != nil {
		return host.FileInfo{}, nil, h.fail("read", path, err)
	}
	info, err := h.read(ctx, "read", path, func(f host.Files) (info host.FileInfo, err error) {
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
	err = h.use(ctx, "list", path, func(m *mode) (err error) {
		entries, err = m.files.ReadDir(ctx, path)
		return err
	})
	return entries, err
}

// WriteFile implements [host.Files].
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	return h.change(ctx, "write", path, opts.Attributes, func(f host.Files) (host.FileInfo, error) {
		info, err := f.WriteFile(ctx, path, content, opts)
		return info, outcomeUnknown(err)
	})
}

// RemoveTemp implements [host.Files].
func (h *Host) RemoveTemp(ctx context.Context, path string) error {
	return h.use(ctx, "remove the temporary file of", path, func(m *mode) error { return m.files.RemoveTemp(ctx, path) })
}

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	return h.change(ctx, "make directory", path, attrs, func(f host.Files) (host.FileInfo, error) {
		info, err := f.Mkdir(ctx, path, attrs)
		return info, outcomeUnknown(err)
	})
}

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return h.use(ctx, "remove", path, func(m *mode) error { return m.files.Remove(ctx, path) })
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	return h.use(ctx, "remove directory", path, func(m *mode) error { return m.files.Rmdir(ctx, path) })
}

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	return h.use(ctx, "rename", oldPath, func(m *mode) error { return outcomeUnknown(m.files.Rename(ctx, oldPath, newPath)) })
}

// Link implements [host.Files].
func (h *Host) Link(ctx context.Context, oldPath, newPath string) error {
	return h.use(ctx, "link", oldPath, func(m *mode) error { return outcomeUnknown(m.files.Link(ctx, oldPath, newPath)) })
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	return h.change(ctx, "make link", path, host.Attributes{}, func(f host.Files) (host.FileInfo, error) {
		info, err := f.Symlink(ctx, target, path)
		return info, outcomeUnknown(err)
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
	err = h.use(ctx, "make parents of", path, func(m *mode) (err error) {
		if maker, ok := m.files.(host.ParentMaker); ok {
			made, err = maker.MakeParents(ctx, path, attrs)
		} else {
			made, err = host.MakeParents(ctx, onlyHost{h}, path, attrs)
		}
		return outcomeUnknown(err)
	})
	return made, err
}
