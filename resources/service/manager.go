package service

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// manager starts services: systemd or OpenRC. It is asked about one service.
type manager interface {
	// look says again what there is of the service.
	look(ctx context.Context) (state, error)
	// refuse says why the service cannot be made as wanted, or nil, and unfit the same
	// of what the file of the service says, which somebody may be about to change.
	refuse(s state, want wanted) error
	unfit(s state, want wanted) error

	enable(ctx context.Context, on bool) error
	mask(ctx context.Context, on bool) error
	start(ctx context.Context, now state) error
	stop(ctx context.Context) error
	// again restarts or reloads.
	again(ctx context.Context, how string) error
	// log is the last that the service has said; empty where nobody knows.
	log(ctx context.Context) string
}

// The managers that there are.
const (
	nameSystemd = "systemd"
	nameOpenRC  = "openrc"
)

// state is what there is of a service.
type state struct {
	manager string
	exists  bool
	booted  bool // the manager runs, and can start something

	enabled, running, masked bool

	status   string // as the manager words it; empty where it does not run
	changing bool   // it starts, stops or reloads just now
	ready    bool   // what runs has said that it is ready
	restless bool   // it has crashed, and will be started again
	failed   bool   // what the manager remembers of the last start
	stale    bool   // the manager has not read what it is made from now

	// What systemd alone has.
	description  string
	name         string // its own, where it was asked for by an alias
	file         string // the state of the unit file, as static
	path         string // the unit file
	broken       string // why systemd cannot load it; empty where it can
	oneshot      bool   // it ends when its work is done
	cannotReload bool
	result       string // of the last start

	// What OpenRC alone has.
	runlevels []string
}

// runs says whether the service runs, of one that is wanted to or not. One that
// crashes and is started again and again is neither up nor down: it is never as it
// should be.
func (s state) runs(wanted *bool) bool {
	if s.restless {
		return is(wanted, false)
	}
	return s.running
}

// wanted is what a service is to be; nil is not managed.
type wanted struct {
	enabled, running, masked *bool
	runlevel                 *string
	again                    string // what on_change says; empty where nothing has changed
}

// looked says what there is of a service, in one round trip. The first line is the
// manager: the one that runs, or else the one that is installed.
const looked = `if [ -d /run/systemd/system ]; then
  echo systemd
  exec systemctl show --no-pager -p ` + properties + ` -- "$1"
fi
if [ ! -e /run/openrc/softlevel ] && command -v systemctl >/dev/null 2>&1; then
  echo systemd
  echo Booted=no
  file=$(systemctl is-enabled -- "$1" 2>/dev/null) || :
  case $file in
  '' | not-found) echo LoadState=not-found ;;
  *) echo LoadState=loaded; echo "UnitFileState=$file" ;;
  esac
  exit 0
fi
command -v rc-service >/dev/null 2>&1 || exit 0
echo openrc
rc-service --exists "$2" >/dev/null 2>&1 || exit 0
echo Exists=yes
for link in /etc/runlevels/*/"$2"; do
  if [ -L "$link" ]; then level=${link%/*}; echo "Runlevel=${level##*/}"; fi
done
if [ -e /run/openrc/softlevel ]; then
  rc-service "$2" status >/dev/null 2>&1
  echo "Status=$?"
fi
exit 0`

// look finds out what the host has to start services with, and what there is of this
// one.
func look(ctx context.Context, scope *lifecycle.Scope, name Name, runlevel *string) (manager, state, error) {
	h := scope.Host
	said, err := remotecmd.Shell(looked, name.unit(), name.short()).Run(ctx, h)
	if err != nil {
		return nil, state{}, fmt.Errorf("look at the service %s: %w", name.short(), err)
	}
	what, rest, _ := strings.Cut(said.Stdout, "\n")
	switch what {
	case nameSystemd:
		m := &systemd{scope: scope, h: h, unit: name.unit()}
		return m, parseSystemd(name.unit(), rest), nil
	case nameOpenRC:
		m := &openrc{h: h, scope: scope, name: name, runlevel: runlevel}
		return m, m.parse(rest), nil
	}
	return nil, state{}, noManager(h)
}

func noManager(h host.Host) error {
	return fmt.Errorf("host %s has neither systemd nor OpenRC, by which services are managed here", h.Name())
}

// settings are the lines of a text that are a name and a value.
func settings(text string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(text) {
			name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			if ok && !yield(name, value) {
				return
			}
		}
	}
}

// differs reports whether something is managed and is not so.
func differs(setting *bool, is bool) bool { return setting != nil && *setting != is }

// notBooted is the error of a service that cannot be started because nothing can.
func notBooted(h host.Host, manager, name string) error {
	return diag.AttributeErrorf("running", "%s does not run on host %s, so that %s cannot be started. In an image that is being built, leave running unset, and set enabled = true: "+
		"it is then started with the machine", manager, h.Name(), name)
}

// is reports whether a setting that may be unset has the value.
func is(setting *bool, value bool) bool { return setting != nil && *setting == value }

// in says whether a service that these runlevels have is enabled, as far as the
// wanted one is concerned.
func in(runlevels []string, wanted *string) bool {
	if wanted == nil {
		return len(runlevels) > 0
	}
	return slices.Contains(runlevels, *wanted)
}
