package memory

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
)

// Lstat implements [host.Files].
func (h *Host) Lstat(ctx context.Context, path string) (info host.FileInfo, err error) {
	err = h.operation(ctx, "Lstat", "stat", path, host.CheckPath, func() error {
		at, err := h.existing(path)
		if err == nil {
			info = h.info(path, at.node)
		}
		return err
	})
	return info, err
}

// Open implements [host.Files].
func (h *Host) Open(ctx context.Context, path string) (info host.FileInfo, content io.ReadCloser, err error) {
	err = h.operation(ctx, "Open", "read", path, host.CheckPath, func() error {
		at, err := h.ofType(path, host.TypeRegular)
		if err != nil {
			return err
		}
		if !h.may(at.node, 4) {
			return fs.ErrPermission
		}
		info = h.info(path, at.node)
		content = &reader{ctx: ctx, host: h, path: path, content: bytes.NewReader(at.node.content)}
		return nil
	})
	return info, content, err
}

// reader is the content of an open file. Its Read fails once the context of Open is done.
type reader struct {
	ctx     context.Context //nolint:containedctx // Read must fail once the context of Open is done
	host    *Host
	path    string
	content *bytes.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, r.host.fail("read", r.path, err)
	}
	return r.content.Read(p)
}

func (r *reader) Close() error { return nil }

// ReadDir implements [host.Files].
func (h *Host) ReadDir(ctx context.Context, path string) (entries []host.DirEntry, err error) {
	err = h.operation(ctx, "ReadDir", "list", path, host.CheckPath, func() error {
		at, err := h.ofType(path, host.TypeDirectory)
		if err != nil {
			return err
		}
		if !h.may(at.node, 4) {
			return fs.ErrPermission
		}
		for name, n := range at.node.children {
			entries = append(entries, host.DirEntry{Name: name, Type: n.typ})
		}
		slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return entries, err
}

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o755)))
	return h.makeNode(ctx, "Mkdir", "make directory", path, host.TypeDirectory, attrs, "")
}

// Mkspecial creates a file of a type that the contract has no method for, such as a named
// pipe, with mode 0644.
func (h *Host) Mkspecial(ctx context.Context, path string, typ host.FileType) (host.FileInfo, error) {
	return h.makeNode(ctx, "Mkspecial", "make "+typ.String(), path, typ, host.Attributes{Mode: new(host.Mode(0o644))}, "")
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	return h.makeNode(ctx, "Symlink", "make link", path, host.TypeSymlink, host.Attributes{}, target)
}

func (h *Host) makeNode(ctx context.Context, op, verb, path string, typ host.FileType, attrs host.Attributes, target string) (info host.FileInfo, err error) {
	err = h.operation(ctx, op, verb, path, host.CheckTarget, func() error {
		if typ == host.TypeSymlink {
			if err := host.CheckLinkTarget(target); err != nil {
				return err
			}
		}
		at, err := h.find(path)
		if err != nil {
			return err
		}
		n := h.newNode(typ, at.dir)
		n.target = target
		if at.node != nil {
			return fs.ErrExist
		}
		if err := h.set(n, attrs); err != nil {
			return err
		}
		info = h.info(path, n)
		return h.make(at, n)
	})
	if err != nil {
		return host.FileInfo{}, err
	}
	return info, nil
}

// SetAttributes implements [host.Files].
func (h *Host) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (info host.FileInfo, err error) {
	err = h.operation(ctx, "SetAttributes", "set mode and owner of", path, host.CheckPath, func() error {
		at, err := h.existing(path)
		if err != nil {
			return err
		}
		if err := attrs.CheckType(want, at.node.typ); err != nil {
			return err
		}
		if err := h.set(at.node, attrs); err != nil {
			return err
		}
		info = h.info(path, at.node)
		return nil
	})
	return info, err
}

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return h.operation(ctx, "Remove", "remove", path, host.CheckPath, func() error {
		at, err := h.find(path)
		switch {
		case err != nil:
			return err
		case at.node == nil:
			h.removeTemp(path)
			return fs.ErrNotExist
		case at.node.typ == host.TypeDirectory:
			return &host.TypeError{Got: host.TypeDirectory}
		}
		if err := h.put(at, nil); err != nil {
			return err
		}
		h.removeTemp(path)
		return nil
	})
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	return h.operation(ctx, "Rmdir", "remove directory", path, host.CheckPath, func() error {
		at, err := h.ofType(path, host.TypeDirectory)
		if err != nil {
			return err
		}
		if len(at.node.children) > 0 {
			return host.ErrNotEmpty
		}
		return h.put(at, nil)
	})
}
