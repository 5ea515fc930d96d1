package sysctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// dir is the directory for files of the administrator.
const dir = "/etc/sysctl.d"

// assignment is a line that sets a key.
type assignment struct {
	key   string // with dots between its parts
	value string // in the form that plain returns
}

// String returns the line, without a newline.
func (a assignment) String() string { return a.key + " = " + a.value }

// heading is the first line of every file that the resource writes.
const heading = "# This file is managed by Terraform (posix_sysctl), which undoes changes made here.\n"

// text returns the content of a file that has the heading and the assignment.
func (a assignment) text() []byte { return []byte(heading + a.String() + "\n") }

// parse parses a file as sysctl(8) and systemd-sysctl(8) do, but does not expand patterns in keys.
// Lines that set nothing are skipped.
func parse(text string) []assignment {
	var all []assignment
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, sets := strings.Cut(line, "=")
		if key = strings.TrimSpace(strings.TrimPrefix(key, "-")); !sets || key == "" {
			continue
		}
		all = append(all, assignment{dotted(key), plain(address.Shown(value))})
	}
	return all
}

// persisted returns the value of the key if the only assignment in the text is to this key, and all
// assignments otherwise.
func persisted(text []byte, key string) string {
	all := parse(string(text))
	if len(all) == 1 && all[0].key == dotted(key) {
		return all[0].value
	}
	lines := make([]string, len(all))
	for i, a := range all {
		lines[i] = a.String()
	}
	return strings.Join(lines, "; ")
}

func (s *Sysctl) fileName() string {
	if s.File != nil {
		return *s.File
	}
	return "99-posix-" + strings.ReplaceAll(dotted(s.Key), "/", ",") + ".conf"
}

func (s *Sysctl) path() address.Path { return address.Path(path.Join(dir, s.fileName())) }

// wanted returns the configured assignment.
func (s *Sysctl) wanted() assignment { return assignment{dotted(s.Key), plain(s.Value)} }

// has reports whether the file has the configured assignment and no other.
func (s *Sysctl) has(text []byte) bool {
	all := parse(string(text))
	return len(all) == 1 && all[0] == s.wanted()
}

// find finds the file of a key that is imported: the last file that sets this key and
// nothing else. It returns the text of the file and sets s.File to its name; the text is
// nil if there is no such file.
func (s *Sysctl) find(ctx context.Context, h host.Host) ([]byte, error) {
	entries, err := h.ReadDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range slices.Backward(entries) {
		if checkFile(entry.Name) != nil || entry.Type != host.TypeRegular {
			continue
		}
		_, text, err := textedit.Read(ctx, h, address.Path(path.Join(dir, entry.Name)))
		if err != nil {
			return nil, err
		}
		if all := parse(string(text)); len(all) == 1 && all[0].key == dotted(s.Key) {
			s.File = new(entry.Name)
			return text, nil
		}
	}
	return nil, nil
}

// readFiles prints the files that may be read at boot, each after a line with its path. A file hides
// those of the same name in later directories, even if the file is a link to /dev/null. systemd does not
// read /etc/sysctl.conf.
const readFiles = `for d in /etc/sysctl.d /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d /lib/sysctl.d; do
  for f in "$d"/*.conf; do
    if [ -f "$f" ] || [ -h "$f" ]; then echo "#posix $f" && cat "$f" && echo; fi
  done
done
if [ -f /etc/sysctl.conf ] && [ ! -d /run/systemd/system ]; then echo "#posix /etc/sysctl.conf" && cat /etc/sysctl.conf; fi
exit 0`

// warnIfOverridden warns if a file that is read later sets the key to a different value.
// It ignores errors of the check, because the parameter already has the configured value.
func (s *Sysctl) warnIfOverridden(ctx context.Context, h host.Host) {
	r, err := remotecmd.Shell(readFiles).Run(ctx, h)
	if err != nil {
		return
	}
	if file, value, is := s.overridden(r.Stdout); is {
		runtime.Warn(ctx, "value", "Another file also sets the key", fmt.Sprintf("%s on host %s is read after %s and sets %s to %q. "+
			"After a reboot, that value is in effect. Remove the key from that file. "+
			"If that file is in a sysctl.d directory, you can instead set file to a name that is read later.",
			file, h.Name(), s.path(), dotted(s.Key), value))
	}
}

// overridden finds, in the output of readFiles, the last file that sets the key after the
// managed one. It returns this file, the value there, and whether that value
// differs from the configured one.
func (s *Sysctl) overridden(printed string) (file, value string, is bool) {
	last, seen := s.fileName(), map[string]bool{}
	for _, section := range strings.Split("\n"+printed, "\n#posix ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		base := path.Base(name)
		if path.Dir(name) == "/etc" {
			base = "~" // sorts last, since the file is read last
		}
		if hidden := seen[base]; hidden || base <= last {
			seen[base] = true
			continue
		}
		seen[base] = true
		for _, a := range parse(text) {
			if a.key == dotted(s.Key) {
				last, file, value = base, name, a.value
			}
		}
	}
	return file, value, file != "" && value != plain(s.Value)
}
