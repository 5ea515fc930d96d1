// Package mounttable decodes the fields of mount tables: of /etc/fstab, and of those that Linux
// shows in /proc. It also lists the mount points at and below a directory of a host, for the resources
// that delete or move directories.
//
// Elsewhere: package mount reads and writes the lines of /etc/fstab.
package mounttable

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// Unescape returns the text of a field, in which a backslash and three octal digits stand for a
// byte, such as white space. Other backslashes are kept.
func Unescape(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// ErrNotRun is in the chain of an error of [Below] if the host has not run the script, for example
// because it has SFTP only.
var ErrNotRun = errors.New("the host has not run the script that lists mount points")

// belowScript prints a line that no path contains, the path of the directory $1 without symbolic links, that
// line again, and the mount points of the host. Mount points are not found by comparing devices: SFTP
// does not report devices, and a bind mount has the device of its source.
const belowScript = `echo //
cd -P "$1" || exit
pwd -P
echo //
cut -d ' ' -f 5 /proc/self/mountinfo 2>/dev/null && exit
case $(uname) in
*BSD | DragonFly | Darwin) ;;
*) echo "/proc/self/mountinfo is not readable" >&2; exit 1 ;;
esac
mounts=$(mount) || exit
printf '%s\n' "$mounts" | sed -e 's/^.* on \//\//' -e 's/ (.*//' -e 's/ type [^ ]*$//'`

// Below returns the mount points at a directory of the host and below it, as paths that start with dir.
// The error wraps [ErrNotRun] if the host has not run the script.
func Below(ctx context.Context, h host.Host, dir string) ([]string, error) {
	r, err := remotecmd.Shell(belowScript, dir).Run(ctx, h)
	output, ran := strings.CutPrefix(r.Stdout, "//\n")
	resolved, mounts, complete := strings.Cut(output, "\n//\n")
	if err == nil && (!ran || !complete) {
		err = errors.New("unexpected output from the host's shell")
	}
	_, notStarted := errors.AsType[*host.NotStartedError](err)
	switch {
	case notStarted || errors.Is(err, errors.ErrUnsupported):
		return nil, fmt.Errorf("%w: %w", ErrNotRun, err)
	case err != nil:
		return nil, err
	}
	var points []string
	for line := range strings.Lines(mounts) {
		below, is := strings.CutPrefix(Unescape(strings.TrimSuffix(line, "\n")), strings.TrimSuffix(resolved, "/"))
		if is && (below == "" || below[0] == '/') {
			points = append(points, path.Join(dir, below))
		}
	}
	return points, nil
}
