package mount

import (
	"slices"
	"strings"
)

// mountInfo is a mounted file system, a line of /proc/self/mountinfo.
type mountInfo struct {
	deviceNumber string // of the device, such as 8:1
	path         string
	fsType       string
	source       string
	options      []string // of the mount, and of the file system
}

// parseMountinfo parses /proc/self/mountinfo. The last line of a path is the visible
// mount.
func parseMountinfo(text string) []mountInfo {
	var all []mountInfo
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		left, right := strings.Split(before, " "), strings.Split(after, " ")
		if !ok || len(left) < 6 || len(right) < 3 {
			continue
		}
		all = append(all, mountInfo{
			deviceNumber: left[2], path: unescape(left[4]), fsType: unescape(right[0]), source: unescape(right[1]),
			options: slices.Concat(splitOptions(left[5]), splitOptions(unescape(right[2]))),
		})
	}
	return all
}

// visibleMount returns the visible mount at a path; nil if there is none. An automount point of
// systemd does not count.
func visibleMount(all []mountInfo, at string) *mountInfo {
	for i, m := range slices.Backward(all) {
		if m.path == at && m.fsType != "autofs" {
			return &all[i]
		}
	}
	return nil
}

// mountsBelow returns the mount points below a path.
func mountsBelow(all []mountInfo, at string) []string {
	var paths []string
	for _, m := range all {
		if strings.HasPrefix(m.path, strings.TrimSuffix(at, "/")+"/") && m.path != at {
			paths = append(paths, m.path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
