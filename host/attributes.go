package host

import (
	"fmt"
	"strconv"
)

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

// OtherUser reports whether a would give a file of uid to another user.
func (a Attributes) OtherUser(uid uint32) bool { return a.UID != nil && *a.UID != uid }

// OtherGroup reports whether a would give a file of gid to another group.
func (a Attributes) OtherGroup(gid uint32) bool { return a.GID != nil && *a.GID != gid }

// OtherOwner reports whether a would change the user or the group.
func (a Attributes) OtherOwner(uid, gid uint32) bool { return a.OtherUser(uid) || a.OtherGroup(gid) }

// Accepted checks that a file has the attributes that were set, given its mode and owner
// now. File systems without modes ignore them, and chmod(2) silently drops setgid if the
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
		return strconv.FormatUint(uint64(*n), 10)
	}
	return fmt.Errorf("set owner (user %s, group %s): %w", text(a.UID), text(a.GID), cause)
}
