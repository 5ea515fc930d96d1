package hostinfo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// script prints all facts. Each section starts with a line that starts with a random
// marker. The standard directories of programs, such as /usr/sbin, are added to PATH, and the locale is C.
const script = `exec 2>/dev/null
mark=$1
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin
LC_ALL=C
export PATH LC_ALL
part() { printf '\n%s %s\n' "$mark" "$1"; }
part kernel; uname -s
part kernel_release; uname -r
part kernel_version; uname -v
part architecture; uname -m
part hostname; uname -n
part user; id -un
part user_id; id -u
part home; printf '%s\n' "$HOME"
part os_release; cat /etc/os-release || cat /usr/lib/os-release
case $(uname -s) in Darwin) part sw_vers; sw_vers;; esac
part machine_id; cat /etc/machine-id || cat /var/lib/dbus/machine-id
part processors; getconf _NPROCESSORS_ONLN || getconf NPROCESSORS_ONLN || nproc || sysctl -n hw.ncpu
part meminfo; cat /proc/meminfo
[ -r /proc/meminfo ] || { part memory; sysctl -n hw.memsize || sysctl -n hw.physmem64 || sysctl -n hw.physmem; }
part ip; ip -o address show || { part ifconfig; ifconfig -a; }
part mounts; cat /proc/self/mounts || { part mount; mount; }
part end
`

// parts is the output of the script by name of the section. A section is empty if its
// commands print nothing.
type parts map[string]string

// runScript runs the script on a host. It returns an error if the output has no section named end.
func runScript(ctx context.Context, h host.Host) (parts, error) {
	mark := rand.Text()
	result, err := remotecmd.Shell(script, mark).Run(ctx, h)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("host %s cannot run commands, which is required to read facts: %w", h.Name(), errors.ErrUnsupported)
	}
	if _, failed := errors.AsType[*remotecmd.Failed](err); err != nil && !failed && !remotecmd.IsMissing(err) {
		return nil, err
	}
	sections := split(result.Stdout, mark)
	if _, complete := sections["end"]; !complete {
		return nil, fmt.Errorf("cannot read facts of host %s: /bin/sh ended with exit code %d before the end of the script%s",
			h.Name(), result.ExitCode, firstLine(result.Stderr))
	}
	return sections, nil
}

// split returns the sections of the output. Text before the first marker, such as a
// banner of the shell, is ignored.
func split(text, mark string) parts {
	found := parts{}
	sections := strings.Split("\n"+text, "\n"+mark+" ")
	for _, section := range sections[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		found[name] = strings.TrimRight(rest, "\n")
	}
	return found
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(line, "\uFFFD")
}
