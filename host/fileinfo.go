package host

import (
	"fmt"
	"time"
)

// FileInfo describes what is at a path. It is a plain value: nothing in it
// refers back to the host.
type FileInfo struct {
	Path       string // as it was asked for
	Type       FileType
	Mode       Mode
	Size       int64 // bytes of a regular file's content; of others what the host says
	UID, GID   uint32
	Owner      string // the name, or UID in decimal where the host has no name for it
	Group      string // the name, or GID in decimal where the host has no name for it
	ModTime    time.Time
	LinkTarget string // of a symbolic link, its exact text
	Device     uint64 // tells one mounted file system from another; 0 where the host cannot say
}

// DirEntry is a name in a directory.
type DirEntry struct {
	Name string
	Type FileType
}

// FileType is the kind of a file. Its zero value is a kind that POSIX does not
// define.
type FileType uint8

// The kinds of files.
const (
	TypeUnknown FileType = iota
	TypeRegular
	TypeDirectory
	TypeSymlink
	TypeFIFO
	TypeSocket
	TypeBlockDevice
	TypeCharDevice
)

var typeNames = [...]string{
	TypeUnknown:     "special file",
	TypeRegular:     "regular file",
	TypeDirectory:   "directory",
	TypeSymlink:     "symbolic link",
	TypeFIFO:        "named pipe",
	TypeSocket:      "socket",
	TypeBlockDevice: "block device",
	TypeCharDevice:  "character device",
}

// String is the kind's name in a sentence: "a " + String() + " is there".
func (t FileType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("file type %d", uint8(t))
}
