package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// lockPatience is how long a change waits for others that have locked the files of
// accounts, as an installation of packages does for moments.
const lockPatience = 10 * time.Second

// changeLimit is how long a change may take after its run was interrupted.
const changeLimit = 2 * time.Minute

// alone runs what changes accounts: the tools do not wait for each other. What has
// begun is finished when the run is interrupted: half an account is of no use, and a
// tool that is killed leaves its locks.
func alone(ctx context.Context, scope *lifecycle.Scope, do func(context.Context) error) error {
	return scope.WithLockUncancelled(ctx, "accounts", changeLimit, do)
}

// run runs one of the tools. Where the files are locked by somebody else it waits a
// while.
func (s *system) run(ctx context.Context, call remotecmd.Call) error {
	begun := time.Now()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		_, err := call.Run(ctx, s.host)
		switch {
		case !isLocked(err):
			return s.explain(call.Args[0], err)
		case time.Since(begun)+pause > lockPatience:
			return fmt.Errorf("%w. On host %s, another program has held the lock of this file for %s: find it, and apply again. "+
				"If no such program runs, the lock was left by a program that was killed: remove the file with the suffix .lock",
				err, s.host.Name(), lockPatience)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// program runs one of the tools with these arguments.
func (s *system) program(ctx context.Context, args ...string) error {
	return s.run(ctx, remotecmd.Call{Args: args})
}

// isLocked reports whether a tool has found a file locked. Where nobody can lock it
// the tool says the same, after the reason, and waiting is of no use.
func isLocked(err error) bool {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	return is && strings.Contains(failed.Stderr, "cannot lock /etc/") &&
		!strings.Contains(failed.Stderr, "ermission denied") && !strings.Contains(failed.Stderr, "ead-only file system")
}

// Exit codes of the shadow suite that say more than that something failed.
const (
	codeBadArgument = 3
	codeIDInUse     = 4
	codeNoGroup     = 6
	codeBusy        = 8
	codeNameInUse   = 9
	codeHome        = 12
)

// explain puts the remedy to the error of a tool.
func (s *system) explain(program string, err error) error {
	if remotecmd.IsMissing(err) {
		return fmt.Errorf("%w. Install the package shadow on the host (passwd on Debian, shadow-utils on Fedora)", err)
	}
	switch program {
	case "useradd", "usermod", "userdel", "groupadd", "groupmod", "groupdel":
	default:
		return err
	}
	var about, remedy string
	switch isUser := strings.HasPrefix(program, "user"); {
	case remotecmd.FailedWith(err, codeIDInUse) && isUser:
		about, remedy = "uid", "Choose another UID, or leave it out to use a free one"
	case remotecmd.FailedWith(err, codeIDInUse):
		about, remedy = "gid", "Choose another GID, or leave it out to use a free one"
	case remotecmd.FailedWith(err, codeBusy) && isUser:
		remedy = "End the processes of the user (loginctl terminate-user NAME, or pkill -KILL -u NAME), and apply again"
	case remotecmd.FailedWith(err, codeNameInUse):
		about, remedy = "name", "It was created after the plan was made: create a new plan"
	case remotecmd.FailedWith(err, codeHome) && program != "userdel":
		about, remedy = "home", "Check the object at the path, and apply again"
	case remotecmd.FailedWith(err, codeBadArgument):
		remedy = "The tools of this system support fewer values than others: choose another one"
	default:
		return err
	}
	err = fmt.Errorf("%w. %s", err, remedy)
	if about == "" {
		return err
	}
	return diag.AttributeErrorf(about, "%w", err)
}
