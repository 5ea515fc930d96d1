package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Session opens the notebook for the duration of a run.
type Session struct {
	// Purpose is the purpose of the session.
	Purpose string
	// RenewAfter is the time until the session is renewed, such as "1m".
	RenewAfter *runtime.Duration
}

// SessionOutput is an open session.
type SessionOutput struct {
	// Token is the secret of the session.
	Token string `tf:",sensitive"`
	// Owner is the owner of the notebook.
	Owner string
}

// Ticket is the private data for renewing and closing a session.
type Ticket struct {
	ID         string
	Renewals   int
	RenewAfter time.Duration
}

const sessions = "session"

// Constraints returns the permitted values of purpose.
func (*Session) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.OneOf("purpose", "read", "write")}
}

// Open opens a session. It is an error if the provider has no password.
func (s *Session) Open(_ context.Context, n *Notebook) (*SessionOutput, runtime.Lease[Ticket], error) {
	t := Ticket{ID: rand.Text()}
	if n.password == "" {
		return nil, runtime.Lease[Ticket]{}, errors.New("a session requires a password: set password in the provider block")
	}
	if s.RenewAfter != nil {
		t.RenewAfter = time.Duration(*s.RenewAfter)
	}
	out := &SessionOutput{Token: "token-" + rand.Text(), Owner: n.owner}
	return out, t.lease(), n.put(sessions, t.ID, t)
}

func (t Ticket) lease() runtime.Lease[Ticket] {
	lease := runtime.Lease[Ticket]{Session: t}
	if t.RenewAfter > 0 {
		lease.RenewAt = time.Now().Add(t.RenewAfter)
	}
	return lease
}

// Renew extends a session. It is an error if the session is not open.
func (*Session) Renew(_ context.Context, n *Notebook, t Ticket) (runtime.Lease[Ticket], error) {
	if err := n.get(sessions, t.ID, &Ticket{}); err != nil {
		return runtime.Lease[Ticket]{}, err
	}
	t.Renewals++
	return t.lease(), n.put(sessions, t.ID, t)
}

// Close removes a session. A missing session is not an error.
func (*Session) Close(_ context.Context, n *Notebook, t Ticket) error {
	return n.remove(sessions, t.ID)
}
