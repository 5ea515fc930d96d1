package mount

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// fstab is the file with a line for each mount.
const fstab = "/etc/fstab"

// stateScript prints /proc/self/mountinfo and, after an empty line, the canonical paths of the path $1
// and the source $2, whether they are the same file, and the device number of the source. It then prints
// the files of loop devices, the names of device-mapper devices, and the devices of each btrfs.
const stateScript = `cat /proc/self/mountinfo || exit 3
echo
printf 'path %s\n' "$(readlink -f "$1" || printf '%s\n' "$1")"
case $2 in
  UUID=*|LABEL=*|PARTUUID=*|PARTLABEL=*|ID=*) source=$(findfs "$2" 2>/dev/null) ;;
  *) source=$2 ;;
esac
case $source in
  /*)
    [ "$source" -ef "$1" ] && echo same
    printf 'source %s\n' "$(readlink -f "$source")"
    [ -b "$source" ] && echo "device $(stat -L -c '%t %T' "$source")" ;;
esac
for f in /sys/block/loop*/loop/backing_file /sys/block/dm-*/dm/name; do
  [ -f "$f" ] && printf '%s\n' "${f##*/} $f $(cat "$f")"
done
for f in /sys/fs/btrfs/*/devices/*; do
  [ -e "$f" ] && echo "btrfs $f"
done
exit 0`

// mountState is the state of a path and a source on the host.
type mountState struct {
	mounts       []mountInfo
	path         string            // canonical path of the mount point
	visible      *mountInfo        // visible mount at the path; nil if there is none
	sameFile     bool              // the source and the path are the same file
	source       string            // canonical path of the source
	deviceNumber string            // number of the source's device, such as 8:1
	aliases      map[string]string // by the source that the kernel shows: the file of a loop device, or the canonical path of a device-mapper device
	btrfs        map[string]string // by the canonical path of a device: the directory in /sys that lists the devices of its file system
}

// readState reads the state of a path and a source. It returns an error if the host has no /proc/self/mountinfo.
func readState(ctx context.Context, h host.Host, at, source string) (*mountState, error) {
	r, err := remotecmd.Shell(stateScript, at, source).Run(ctx, h)
	if remotecmd.FailedWith(err, 3) {
		return nil, fmt.Errorf("cannot read the mounts of host %s, since it has no /proc/self/mountinfo: mounts are only supported on Linux with /proc mounted", h.Name())
	}
	if err != nil {
		return nil, err
	}
	table, details, _ := strings.Cut(r.Stdout, "\n\n")
	s := &mountState{mounts: parseMountinfo(table), path: at, aliases: map[string]string{}, btrfs: map[string]string{}}
	for line := range strings.SplitSeq(details, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "same":
			s.sameFile = true
		case "path":
			s.path = rest
		case "source":
			s.source = rest
		case "device":
			var major, minor uint64
			if _, err := fmt.Sscanf(rest, "%x %x", &major, &minor); err == nil {
				s.deviceNumber = fmt.Sprintf("%d:%d", major, minor)
			}
		case "backing_file":
			file, backing, _ := strings.Cut(rest, " ")
			s.aliases[blockDevice(file)] = backing
		case "name":
			file, name, _ := strings.Cut(rest, " ")
			s.aliases["/dev/mapper/"+name] = blockDevice(file)
		case "btrfs":
			s.btrfs["/dev/"+path.Base(rest)] = path.Dir(rest)
		}
	}
	s.visible = visibleMount(s.mounts, s.path)
	return s, nil
}

// blockDevice returns the device of a file such as /sys/block/dm-0/dm/name.
func blockDevice(file string) string { return "/dev/" + path.Base(path.Dir(path.Dir(file))) }

