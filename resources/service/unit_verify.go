package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// verifyScript checks a file with systemd-analyze: a file of the unit $1 with the path $2
// in a directory of units and the content on standard input. Other units, and other
// drop-ins of this one, are those of the host. It prints the temporary directory, by
// which systemd-analyze calls the file, and then the messages.
const verifyScript = `command -v systemd-analyze >/dev/null 2>&1 || exit 0
dir=$(mktemp -d) || exit 0
trap 'rm -rf "$dir"' EXIT
case $2 in */*) mkdir "$dir/${2%/*}" ;; esac
cat >"$dir/$2"
echo "$dir"
SYSTEMD_UNIT_PATH=$dir: systemd-analyze verify --man=no "$1" 2>&1
exit 0`

// verify returns an error if systemd would refuse the unit, and warns of settings that it
// would ignore and of missing dependencies.
func (u *SystemdUnit) verify(ctx context.Context, h host.Host) error {
	call := remotecmd.Shell(verifyScript, string(u.Name), u.relative())
	call.Stdin = u.Content
	output, err := call.Run(ctx, h)
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	refused, ignored := parseVerify(output.Stdout, u.relative())
	if len(refused) > 0 {
		return diag.AttributeErrorf("content", "systemd on host %s rejects the unit %s:\n  %s\nCorrect the content. To install it anyway, set verify = false",
			h.Name(), u.Name, strings.Join(append(ignored, refused...), "\n  "))
	}
	if len(ignored) > 0 {
		runtime.Warn(ctx, "content", "Unit with warnings",
			fmt.Sprintf("systemd on host %s accepts the unit %s with warnings:\n  %s\nPrograms and units that do not exist yet may be installed by the same apply.", h.Name(), u.Name, strings.Join(ignored, "\n  ")))
	}
	return nil
}

// parseVerify splits the messages of systemd-analyze about a file into those for which it
// refuses the unit, and others. It drops messages about other units.
func parseVerify(output, relative string) (refused, ignored []string) {
	dir, rest, _ := strings.Cut(output, "\n")
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

// maxUnitText is the maximum size of a file that systemd reads.
const maxUnitText = 1 << 20

// checkUnitText returns an error if systemd would ignore a line for its form. It does not
// check what settings mean.
func checkUnitText(text string) error {
	if len(text) > maxUnitText {
		return fmt.Errorf("a unit file must not be larger than %d bytes", maxUnitText)
	}
	section, continued, number := false, false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			return fmt.Errorf("line %d has a control character", number)
		}
		bare := strings.TrimSpace(line)
		comment := strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, ";")
		switch {
		case comment: // also within a setting of several lines
			continue
		case continued, bare == "":
		case strings.HasPrefix(bare, "["):
			if !strings.HasSuffix(bare, "]") || len(bare) < len("[x]") {
				return fmt.Errorf("line %d: a section must be a name in brackets, such as [Service]", number)
			}
			section = true
		case !section:
			return fmt.Errorf("line %d is not in a section: the first line after comments must be a name in brackets, such as [Service]", number)
		case strings.IndexByte(bare, '=') < 1:
			return fmt.Errorf("line %d is neither a section nor a setting (a name, an equals sign and a value)", number)
		}
		continued = strings.HasSuffix(line, `\`)
	}
	if !section {
		return errors.New("a unit file must have at least one section, such as [Service]")
	}
	return nil
}
