package host

import (
	"fmt"
	"strconv"
)

// Attributes are what a file has beside its content. Nil leaves one alone.
type Attributes struct {
	Mode *Mode
	UID  *uint32
	GID  *uint32
}

// Check refuses a mode that is none.
func (a Attributes) Check() error {
	if a.Mode == nil {
		return nil
	}
	_, err := a.Mode.MarshalText()
	return err
}

// OtherUser says whether these give another user a file that belongs to uid.
func (a Attributes) OtherUser(uid uint32) bool { return a.UID != nil && *a.UID != uid }

// OtherGroup says whether these give another group a file that belongs to gid.
func (a Attributes) OtherGroup(gid uint32) bool { return a.GID != nil && *a.GID != gid }

// OtherOwner says whether these change the user or the group.
func (a Attributes) OtherOwner(uid, gid uint32) bool { return a.OtherUser(uid) || a.OtherGroup(gid) }

// Accepted makes sure that a host did what it said, of a file that has these
// attributes now: a file system without modes ignores them, and setgid is dropped
// without a word where the group is not one's own.
func (a Attributes) Accepted(mode Mode, uid, gid uint32) error {
	switch {
	case a.Mode != nil && mode != *a.Mode:
		return fmt.Errorf("the host set mode %s where %s was asked for", mode, *a.Mode)
	case a.OtherUser(uid):
		return fmt.Errorf("the host left user %d where %d was asked for", uid, *a.UID)
	case a.OtherGroup(gid):
		return fmt.Errorf("the host left group %d where %d was asked for", gid, *a.GID)
	}
	return nil
}

// OwnerError is why a file could not be given the user and the group.
func (a Attributes) OwnerError(cause error) error {
	text := func(n *uint32) string {
		if n == nil {
			return "unchanged"
		}
		return strconv.FormatUint(uint64(*n), 10)
	}
	return fmt.Errorf("set owner (user %s, group %s): %w", text(a.UID), text(a.GID), cause)
}
