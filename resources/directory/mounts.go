package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// mountsScript prints the path of the directory $1 without links, a line that no path contains, and
// the mount points of the host. A mount point is not found by comparing devices: SFTP does not
// report them, and a bind mount has the device of its source.
const mountsScript = `cd -P "$1" || exit
pwd -P
echo //
cut -d ' ' -f 5 /proc/self/mountinfo 2>/dev/null && exit
case $(uname) in
*BSD | DragonFly | Darwin) ;;
*) echo "/proc/self/mountinfo is not readable" >&2; exit 1 ;;
esac
mounts=$(mount) || exit
printf '%s\n' "$mounts" | sed -e 's/^.* on \//\//' -e 's/ (.*//' -e 's/ type [^ ]*$//'`

// checkNoMounts returns an error if something is mounted at the directory or below it, or if that
// cannot be determined. It runs before anything is deleted.
func checkNoMounts(ctx context.Context, h host.Host, dir string) error {
	r, err := remotecmd.Shell(mountsScript, dir).Run(ctx, h)
	resolved, mounts, complete := strings.Cut(r.Stdout, "\n//\n")
	if err == nil && !complete {
		err = errors.New("the shell of the host printed something else")
	}
	if err != nil {
		return fmt.Errorf("nothing was deleted, because force_destroy must not delete the content of other file systems, and it is unknown "+
			"whether any are mounted in %s on host %s: %w. Delete the content of the directory first", host.QuotePath(dir), h.Name(), err)
	}
	for line := range strings.Lines(mounts) {
		below, is := strings.CutPrefix(mounttable.Unescape(strings.TrimSuffix(line, "\n")), strings.TrimSuffix(resolved, "/"))
		if is && (below == "" || below[0] == '/') {
			return fmt.Errorf("%s on host %s is a mount point, which force_destroy does not enter. "+
				"Nothing was deleted: unmount it first", host.QuotePath(dir+below), h.Name())
		}
	}
	return nil
}
