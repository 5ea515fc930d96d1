package service

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// manager is the service manager of one service: systemd, OpenRC or System V's init.
type manager interface {
	// read returns the current state of the service.
	read(ctx context.Context) (state, error)
	// checkSupported returns an error if the desired state is not possible with any unit
	// file. checkUnit returns an error if it is not possible with the current unit file,
	// which the same run may change.
	checkSupported(s state, want desiredState) error
	checkUnit(s state, want desiredState) error

	enable(ctx context.Context, on bool) error
	mask(ctx context.Context, on bool) error
	start(ctx context.Context, now state) error
	stop(ctx context.Context) error
	// restart restarts or reloads the service; how is a value of on_change or a mode of
	// the action.
	restart(ctx context.Context, how string) error
	// mayHaveRun reports whether a command that changes the service has, or may have, run.
	mayHaveRun() bool
	// log returns the last lines of the log, or an empty string.
	log(ctx context.Context) string
}

// Names of service managers.
const (
	nameSystemd = "systemd"
	nameOpenRC  = "openrc"
	nameSysV    = "sysv"
)

// state is the state of a service.
type state struct {
	manager string
	name    string // name of the script or the unit; not an alias if the service manager runs
	exists  bool
	booted  bool // whether the service manager runs

	enabled, running, masked bool

	status     string // as the service manager reports it; empty if the manager does not run
	changing   bool   // the service is starting, stopping or reloading
	ready      bool   // the service reports readiness, so running means ready
	restarting bool   // the service has crashed, and waits for its restart
	failed     bool   // the service failed to start, or has crashed
	unknown    bool   // whether the service runs is unknown
	outdated   bool   // the unit file has changed since it was loaded
	untilBoot  bool   // the unit is masked only until the next boot

	// Only set for systemd.
	description  string
	file         string // state of the unit file, such as static
	path         string // path of the unit file
	loadError    string // empty if systemd can load the unit
	oneshot      bool   // the service is of type oneshot, and does not run after it has finished
	cannotReload bool
	result       string // result of the last run; empty after a success

	// Not set for systemd.
	runlevels []string
}

// known returns whether the service runs, or nil if that is unknown.
func (s state) known() *bool {
	if s.unknown {
		return nil
	}
	return &s.running
}

// runs reports whether the service runs, for comparison with the wanted value. For a service that
// has crashed and waits for its restart, runs returns the opposite of that value.
func (s state) runs(wanted *bool) bool {
	if s.restarting {
		return is(wanted, false)
	}
	return s.running
}

// masks reports whether the unit is masked, for comparison with the wanted value. For a unit that is masked only until
// the next boot, masks returns the opposite of that value.
func (s state) masks(wanted *bool) bool {
	return s.masked && !(s.untilBoot && is(wanted, true))
}

// desiredState is the desired state of a service. Nil attributes are not managed.
type desiredState struct {
	enabled, running, masked *bool
	runlevel                 *string
	onChange                 string // value of on_change if a trigger has changed, or on create if there are triggers; otherwise empty
}

// answers is a shell function that reports whether an init script with the header of the Linux Standard
// Base, other than one of openrc-run, has the command status. A script without that command might start or
// stop the service when it is called with status.
const answers = `answers() {
  ! head -n 1 "$1" | grep -q openrc-run && grep -q '^### BEGIN INIT INFO' "$1" && grep -Eq 'status[|)]|init-d-script' "$1"
} 2>/dev/null
`

// bootedInit sets the variables openrc and init if OpenRC or System V's init has booted the host. System V's
// init has a pipe for its commands, even if it starts OpenRC.
const bootedInit = `openrc= init=
[ ! -e /run/openrc/softlevel ] || openrc=yes
[ ! -p /run/initctl ] && [ ! -p /dev/initctl ] || init=yes
`

// sysvState is a shell function that prints the state of an init script of System V's init. At
// boot, the scripts of runlevel S and of the default runlevel are started.
const sysvState = answers + `sysv() {
  level=$(sed -n 's/^id:\([0-6]\):initdefault:.*/\1/p' /etc/inittab 2>/dev/null)
  for link in /etc/rcS.d/S[0-9][0-9]"$1" /etc/rc"${level:-2}".d/S[0-9][0-9]"$1"; do
    if [ -L "$link" ]; then level=${link%.d/*}; echo "Runlevel=${level#/etc/rc}"; fi
  done
  if answers "/etc/init.d/$1"; then
    "/etc/init.d/$1" status >/dev/null 2>&1 </dev/null
    echo "Status=$?"
  else
    echo "Status=no command"
  fi
  [ -z "$init" ] || echo Booted=yes
}
`

