package sshhost

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// admission limits the connection of one host: the connection needs a slot, which all its
// operations share and which may be taken away between them. A host behind a jump host
// needs no slot of its own: it is connected as long as the jump host is.
type admission struct {
	slots *Slots     // nil: no limit
	via   *admission // of the jump host; nil if there is none
	leave func()     // closes the connection

	life context.Context //nolint:containedctx // that of the host, which end ends: no call's
	stop context.CancelFunc

	lock chan struct{} // a mutex whose Lock can be cancelled
	slot *Slot         // nil if there is none yet
	gone chan struct{} // closed when the connection whose slot was taken away has ended
}

func newAdmission(slots *Slots, via *admission, leave func()) *admission {
	a := &admission{slots: slots, via: via, leave: leave, lock: make(chan struct{}, 1)}
	a.life, a.stop = context.WithCancel(context.Background())
	a.lock <- struct{}{}
	return a
}

// enter waits until a connection is allowed, which then stays allowed until done is called.
func (a *admission) enter(ctx context.Context) (done func(), err error) {
	switch {
	case a.via != nil:
		return a.via.enter(ctx)
	case a.slots == nil:
		return func() {}, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(conn.ErrClosed) })()
	wait := func(turn <-chan struct{}) error {
		select {
		case <-turn:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting for a free connection (max_connections)", context.Cause(ctx))
		}
	}
	if err := wait(a.lock); err != nil {
		return nil, err
	}
	defer func() { a.lock <- struct{}{} }()
	if a.slot != nil {
		if a.slot.Use() {
			return a.slot.Done, nil
		}
		if err := wait(a.gone); err != nil {
			return nil, err
		}
		a.slot = nil
	}
	gone := make(chan struct{})
	slot, err := a.slots.Take(ctx, func() {
		a.leave()
		close(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("%w while waiting for a free connection (max_connections)", err)
	}
	a.slot, a.gone = slot, gone
	return slot.Done, nil
}

// end gives the slot back after the connection has ended.
func (a *admission) end() {
	a.stop() // so no caller holds the lock
	<-a.lock
	defer func() { a.lock <- struct{}{} }()
	if a.slot != nil {
		a.slot.Return()
	}
}
