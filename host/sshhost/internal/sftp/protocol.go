package sftp

import "fmt"

const protocolVersion = 3

// Packet kinds.
const (
	fxpInit          = 1
	fxpVersion       = 2
	fxpOpen          = 3
	fxpClose         = 4
	fxpRead          = 5
	fxpWrite         = 6
	fxpLstat         = 7
	fxpFstat         = 8
	fxpSetstat       = 9
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

// The flags of the protocol. None prevents following a symbolic link, but with Excl an
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

// extensionVersions are the supported versions: other versions may have other fields.
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
	// minVersion is the length of a version packet without extensions: the kind and
	// the number.
	minVersion = 5
	// frameSpace is the space in a write packet for everything except the data, with the
	// longest handle.
	frameSpace = 1024
	maxHandle  = 256 // limit of the protocol

	// defaultChunk is how much data every server must accept in one read or write;
	// limits@openssh.com may allow more.
	defaultChunk = 32 << 10
	maxChunk     = maxPacket - frameSpace

	// window limits the data in flight: requested but not received, or sent but not
	// confirmed.
	window = 2 << 20
)
