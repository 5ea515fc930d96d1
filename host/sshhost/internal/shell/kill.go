package shell

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

const (
	// signalTimeout is how long a process may take to end after a signal.
	signalTimeout = 500 * time.Millisecond
	// killTimeout limits a second process that kills the first one: if the server allows a
	// single session, it needs a new connection.
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

// Kill kills the process and its child processes, and frees its resources. If the server
// does not support signals (OpenSSH does not for root), signals only the process itself, or
// the process runs as another user, a second process on the host does it. Kill returns
// after killTimeout if the host does not respond.
func (p *Process) Kill() {
	defer func() { _ = p.Close() }() // no data can be lost
	select {
	case <-p.ended: // its PID may have been reused
		return
	default:
	}
	group := "own"
	if !p.group { // child processes are found through their parent, so it goes last
		group = "shared"
		p.killFromOutside(group)
	}
	if p.Signal("KILL") == nil { // success does not prove that the signal was delivered
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
