package memory

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// maxWait is how long a writer waits for another writer of the same path.
const maxWait = time.Second

// WriteFile implements [host.Files]. The temporary file is visible to other operations, because
// [host.WriteOptions].BeforeReplace gets its path.
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	err := h.begin(ctx, "WriteFile", path, host.CheckTarget)
	if err != nil {
		return host.FileInfo{}, h.fail("write", path, err)
	}
	h.mu.Lock()
	err = h.checkLinks(ctx, path)
	h.mu.Unlock()
	if err != nil {
		return host.FileInfo{}, h.fail("write", path, err)
	}
	info, err := h.writeFile(ctx, path, content, opts)
	return info, h.fail("write", path, h.end("WriteFile", path, err))
}

func (h *Host) writeFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	temp, tempPath, attrs, err := h.newTemp(ctx, path, opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer h.dropTemp(tempPath, temp) // does nothing after success
	read, err := readAll(ctx, content)
	if err != nil {
		return host.FileInfo{}, err
	}
	h.mu.Lock()
	temp.content, temp.modified = read, now()
	err = h.set(temp, attrs)
	h.mu.Unlock()
	if err != nil {
		return host.FileInfo{}, err
	}
	if opts.BeforeReplace != nil {
		if err := opts.BeforeReplace(ctx, tempPath); err != nil {
			return host.FileInfo{}, &host.SourceError{Source: "before replace", Err: err}
		}
	}
	if err := ctx.Err(); err != nil {
		return host.FileInfo{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	at, err := h.replaceable(path, &opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	from, err := h.existing(tempPath)
	if err != nil {
		return host.FileInfo{}, err
	}
	if err := h.put(at, temp); err != nil {
		return host.FileInfo{}, err
	}
	temp.live = false
	return h.info(path, temp), h.put(from, nil)
}

// newTemp creates the temporary file, in use and with mode 0600. It returns the file, its path,
// and the attributes that it will get. While the usual name is not free, newTemp waits, for at
// most maxWait, and then uses a different name. If ctx ends first, it returns the error of ctx.
func (h *Host) newTemp(ctx context.Context, path string, opts host.WriteOptions) (*node, string, host.Attributes, error) {
	variant := ""
	for start := time.Now(); ; {
		temp, attrs, err := h.tryTemp(path, variant, opts)
		if temp != nil || err != nil {
			return temp, host.TempPath(path, variant), attrs, err
		}
		if variant != "" || time.Since(start) > maxWait {
			variant = strconv.FormatInt(time.Now().UnixNano(), 36)
			continue
		}
		if host.Sleep(ctx, time.Millisecond) != nil {
			return nil, "", attrs, ctx.Err()
		}
	}
}

// tryTemp removes leftover temporary files of path and creates the temporary file with the given variant.
// It returns nil and no error if the name is not free, such as while another writer uses it.
func (h *Host) tryTemp(path, variant string, opts host.WriteOptions) (*node, host.Attributes, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	target, err := h.replaceable(path, &opts)
	if err != nil {
		return nil, host.Attributes{}, err
	}
	h.removeTemp(path)
	at, err := h.find(host.TempPath(path, variant))
	if err != nil || at.node != nil {
		return nil, host.Attributes{}, err
	}
	temp := h.newNode(host.TypeRegular, at.dir)
	temp.mode, temp.live = 0o600, true
	return temp, keep(opts.Attributes, target.node), h.make(at, temp)
}

// replaceable returns the place of a path. It returns an error if opts or the type of the object
// there do not allow the object to be replaced.
func (h *Host) replaceable(path string, opts *host.WriteOptions) (place, error) {
	at, err := h.find(path)
	switch {
	case err != nil || at.node == nil:
		return at, err
	case opts.Exclusive:
		return at, fs.ErrExist
	case at.node.typ != host.TypeRegular:
		return at, &host.TypeError{Want: host.TypeRegular, Got: at.node.typ}
	}
	return at, opts.CheckUnchanged(h.info(path, at.node))
}

// keep returns attrs with unset attributes set to those of the replaced file. If no file is replaced,
// keep sets only an unset mode, to 0600.
func keep(attrs host.Attributes, old *node) host.Attributes {
	if old == nil {
		attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o600)))
		return attrs
	}
	return attrs.Or(old.mode, old.uid, old.gid)
}

// RemoveTemp implements [host.Files].
func (h *Host) RemoveTemp(ctx context.Context, path string) error {
	return h.operation(ctx, "RemoveTemp", "remove the temporary file of", path, host.CheckPath, func() error {
		h.removeTemp(path)
		return nil
	})
}

// removeTemp removes all leftover temporary files of path that the user may remove.
func (h *Host) removeTemp(path string) {
	usual, err := h.find(host.TempPath(path, ""))
	if err != nil {
		return
	}
	for name, n := range usual.dir.children {
		at := place{dir: usual.dir, name: name, node: n}
		ours := name == usual.name || strings.HasPrefix(name, usual.name+"-")
		if ours && !n.live && n.typ != host.TypeDirectory && h.mayChange(at) {
			_ = h.put(at, nil) // mayChange guarantees success
		}
	}
}

// dropTemp removes a temporary file that was not renamed.
func (h *Host) dropTemp(path string, temp *node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	temp.live = false
	if at, err := h.find(path); err == nil && at.node == temp && h.mayChange(at) {
		_ = h.put(at, nil) // mayChange guarantees success
	}
}

// readAll returns the content. Errors of the reader are returned as a [*host.SourceError];
// the context is checked between chunks.
func readAll(ctx context.Context, content io.Reader) ([]byte, error) {
	var all []byte
	chunk := make([]byte, 32<<10)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := content.Read(chunk)
		all = append(all, chunk[:n]...)
		switch {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, &host.SourceError{Source: "content", Err: err}
		}
	}
}

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	return h.operationOnTwo(ctx, "Rename", "rename", oldPath, newPath, h.existing, h.rename)
}

// operationOnTwo is operation for two paths. f gets the place that get returns for oldPath.
func (h *Host) operationOnTwo(ctx context.Context, op, verb, oldPath, newPath string,
	get func(string) (place, error), f func(from place, newPath string) error,
) error {
	if err := h.begin(ctx, op, oldPath, host.CheckPath); err != nil {
		return h.fail(verb, oldPath, err)
	}
	to := verb + " " + host.QuotePath(oldPath) + " to"
	if err := host.CheckPath(newPath); err != nil {
		return h.fail(to, newPath, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.checkLinks(ctx, oldPath)
	var from place
	if err == nil {
		from, err = get(oldPath)
	}
	if err != nil {
		return h.fail(verb, oldPath, err)
	}
	if err = h.checkLinks(ctx, newPath); err == nil {
		err = h.end(op, oldPath, f(from, newPath))
	}
	return h.fail(to, newPath, err)
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
			return errInvalid // a directory cannot be moved into itself
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
	get := func(path string) (place, error) { return h.ofType(path, host.TypeRegular) }
	return h.operationOnTwo(ctx, "Link", "link", oldPath, newPath, get, func(from place, newPath string) error {
		to, err := h.find(newPath)
		if err == nil {
			err = h.make(to, from.node)
		}
		return err
	})
}

// ReplaceSymlink implements [host.Files]. Under the lock it needs no temporary link.
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string, was *string) (info host.FileInfo, err error) {
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
		if at.node != nil {
			kept, err := host.CheckOldTarget(at.node.target, target, was)
			if kept {
				info = h.info(path, at.node)
			}
			if kept || err != nil {
				return err
			}
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
