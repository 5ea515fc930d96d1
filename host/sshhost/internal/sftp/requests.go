package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
)

// File is an open file or directory of a server. It must be closed with [Batch.Close],
// [File.Discard] or, once it is passed to [Client.NewReader], [Reader.Close]. [Client.List] closes it.
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
		d.err = broken("%d names, want 1", len(names))
	}
	if d.err != nil {
		return ""
	}
	return names[0].Name
}

// Open opens a file. With [Create], a missing file is created with the mode of attrs, less the
// server's umask. The server follows a symbolic link, except with [Excl].
func (b *Batch) Open(path string, flags OpenFlags, attrs Attrs) *Reply[*File] {
	r := add(b, &Reply[*File]{op: "open", path: path, want: fxpHandle, decode: decodeFile}, fxpOpen)
	b.path(path)
	b.uint32(uint32(flags))
	b.attrs(attrs)
	return r.sealed()
}

// OpenDir opens a directory for [Client.List].
func (b *Batch) OpenDir(path string) *Reply[*File] {
	return onPath(b, &Reply[*File]{op: "open directory", path: path, want: fxpHandle, decode: decodeFile}, fxpOpendir)
}

// Close closes a file. The file is closed even if the reply is an error.
func (b *Batch) Close(f *File) *Reply[None] {
	r := add(b, &Reply[None]{op: "close", path: b.pathOf(f), open: true, closes: f}, fxpClose)
	b.handle(f)
	return r.sealed()
}

// Fstat returns the attributes of an open file.
func (b *Batch) Fstat(f *File) *Reply[Attrs] {
	r := add(b, &Reply[Attrs]{op: "stat", path: b.pathOf(f), want: fxpAttrs, open: true, decode: decodeAttrs}, fxpFstat)
	b.handle(f)
	return r.sealed()
}

// Fsetstat sets attributes of an open file. OpenSSH sets the mode before the owner, and
// setting the owner can clear mode bits, so use one request for each.
func (b *Batch) Fsetstat(f *File, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "set attributes of", path: b.pathOf(f), open: true}, fxpFsetstat)
	b.handle(f)
	b.attrs(attrs)
	return r.sealed()
}

// Fsync waits until the content of an open file is on disk. It needs [ExtFsync].
func (b *Batch) Fsync(f *File) *Reply[None] {
	r := add(b, &Reply[None]{op: "sync", path: b.pathOf(f), open: true}, fxpExtended)
	b.extension(ExtFsync)
	b.handle(f)
	return r.sealed()
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
func (b *Batch) Lstat(path string) *Reply[Attrs] { return b.stat(fxpLstat, path) }

// Stat returns the attributes of the object at path, following a link.
func (b *Batch) Stat(path string) *Reply[Attrs] { return b.stat(fxpStat, path) }

func (b *Batch) stat(kind byte, path string) *Reply[Attrs] {
	return onPath(b, &Reply[Attrs]{op: "stat", path: path, want: fxpAttrs, decode: decodeAttrs}, kind)
}

// Readlink returns the target of a link, byte for byte.
func (b *Batch) Readlink(path string) *Reply[string] {
	return onPath(b, &Reply[string]{op: "read link", path: path, want: fxpName, decode: decodeName}, fxpReadlink)
}

// Remove removes a file other than a directory.
func (b *Batch) Remove(path string) *Reply[None] {
	return onPath(b, &Reply[None]{op: "remove", path: path}, fxpRemove)
}

// Rmdir removes an empty directory.
func (b *Batch) Rmdir(path string) *Reply[None] {
	return onPath(b, &Reply[None]{op: "remove directory", path: path}, fxpRmdir)
}

// onPath adds a request that has only the path of r.
func onPath[T any](b *Batch, r *Reply[T], kind byte) *Reply[T] {
	add(b, r, kind)
	b.path(r.path)
	return r.sealed()
}

// Mkdir creates a directory with the mode of attrs, less the server's umask.
func (b *Batch) Mkdir(path string, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "make directory", path: path}, fxpMkdir)
	b.path(path)
	b.attrs(attrs)
	return r.sealed()
}

// Lsetstat sets attributes of the object at path and does not follow a link. It needs
// [ExtLsetstat].
func (b *Batch) Lsetstat(path string, attrs Attrs) *Reply[None] {
	r := add(b, &Reply[None]{op: "set attributes of", path: path}, fxpExtended)
	b.extension(ExtLsetstat)
	b.path(path)
	b.attrs(attrs)
	return r.sealed()
}

