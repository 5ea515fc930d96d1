package mount

import (
	"slices"
	"strings"
)

// mounted is a mounted file system, a line of /proc/self/mountinfo.
type mounted struct {
	number  string // of its device, as 8:1
	path    string
	kind    string
	source  string
	options []string // of the mount, and of the file system
}

// parseMountinfo parses /proc/self/mountinfo. The last line of a path is the visible
// mount.
func parseMountinfo(text string) []mounted {
	var all []mounted
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		left, right := strings.Split(before, " "), strings.Split(after, " ")
		if !ok || len(left) < 6 || len(right) < 3 {
			continue
		}
		all = append(all, mounted{
			number: left[2], path: unescape(left[4]), kind: unescape(right[0]), source: unescape(right[1]),
			options: slices.Concat(split(left[5]), split(unescape(right[2]))),
		})
	}
	return all
}

// top returns the visible mount at a path; nil if there is none. An automount point of
// systemd does not count.
func top(all []mounted, at string) *mounted {
	for i, m := range slices.Backward(all) {
		if m.path == at && m.kind != "autofs" {
			return &all[i]
		}
	}
	return nil
}

// below returns the mount points below a path.
func below(all []mounted, at string) []string {
	var paths []string
	for _, m := range all {
		if strings.HasPrefix(m.path, strings.TrimSuffix(at, "/")+"/") && m.path != at {
			paths = append(paths, m.path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
