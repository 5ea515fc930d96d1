package sftp

import "time"

// Has is a set of the fields that an [Attrs] has.
type Has uint32

// The flags of the protocol.
const (
	HasSize  Has = 1 << iota
	HasOwner     // UID and GID
	HasMode
	HasTimes

	hasExtended Has = 1 << 31
)

// The file types in [Attrs.Mode].
const (
	ModeType    = 0o170000
	ModeFIFO    = 0o010000
	ModeChar    = 0o020000
	ModeDir     = 0o040000
	ModeBlock   = 0o060000
	ModeRegular = 0o100000
	ModeLink    = 0o120000
	ModeSocket  = 0o140000
)

// Attrs are the attributes of a file, as a server reports them or as they are to be set.
type Attrs struct {
	Has      Has
	Size     uint64
	UID, GID uint32
	Mode     uint32 // st_mode: file type and permission bits
	ATime    uint32 // seconds since 1970
	MTime    uint32
}

// WithMode returns attributes that set only the mode.
func WithMode(mode uint32) Attrs { return Attrs{Has: HasMode, Mode: mode} }

// WithOwner returns attributes that set only the owner. The protocol cannot set the user or
// the group separately.
func WithOwner(uid, gid uint32) Attrs { return Attrs{Has: HasOwner, UID: uid, GID: gid} }

// WithSize returns attributes that set only the size.
func WithSize(size uint64) Attrs { return Attrs{Has: HasSize, Size: size} }

// Type returns the file type, one of the Mode constants, or 0.
func (a Attrs) Type() uint32 { return a.Mode & ModeType }

// ModTime returns the modification time.
func (a Attrs) ModTime() time.Time { return time.Unix(int64(a.MTime), 0) }

func (a Attrs) append(b []byte) []byte {
	b = appendUint32(b, uint32(a.Has&^hasExtended))
	if a.Has&HasSize != 0 {
		b = appendUint64(b, a.Size)
	}
	if a.Has&HasOwner != 0 {
		b = appendUint32(appendUint32(b, a.UID), a.GID)
	}
	if a.Has&HasMode != 0 {
		b = appendUint32(b, a.Mode)
	}
	if a.Has&HasTimes != 0 {
		b = appendUint32(appendUint32(b, a.ATime), a.MTime)
	}
	return b
}

func (d *decoder) attrs() Attrs {
	a := Attrs{Has: Has(d.uint32())}
	if a.Has&HasSize != 0 {
		a.Size = d.uint64()
	}
	if a.Has&HasOwner != 0 {
		a.UID, a.GID = d.uint32(), d.uint32()
	}
	if a.Has&HasMode != 0 {
		a.Mode = d.uint32()
	}
	if a.Has&HasTimes != 0 {
		a.ATime, a.MTime = d.uint32(), d.uint32()
	}
	if a.Has&hasExtended != 0 {
		for n := d.uint32(); n > 0 && d.err == nil; n-- {
			d.bytes()
			d.bytes()
		}
		a.Has &^= hasExtended
	}
	return a
}
