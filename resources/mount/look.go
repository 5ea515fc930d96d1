package mount

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// fstab is the file with the mounts of a system.
const fstab = "/etc/fstab"

// look prints the mounts and, after an empty line, information about the path and the
// source: the path as the kernel has it, the number of the device, and the files behind
// loop devices. Path and source are passed as parameters.
const look = `cat /proc/self/mountinfo || exit 3
echo
echo "path $(readlink -f "$1" || echo "$1")"
case $2 in
  UUID=*|LABEL=*|PARTUUID=*|PARTLABEL=*|ID=*) source=$(findfs "$2" 2>/dev/null) ;;
  *) source=$2 ;;
esac
case $source in
  /*)
    [ "$source" -ef "$1" ] && echo same
    echo "source $(readlink -f "$source")"
    [ -b "$source" ] && echo "device $(stat -L -c '%t %T' "$source")" ;;
esac
for f in /sys/block/loop*/loop/backing_file; do
  [ -f "$f" ] && echo "loop $f $(cat "$f")"
done
exit 0`

// situation is the current state of a mount point.
type situation struct {
	all    []mounted
	path   string   // canonical path, as in mountinfo
	here   *mounted // the visible mount; nil if there is none
	same   bool     // the source and the path are the same file
	source string   // canonical path of the source
	device string   // number of the source's device, such as 8:1
	loops  map[string]string
}

// see returns the state of a mount point, given its source.
func see(ctx context.Context, h host.Host, at, source string) (*situation, error) {
	r, err := remotecmd.Shell(look, at, source).Run(ctx, h)
	if remotecmd.FailedWith(err, 3) {
		return nil, fmt.Errorf("cannot read the mounts of host %s, since it has no /proc/self/mountinfo: mounts are only supported on Linux with /proc mounted", h.Name())
	}
	if err != nil {
		return nil, err
	}
	table, facts, _ := strings.Cut(r.Stdout, "\n\n")
	s := &situation{all: parseMountinfo(table), path: at, loops: map[string]string{}}
	for line := range strings.SplitSeq(facts, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "same":
			s.same = true
		case "path":
			s.path = rest
		case "source":
			s.source = rest
		case "device":
			var major, minor uint64
			if _, err := fmt.Sscanf(rest, "%x %x", &major, &minor); err == nil {
				s.device = fmt.Sprintf("%d:%d", major, minor)
			}
		case "loop":
			file, backing, _ := strings.Cut(rest, " ")
			s.loops["/dev/"+path.Base(path.Dir(path.Dir(file)))] = backing
		}
	}
	s.here = top(s.all, s.path)
	return s, nil
}

// is reports whether the mounted file system has the source and type of e. It does not
// compare options.
func (s *situation) is(e entry) bool {
	m := s.here
	if isBind(e.options) {
		return s.same
	}
	switch {
	case e.kind == "auto" || e.kind == m.kind || e.kind+"4" == m.kind || "fuse."+e.kind == m.kind:
	case m.kind == "fuseblk" && (strings.HasPrefix(e.kind, "ntfs") || e.kind == "exfat"):
	case e.kind == "fuse" && strings.HasPrefix(m.kind, "fuse."):
	default:
		return false
	}
	return trimSlash(m.source) == trimSlash(e.source) || s.source != "" && (m.source == s.source || s.loops[m.source] == s.source) ||
		s.device != "" && m.number == s.device
}

func trimSlash(source string) string { return strings.TrimRight(source, "/") }

// otherwise describes how the mount differs from an entry; empty if it does not.
func (s *situation) otherwise(e entry) string {
	if s.here == nil {
		return ""
	}
	if !s.is(e) {
		return fmt.Sprintf("%s of type %s is mounted there", s.here.source, s.here.kind)
	}
	return strings.Join(differences(e.options, s.here.options), ", ")
}

// errTwice means that a path has several lines.
var errTwice = errors.New("fstab has several lines")

// line returns the line of a path, or nil.
func line(ctx context.Context, h host.Host, at string) (*entry, error) {
	_, text, err := textedit.Read(ctx, h, fstab)
	if err != nil {
		return nil, err
	}
	return only(h, text, at)
}

// only returns the only line of a path, or nil.
func only(h host.Host, text []byte, at string) (*entry, error) {
	switch e, count := find(text, at); count {
	case 0:
		return nil, nil
	case 1:
		return &e, nil
	default:
		return nil, fmt.Errorf("%w for %s on host %s: it has %d. Remove the wrong ones", errTwice, host.QuotePath(at), h.Name(), count)
	}
}

// equal reports whether two lines are equivalent.
func (e entry) equal(other entry) bool {
	return e.source == other.source && e.path == other.path && e.kind == other.kind && slices.Equal(e.options, other.options) &&
		e.dump == other.dump && e.pass == other.pass
}