// stateScript prints the state of a service, with one command. The first line is the
// service manager that runs, or else the one that is installed.
const stateScript = sysvState + `if [ -d /run/systemd/system ]; then
  echo systemd
  exec systemctl show --no-pager -p ` + properties + ` -- "$1"
fi
` + bootedInit + `if [ -z "$openrc$init" ] && command -v systemctl >/dev/null 2>&1; then
  echo systemd
  echo Booted=no
  file=$(systemctl is-enabled -- "$1" 2>/dev/null) || :
  case $file in
  '' | not-found) echo LoadState=not-found ;;
  *) echo LoadState=loaded; echo "UnitFileState=$file" ;;
  esac
  exit 0
fi
if [ -z "$openrc" ] && { [ -n "$init" ] || ! command -v rc-service >/dev/null 2>&1; }; then
  command -v update-rc.d >/dev/null 2>&1 || exit 0
  echo sysv
  [ -x "/etc/init.d/$2" ] || exit 0
  echo Exists=yes
  sysv "$2"
  exit 0
fi
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

// readState returns the service manager of the host and the state of a service. With a runlevel, a
// service of OpenRC counts as enabled only in that runlevel. The error wraps errNoManager if the host
// has no supported service manager.
func readState(ctx context.Context, scope *lifecycle.Scope, name Name, runlevel *string) (manager, state, error) {
	h := scope.Host
	output, err := remotecmd.Shell(stateScript, name.unit(), name.short()).Run(ctx, h)
	if err != nil {
		return nil, state{}, fmt.Errorf("cannot read the service %s: %w", name.short(), err)
	}
	manager, rest, _ := strings.Cut(output.Stdout, "\n")
	switch manager {
	case nameSystemd:
		m := &systemd{commands: commands{h: h}, scope: scope, unit: name.unit()}
		return m, parseSystemd(name.unit(), rest), nil
	case nameOpenRC:
		s := parseOpenRC(name, rest)
		if runlevel != nil {
			s.enabled = slices.Contains(s.runlevels, *runlevel)
		}
		return &openrc{script: script{commands: commands{h: h}, name: name}, scope: scope, runlevel: runlevel}, s, nil
	case nameSysV:
		return &sysv{script: script{commands: commands{h: h}, name: name}, scope: scope}, parseSysV(name, rest), nil
	}
	return nil, state{}, noManager(h)
}

// errNoManager is the error of a host without a supported service manager.
var errNoManager = errors.New("neither systemd nor OpenRC nor update-rc.d of System V's init, which are the supported service managers")

func noManager(h host.Host) error { return fmt.Errorf("host %s has %w", h.Name(), errNoManager) }

// settings iterates over the lines of text that have a name and a value.
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

// differs reports whether a setting is managed and differs from the current value.
func differs(setting *bool, is bool) bool { return setting != nil && *setting != is }

// notBooted returns the error of a service that cannot be started because its service
// manager is not running.
func notBooted(h host.Host, manager, name string) error {
	return diag.AttributeErrorf("running", "%s does not run on host %s, so %s cannot be started. In an image build, leave running unset, and set enabled = true: "+
		"it then starts at boot", manager, h.Name(), name)
}

// is reports whether a setting is managed and has this value.
func is(setting *bool, value bool) bool { return setting != nil && *setting == value }

// commands runs the commands of a manager that change the service.
type commands struct {
	h   host.Host
	ran bool // whether a command has, or may have, run
}

func (c *commands) run(ctx context.Context, args ...string) (remotecmd.Result, error) {
	output, err := remotecmd.Run(ctx, c.h, args...)
	c.ran = c.ran || host.MayHaveRun(err)
	return output, remotecmd.WithRootHint(c.h, "System services", err)
}

func (c *commands) mayHaveRun() bool { return c.ran }

// script is the part of a manager that OpenRC and System V's init share: services are scripts
// in /etc/init.d, which cannot be masked and have no log.
type script struct {
	commands
	name Name

	lastOutput string // output of the last command, if it failed
}

// checkUnit returns nil, as scripts do not declare their features.
func (m *script) checkUnit(state, desiredState) error { return nil }

func (m *script) mask(context.Context, bool) error { return nil } // masked = true is not supported, and services are never masked

// log returns the output of the last command if it failed, as no logs are kept.
func (m *script) log(context.Context) string { return m.lastOutput }

func (m *script) run(ctx context.Context, args ...string) error {
	output, err := m.commands.run(ctx, args...)
	if m.lastOutput = ""; err != nil {
		m.lastOutput = output.Stdout + output.Stderr
	}
	return err
}
