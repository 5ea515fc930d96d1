package host

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"
)

// UnsafeLinkError means that an operation of root was not done, because a symbolic link on the way
// to its path can be created or changed by another user. That user could make the operation read
// or change any file of the host. [WithFollowLinks] allows such links.
type UnsafeLinkError struct {
	Link string // path of the link, without links above it
	Dir  string // directory that users other than root can change; empty if only the link belongs to another user
	UID  uint32 // of the user who owns Dir, or the link; 0 if all users can change Dir

	// Owner is the name of the user with UID, or the decimal UID.
	Owner string
}

func (e *UnsafeLinkError) Error() string {
	who := "it belongs to user " + e.Owner
	switch {
	case e.Dir != "" && e.UID == 0:
		who = "every user can change " + QuotePath(e.Dir)
	case e.Dir != "":
		who = QuotePath(e.Dir) + " belongs to user " + e.Owner
	}
	return fmt.Sprintf("the symbolic link %s is not followed as root, because %s. The link could lead to any file of the host. Use the path that the link leads to", QuotePath(e.Link), who)
}

type followLinksKey struct{}

// WithFollowLinks returns a context with which root follows all symbolic links above a path, even
// those that other users can change.
func WithFollowLinks(ctx context.Context) context.Context {
	return context.WithValue(ctx, followLinksKey{}, true)
}

// FollowsLinks reports whether ctx, or a parent of it, is a context of [WithFollowLinks].
func FollowsLinks(ctx context.Context) bool { return ctx.Value(followLinksKey{}) != nil }

// Ancestry decides which symbolic links root follows on the way to a path. The caller passes to
// Enter each directory on the way, the root directory first, and to Follow each link. A link
// is followed if root owns it and only root can change the directory of the link and those above
// it: other users can neither have created the link nor replace it. In a sticky directory of
// root, such as /tmp, users can replace only the objects that they own. Only the owner and the
// mode bits for others are checked: the group of a directory of root, and users in its ACL, count as root.
type Ancestry struct {
	foreign *UnsafeLinkError // why links are not followed; nil while only root can change the directories
}

// Enter records that the path leads through a directory.
func (a *Ancestry) Enter(dir string, mode Mode, uid uint32) {
	switch {
	case a.foreign != nil:
	case uid != 0:
		a.foreign = &UnsafeLinkError{Dir: dir, UID: uid}
	case mode&0o002 != 0 && mode&ModeSticky == 0:
		a.foreign = &UnsafeLinkError{Dir: dir}
	}
}

// Trusted reports whether only root can change the directories so far.
func (a *Ancestry) Trusted() bool { return a.foreign == nil }

// Follow returns nil if root follows the link, or an [*UnsafeLinkError] without an owner's name.
func (a *Ancestry) Follow(link string, uid uint32) error {
	switch {
	case a.foreign != nil:
		unsafe := *a.foreign
		unsafe.Link = link
		return &unsafe
	case uid != 0:
		return &UnsafeLinkError{Link: link, UID: uid}
	}
	return nil
}

// maxLinks is the number of links that Linux follows on the way to a path: [ResolveDir] calls lstat at
// most twice as often. maxPath is the maximum length of a path, the same as on Linux.
const (
	maxLinks = 40
	maxPath  = 4095
)

// ResolvedDir is the directory that a path leads to, as [ResolveDir] returns it.
type ResolvedDir struct {
	Dir     string // path of the directory, without links
	Trusted bool   // whether only root can change Dir and the directories and links above it
	Missing bool   // whether the directory, or one above it, does not exist or is not a directory
}

// ResolveDir returns the directory that a path leads to for root, or an [*UnsafeLinkError]. It calls
// lstat once, and again for each link in the path and each ".." in a target. Lstat returns the objects
// at paths, each the parent of the next, up to the first that does not exist.
func ResolveDir(dir string, lstat func(paths []string) ([]FileInfo, error)) (ResolvedDir, error) {
	done, rest := "/", elements(dir) // done has no links, so its parent is the one in its text
	for range 2 * maxLinks {
		next := slices.Index(rest, "..")
		if next < 0 {
			next = len(rest)
		}
		at := path.Join(append([]string{done}, rest[:next]...)...)
		if len(at) > maxPath { // a request for each of its directories would take up to the square of this length
			return ResolvedDir{}, fmt.Errorf("%s: %w", QuotePath(dir), syscall.ENAMETOOLONG)
		}
		dirs := lineage(at)
		resolved := ResolvedDir{Dir: dirs[len(dirs)-1]}
		found, err := lstat(dirs)
		if err != nil {
			return ResolvedDir{}, err
		}
		passed, ancestry := walk(dirs, found)
		resolved.Trusted, resolved.Missing = ancestry.Trusted(), passed < len(dirs)
		switch {
		case passed < len(found) && found[passed].Type == TypeSymlink:
			link, target := dirs[passed], found[passed].LinkTarget
			if err := ancestry.Follow(link, found[passed].UID); err != nil {
				return ResolvedDir{}, err
			}
			rest = slices.Concat(elements(target), elements(strings.TrimPrefix(resolved.Dir, link)), rest[next:])
			if done = path.Dir(link); strings.HasPrefix(target, "/") {
				done = "/"
			}
		case resolved.Missing || next == len(rest):
			return resolved, nil
		default:
			done, rest = path.Dir(resolved.Dir), rest[next+1:]
		}
	}
	return ResolvedDir{}, fmt.Errorf("%s: %w", QuotePath(dir), syscall.ELOOP)
}

// walk goes through dirs up to the first that is not a directory, and returns the number of those before
// it and their Ancestry.
func walk(dirs []string, at []FileInfo) (passed int, ancestry Ancestry) {
	for i, is := range at {
		if is.Type != TypeDirectory {
			return i, ancestry
		}
		ancestry.Enter(dirs[i], is.Mode, is.UID)
	}
	return len(at), ancestry
}

// elements returns the elements of a path, without "." and empty ones.
func elements(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(e string) bool { return e == "" || e == "." })
}

// lineage returns the directories from the root directory to dir.
func lineage(dir string) []string {
	dirs := []string{"/"}
	for i := 1; i < len(dir); i++ {
		if dir[i] == '/' {
			dirs = append(dirs, dir[:i])
		}
	}
	if dir != "/" {
		dirs = append(dirs, dir)
	}
	return dirs
}
