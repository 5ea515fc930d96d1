package memory

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Errors with the texts of ELOOP, ENAMETOOLONG and EINVAL.
var (
	errLoop        = errors.New("too many levels of symbolic links")
	errNameTooLong = errors.New("file name too long")
	errInvalid     = errors.New("invalid argument")
)

const (
	maxName  = 255
	maxLinks = 40
)

// node is a file with any number of names, or a directory.
type node struct {
	typ      host.FileType
	mode     host.Mode
	uid, gid uint32
	modified time.Time
	content  []byte           // of a regular file; replaced, never changed
	target   string           // of a symbolic link
	children map[string]*node // of a directory
	parent   *node            // of a directory; the root is its own parent
	live     bool             // a temporary file that is being written
}

// newNode returns a node of the configured user, with the group of the directory in if that
// directory is setgid.
func (h *Host) newNode(typ host.FileType, in *node) *node {
	n := &node{typ: typ, mode: 0o777, uid: h.config.UID, gid: h.config.GIDs[0], modified: now()}
	if in != nil && in.mode&host.ModeSetgid != 0 {
		n.gid = in.gid
	}
	if typ == host.TypeDirectory {
		n.children, n.parent = map[string]*node{}, in
	}
	return n
}

// place is the result of following a path: a name in a directory, and the node of that
// name.
type place struct {
	dir  *node
	name string
	node *node // nil if there is none
}

// find follows a path, but not a link that is its last element. A missing last element is not an error; a
// missing directory is.
func (h *Host) find(path string) (place, error) {
	if path == "/" {
		return place{dir: h.root, node: h.root}, nil
	}
	i := strings.LastIndexByte(path, '/')
	links := 0
	dir, err := h.follow(h.root, path[:i], &links)
	if err != nil {
		return place{}, err
	}
	name := path[i+1:]
	n, err := h.child(dir, name)
	if err != nil {
		return place{}, err
	}
	return place{dir: dir, name: name, node: n}, nil
}

// existing is find for a path that must exist.
func (h *Host) existing(path string) (place, error) {
	at, err := h.find(path)
	if err == nil && at.node == nil {
		err = fs.ErrNotExist
	}
	return at, err
}

// ofType is existing for a path that must have the wanted type.
func (h *Host) ofType(path string, want host.FileType) (place, error) {
	at, err := h.existing(path)
	if err == nil && at.node.typ != want {
		err = &host.TypeError{Want: want, Got: at.node.typ}
	}
	return at, err
}

func (h *Host) follow(from *node, path string, links *int) (*node, error) {
	for element := range strings.SplitSeq(path, "/") {
		switch element {
		case "", ".":
			continue
		}
		next, err := h.child(from, element)
		switch {
		case err != nil:
			return nil, err
		case next == nil:
			return nil, fs.ErrNotExist
		case next.typ == host.TypeSymlink:
			if *links++; *links > maxLinks {
				return nil, errLoop
			}
			start := from
			if next.target[0] == '/' {
				start = h.root
			}
			if next, err = h.follow(start, next.target, links); err != nil {
				return nil, err
			}
		}
		from = next
	}
	return from, nil
}

// child returns the node of a name, or nil if there is none. It needs search permission.
func (h *Host) child(dir *node, name string) (*node, error) {
	switch {
	case dir.typ != host.TypeDirectory:
		return nil, host.ErrParentNotDirectory
	case !h.may(dir, 1):
		return nil, fs.ErrPermission
	case len(name) > maxName:
		return nil, errNameTooLong
	case name == "..":
		return dir.parent, nil
	}
	return dir.children[name], nil
}

// may reports whether the user has all the given permissions: read 4, write 2, search 1.
func (h *Host) may(n *node, rights host.Mode) bool {
	switch {
	case h.config.UID == 0:
		return true
	case h.config.UID == n.uid:
		return n.mode>>6&rights == rights
	case slices.Contains(h.config.GIDs, n.gid):
		return n.mode>>3&rights == rights
	}
	return n.mode&rights == rights
}

func (h *Host) owns(n *node) bool { return h.config.UID == 0 || h.config.UID == n.uid }

// mayChange reports whether the user may create, replace or remove the place's name.
func (h *Host) mayChange(at place) bool {
	return h.may(at.dir, 3) && (at.node == nil || at.dir.mode&host.ModeSticky == 0 || h.owns(at.dir) || h.owns(at.node))
}

// put sets the node of the place's name; nil removes the name.
func (h *Host) put(at place, n *node) error {
	if at.name == "" {
		return errInvalid // the root directory has no name
	}
	if !h.mayChange(at) {
		return fs.ErrPermission
	}
	at.dir.modified = now()
	if n == nil {
		delete(at.dir.children, at.name)
		return nil
	}
	at.dir.children[at.name] = n
	if n.typ == host.TypeDirectory {
		n.parent = at.dir
	}
	return nil
}

// make is put for a name that must not exist.
func (h *Host) make(at place, n *node) error {
	if at.node != nil {
		return fs.ErrExist
	}
	return h.put(at, n)
}

// set changes attributes. If one of them is invalid or not permitted, set returns an error and changes nothing.
func (h *Host) set(n *node, attrs host.Attributes) error {
	if err := attrs.Check(); err != nil {
		return err
	}
	newUID := attrs.UID != nil && *attrs.UID != n.uid
	newGID := attrs.GID != nil && *attrs.GID != n.gid
	mode := n.mode
	if newUID || newGID {
		lawful := h.config.UID == 0 || h.owns(n) && !newUID && slices.Contains(h.config.GIDs, *attrs.GID)
		if !lawful {
			return fs.ErrPermission
		}
		if n.typ == host.TypeRegular {
			mode &^= host.ModeSetuid | host.ModeSetgid
		}
	}
	if attrs.Mode != nil && *attrs.Mode != mode {
		if !h.owns(n) {
			return fs.ErrPermission
		}
		mode = *attrs.Mode
	}
	n.mode = mode
	if newUID {
		n.uid = *attrs.UID
	}
	if newGID {
		n.gid = *attrs.GID
	}
	return nil
}

func (h *Host) info(path string, n *node) host.FileInfo {
	info := host.FileInfo{
		Path: path, Type: n.typ, Mode: n.mode, Size: int64(len(n.content) + len(n.target)), UID: n.uid, GID: n.gid,
		Owner: host.FormatID(n.uid), Group: host.FormatID(n.gid),
		ModTime: n.modified, LinkTarget: n.target,
	}
	for _, u := range h.config.Users {
		if u.UID == n.uid && u.Name != "" {
			info.Owner = u.Name
			break
		}
	}
	for _, g := range h.config.Groups {
		if g.GID == n.gid && g.Name != "" {
			info.Group = g.Name
			break
		}
	}
	return info
}
