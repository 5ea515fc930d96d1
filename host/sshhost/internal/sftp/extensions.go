package sftp

import "context"

// StatVFS describes a file system.
type StatVFS struct {
	BlockSize uint64 // unit of the counts below, in bytes
	Blocks    uint64
	Free      uint64 // blocks
	Available uint64 // blocks available to ordinary users
	Files     uint64
	FilesFree uint64 // for users
	ID        uint64 // identifies the file system; 0 if unknown
	Flags     uint64
	NameMax   uint64 // maximum length of a file name in bytes
}

// The flags of [StatVFS].
const (
	StatVFSReadOnly = 1 << iota
	StatVFSNoSetuid
)

// StatVFS describes the file system of path. It needs [ExtStatVFS].
func (b *Batch) StatVFS(path string) *Reply[StatVFS] {
	r := &Reply[StatVFS]{op: "stat the file system of", path: path, want: fxpExtendedReply, decode: decodeStatVFS}
	add(b, r, fxpExtended)
	b.extension(ExtStatVFS)
	b.path(path)
	b.seal()
	return r
}

func decodeStatVFS(_ *request, d *decoder) StatVFS {
	d.uint64() // the preferred block size of I/O, not the unit of the counts
	s := StatVFS{BlockSize: d.uint64(), Blocks: d.uint64(), Free: d.uint64(), Available: d.uint64(), Files: d.uint64()}
	d.uint64() // inodes available to root
	s.FilesFree = d.uint64()
	s.ID, s.Flags, s.NameMax = d.uint64(), d.uint64(), d.uint64()
	return s
}

// Limits are the sizes that a server accepts. Zero means unknown.
type Limits struct {
	Packet, Read, Write, Handles uint64
}

func decodeLimits(_ *request, d *decoder) Limits {
	return Limits{Packet: d.uint64(), Read: d.uint64(), Write: d.uint64(), Handles: d.uint64()}
}

// askLimits requests the limits without waiting: the reply comes before the first large
// content, and small ones do not need it.
func (c *Client) askLimits() {
	if !c.Has(ExtLimits) {
		return
	}
	b := c.Batch()
	r := add(b, &Reply[Limits]{op: "ask limits", want: fxpExtendedReply, decode: func(r *request, d *decoder) Limits {
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

// chunk returns the size of the content of one request.
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

// UsersGroups are names by ID, in the order of the request; empty for an ID without a name.
type UsersGroups struct {
	Users, Groups []string
}

// UsersGroups requests names. It needs [ExtUsersGroups].
func (b *Batch) UsersGroups(uids, gids []uint32) *Reply[UsersGroups] {
	users, groups := len(uids), len(gids)
	r := &Reply[UsersGroups]{op: "look up names", want: fxpExtendedReply, decode: func(_ *request, d *decoder) UsersGroups {
		names := UsersGroups{Users: d.nameList(users), Groups: d.nameList(groups)}
		return names
	}}
	add(b, r, fxpExtended)
	b.extension(ExtUsersGroups)
	b.numbers(uids)
	b.numbers(gids)
	b.seal()
	return r
}

func (b *Batch) numbers(ns []uint32) {
	b.uint32(uint32(4 * len(ns))) //nolint:gosec // seal refuses more
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
		inner.err = broken("%d names, not %d", len(names), n)
	}
	d.err = inner.err
	return names
}
