package hostinfo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// script asks for everything. Each part begins with a line of its own, which has a
// mark that nothing else has. The tools of administrators may not be in the PATH
// of a user, and all of them speak English here.
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

// parts are what the script has printed, by the names of its parts. One that had
// nothing to say is empty.
type parts map[string]string

// ask runs the script.
func ask(ctx context.Context, h host.Host) (parts, error) {
	mark := rand.Text()
	var stdout, stderr bytes.Buffer
	result, err := h.Run(ctx, host.Command{
		Args: []string{"/bin/sh", "-c", script, "sh", mark}, Stdout: &stdout, Stderr: &stderr,
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("host %s cannot run commands, which is required to read facts: %w", h.Name(), err)
	}
	if err != nil {
		return nil, err
	}
	found := split(stdout.String(), mark)
	if _, whole := found["end"]; !whole {
		return nil, fmt.Errorf("cannot read facts of host %s: /bin/sh ended with exit code %d before the end of the script%s",
			h.Name(), result.ExitCode, firstLine(stderr.String()))
	}
	return found, nil
}

// split is what is between the marks. What comes before the first of them is what
// somebody's shell says to everybody.
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
