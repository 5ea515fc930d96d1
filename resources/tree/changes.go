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

// plan is what is to become of a tree.
type plan struct {
	source  *sourceTree
	seen    manifest // what was there when it was made; nil where nobody has looked
	changes []change
	keeps   bool // the outputs of the last apply: there is nothing to do
}

// change is what becomes of one path.
type change struct {
	path string
	op   byte // '+', '~' or '-'
	dir  bool
	why  string // of a '~'
}

// wish is what is wanted of a tree beside its items.
type wish struct {
	uid, gid *uint32 // nil is whatever it is
	claimed  bool    // what was seen was brought by the tree, but for extras
	purge    bool
	ignored  glob.Patterns
}

// compare finds what makes of what was seen what is wanted, sorted by path.
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

// differs says in what something is not as it is wanted; empty in nothing.
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

// removes says whether what the source does not have goes.
func (w *wish) removes(was *item) bool {
	switch {
	case was.kind == absent, was.path == ".":
		return false
	case was.extra || !w.claimed:
		return w.purge && !w.ignored.Covers(was.path, was.dir())
	}
	return was.made || was.kind == host.TypeRegular || was.kind == host.TypeSymlink
}

// listed is how many changes an output names.
const listed = 100

// describe sets what the outputs say of a plan.
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

// String is the change as outputs name it.
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

// quote is a path as people and states can have it.
func quote(path string) string {
	if !address.IsText(path) {
		return strconv.QuoteToASCII(path)
	}
	return host.QuotePath(path)
}