// Rename renames oldPath to newPath, which must not exist.
func (b *Batch) Rename(oldPath, newPath string) *Reply[None] {
	r := add(b, &Reply[None]{op: "rename", path: newPath}, fxpRename)
	b.path(oldPath)
	b.path(newPath)
	return r.sealed()
}

// PosixRename renames oldPath to newPath like rename(2): it replaces an existing file. It needs
// [ExtPosixRename].
func (b *Batch) PosixRename(oldPath, newPath string) *Reply[None] {
	return b.twoPaths("rename", ExtPosixRename, oldPath, newPath)
}

// Hardlink creates newPath as a hard link to oldPath, like link(2). It needs [ExtHardlink].
func (b *Batch) Hardlink(oldPath, newPath string) *Reply[None] {
	return b.twoPaths("link", ExtHardlink, oldPath, newPath)
}

func (b *Batch) twoPaths(op string, ext Extension, oldPath, newPath string) *Reply[None] {
	r := add(b, &Reply[None]{op: op, path: newPath}, fxpExtended)
	b.extension(ext)
	b.path(oldPath)
	b.path(newPath)
	return r.sealed()
}

// Symlink creates a link at path. The target is sent first, unlike in the protocol text:
// OpenSSH swapped target and path by mistake, and other implementations followed.
func (b *Batch) Symlink(target, path string) *Reply[None] {
	r := add(b, &Reply[None]{op: "make link", path: path}, fxpSymlink)
	b.path(target)
	b.path(path)
	return r.sealed()
}

// extension appends the name of an extension to the frame that add began. The batch fails if the
// server does not offer the extension.
func (b *Batch) extension(ext Extension) {
	if !b.client.Has(ext) {
		b.err = fmt.Errorf("the SFTP server does not offer %s: %w", ext, errors.ErrUnsupported)
	}
	b.text(string(ext))
}

const (
	// maxEntries limits the number of entries of a listing, as protection against a server that
	// never ends it.
	maxEntries = 1 << 18
	// maxNames limits the total length of the names of a listing, in bytes.
	maxNames = 16 << 20
	// maxName limits the length of a name: about four times what the usual file systems allow.
	maxName = 1 << 10
	// Numbers of concurrent READDIR requests; OpenSSH returns up to a hundred names for each. The
	// first two requests list a small directory in one round trip; the number then doubles
	// each time, up to mostSteps.
	firstSteps, mostSteps = 2, 32
)

// List lists an open directory, with "." and "..", in no particular order. It closes the
// directory. After an error it yields no more entries.
func (c *Client) List(ctx context.Context, dir *File) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		defer dir.Discard()
		seen, size := 0, 0
		for steps := firstSteps; ; steps = min(2*steps, mostSteps) {
			replies, err := c.readDir(ctx, dir, steps)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, r := range replies {
				if errors.Is(r.Err, io.EOF) {
					return
				}
				seen += len(r.Value)
				for _, entry := range r.Value {
					size += len(entry.Name)
				}
				if r.Err == nil && (seen > maxEntries || size > maxNames) {
					r.Err = ErrDirectoryTooLarge
				}
				if r.Err != nil {
					yield(Entry{}, r.Err)
					return
				}
				for _, entry := range r.Value {
					if !yield(entry, nil) {
						return
					}
				}
			}
		}
	}
}

func (c *Client) readDir(ctx context.Context, dir *File, steps int) ([]*Reply[[]Entry], error) {
	b := c.Batch()
	replies := make([]*Reply[[]Entry], steps)
	for i := range replies {
		replies[i] = add(b, &Reply[[]Entry]{
			op: "list", path: b.pathOf(dir), want: fxpName, open: true,
			decode: func(_ *request, d *decoder) []Entry { return d.entries() },
		}, fxpReaddir)
		b.handle(dir)
		b.seal()
	}
	return replies, b.Do(ctx)
}

// entries decodes the names of a reply to READDIR. Callers join them to the path of the
// directory, so a name that is not the name of an entry is a protocol error.
func (d *decoder) entries() []Entry {
	entries := d.names()
	for _, e := range entries {
		if e.Name == "" || len(e.Name) > maxName || strings.ContainsAny(e.Name, "/\x00") {
			d.err = broken("%.100q is not the name of a file in a directory", e.Name)
			return nil
		}
	}
	return entries
}

