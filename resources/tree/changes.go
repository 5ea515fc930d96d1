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

// plan is the planned changes of a tree.
type plan struct {
	source  *sourceTree
	seen    manifest // objects when it was made; nil if unknown
	changes []change
	keeps   bool // it keeps the outputs of the last apply: there is nothing to change
}

// change is the change of one path.
type change struct {
	path string
	op   byte // '+', '~' or '-'
	dir  bool
	why  string // for '~': what differs
}

// wish is the desired state of a tree in addition to its items.
type wish struct {
	uid, gid *uint32 // nil to keep the current one
	claimed  bool    // all seen objects except extras are from the tree
	purge    bool
	ignored  glob.Patterns
}

// compare returns the changes from seen to want, sorted by path.
func compare(want, seen manifest, w wish) []change {
	var changes []change
	for i := range want {
		it := &want[i]
		was := seen.find(it.path)
		switch {
		case was == nil || was.kind == absent:
			changes = append(changes, change{path: it.path, op: '+', dir: it.dir()})
		case was.extra && !it.dir():
			changes = append(changes, change{path: it.path, op: '~', why: "was not of this tree"})
		default:
			if why := w.differs(it, was); why != "" {
				changes = append(changes, change{path: it.path, op: '~', dir: it.dir(), why: why})
			}
		}
	}
	for i := range seen {
		if was := &seen[i]; want.find(was.path) == nil && w.removes(was) {
			changes = append(changes, change{path: was.path, op: '-', dir: was.dir()})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes
}

// differs describes how an object differs from the desired one; empty if it does not.
func (w *wish) differs(it, was *item) string {
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
	if w.uid != nil && *w.uid != was.uid {
		why = append(why, "owner")
	}
	if w.gid != nil && *w.gid != was.gid {
		why = append(why, "group")
	}
	return strings.Join(why, ", ")
}

// removes reports whether an object that is not in the source is to be removed.
func (w *wish) removes(was *item) bool {
	switch {
	case was.kind == absent, was.path == ".":
		return false
	case was.extra || !w.claimed:
		return w.purge && !w.ignored.Covers(was.path, was.dir())
	}
	return was.made || was.kind == host.TypeRegular || was.kind == host.TypeSymlink
}

// listed is the maximum number of changes in an output.
const listed = 100

// describe sets the outputs for a plan.
func (p *plan) describe(out *Output) {
	p.source.items.count(out)
	out.Added, out.Changed, out.Removed, out.Changes = 0, 0, 0, []string{}
	for i := range p.changes {
		c := &p.changes[i]
		switch c.op {
		case '+':
			out.Added++
		case '~':
			out.Changed++
		default:
			out.Removed++
		}
		if i < listed {
			out.Changes = append(out.Changes, c.String())
		}
	}
	if more := len(p.changes) - listed; more > 0 {
		out.Changes = append(out.Changes, fmt.Sprintf("… and %d more", more))
	}
}

// String returns the change in the form of the output.
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

// quote returns a path in a form that is readable and valid in a state.
func quote(path string) string {
	if !address.IsText(path) {
		return strconv.QuoteToASCII(path)
	}
	return host.QuotePath(path)
}
