package sshhost

import (
	"context"
	"sync"
	"sync/atomic"
)

// ahead is what the first operation of a kind begins besides, as all of its kind
// are going to need it: one after the other, each would take some round trips. It is
// left to them where the server has a single session, and where somebody's password
// is said to begin a session: a wrong one is said once.
type ahead struct{ begun atomic.Bool }

// begin begins it, unless that was done. Who calls it waits before it is done
// itself, as nothing uses the connection longer than that.
func (a *ahead) begin(h *Host, do func()) (wait func()) {
	if h.becomes || h.bare() || !h.roomy() || a.begun.Swap(true) {
		return func() {}
	}
	var doing sync.WaitGroup
	doing.Go(do)
	return doing.Wait
}

// openAhead opens the session of files, while a change waits for that of the shell.
func (h *Host) openAhead(ctx context.Context) (wait func()) {
	return h.opening.begin(h, func() {
		if s, err := h.sessions.SFTP(ctx); err == nil { // who needs it sees the error
			s.Release()
		}
	})
}

// nameAhead asks for users and groups, in one batch with what is asked first.
func (h *Host) nameAhead(ctx context.Context) (wait func()) {
	return h.naming.begin(h, func() { _, _ = h.accounts.UserName(ctx, 0) }) // who needs it sees the error
}
