package memory

import (
	"context"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
)

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	if err := h.begin(ctx, "Rename", oldPath, host.CheckPath); err != nil {
		return h.fail("rename", oldPath, err)
	}
	verb := "rename " + host.QuotePath(oldPath) + " to"
	if err := host.CheckPath(newPath); err != nil {
		return h.fail(verb, newPath, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, err := h.existing(oldPath)
	if err != nil {
		return h.fail("rename", oldPath, err)
	}
	return h.fail(verb, newPath, h.rename(from, newPath))
}

func (h *Host) rename(from place, newPath string) error {
	to, err := h.find(newPath)
	if err != nil || from.node == to.node {
		return err
	}
	if to.node != nil {
		switch fromDir, toDir := from.node.typ == host.TypeDirectory, to.node.typ == host.TypeDirectory; {
		case fromDir && !toDir:
			return &host.TypeError{Want: host.TypeDirectory, Got: to.node.typ}
		case !fromDir && toDir:
			return &host.TypeError{Got: host.TypeDirectory}
		case toDir && len(to.node.children) > 0:
			return host.ErrNotEmpty
		}
	}
	for dir := to.dir; from.node.typ == host.TypeDirectory && dir != h.root; dir = dir.parent {
		if dir == from.node {
			return errInvalid // into itself
		}
	}
	if from.name == "" {
		return errInvalid
	}
	if !h.mayChange(from) {
		return fs.ErrPermission
	}
	if err := h.put(to, from.node); err != nil {
		return err
	}
	return h.put(from, nil)
}

// Link implements [host.Files].
func (h *Host) Link(ctx context.Context, oldPath, newPath string) error {
	if err := h.begin(ctx, "Link", oldPath, host.CheckPath); err != nil {
		return h.fail("link", oldPath, err)
	}
	verb := "link " + host.QuotePath(oldPath) + " to"
	if err := host.CheckPath(newPath); err != nil {
		return h.fail(verb, newPath, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, err := h.as(oldPath, host.TypeRegular)
	if err != nil {
		return h.fail("link", oldPath, err)
	}
	to, err := h.find(newPath)
	if err == nil {
		err = h.make(to, from.node)
	}
	return h.fail(verb, newPath, err)
}

// ReplaceSymlink implements [host.Files]. Under the lock it needs no temporary link.
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string) (info host.FileInfo, err error) {
	err = h.operation(ctx, "ReplaceSymlink", "make link", path, host.CheckTarget, func() error {
		if err := host.CheckLinkTarget(target); err != nil {
			return err
		}
		at, err := h.find(path)
		if err != nil {
			return err
		}
		if at.node != nil && at.node.typ != host.TypeSymlink {
			return &host.TypeError{Want: host.TypeSymlink, Got: at.node.typ}
		}
		n := h.newNode(host.TypeSymlink, at.dir)
		n.target = target
		if err := h.put(at, n); err != nil {
			return err
		}
		h.removeTemp(path)
		info = h.info(path, n)
		return nil
	})
	return info, err
}