// matches reports whether the visible mount, which must exist, has the source and type of an
// entry or, for a bind mount, whether source and path are the same file. Options other than bind
// and rbind are not compared.
func (s *mountState) matches(e entry) bool {
	m := s.visible
	if isBind(e.options) {
		return s.sameFile
	}
	if !slices.ContainsFunc(strings.Split(e.fsType, ","), m.hasType) {
		return false
	}
	return trimSlash(m.source) == trimSlash(e.source) || s.source != "" && (m.source == s.source || s.aliases[m.source] == s.source) ||
		s.deviceNumber != "" && m.deviceNumber == s.deviceNumber || s.sameBtrfs(m.source)
}

// hasType reports whether the mount can result from kind, one of the types of a line in fstab: the kernel may show a
// different type, such as nfs4 for nfs, fuse.sshfs for sshfs or fuseblk for ntfs.
func (m mountInfo) hasType(kind string) bool {
	switch {
	case kind == "auto" || kind == m.fsType || kind+"4" == m.fsType || "fuse."+kind == m.fsType:
		return true
	case m.fsType == "fuseblk":
		return strings.HasPrefix(kind, "ntfs") || kind == "exfat"
	}
	return kind == "fuse" && strings.HasPrefix(m.fsType, "fuse.")
}

// sameBtrfs reports whether the device that the kernel shows and the source are devices of one btrfs: the kernel shows
// only one of them, which need not be the source.
func (s *mountState) sameBtrfs(device string) bool {
	of := s.btrfs[s.source]
	return of != "" && of == s.btrfs[cmp.Or(s.aliases[device], device)]
}

// automounts reports whether nothing is mounted at the path, but systemd mounts the file system of an entry when the path
// is used. This is so after a boot, and after an idle timeout.
func (s *mountState) automounts(e entry) bool {
	return s.visible == nil && isAutomount(e.options) && s.hasAutofs()
}

// hasAutofs reports whether there is an automount point at the path, visible or hidden by another file system.
func (s *mountState) hasAutofs() bool {
	return slices.ContainsFunc(s.mounts, func(m mountInfo) bool { return m.path == s.path && m.fsType == autofs })
}

// added returns the mounts at the path that an earlier state lacks.
func (s *mountState) added(before *mountState) []mountInfo {
	return slices.DeleteFunc(slices.Clone(s.mounts), func(m mountInfo) bool {
		return m.path != s.path || m.fsType == autofs || slices.ContainsFunc(before.mounts, m.same)
	})
}

// ambiguous reports whether the visible mount hides another file system of the same source and
// type, for example if both are a tmpfs. Which of them is managed is then unknown.
func (s *mountState) ambiguous() bool {
	return slices.ContainsFunc(s.mounts, func(m mountInfo) bool {
		return m.path == s.path && m.source == s.visible.source && m.fsType == s.visible.fsType && m.deviceNumber != s.visible.deviceNumber
	})
}

// bindSource returns the canonical path of the source if the visible mount is the bind mount of an entry; empty otherwise.
func (s *mountState) bindSource(e entry) string {
	if s.visible == nil || !isBind(e.options) || !s.matches(e) {
		return ""
	}
	return s.source
}

// notCopies returns the mount points below the path, which is a bind mount of the source, that are not copies of
// mounts below the source. A recursive bind mount makes copies, and so does the kernel when a file system is mounted
// below a shared source. The kernel also copies a mount below the path to the source, so a mount point with a line in
// fstab is an original. lines is the text of fstab.
func (s *mountState) notCopies(source string, lines []byte) []string {
	return slices.DeleteFunc(mountsBelow(s.mounts, s.path), func(at string) bool {
		original := path.Join(source, strings.TrimPrefix(at, s.path))
		if _, below := cutDirectory(original, s.path); below {
			return false // the bind mount hides the original
		}
		_, count := findEntry(lines, at)
		return count == 0 && !slices.ContainsFunc(s.mounts, func(m mountInfo) bool {
			return m.path == at && !slices.ContainsFunc(s.mounts, func(o mountInfo) bool {
				return o.path == original && o.deviceNumber == m.deviceNumber && o.root == m.root
			})
		})
	})
}

