package elevate

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

	lock    chan struct{} // a mutex whose Lock can be cancelled
	known   bool          // sudo has accepted the user
	refused error         // sudo has refused the password
}

// New returns a starter of programs as user. password may be nil if sudo does not ask for
// one.
func New(starter remote.Starter, user string, password *string) *Elevated {
	e := &Elevated{starter: starter, user: user, password: password, lock: make(chan struct{}, 1)}
	e.lock <- struct{}{}
	return e
}

// Start implements [remote.Starter]. Until sudo has accepted the password, programs are
// started one at a time, so that a wrong password is tried only once.
func (e *Elevated) Start(ctx context.Context, line string) (remote.Process, error) {
	known, err := e.enter(ctx)
	if err != nil {
		return nil, err
	}
	if known {
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

// enter reports whether sudo has accepted the password. If that is unknown, the caller
// holds the lock and must call leave.
func (e *Elevated) enter(ctx context.Context) (known bool, err error) {
	if !e.take(ctx) {
		return false, ctx.Err()
	}
	if e.refused == nil && !e.known {
		return false, nil
	}
	defer func() { e.lock <- struct{}{} }()
	return e.known, e.refused
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
		e.known = true
	case refused(err):
		e.refused = err
	}
	e.lock <- struct{}{}
}

// refused reports whether a retry is useless or harmful, because the password was sent to
// sudo.
func refused(err error) bool {
	r, ok := errors.AsType[*RefusedError](err)
	return ok && r.PasswordSent
}

// becoming replaces the shell with a sudo that starts the program as the other user. $1 is
// the user, $2 the password prompt or empty, $3 the mark that reports the start of the
// program, $4 its command line.
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
	switch p.Said() {
	case "self":
		return p, nil
	case "none":
		_ = p.Close() // it has ended
		return nil, &RefusedError{User: e.user, Missing: true}
	}
	return d.hold(ctx, p)
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

func (e *RefusedError) Error() string {
	var text string
	switch {
	case e.Missing:
		return fmt.Sprintf("cannot become %s: the host has no sudo: install it, or log in as %s", e.User, e.User)
	case e.Wrong:
		text = fmt.Sprintf("cannot become %s: sudo refused the password, which was tried once and is not tried again: "+
			"sudo asks for the password of the user who logged in, unless its configuration says otherwise", e.User)
	case strings.Contains(e.Said, "have a tty"):
		text = fmt.Sprintf(`cannot become %s: sudo wants a terminal: exempt the user who logs in, by "Defaults:USER !requiretty" in sudoers`, e.User)
	case e.HasPassword:
		text = fmt.Sprintf("cannot become %s: sudo did not allow it: give the user who logs in the right to run sh in sudoers", e.User)
	default:
		text = fmt.Sprintf("cannot become %s: sudo did not allow it without a password: "+
			"configure the password, or give the user who logs in the right to run sh with NOPASSWD in sudoers", e.User)
	}
	if e.Said != "" {
		text += "; sudo said: " + e.Said
	}
	return text
}

// ErrNoServer means that a host has no SFTP server program.
var ErrNoServer = errors.New("the host has no sftp-server that a shell can start: install it (openssh-sftp-server, openssh-server or openssh)")

// serving replaces the shell with an SFTP server: the one in sshd's configuration, or one
// in the usual places. The server built into sshd cannot be started this way.
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
	if p.Said() == "none" {
		_ = p.Close() // it has ended
		return nil, ErrNoServer
	}
	return p, nil
}
