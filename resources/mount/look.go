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

// fstab has the line of each mount.
const fstab = "/etc/fstab"

// look prints what is mounted, and after an empty line what is known of the path and the
// source: the path as the kernel has it, the device with its number, and the files behind
// loop devices. Both are what a user configured, and parameters.
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

// situation is how a path is now.
type situation struct {
	all    []mounted
	path   string   // as the kernel has it
	here   *mounted // what is seen there; nil is nothing
	same   bool     // the source and the path are the same file
	source string   // the path of the source, as the kernel has it
	device string   // the number of the source's device, as 8:1
	loops  map[string]string
}

// see finds out how it is at a path, with this source in mind.
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

// is reports whether what is mounted is this source, of this type. Options are another
// matter.
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

// otherwise is in which way what is mounted is not as an entry says, in words; empty
// where it is.
func (s *situation) otherwise(e entry) string {
	if s.here == nil {
		return ""
	}
	if !s.is(e) {
		return fmt.Sprintf("%s of type %s is mounted there", s.here.source, s.here.kind)
	}
	return strings.Join(differences(e.options, s.here.options), ", ")
}

// errTwice is about a file that says two things.
var errTwice = errors.New("fstab has several lines")

// line is the line of a path; nil where there is none.
func line(ctx context.Context, h host.Host, at string) (*entry, error) {
	_, text, err := textedit.Read(ctx, h, fstab)
	if err != nil {
		return nil, err
	}
	return only(h, text, at)
}

// only is the only line of a path in a text.
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

// equal reports whether two lines say the same.
func (e entry) equal(other entry) bool {
	return e.source == other.source && e.path == other.path && e.kind == other.kind && slices.Equal(e.options, other.options) &&
		e.dump == other.dump && e.pass == other.pass
}
