package sftp

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// File is an open file or directory of a server. It must be closed with [Batch.Close] or
// [File.Discard].
type File struct {
	client *Client
	handle string
	path   string
	closed atomic.Bool // a close was requested: the handle may refer to another file by now
}

// Path returns the path with which the file was opened.
func (f *File) Path() string { return f.path }

// Discard closes the file without waiting for the result, unless a close was requested
// before. It is for files whose close error does not matter.
func (f *File) Discard() {
	if !f.closed.Swap(true) {
		f.client.closeHandle(f.handle)
	}
}

func decodeFile(r *request, d *decoder) *File {
	return &File{client: r.client, handle: d.handle(), path: r.path}
}

func decodeAttrs(_ *request, d *decoder) Attrs { return d.attrs() }

func decodeName(_ *request, d *decoder) string {
	names := d.names()
	if d.err == nil && len(names) != 1 {
		d.err = broken("%d names where there is one", len(names))
	}
	if d.err != nil {
		return ""
	}
	return names[0].Name
}

// Open opens a file. With [Create] it creates the file with the mode of attrs, less the
// server's umask. The server follows a symbolic link.
func (b *Batch) Open(path string, flags OpenFlags, attrs Attrs) *Reply[*File] {
	r := add(b, &Reply[*File]{op: "open", path: path, want: fxpHandle, decode: decodeFile}, fxpOpen)
	b.path(path)
	b.uint32(uint32(flags))
	b.attrs(attrs)
	b.seal()
	return r
}

// OpenDir opens a directory for [Client.List].
func (b *Batch) OpenDir(path string) *Reply[*File] {
	r := add(b, &Reply[*File]{op: "open directory", path: path, want: fxpHandle, decode: decodeFile}, fxpOpendir)
	b.path(path)
	b.seal()
	return r
}

// Close closes a file. The file is closed even if the reply is an error.
func (b *Batch) Close(f *File) *Reply[None] {
	r := add(b, &Reply[None]{op: "close", path: b.pathOf(f), open: true, closes: f}, fxpClose)
	b.handle(f)
	b.seal()
	return r
}

// Fstat returns the attributes of an open file.
func (b *Batch) Fstat(f *File) *Reply[Attrs] {
	r := &Reply[Attrs]{op: "stat", path: b.pathOf(f), want: fxpAttrs, open: true, decode: decodeAttrs}
	add(b, r, fxpFstat)
	b.handle(f)
	b.seal()
	return r
}

// Fsetstat sets attributes of an open file. OpenSSH sets the mode before the owner, which
// can clear mode bits, so use one request for each.
func (b *Batch) Fsetstat(f *File, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "set attributes of", path: b.pathOf(f), open: true}, fxpFsetstat)
	b.handle(f)
	b.attrs(attrs)
	b.seal()
	return r
}

// Fsync waits until the content of an open file is on disk. It needs [ExtFsync].
func (b *Batch) Fsync(f *File) *Reply[None] {
	r := add(b, &Reply[None]{op: "sync", path: b.pathOf(f), open: true}, fxpExtended)
	b.extension(ExtFsync)
	b.handle(f)
	b.seal()
	return r
}

func (b *Batch) pathOf(f *File) string {
	if f == nil {
		return ""
	}
	return f.path
}

// has reports whether a file is open in this session.
func (b *Batch) has(f *File) bool { return f != nil && f.client == b.client && !f.closed.Load() }

func (b *Batch) handle(f *File) {
	if !b.has(f) {
		b.err = errOtherFile
		return
	}
	b.text(f.handle)
}

// Lstat returns the attributes of the object at path, without following a link.
func (b *Batch) Lstat(path string) *Reply[Attrs] { return b.stat("stat", fxpLstat, path) }

// Stat returns the attributes of the object at path, following a link.
func (b *Batch) Stat(path string) *Reply[Attrs] { return b.stat("stat", fxpStat, path) }

func (b *Batch) stat(op string, kind byte, path string) *Reply[Attrs] {
	r := add(b, &Reply[Attrs]{op: op, path: path, want: fxpAttrs, decode: decodeAttrs}, kind)
	b.path(path)
	b.seal()
	return r
}

// Readlink returns the target of a link, byte for byte.
func (b *Batch) Readlink(path string) *Reply[string] {
	r := add(b, &Reply[string]{op: "read link", path: path, want: fxpName, decode: decodeName}, fxpReadlink)
	b.path(path)
	b.seal()
	return r
}

// Remove removes a file other than a directory.
func (b *Batch) Remove(path string) *Reply[None] { return b.onPath("remove", fxpRemove, path) }

// Rmdir removes an empty directory.
func (b *Batch) Rmdir(path string) *Reply[None] { return b.onPath("remove directory", fxpRmdir, path) }

func (b *Batch) onPath(op string, kind byte, path string) *Reply[None] {
	r := add(b, &Reply[None]{op: op, path: path}, kind)
	b.path(path)
	b.seal()
	return r
}

// Mkdir creates a directory with the mode of attrs, less the server's umask.
func (b *Batch) Mkdir(path string, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "make directory", path: path}, fxpMkdir)
	b.path(path)
	b.attrs(attrs)
	b.seal()
	return r
}

// Setstat sets attributes of the object at path, following a link.
func (b *Batch) Setstat(path string, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "set attributes of", path: path}, fxpSetstat)
	b.path(path)
	b.attrs(attrs)
	b.seal()
	return r
}

// Lsetstat is Setstat without following a link. It needs [ExtLsetstat].
func (b *Batch) Lsetstat(path string, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "set attributes of", path: path}, fxpExtended)
	b.extension(ExtLsetstat)
	b.path(path)
	b.attrs(attrs)
	b.seal()
	return r
}

// Rename renames oldPath to newPath, which must not exist.
func (b *Batch) Rename(oldPath, newPath string) *Reply[None] {
	r := add(b, &Reply[None]{op: "rename", path: newPath}, fxpRename)
	b.path(oldPath)
	b.path(newPath)
	b.seal()
	return r
}

// PosixRename is rename(2). It needs [ExtPosixRename].
func (b *Batch) PosixRename(oldPath, newPath string) *Reply[None] {
	return b.twoPaths("rename", ExtPosixRename, oldPath, newPath)
}

// Hardlink is link(2). It needs [ExtHardlink].
func (b *Batch) Hardlink(oldPath, newPath string) *Reply[None] {
	return b.twoPaths("link", ExtHardlink, oldPath, newPath)
}

func (b *Batch) twoPaths(op string, ext Extension, oldPath, newPath string) *Reply[None] {
	r := add(b, &Reply[None]{op: op, path: newPath}, fxpExtended)
	b.extension(ext)
	b.path(oldPath)
	b.path(newPath)
	b.seal()
	return r
}

// Symlink creates a link at path. The target is sent first, unlike in the protocol text:
// OpenSSH swapped the two by mistake, and other implementations followed.
func (b *Batch) Symlink(target, path string) *Reply[None] {
	r := add(b, &Reply[None]{op: "make link", path: path}, fxpSymlink)
	b.path(target)
	b.path(path)
	b.seal()
	return r
}

// extension begins an extended request. The batch fails if the server does not offer the
// extension.
func (b *Batch) extension(ext Extension) {
	if !b.client.Has(ext) {
		b.err = fmt.Errorf("the SFTP server does not offer %s: %w", ext, errors.ErrUnsupported)
	}
	b.text(string(ext))
}