// StatVFS describes a file system.
type StatVFS struct {
	BlockSize uint64 // unit of Blocks, Free and Available, in bytes
	Blocks    uint64
	Free      uint64 // free blocks
	Available uint64 // blocks available to ordinary users
	Files     uint64
	FilesFree uint64 // inodes available to ordinary users
	ID        uint64 // identifies the file system; 0 if unknown
	Flags     uint64
	NameMax   uint64 // maximum length of a file name in bytes
}

// The flags of [StatVFS].
const (
	StatVFSReadOnly = 1 << iota
	StatVFSNoSetuid
)

// StatVFS returns the [StatVFS] of the file system of path. It needs [ExtStatVFS].
func (b *Batch) StatVFS(path string) *Reply[StatVFS] {
	r := add(b, &Reply[StatVFS]{op: "stat the file system of", path: path, want: fxpExtendedReply, decode: decodeStatVFS}, fxpExtended)
	b.extension(ExtStatVFS)
	b.path(path)
	return r.sealed()
}

func decodeStatVFS(_ *request, d *decoder) StatVFS {
	d.uint64() // the preferred block size of I/O, not the unit of the counts
	s := StatVFS{BlockSize: d.uint64(), Blocks: d.uint64(), Free: d.uint64(), Available: d.uint64(), Files: d.uint64()}
	d.uint64() // inodes available to root
	s.FilesFree = d.uint64()
	s.ID, s.Flags, s.NameMax = d.uint64(), d.uint64(), d.uint64()
	return s
}

// Limits are the maximum sizes in bytes and the maximum number of handles that a server accepts. Zero means
// unknown.
type Limits struct {
	Packet, Read, Write, Handles uint64
}

func decodeLimits(_ *request, d *decoder) Limits {
	return Limits{Packet: d.uint64(), Read: d.uint64(), Write: d.uint64(), Handles: d.uint64()}
}

// requestLimits requests the limits without waiting: the reply arrives before the first large
// content, and small content does not need it.
func (c *Client) requestLimits() {
	if !c.Has(ExtLimits) {
		return
	}
	b := c.Batch()
	r := add(b, &Reply[Limits]{op: "request limits", want: fxpExtendedReply, decode: func(r *request, d *decoder) Limits {
		limits := decodeLimits(r, d)
		if d.err == nil {
			c.limits.Store(&limits)
		}
		return limits
	}}, fxpExtended)
	b.text(string(ExtLimits))
	b.seal()
	_ = r.batch.Start(context.Background()) // if the session is lost, the next request fails
}

// chunk returns the maximum size of the data of one read or write. The function limit selects the
// server's limit for that operation.
func chunk(limit func(*Limits) uint64, c *Client) int {
	limits := c.limits.Load()
	if limits == nil {
		return defaultChunk
	}
	n := min(limit(limits), maxChunk)
	if p := limits.Packet; p > 0 {
		n = min(n, max(p, defaultChunk+frameSpace)-frameSpace)
	}
	if n == 0 {
		return defaultChunk
	}
	return int(n)
}

// UsersGroups are names of users and groups, in the order of the requested IDs. The name is empty for an ID
// without one.
type UsersGroups struct {
	Users, Groups []string
}

// UsersGroups returns the names of users and groups. It needs [ExtUsersGroups].
func (b *Batch) UsersGroups(uids, gids []uint32) *Reply[UsersGroups] {
	users, groups := len(uids), len(gids)
	r := add(b, &Reply[UsersGroups]{op: "look up names", want: fxpExtendedReply, decode: func(_ *request, d *decoder) UsersGroups {
		return UsersGroups{Users: d.nameList(users), Groups: d.nameList(groups)}
	}}, fxpExtended)
	b.extension(ExtUsersGroups)
	b.numbers(uids)
	b.numbers(gids)
	return r.sealed()
}

func (b *Batch) numbers(ns []uint32) {
	b.uint32(uint32(4 * len(ns))) //nolint:gosec // seal rejects more
	for _, n := range ns {
		b.uint32(n)
	}
}

func (d *decoder) nameList(n int) []string {
	inner := decoder{rest: d.bytes(), err: d.err}
	names := make([]string, 0, n)
	for inner.err == nil && len(inner.rest) > 0 {
		if len(names) == n {
			inner.err = broken("more than %d names", n)
			break
		}
		names = append(names, inner.text())
	}
	if inner.err == nil && len(names) != n {
		inner.err = broken("%d names, want %d", len(names), n)
	}
	d.err = inner.err
	return names
}
