package remotecmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// detachedDir is the directory of detached programs on a host. Only root can create it, and it does
// not exist after a boot.
const detachedDir = "/run/terraform-provider-posix"

const (
	// detachedWait is how long to wait for another detached program to end.
	detachedWait = 10 * time.Minute
	// maxResumes is the maximum number of new connections for a program whose connection was lost,
	// and resumePause the time before each: a host may need some minutes to boot.
	maxResumes  = 20
	resumePause = 5 * time.Second
)

// detachedFailure is the prefix of the script's own errors on standard error.
const detachedFailure = "terraform-provider-posix: "

// detachedScript runs a program under an ID in a session of its own. If the ID is known, it
// waits for that program instead. In both cases, the output and exit code of the script are those
// of the program. Without a program, the script only waits until no detached program runs.
//
// The parent process of the program holds the lock, which is released when that process ends. The
// program does not inherit the lock, since it may leave daemons running. It is not started in the
// background, where shells make programs ignore interrupts.
const detachedScript = `dir=$1 run=$1/$2 limit=$3
shift 3
fail() { printf '%s\n' "` + detachedFailure + `$*" >&2; exit 1; }
[ $# -gt 0 ] || [ -d "$dir" ] || exit 0
for tool in flock setsid; do
	command -v "$tool" >/dev/null 2>&1 || fail "there is no program $tool. Install util-linux"
done
mask=$(umask)
umask 077
[ -d "$dir" ] || error=$(mkdir "$dir" 2>&1) || [ -d "$dir" ] || fail "$error"
if [ -h "$dir" ] || [ ! -O "$dir" ]; then fail "Permission denied: $dir is not a directory of user $(id -u)"; fi
exec 9<>"$dir/lock"
waited=0
until flock -n 9; do
	[ -d "$run" ] || [ "$waited" -lt "$limit" ] || fail "another program still runs after $limit seconds: $(cat "$dir/lock"). Wait until it ends, or end it"
	sleep 1
	waited=$((waited + 1))
done
[ $# -gt 0 ] || exit 0
if error=$(mkdir "$run" 2>&1); then
	find "$dir"/* -prune -type d -mmin +60 -exec rm -rf {} + 2>/dev/null
	name="$*"
	[ "$1 $2" != "/bin/sh -c" ] || name="` + aScript + `"
	printf '%s\n' "$name" >"$dir/lock"
	umask "$mask"
	setsid /bin/sh -c 'run=$1; shift; "$@" 9>&-; echo "$?" >"$run/status"' sh "$run" "$@" </dev/null >"$run/stdout" 2>"$run/stderr"
fi
exec 9>&-
[ -d "$run" ] || fail "$error"
[ -s "$run/status" ] || fail "it was killed. Its output is in $run/stdout and $run/stderr"
cat "$run/stderr" >&2
cat "$run/stdout"
exit "$(cat "$run/status")"`

// RunDetached is [Call.Run] for a program that must not be interrupted before it ends, such as a
// package manager. The program continues if the connection is lost, ctx ends or this process is
// killed. After a loss of the connection, RunDetached connects again and waits for the end of the
// program, but not if the host hangs. If the host has rebooted in the meantime, which ended the program,
// it is started again. On each host, one such program runs at a time: others wait up to ten
// minutes, including those that other processes start. The host must have flock and setsid, and only root
// can run such programs. Stdin must be empty.
func (c Call) RunDetached(ctx context.Context, h host.Host) (Result, error) {
	return c.runDetached(ctx, h, detachedDir)
}

func (c Call) runDetached(ctx context.Context, h host.Host, dir string) (Result, error) {
	call := detachedCall(dir, rand.Text(), detachedWait, c)
	mayRun := func(err error) error {
		return fmt.Errorf("%w. %s may still run on host %s: the next apply waits for its end", err, c.name(), h.Name())
	}
	r, err := call.Run(ctx, h)
	if errors.Is(err, host.ErrUnreachable) {
		return r, err // not started
	}
	for resumes := 0; errors.Is(err, host.ErrLost) || errors.Is(err, host.ErrUnreachable); resumes++ {
		if resumes == maxResumes || errors.Is(err, host.ErrSilent) {
			return r, mayRun(err)
		}
		if err := host.Sleep(ctx, resumePause); err != nil {
			return r, mayRun(err)
		}
		r, err = call.Run(host.WithConnectOnce(ctx), h)
	}
	return r, c.detachedError(h, err)
}

// AwaitDetached waits until no program that [Call.RunDetached] has started runs on the host,
// including one that a killed process has started. It returns an error after ten minutes.
func AwaitDetached(ctx context.Context, h host.Host) error {
	return awaitDetached(ctx, h, detachedDir, detachedWait)
}

func awaitDetached(ctx context.Context, h host.Host, dir string, limit time.Duration) error {
	_, err := detachedCall(dir, "none", limit, Call{}).Run(ctx, h)
	if reason, is := detachedReason(err); is {
		return fmt.Errorf("cannot wait for programs that an earlier run left running on host %s: %s", h.Name(), reason)
	}
	return err
}

func detachedCall(dir, id string, limit time.Duration, c Call) Call {
	call := Shell(detachedScript, append([]string{dir, id, strconv.Itoa(int(limit.Seconds()))}, c.Args...)...)
	call.Answers, call.Dir = c.Answers, c.Dir
	return call
}

// detachedError returns the error of c for the error of the script that runs it. The script prints the output of the
// program after the program has ended, so too much output does not kill the program.
func (c Call) detachedError(h host.Host, err error) error {
	if reason, is := detachedReason(err); is {
		return fmt.Errorf("cannot run %s on host %s: %s", c.name(), h.Name(), reason)
	}
	if errors.Is(err, errOutput) {
		return fmt.Errorf("%s on host %s ended, but %w", c.name(), h.Name(), errOutput)
	}
	return OfProgram(err, c.Args)
}

// name returns the name of the program for messages, even if env(1) starts it, or aScript for a script.
func (c Call) name() string {
	if isScript(c.Args) {
		return aScript
	}
	if c.Args[0] == "env" {
		for _, arg := range c.Args[1:] {
			if !strings.Contains(arg, "=") {
				return arg
			}
		}
	}
	return c.Args[0]
}

// detachedReason returns the message of the script, and whether err has one.
func detachedReason(err error) (string, bool) {
	failed, is := errors.AsType[*Failed](err)
	if !is {
		return "", false
	}
	reason, is := strings.CutPrefix(failed.Stderr, detachedFailure)
	return tail(reason), is
}

// detachedProgram returns the program that the script runs, an empty one if the script only
// waits, and whether args, those of a [Call], run the script.
func detachedProgram(args []string) ([]string, bool) {
	own := detachedCall("", "", 0, Call{}).Args
	fixed := len(own) - 3 // without the directory, the ID and the limit
	if len(args) < len(own) || !slices.Equal(args[:fixed], own[:fixed]) {
		return nil, false
	}
	return args[len(own):], true
}
