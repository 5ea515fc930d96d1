package sshhost

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var _ host.Host = (*Host)(nil)

// Host is a host that is reached over SSH. [New] makes one.
type Host struct {
	name      string
	conn      *conn.Conn
	admission *admission
	via       *Host // the jump host; nil if there is none of this package

	batches    *shellrpc.Coalescer
	accounts   *shellrpc.Accounts
	commands   *command.Runner
	transfers  *transfers
	shellFiles *shellfs.Files
	byShell    *remotefs.Files // over shellFiles

	mode     atomic.Pointer[mode] // nil until it is detected
	deciding chan struct{}        // a mutex for detecting the mode; has room for one element

	mu     sync.Mutex
	behind map[*Host]bool // hosts whose jump host this is
}

// New returns a host. It does not connect. An error is about the options.
func New(o Options) (*Host, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	l, err := conn.New(connOptions(&o))
	if err != nil {
		return nil, err
	}
	h := &Host{name: o.Name, conn: l, behind: map[*Host]bool{}, deciding: make(chan struct{}, 1)}
	var before *admission
	if via, ok := o.Via.(*Host); ok {
		h.via, before = via, via.admission
		via.lead(h, true)
	}
	h.admission = newAdmission(o.Slots, before, h.disconnect)
	var starter remote.Starter = l
	serve := func(ctx context.Context) (remote.Process, error) { return l.Subsystem(ctx, "sftp") }
	if o.Become != nil && o.Become.User != o.User {
		elevated := elevate.New(l, o.Become.User, (*string)(o.Become.Password))
		starter = elevated
		serve = func(ctx context.Context) (remote.Process, error) { return elevate.StartSFTP(ctx, elevated) }
	}
	helper := shellrpc.NewHelper(starter, shellKeeper{l})
	h.batches = shellrpc.NewCoalescer(helper)
	h.accounts = shellrpc.NewAccounts(o.Name, h.batches)
	h.commands = &command.Runner{Host: o.Name, Starter: starter}
	h.shellFiles = shellfs.New(starter, helper, h.batches, func() bool { return l.MaxSessions() == 1 })
	h.byShell = remotefs.New(o.Name, h.shellFiles, h.accounts, h.batches)
	h.transfers = &transfers{conn: l, serve: serve}
	return h, nil
}

// Name implements [host.Host].
func (h *Host) Name() string { return h.name }

// Close closes the connection and those of the hosts behind this one. Operations in
// progress fail, and so do later ones.
func (h *Host) Close() error {
	err := h.conn.Close()
	h.admission.end()
	if h.via != nil {
		h.via.lead(h, false)
	}
	return err
}

// lead adds other to the hosts behind this one, or removes it.
func (h *Host) lead(other *Host, goes bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if goes {
		h.behind[other] = true
	} else {
		delete(h.behind, other)
	}
}

// disconnect closes the connection while no operation uses it.
func (h *Host) disconnect() {
	h.mu.Lock()
	behind := make([]*Host, 0, len(h.behind))
	for other := range h.behind {
		behind = append(behind, other)
	}
	h.mu.Unlock()
	for _, other := range behind {
		other.disconnect()
	}
	h.conn.Disconnect()
}

// fail returns the error of an operation: nil for nil, else a [*host.Error], unless err
// is one already.
func (h *Host) fail(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // one deeper down is another's
		return err
	}
	return &host.Error{Op: verb, Host: h.name, Path: path, Err: err}
}

// outcomeUnknown explains, for an operation that is not repeated, that a broken connection
// leaves its outcome unknown.
func outcomeUnknown(err error) error {
	failed, ok := err.(*host.Error) //nolint:errorlint // one deeper down is another's
	if !ok || !errors.Is(err, sftp.ErrClosed) && !errors.Is(err, conn.ErrLost) {
		return err
	}
	return &host.Error{Op: failed.Op, Host: failed.Host, Path: failed.Path, Err: fmt.Errorf(
		"%w. It is not known whether this was done before: check the host, or run a new plan", failed.Err)}
}