func trimSlash(source string) string { return strings.TrimRight(source, "/") }

// difference returns how the visible mount differs from an entry; empty if it does not, or if
// there is none.
func (s *mountState) difference(e entry) string {
	if s.visible == nil {
		return ""
	}
	if !s.matches(e) {
		return fmt.Sprintf("%s of type %s is mounted at %s instead", s.visible.source, s.visible.fsType, s.path)
	}
	return strings.Join(differences(e.options, s.visible.options), ", ")
}

// readEntry returns the line of fstab for a path; nil if there is none. Several lines are an error.
func readEntry(ctx context.Context, h host.Host, at string) (*entry, error) {
	_, text, err := textedit.Read(ctx, h, fstab)
	if err != nil {
		return nil, err
	}
	return singleEntry(h, text, at)
}

// singleEntry returns the line for a path in the text of fstab; nil if there is none. Several lines
// are an error.
func singleEntry(h host.Host, text []byte, at string) (*entry, error) {
	switch e, count := findEntry(text, at); count {
	case 0:
		return nil, nil
	case 1:
		return &e, nil
	default:
		return nil, fmt.Errorf("%s on host %s has %d lines for %s: remove all but one", fstab, h.Name(), count, host.QuotePath(at))
	}
}

// equal reports whether all fields are equal.
func (e entry) equal(other entry) bool {
	return e.source == other.source && e.path == other.path && e.fsType == other.fsType && slices.Equal(e.options, other.options) &&
		e.dump == other.dump && e.pass == other.pass
}

// mountInfo is a mounted file system, a line of /proc/self/mountinfo.
type mountInfo struct {
	id           string // ID of the mount; the kernel may reuse it after an unmount
	deviceNumber string // number of the device, such as 8:1
	root         string // path in the file system of the root of the mount; "/" unless it is a bind mount or a subvolume
	path         string
	fsType       string
	source       string
	options      []string // options of the mount and of the file system
	propagation  string   // "shared" if mounts below it also appear elsewhere, else "slave"
}

// same reports whether both are the same mount.
func (m mountInfo) same(other mountInfo) bool {
	return m.id == other.id && m.deviceNumber == other.deviceNumber && m.source == other.source && m.fsType == other.fsType
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
		propagation := "slave"
		if slices.ContainsFunc(left[6:], func(field string) bool { return strings.HasPrefix(field, "shared:") }) {
			propagation = "shared"
		}
		all = append(all, mountInfo{
			id: left[0], deviceNumber: left[2], root: mounttable.Unescape(left[3]), path: mounttable.Unescape(left[4]), fsType: mounttable.Unescape(right[0]), source: mounttable.Unescape(right[1]),
			options: slices.Concat(splitOptions(left[5]), splitOptions(mounttable.Unescape(right[2]))), propagation: propagation,
		})
	}
	return all
}

// autofs is the type of an automount point of systemd, which does not count as a mount.
const autofs = "autofs"

// visibleMount returns the visible mount at a path; nil if there is none.
func visibleMount(all []mountInfo, at string) *mountInfo {
	for i, m := range slices.Backward(all) {
		if m.path == at && m.fsType != autofs {
			return &all[i]
		}
	}
	return nil
}

// mountsBelow returns the mount points below a path, sorted. A mount point with several mounts is listed once for each.
func mountsBelow(all []mountInfo, at string) []string {
	var paths []string
	for _, m := range all {
		if rest, is := cutDirectory(m.path, at); is && rest != "" {
			paths = append(paths, m.path)
		}
	}
	slices.Sort(paths)
	return paths
}

// cutDirectory returns the rest of a path after a directory: empty for the directory itself, else with a leading slash.
// It returns false if the path is neither the directory nor below it.
func cutDirectory(at, directory string) (rest string, is bool) {
	rest, is = strings.CutPrefix(at, strings.TrimSuffix(directory, "/"))
	return rest, is && (rest == "" || rest[0] == '/')
}
