package mount

import (
	"slices"
	"strings"
)

// mounted is a line of /proc/self/mountinfo: a file system that is mounted.
type mounted struct {
	number  string // of its device, as 8:1
	path    string
	kind    string
	source  string
	options []string // of the mount, and of the file system
}

// parseMountinfo reads the table. The last line of a path is what is seen there.
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

// top is what is seen at a path, nil where nothing is mounted there. What systemd puts
// where it is to mount something when that is first needed is nothing yet.
func top(all []mounted, at string) *mounted {
	for i, m := range slices.Backward(all) {
		if m.path == at && m.kind != "autofs" {
			return &all[i]
		}
	}
	return nil
}

// below are the paths below one at which something is mounted.
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
