package host

import (
	"fmt"
	"time"
)

// FileInfo describes the object at a path. It holds no reference to the host.
type FileInfo struct {
	Path       string // as passed by the caller
	Type       FileType
	Mode       Mode
	Size       int64 // bytes of a regular file's content; for other types, whatever the host reports
	UID, GID   uint32
	Owner      string // user name, or the decimal UID if it has no name
	Group      string // group name, or the decimal GID if it has no name
	ModTime    time.Time
	LinkTarget string // of a symbolic link, unchanged
	Device     uint64 // identifies the mounted file system; 0 if unknown
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

// String returns the type as a noun without an article, such as "directory".
func (t FileType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("file type %d", uint8(t))
}
