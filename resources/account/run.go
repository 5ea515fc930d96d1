package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// lockTimeout limits how long a tool is retried while other programs lock the account files.
// Installations of packages briefly lock these files.
const lockTimeout = 10 * time.Second

// lockMessage is a part of the message that the tools print if they cannot lock an account file.
const lockMessage = "cannot lock /etc/"

// changeGrace is how long a change may continue after the run was interrupted.
const changeGrace = 2 * time.Minute

// withLock runs the function do while this process makes no other change of accounts on the host, because the
// tools do not wait for each other. If the run is interrupted, do is not canceled until changeGrace
// is over: a killed tool leaves its locks and an incomplete account.
func withLock(ctx context.Context, scope *lifecycle.Scope, do func(context.Context) error) error {
	return scope.WithLockUncanceled(ctx, "accounts", changeGrace, do)
}

// retry calls do, which runs a tool and returns its name, and calls it again, until lockTimeout, while another
// program locks the files. It records in s.ran that a tool may have run, and adds a remedy to the error.
func (s *hostAccounts) retry(ctx context.Context, do func() (program string, err error)) error {
	start := time.Now()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		program, err := do()
		s.ran = s.ran || host.MayHaveRun(err)
		left := lockTimeout - time.Since(start)
		switch {
		case errors.Is(err, syscall.ENOSPC):
			return fmt.Errorf("%w. The file system on host %s is full: free space or inodes and apply again", err, s.host.Name())
		case !isLocked(err):
			return s.withHint(program, err)
		case left <= 0:
			return fmt.Errorf("%w. On host %s, another program holds the lock of this file: wait until that program ends, or stop it, and apply again. "+
				"If no such program runs, the lock was left by a program that was killed: remove the file with the suffix .lock",
				err, s.host.Name())
		}
		if err := host.Sleep(ctx, min(pause, left)); err != nil {
			return err
		}
	}
}

// run runs a tool, with retries.
func (s *hostAccounts) run(ctx context.Context, call remotecmd.Call) error {
	return s.retry(ctx, func() (string, error) {
		_, err := call.Run(ctx, s.host)
		return call.Args[0], err
	})
}

func (s *hostAccounts) program(ctx context.Context, args ...string) error {
	return s.run(ctx, remotecmd.Call{Args: args})
}

// isLocked reports whether a tool failed with err because another program locks a file. A
// tool that cannot write the lock file prints the same message after the reason. If the reason is a
// missing permission or a read-only file system, isLocked returns false, because waiting is useless.
func isLocked(err error) bool {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	return is && strings.Contains(failed.Stderr, lockMessage) &&
		!strings.Contains(failed.Stderr, "ermission denied") && !strings.Contains(failed.Stderr, "ead-only file system")
}

// hintIfMissing returns a function that adds an attribute and a remedy to the error of a tool that may not
// have found a user or a group. It returns other errors unchanged.
func hintIfMissing(attribute, remedy string) func(error) error {
	return func(err error) error {
		failed, is := errors.AsType[*remotecmd.Failed](err)
		if !is || errors.Is(err, syscall.ENOSPC) || strings.Contains(failed.Stderr, lockMessage) {
			return err
		}
		return diag.AttributeErrorf(attribute, "%w. %s", err, remedy)
	}
}

// Exit codes of the shadow suite with a specific meaning.
const (
	codeBadArgument = 3
	codeIDInUse     = 4
	codeNoGroup     = 6
	codeBusy        = 8
	codeNameInUse   = 9
	codeHome        = 12
)

// addedDespite reports whether the tool that adds an account has, or may have, added it although the tool failed
// with err: useradd adds the user before it creates the home directory, and a tool may continue when the
// connection is lost. The accounts are read again with q; if that fails, the account may have been added. An
// account with a name that the tool found in use was added by another program, and so was an account that
// exists although no tool has run.
func (s *hostAccounts) addedDespite(ctx context.Context, q query, err error) bool {
	if !s.ran {
		return false
	}
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && (failed.ExitCode == codeNameInUse || strings.Contains(failed.Stderr, "in use")) {
		return false
	}
	now, err := read(ctx, s.host, q)
	if err != nil {
		return true
	}
	_, there := now.user(q.key)
	if q.database == group {
		_, there = now.group(q.key)
	}
	return there
}

// withHint adds the remedy, if one is known, to the error of a tool.
func (s *hostAccounts) withHint(program string, err error) error {
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
		about, remedy = "uid", "Choose another UID, or leave uid out to use a free UID"
	case remotecmd.FailedWith(err, codeIDInUse):
		about, remedy = "gid", "Choose another GID, or leave gid out to use a free GID"
	case remotecmd.FailedWith(err, codeBusy) && isUser:
		remedy = "End the processes of the user (loginctl terminate-user NAME, or pkill -KILL -u NAME), and apply again"
	case remotecmd.FailedWith(err, codeNameInUse):
		about, remedy = "name", "The account was created after the plan was made: create a new plan"
	case remotecmd.FailedWith(err, codeHome) && program != "userdel":
		about, remedy = "home", "Check the object at the path, and apply again"
	case remotecmd.FailedWith(err, codeBadArgument):
		remedy = fmt.Sprintf("The account tools of host %s reject the value. The tools of other distributions may accept it. Choose a different value", s.host.Name())
	default:
		return err
	}
	err = fmt.Errorf("%w. %s", err, remedy)
	if about == "" {
		return err
	}
	return diag.AttributeErrorf(about, "%w", err)
}
