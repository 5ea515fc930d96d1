package shell

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

const (
	// signalTimeout is how long a process may take to end by a signal.
	signalTimeout = 500 * time.Millisecond
	// killTimeout is how long a second process that kills the first one may take: on a
	// server that allows a single session it needs a new connection.
	killTimeout = 15 * time.Second
)

var killing = Fixed(`px_kill() {
  if [ "$2" = own ]; then kill -KILL "-$1"; else px_tree "$1"; fi
}
px_tree() {
  set -- "$1" $(px_children "$1")
  kill -KILL "$1"
  shift
  for px_c do px_tree "$px_c"; done
}
px_children() {
  { ps -A -o pid= -o ppid= || ps -o pid,ppid; } | while read -r px_a px_b; do
    if [ "$px_b" = "$1" ]; then echo "$px_a"; fi
  done
}`)

// Kill ends the process and all that it started, and frees what it held. If the server
// passes no signals on (OpenSSH does not for root), or only to the process itself, or
// the process has become another user's, a second process on the host does it. That
// ends after killTimeout if the host does not answer.
func (p *Process) Kill() {
	defer func() { _ = p.Close() }() // nothing that it could lose is of use
	select {
	case <-p.ended: // its number may be another's by now
		return
	default:
	}
	group := "own"
	if !p.group { // those that it started are found by way of it: it goes last
		group = "shared"
		p.killFromOutside(group)
	}
	if p.Signal("KILL") == nil { // nor does that prove that it got through
		p.endsWithin(signalTimeout)
	}
	if p.group {
		p.killFromOutside(group)
	}
	p.endsWithin(signalTimeout)
}

func (p *Process) killFromOutside(group string) {
	ctx, cancel := context.WithTimeout(remote.Urgent(context.Background()), killTimeout)
	defer cancel()
	text := Join(killing, Call("px_kill", p.pid, group), Fixed("px_ready"))
	if k, err := Start(ctx, p.starter, text); err == nil {
		_ = k.Close() // it has done what it was for
	}
}
