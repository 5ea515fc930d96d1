package service

import (
	"context"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// verified has the host's systemd judge a file: that of the unit $1, called $2 in a
// directory of units, with the content from standard input. Other units, and other
// drop-ins of the same, are those of the host. Its own words come after a line of
// the directory, by whose name it calls the file.
const verified = `command -v systemd-analyze >/dev/null 2>&1 || exit 0
dir=$(mktemp -d) || exit 0
trap 'rm -rf "$dir"' EXIT
case $2 in */*) mkdir "$dir/${2%/*}" ;; esac
cat >"$dir/$2"
echo "$dir"
SYSTEMD_UNIT_PATH=$dir: systemd-analyze verify --man=no "$1" 2>&1
exit 0`

// verify refuses content with which systemd would refuse the unit, and warns of what
// it would ignore and of what is missing around it.
func (u *SystemdUnit) verify(ctx context.Context, h host.Host) error {
	call := remotecmd.Shell(verified, string(u.Name), u.relative())
	call.Stdin = u.Content
	said, err := call.Run(ctx, h)
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	refused, ignored := judge(said.Stdout, u.relative())
	if len(refused) > 0 {
		return diag.AttributeErrorf("content", "systemd on host %s refuses the unit %s:\n  %s\nCorrect the content. To install it in spite of that, set verify = false",
			h.Name(), u.Name, strings.Join(append(ignored, refused...), "\n  "))
	}
	if len(ignored) > 0 {
		runtime.Warn(ctx, "content", "Unit with doubtful settings",
			fmt.Sprintf("systemd on host %s takes the unit %s, and says:\n  %s\nWhat is not there yet may be installed by the same run.", h.Name(), u.Name, strings.Join(ignored, "\n  ")))
	}
	return nil
}

// judge sorts what systemd-analyze says of a file: why it refuses the unit, and
// what else it has to say. Of other units it says nothing that is of interest here.
func judge(said, relative string) (refused, ignored []string) {
	dir, rest, _ := strings.Cut(said, "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(strings.ReplaceAll(line, dir+"/", ""))
		switch {
		case line == "":
		case strings.HasSuffix(line, "Refusing."), strings.Contains(line, "has a bad unit file setting"):
			refused = append(refused, line)
		case strings.HasPrefix(line, relative), strings.HasSuffix(line, ".") && strings.Contains(line, " not found"),
			strings.Contains(line, "is not executable"):
			ignored = append(ignored, line)
		}
	}
	return refused, ignored
}
