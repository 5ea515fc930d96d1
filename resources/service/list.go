package service

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// Info is the state of a service.
type Info struct {
	// Name of the service, as used by `posix_service`: for systemd without the suffix
	// `.service`.
	Name string

	// Description of the unit. Null if it is unknown, as for units that systemd has not
	// loaded, and for init scripts.
	Description *string

	// Whether the service starts at boot.
	Enabled bool

	// Whether the service runs. With System V's init, null if the init script does not report
	// this.
	Running *bool

	// Whether the service is masked.
	Masked bool

	// Status as reported by the service manager, such as `active (running)` or `started`.
	// Null if the service manager does not run or has not loaded the unit.
	Status *string

	// State of the unit file as reported by systemd, such as `static`. Null for init scripts
	// and for units without a file.
	UnitFileState *string
}

// listScript prints all services, or all units of one type, with one command. For
// systemd, it prints the unit files, an empty line, and the properties of the loaded
// units. OpenRC does not record whether init scripts that do not use openrc-run are started,
// so listScript calls their command status, if they have it.
const listScript = sysvState + `if [ -d /run/systemd/system ]; then
  echo systemd
  systemctl list-unit-files --no-legend --no-pager --full -- "*.$1" || :
  echo
  exec systemctl show --no-pager -p ` + properties + ` -- "*.$1"
fi
` + bootedInit + `if [ -z "$openrc$init" ] && command -v systemctl >/dev/null 2>&1; then
  echo systemd
  systemctl list-unit-files --no-legend --no-pager --full -- "*.$1" || :
  exit 0
fi
if [ -z "$openrc" ] && { [ -n "$init" ] || ! command -v rc-service >/dev/null 2>&1; }; then
  command -v update-rc.d >/dev/null 2>&1 || exit 0
  echo sysv
  [ "$1" = service ] || exit 0
  for file in /etc/init.d/*; do
    name=${file##*/}
    if [ -x "$file" ] && grep -q '^### BEGIN INIT INFO' "$file"; then echo "Service=$name"; sysv "$name"; fi
  done
  exit 0
fi
echo openrc
[ "$1" = service ] || exit 0
for name in $(rc-service --list); do
  echo "Service=$name"
  for link in /etc/runlevels/*/"$name"; do
    if [ -L "$link" ]; then level=${link%/*}; echo "Runlevel=${level##*/}"; fi
  done
  [ -e /run/openrc/softlevel ] || continue
  if answers "/etc/init.d/$name" || [ -e "/run/openrc/started/$name" ] || [ -e "/run/openrc/starting/$name" ] || [ -e "/run/openrc/inactive/$name" ]; then
    rc-service "$name" status >/dev/null 2>&1
    echo "Status=$?"
  else
    echo Status=3
  fi
done
exit 0`

// list returns the service manager of a host and all its services, or its units of
// another type, sorted by name.
func list(ctx context.Context, h host.Host, kind string) (manager string, found []Info, err error) {
	output, err := remotecmd.Shell(listScript, kind).Run(ctx, h)
	if err != nil {
		return "", nil, fmt.Errorf("cannot list the services of host %s: %w", h.Name(), remotecmd.WithRootHint(h, "System services", err))
	}
	manager, rest, _ := strings.Cut(output.Stdout, "\n")
	switch manager {
	case nameSystemd:
		return manager, listSystemd(rest), nil
	case nameOpenRC:
		return manager, listScripts(rest, parseOpenRC), nil
	case nameSysV:
		return manager, listScripts(rest, parseSysV), nil
	}
	return "", nil, noManager(h)
}

// listSystemd parses unit files and loaded units: a unit file need not be loaded, and a
// loaded unit need not have a file.
func listSystemd(text string) []Info {
	files, loaded, _ := strings.Cut(text, "\n\n")
	if strings.HasPrefix(text, "\n") { // the list of files is empty
		files, loaded = "", text
	}
	found := infos{}
	for line := range strings.Lines(files) {
		words := strings.Fields(line)
		if len(words) < 2 || words[1] == "alias" || checkName(words[0]) != nil {
			continue // a template, an alias, or a name that is not supported
		}
		found.add(state{name: words[0], file: words[1], enabled: words[1] == "enabled", masked: strings.HasPrefix(words[1], "masked")})
	}
	for block := range strings.SplitSeq(loaded, "\n\n") {
		s := parseSystemd("", block)
		if !s.exists || checkName(s.name) != nil {
			continue
		}
		found.add(s)
	}
	return found.sorted()
}

// listScripts parses the states of the scripts whose names are supported.
func listScripts(text string, parse func(name Name, text string) state) []Info {
	found := infos{}
	for part := range strings.SplitSeq("\n"+text, "\nService=") {
		name, rest, _ := strings.Cut(part, "\n")
		if checkName(name) != nil {
			continue
		}
		found.add(parse(Name(name), rest))
	}
	return found.sorted()
}

// infos are services by their short names.
type infos map[string]Info

// add records the state of a service, in place of an earlier one.
func (found infos) add(s state) {
	i := Info{Name: Name(s.name).short(), Enabled: s.enabled, Running: s.known(), Masked: s.masked}
	if s.description != "" {
		i.Description = &s.description
	}
	if s.status != "" {
		i.Status = &s.status
	}
	if s.file != "" {
		i.UnitFileState = &s.file
	}
	found[i.Name] = i
}

func (found infos) sorted() []Info {
	return slices.SortedFunc(maps.Values(found), func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
}
