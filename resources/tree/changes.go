package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/glob"
)

// plan is the planned state of a tree, with the changes that lead to it.
type plan struct {
	source   *sourceTree
	observed manifest // objects on the host when the plan was made; nil if not read
	changes  []change
}

// change is the planned change of one path.
type change struct {
	path string
	op   byte // '+', '~' or '-'
	dir  bool
	why  string // for '~'
}

// desired has the attributes that the items of a tree must have, and selects the objects
// to remove.
type desired struct {
	uid, gid *uint32 // nil accepts any
	managed  bool    // the tree manages the observed objects, except extra ones
	purge    bool
	ignored  glob.Patterns
}

// compare returns the changes from the observed objects to the wanted items, sorted by
// path.
func compare(want, seen manifest, d desired) []change {
	var changes []change
	for i := range want {
		it := &want[i]
		was := seen.find(it.path)
		switch {
		case was == nil || was.kind == absent:
			changes = append(changes, change{path: it.path, op: '+', dir: it.isDir()})
		case was.extra && !it.isDir():
			changes = append(changes, change{path: it.path, op: '~', why: "was not part of this tree"})
		default:
			if why := d.differences(it, was); why != "" {
				changes = append(changes, change{path: it.path, op: '~', dir: it.isDir(), why: why})
			}
		}
	}
	for i := range seen {
		if was := &seen[i]; want.find(was.path) == nil && d.removes(was) {
			changes = append(changes, change{path: was.path, op: '-', dir: was.isDir()})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes
}

// removals returns the changes that remove an object.
func removals(changes []change) []change {
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return c.op != '-' })
}

// differences returns how an object differs from the wanted item, for messages; empty if it
// does not.
func (d *desired) differences(it, was *item) string {
	if it.kind != was.kind {
		return "was a " + was.kind.String()
	}
	var why []string
	if it.sum != was.sum {
		why = append(why, map[bool]string{true: "target", false: "content"}[it.kind == host.TypeSymlink])
	}
	if it.kind != host.TypeSymlink && it.mode != was.mode {
		why = append(why, fmt.Sprintf("mode %s -> %s", was.mode, it.mode))
	}
	if d.uid != nil && *d.uid != was.uid {
		why = append(why, "owner")
	}
	if d.gid != nil && *d.gid != was.gid {
		why = append(why, "group")
	}
	return strings.Join(why, ", ")
}

// removes reports whether an object that is not in the source is removed.
func (d *desired) removes(was *item) bool {
	switch {
	case was.kind == absent, was.path == ".":
		return false
	case was.extra || was.foreign() || !d.managed, was.isDir() && !was.created:
		return d.purge && !d.ignored.Covers(was.path, was.isDir())
	}
	return was.isDir() || was.kind == host.TypeRegular || was.kind == host.TypeSymlink
}

// maxListed is the maximum number of changes that an output lists.
const maxListed = 100

// setOutputs sets the outputs that the plan determines.
func (p *plan) setOutputs(out *Output) {
	p.source.items.setCounts(out)
	var added, changed, removed int64
	out.Added, out.Changed, out.Removed, out.Changes = &added, &changed, &removed, []string{}
	for i := range p.changes {
		c := &p.changes[i]
		switch c.op {
		case '+':
			added++
		case '~':
			changed++
		default:
			removed++
		}
		if i < maxListed {
			out.Changes = append(out.Changes, c.String())
		}
	}
	if more := len(p.changes) - maxListed; more > 0 {
		out.Changes = append(out.Changes, fmt.Sprintf("… and %d more", more))
	}
}

// String returns the change as an element of the output changes.
func (c *change) String() string {
	text := string(c.op) + " " + quote(c.path)
	if c.dir {
		text += "/"
	}
	if c.why != "" {
		text += " (" + c.why + ")"
	}
	return text
}

// quote returns the path in a form that is safe to print and to store in the state.
func quote(path string) string {
	if !address.IsText(path) {
		return strconv.QuoteToASCII(path)
	}
	return host.QuotePath(path)
}
