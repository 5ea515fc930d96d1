package sftp

import (
	"encoding/binary"
	"fmt"
	"time"
)

const protocolVersion = 3

// Packet types.
const (
	fxpInit          = 1
	fxpVersion       = 2
	fxpOpen          = 3
	fxpClose         = 4
	fxpRead          = 5
	fxpWrite         = 6
	fxpLstat         = 7
	fxpFstat         = 8
	fxpFsetstat      = 10
	fxpOpendir       = 11
	fxpReaddir       = 12
	fxpRemove        = 13
	fxpMkdir         = 14
	fxpRmdir         = 15
	fxpStat          = 17
	fxpRename        = 18
	fxpReadlink      = 19
	fxpSymlink       = 20
	fxpStatus        = 101
	fxpHandle        = 102
	fxpData          = 103
	fxpName          = 104
	fxpAttrs         = 105
	fxpExtended      = 200
	fxpExtendedReply = 201
)

// OpenFlags are the flags of an open request.
type OpenFlags uint32

// The flags of the protocol. No flag prevents following a symbolic link, but with Excl an
// existing link is an error.
const (
	Read   OpenFlags = 1 << iota
	Write            // write at any offset
	Append           // write at the end
	Create           // create the file if it does not exist
	Trunc            // truncate an existing file
	Excl             // with Create: fail if the file exists
)

// Extension is the name of a protocol extension.
type Extension string

// The extensions that this client uses, all of them OpenSSH's.
const (
	ExtPosixRename Extension = "posix-rename@openssh.com"
	ExtHardlink    Extension = "hardlink@openssh.com"
	ExtFsync       Extension = "fsync@openssh.com"
	ExtLsetstat    Extension = "lsetstat@openssh.com"
	ExtStatVFS     Extension = "statvfs@openssh.com"
	ExtLimits      Extension = "limits@openssh.com"
	ExtUsersGroups Extension = "users-groups-by-id@openssh.com"
)

// extensionVersions are the supported versions: other versions may have different fields.
var extensionVersions = map[Extension]string{
	ExtPosixRename: "1",
	ExtHardlink:    "1",
	ExtFsync:       "1",
	ExtLsetstat:    "1",
	ExtStatVFS:     "2",
	ExtLimits:      "1",
	ExtUsersGroups: "1",
}

// Code is the status code of a reply.
type Code uint32

// The codes of version 3.
const (
	CodeOK Code = iota
	CodeEOF
	CodeNoSuchFile
	CodePermissionDenied
	CodeFailure
	CodeBadMessage
	CodeNoConnection
	CodeConnectionLost
	CodeOpUnsupported
)

var codeTexts = [...]string{
	CodeOK:               "success",
	CodeEOF:              "end of file",
	CodeNoSuchFile:       "no such file",
	CodePermissionDenied: "permission denied",
	CodeFailure:          "failure",
	CodeBadMessage:       "bad message",
	CodeNoConnection:     "no connection",
	CodeConnectionLost:   "connection lost",
	CodeOpUnsupported:    "operation not supported",
}

func (c Code) String() string {
	if int64(c) < int64(len(codeTexts)) {
		return codeTexts[c]
	}
	return fmt.Sprintf("status %d", uint32(c))
}

const (
	// maxPacket is the maximum packet length, the same as OpenSSH's. It is small enough to
	// be allocated on a server's request.
	maxPacket = 256 << 10
	// minVersion is the length of a version packet without extensions: the packet type
	// and the version.
	minVersion = 5
	// frameSpace is the space in a write packet for everything except the data, with the
	// longest handle.
	frameSpace = 1024
	maxHandle  = 256 // limit of the protocol

	// defaultChunk is how much data every server should support in one read or write;
	// limits@openssh.com may allow more.
	defaultChunk = 32 << 10
	maxChunk     = maxPacket - frameSpace

	// window limits the data in flight of a reader or an upload, in bytes: requested but not
	// received, or sent but not confirmed.
	window = 2 << 20
)

func appendUint32(b []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(b, n) }
func appendUint64(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

func appendText(b []byte, s string) []byte {
	return append(appendUint32(b, uint32(len(s))), s...) //nolint:gosec // Batch rejects longer ones
}

// decoder parses a reply. It keeps its first error and then returns zero values, so that
// loops over an invalid count end at once.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.rest) {
		d.err = broken("truncated reply")
	}
	if d.err != nil {
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// bytes returns a part of the packet; the buffer is reused after the reply is decoded.
func (d *decoder) bytes() []byte {
	n := d.uint32()
	if uint64(n) > uint64(len(d.rest)) && d.err == nil {
		d.err = broken("truncated reply")
	}
	if d.err != nil {
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) text() string { return string(d.bytes()) }

// status returns the code and the message. Old servers send no message.
func (d *decoder) status() (Code, string) {
	code := Code(d.uint32())
	if d.err != nil || len(d.rest) == 0 {
		return code, ""
	}
	message := d.bytes()
	if code == CodeOK { // most replies have this code
		return code, ""
	}
	return code, string(message)
}

// Entry is a name in a directory and its attributes.
type Entry struct {
	Name  string
	Attrs Attrs
}

// names returns a list. Each entry takes at least twelve bytes, which limits the count.
func (d *decoder) names() []Entry {
	n := d.uint32()
	if d.err == nil && uint64(n) > uint64(len(d.rest))/12 {
		d.err = broken("invalid count of %d names in %d bytes", n, len(d.rest))
	}
	if d.err != nil {
		return nil
	}
	entries := make([]Entry, 0, n)
	for range n {
		e := Entry{Name: d.text()}
		d.bytes() // the entry in the format of ls -l
		e.Attrs = d.attrs()
		entries = append(entries, e)
	}
	return entries
}

// Has is the set of fields that are valid in an [Attrs].
type Has uint32

// The flags of the protocol.
const (
	HasSize  Has = 1 << iota
	HasOwner     // UID and GID
	HasMode
	HasTimes

	hasExtended Has = 1 << 31
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
