package host

import (
	"cmp"
	"fmt"
	"time"
)

// FileInfo describes the object at a path. It holds no reference to the host. If the lookup of Owner or Group
// fails, a read returns an error or the ID, and a change, which has been made by then, always returns the ID.
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
}

// Stamp returns the stamp of this version of a regular file.
func (i FileInfo) Stamp() FileStamp { return FileStamp{Size: i.Size, ModTime: i.ModTime.Unix()} }

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

// StatType returns the type in st_mode.
func StatType(mode uint32) FileType {
	switch mode & 0o170000 {
	case 0o100000:
		return TypeRegular
	case 0o040000:
		return TypeDirectory
	case 0o120000:
		return TypeSymlink
	case 0o010000:
		return TypeFIFO
	case 0o140000:
		return TypeSocket
	case 0o060000:
		return TypeBlockDevice
	case 0o020000:
		return TypeCharDevice
	}
	return TypeUnknown
}

// Want returns a [*TypeError] unless t is the wanted type.
func (t FileType) Want(want FileType) error {
	if t != want {
		return &TypeError{Want: want, Got: t}
	}
	return nil
}

// String returns the type as a noun without an article, such as "directory".
func (t FileType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("file type %d", uint8(t))
}

// Attributes are the mode and owner of a file. A nil field is not changed.
type Attributes struct {
	Mode *Mode
	UID  *uint32
	GID  *uint32
}

// Check returns an error if Mode has bits outside [ModeMask].
func (a Attributes) Check() error {
	if a.Mode == nil {
		return nil
	}
	_, err := a.Mode.MarshalText()
	return err
}

// CheckType returns a [*TypeError] if a must not be set for an object of type got: want is a different
// type, except [TypeUnknown], or the object is a symbolic link and a has a mode.
func (a Attributes) CheckType(want, got FileType) error {
	switch {
	case want != TypeUnknown && got != want:
		return &TypeError{Want: want, Got: got}
	case a.Mode != nil && got == TypeSymlink:
		return &TypeError{Got: TypeSymlink}
	}
	return nil
}

// OtherUser reports whether a would give a file of uid to another user.
func (a Attributes) OtherUser(uid uint32) bool { return a.UID != nil && *a.UID != uid }

// OtherGroup reports whether a would give a file of gid to another group.
func (a Attributes) OtherGroup(gid uint32) bool { return a.GID != nil && *a.GID != gid }

// OtherOwner reports whether a would change the user or the group.
func (a Attributes) OtherOwner(uid, gid uint32) bool { return a.OtherUser(uid) || a.OtherGroup(gid) }

// Or returns a with its nil attributes set to those of a file.
func (a Attributes) Or(mode Mode, uid, gid uint32) Attributes {
	return Attributes{Mode: cmp.Or(a.Mode, &mode), UID: cmp.Or(a.UID, &uid), GID: cmp.Or(a.GID, &gid)}
}

// Accepted returns an error unless a file has the attributes that were set, given its
// current mode and owner. A file system without modes ignores a new mode, and chmod(2) silently drops setgid if the
// caller is not in the file's group.
func (a Attributes) Accepted(mode Mode, uid, gid uint32) error {
	switch {
	case a.Mode != nil && mode != *a.Mode:
		return fmt.Errorf("the host set mode %s instead of %s", mode, *a.Mode)
	case a.OtherUser(uid):
		return fmt.Errorf("the host kept UID %d instead of setting %d", uid, *a.UID)
	case a.OtherGroup(gid):
		return fmt.Errorf("the host kept GID %d instead of setting %d", gid, *a.GID)
	}
	return nil
}

// OwnerError returns the error of a chown that failed with cause.
func (a Attributes) OwnerError(cause error) error {
	text := func(n *uint32) string {
		if n == nil {
			return "unchanged"
		}
		return FormatID(*n)
	}
	return fmt.Errorf("set owner (user %s, group %s): %w", text(a.UID), text(a.GID), cause)
}

// Mode is the permission part of a POSIX file mode: nine permission bits and setuid
// (04000), setgid (02000) and sticky (01000), with the numbers of chmod(1), not those of
// [io/fs.FileMode].
//
// Its text is octal. 644 and 0644 are both accepted and are the same mode, which is written
// with four digits.
type Mode uint32

// The bits of a [Mode] other than the permission bits.
const (
	ModeSetuid Mode = 0o4000
	ModeSetgid Mode = 0o2000
	ModeSticky Mode = 0o1000

	ModeMask Mode = 0o7777 // all bits that a Mode can have
)

// Shared returns the mode that grants only what both m and other grant. It has neither the setuid nor the setgid
// bit. It has the sticky bit if one of the two has it, because that bit restricts who may remove names in a directory.
func (m Mode) Shared(other Mode) Mode { return m&other&0o777 | (m|other)&ModeSticky }

// ParseMode parses three or four octal digits: 644, 0644, 4755. Signs, spaces, prefixes and
// symbolic modes are errors, and so are one or two digits: 7 is more likely a mistake than
// 0007. Errors are [*ModeError].
func ParseMode(s string) (Mode, error) {
	if len(s) != 3 && len(s) != 4 {
		return 0, &ModeError{Text: s}
	}
	var m Mode
	for _, c := range []byte(s) {
		if c < '0' || c > '7' {
			return 0, &ModeError{Text: s}
		}
		m = m<<3 | Mode(c-'0')
	}
	return m, nil
}

// String returns the mode as four octal digits.
func (m Mode) String() string { return fmt.Sprintf("%04o", uint32(m)) }

// MarshalText returns four octal digits; a number beyond [ModeMask] is an error.
func (m Mode) MarshalText() ([]byte, error) {
	if m > ModeMask {
		return nil, fmt.Errorf("mode %#o has bits beyond %s", uint32(m), ModeMask)
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets m to the result of [ParseMode]. If that is an error, m is unchanged.
func (m *Mode) UnmarshalText(text []byte) error {
	parsed, err := ParseMode(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// ModeError means that a text is not a mode.
type ModeError struct{ Text string }

func (e *ModeError) Error() string {
	return fmt.Sprintf("mode %q: must be three or four octal digits, such as 0644 or 4755", e.Text)
}
