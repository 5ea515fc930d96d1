package elevate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ remote.Starter = (*Elevated)(nil)

// Elevated starts programs as another user. [New] makes one. It is safe for concurrent
// use.
type Elevated struct {
	starter  remote.Starter
	user     string
	password *string

	lock     chan struct{} // a mutex whose Lock can be canceled
	accepted bool          // a program was started as the user, by sudo or because the shell already runs as that user
	refused  error         // the error of a start that failed after the password was sent to sudo
}

// New returns an [Elevated] that starts programs as user. password may be nil if sudo does not
// require one.
func New(starter remote.Starter, user string, password *string) *Elevated {
	e := &Elevated{starter: starter, user: user, password: password, lock: make(chan struct{}, 1)}
	e.lock <- struct{}{}
	return e
}

// Start implements [remote.Starter]. Until one program has been started as the user, programs are
// started one at a time, so that a wrong password is tried only once.
func (e *Elevated) Start(ctx context.Context, line string) (remote.Process, error) {
	accepted, err := e.enter(ctx)
	if err != nil {
		return nil, err
	}
	if accepted {
		p, err := e.start(ctx, line)
		if refused(err) && e.take(ctx) {
			e.leave(err)
		}
		return p, err
	}
	p, err := e.start(ctx, line)
	e.leave(err)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// enter reports whether a program was started as the user. The error is that of a start that failed after the
// password was sent, or that of ctx. If enter returns false and nil, the caller holds the lock and must call leave.
func (e *Elevated) enter(ctx context.Context) (accepted bool, err error) {
	if !e.take(ctx) {
		return false, ctx.Err()
	}
	if e.refused == nil && !e.accepted {
		return false, nil
	}
	defer func() { e.lock <- struct{}{} }()
	return e.accepted, e.refused
}

func (e *Elevated) take(ctx context.Context) bool {
	select {
	case <-e.lock:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *Elevated) leave(err error) {
	switch {
	case err == nil:
		e.accepted = true
	case refused(err):
		e.refused = err
	}
	e.lock <- struct{}{}
}

// Forget clears the error of a start that failed after the password was sent to sudo: on a booting
// host, the password may be set later.
func (e *Elevated) Forget() {
	select {
	case <-e.lock:
		e.refused = nil
		e.lock <- struct{}{}
	default: // a start holds the lock
	}
}

// refused reports whether a start that failed with err must not be retried, because the password was sent to sudo.
func refused(err error) bool {
	r, ok := errors.AsType[*RefusedError](err)
	return ok && r.PasswordSent
}

// becoming replaces the shell with sudo, which starts the program as the other user, or with the
// program if the shell runs as that user already. Without sudo it ends the shell. $1 is the user, $2 the
// password prompt or empty, $3 the mark that reports the start of the program, $4 its command line.
var becoming = shell.Fixed(`if [ "$(id -un 2>/dev/null)" = "$1" ]; then
  px_ready self
  exec sh -c "$4"
fi
if command -v sudo >/dev/null 2>&1; then px_ready sudo; else px_ready none; exit; fi
px_s='printf "\n%s\n" "$1" >&2; printf "\n%s\n" "$1"; exec sh -c "$2"'
if [ -n "$2" ]; then
  exec sudo -S -H -p "$2" -u "$1" -- sh -c "$px_s" sh "$3" "$4"
else
  exec sudo -n -H -u "$1" -- sh -c "$px_s" sh "$3" "$4"
fi`)

func (e *Elevated) start(ctx context.Context, line string) (remote.Process, error) {
	if e.password != nil && strings.ContainsAny(*e.password, "\n\x00") {
		return nil, &shell.NotSentError{Err: errors.New("the password for sudo contains a newline or a NUL byte, which sudo cannot read")}
	}
	d := newDialogue(e.user, e.password)
	text := shell.Join(shell.Call("set --", e.user, d.prompt, d.mark, line), becoming)
	p, err := shell.Start(ctx, e.starter, text)
	if err != nil {
		return nil, err
	}
	switch p.ReadyArgs() {
	case "self":
		return p, nil
	case "none":
		_ = p.Close() // the shell has ended
		return nil, &RefusedError{User: e.user, Missing: true}
	}
	return d.run(ctx, p)
}

// RefusedError means that sudo did not start a program as a user.
type RefusedError struct {
	User         string
	Missing      bool   // sudo is not installed
	HasPassword  bool   // a password is configured
	PasswordSent bool   // the password was sent to sudo
	Wrong        bool   // sudo rejected the password
	Said         string // messages of sudo
}

// Is reports whether target is [host.ErrRefused] or [host.ErrNotElevated].
func (*RefusedError) Is(target error) bool {
	return target == host.ErrRefused || target == host.ErrNotElevated
}

func (e *RefusedError) Error() string {
	var text string
	switch {
	case e.Missing:
		return fmt.Sprintf("cannot become %s: sudo is not installed on the host. Install sudo, or connect as %s", e.User, e.User)
	case e.Wrong:
		text = fmt.Sprintf("cannot become %s: sudo rejected the password. The provider does not try the password again, because repeated attempts can lock the account. "+
			"Correct the password. By default, sudo requires the password of the user that the provider connects as", e.User)
	case strings.Contains(e.Said, "have a tty"):
		text = fmt.Sprintf(`cannot become %s: sudo requires a terminal. Add "Defaults:USER !requiretty" to sudoers, where USER is the user that the provider connects as`, e.User)
	case e.HasPassword:
		text = fmt.Sprintf("cannot become %s: sudo rejected the command. In sudoers, allow the user that the provider connects as to run sh", e.User)
	default:
		text = fmt.Sprintf("cannot become %s: sudo rejected the command without a password. "+
			"Set password in the sudo object, or add a rule with NOPASSWD to sudoers that allows the user that the provider connects as to run sh", e.User)
	}
	if e.Said != "" {
		text += ". Output of sudo: " + e.Said
	}
	return text
}

// ErrNoServer means that a host has no SFTP server program.
var ErrNoServer = errors.New("the host has no sftp-server program. Install the package openssh-sftp-server, openssh-server or openssh")

// serving replaces the shell with an SFTP server: the program in sshd's configuration, or one
// in the usual directories or PATH. The server built into sshd cannot be started this way.
var serving = shell.Fixed(`px_c=
for px_f in /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*.conf; do
  if [ -r "$px_f" ]; then
    while read -r px_k px_s px_v; do
      case $px_k in
        [Ss]ubsystem | [Ss]ub[Ss]ystem | SUBSYSTEM)
          if [ "$px_s" = sftp ] && [ -z "$px_c" ]; then px_c=$px_v; fi ;;
      esac
    done <"$px_f"
  fi
done
set -f
set -- $px_c
set +f
if [ $# -gt 0 ] && [ -x "$1" ] && [ ! -d "$1" ]; then
  px_ready found
  exec "$@"
fi
for px_c in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec /usr/lib /usr/lib/misc /usr/local/libexec /usr/pkg/libexec; do
  if [ -x "$px_c/sftp-server" ]; then
    px_ready found
    exec "$px_c/sftp-server"
  fi
done
if px_c=$(command -v sftp-server); then
  px_ready found
  exec "$px_c"
fi
px_ready none`)

// StartSFTP starts an SFTP server with the starter. The error matches [ErrNoServer] if the
// host has no server program.
func StartSFTP(ctx context.Context, starter remote.Starter) (remote.Process, error) {
	p, err := shell.Start(ctx, starter, serving)
	if err != nil {
		return nil, err
	}
	if p.ReadyArgs() == "none" {
		_ = p.Close() // the shell has ended
		return nil, ErrNoServer
	}
	return p, nil
}
