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

// OpenFlags say how a file is opened.
type OpenFlags uint32

// The flags of the protocol. It has none against following a symbolic link:
// with Excl, a link at the path makes the request fail.
const (
	Read   OpenFlags = 1 << iota
	Write            // at any offset
	Append           // at the end, whatever the offset
	Create           // where nothing is
	Trunc            // to nothing, where something is
	Excl             // with Create: fail where something is
)

// Extension is a power that a server may have beyond the protocol.
type Extension string

// The extensions that this client uses, all of OpenSSH.
const (
	ExtPosixRename Extension = "posix-rename@openssh.com"
	ExtHardlink    Extension = "hardlink@openssh.com"
	ExtFsync       Extension = "fsync@openssh.com"
	ExtLsetstat    Extension = "lsetstat@openssh.com"
	ExtStatVFS     Extension = "statvfs@openssh.com"
	ExtLimits      Extension = "limits@openssh.com"
	ExtUsersGroups Extension = "users-groups-by-id@openssh.com"
)

// extensionVersions are the revisions that this client speaks: another may
// have other fields under the same name.
var extensionVersions = map[Extension]string{
	ExtPosixRename: "1",
	ExtHardlink:    "1",
	ExtFsync:       "1",
	ExtLsetstat:    "1",
	ExtStatVFS:     "2",
	ExtLimits:      "1",
	ExtUsersGroups: "1",
}

// Code is how a server says that a request ended.
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
	// maxPacket is what a packet may be long: OpenSSH's own bound. It is small
	// enough to be allocated because a server says so.
	maxPacket = 256 << 10
	// frameSpace is what a write takes of a packet beside its data, with the
	// longest handle.
	frameSpace = 1024
	maxHandle  = 256 // says the protocol

	// defaultChunk is how much each server can take in one read or write, as
	// the protocol has it; limits@openssh.com says more.
	defaultChunk = 32 << 10
	maxChunk     = maxPacket - frameSpace

	// window is how much content may be on its way, asked for or not confirmed.
	window = 2 << 20
)
