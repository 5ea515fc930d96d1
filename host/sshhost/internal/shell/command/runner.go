package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ host.Runner = (*Runner)(nil)

// Runner runs commands on one host. It is safe for concurrent use.
type Runner struct {
	Host    string // host name for errors
	Starter remote.Starter
}

// Run implements [host.Runner]. Names in Env must be valid names of shell variables.
func (r *Runner) Run(ctx context.Context, command host.Command) (host.Result, error) {
	op := "run"
	result, err := host.Result{}, check(command)
	switch {
	case ctx.Err() != nil:
		err = &host.NotStartedError{Err: ctx.Err()}
	case err != nil:
		err = &host.NotStartedError{Err: err}
	default:
		op = "run " + host.QuotePath(command.Args[0])
		result, err = run(ctx, r.Starter, command)
	}
	if err != nil {
		return host.Result{}, &host.Error{Op: op, Host: r.Host, Path: command.Dir, Err: err}
	}
	return result, nil
}

// variable matches names of shell variables.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func check(command host.Command) error {
	for _, name := range slices.Sorted(maps.Keys(command.Env)) {
		if !variable.MatchString(name) {
			return fmt.Errorf("environment: the host's shell cannot set the variable %q. Use letters, digits and underscores, and no digit first", name)
		}
	}
	return command.Check()
}

// entering defines px_enter, which changes the directory. If that fails, px_enter reports the reason
// and ends the shell. Shells word this error differently, so ls is run to get the system's
// message, unless the path exists and is not a directory.
var entering = shell.Fixed(`px_enter() {
  cd "$1" 2>/dev/null && return
  if [ -e "$1" ] && [ ! -d "$1" ]; then px_e='no directory'; else px_e=$(LC_ALL=C ls -d "$1/." 2>&1); fi
  px_ready "not entered: ${px_e##*: }"
  exit
}`)

// executing replaces the shell with the command. It looks up in PATH the names that some
// shells would treat as options of exec.
var executing = shell.Fixed(`px_ready
case $1 in
  -*)
    set -f
    IFS=:
    for px_d in $PATH; do
      px_c=${px_d:-.}/$1
      if [ -f "$px_c" ] && [ -x "$px_c" ]; then
        unset IFS
        shift
        exec "$px_c" "$@"
      fi
    done
    printf '%s: not found\n' "$1" >&2
    exit 127 ;;
esac
exec "$@"`)

func text(command host.Command) shell.Text {
	texts := []shell.Text{entering}
	if command.Dir != "" {
		texts = append(texts, shell.Call("px_enter", command.Dir))
	}
	if len(command.Env) > 0 {
		var env []string
		for _, name := range slices.Sorted(maps.Keys(command.Env)) {
			env = append(env, name+"="+command.Env[name])
		}
		texts = append(texts, shell.Call("export", env...))
	}
	return shell.Join(append(texts, shell.Call("set --", command.Args...), executing)...)
}

func run(ctx context.Context, starter remote.Starter, command host.Command) (host.Result, error) {
	p, err := shell.Start(ctx, starter, text(command))
	if err != nil {
		_, unsent := errors.AsType[*shell.NotSentError](err)
		_, ended := errors.AsType[*shell.EndedError](err)
		if unsent || ended {
			err = &host.NotStartedError{Err: err}
		}
		return host.Result{}, err
	}
	if reason, not := strings.CutPrefix(p.ReadyArgs(), "not entered: "); not {
		_ = p.Close() // the shell does nothing more
		err := host.ErrNotDirectory
		if reason != "no directory" {
			err = shell.Reason(reason)
		}
		return host.Result{}, &host.NotStartedError{Err: err}
	}
	return follow(ctx, p, command)
}
