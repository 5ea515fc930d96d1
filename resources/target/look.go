package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Look runs a look at a host by which a plan finds out early what an apply would
// stumble over. It is left out on a host that is not known yet. So it is, of a
// create, once this run has created something: the engine then plans a second time
// what it creates next, and creating looks by itself. A plan of a create goes on
// where the host cannot be reached, with a warning, since the same run may be about
// to start it; nobody waits for the same host a second time.
func (s *Hosts) Look(ctx context.Context, h host.Host, look func() error) error {
	if Pending(h) || runtime.PlansCreate(ctx) && (s.away(h) || s.creating()) {
		return nil
	}
	err := look()
	if !runtime.PlansCreate(ctx) || !errors.Is(err, host.ErrUnreachable) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone[h.Name()] {
		return nil
	}
	s.gone[h.Name()] = true
	runtime.Warn(ctx, "host", "Host cannot be reached while planning",
		fmt.Sprintf("%s. Resources to be created on host %s are planned without checking for existing objects. "+
			"This is expected if the same apply creates the host.", err, h.Name()))
	return nil
}

func (s *Hosts) away(h host.Host) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone[h.Name()]
}

// creating reports whether something was created in this run.
func (s *Hosts) creating() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.made) > 0
}

// Unseen is the error of a look that counts: what is missing now may be made by
// another resource before, but a host that cannot be reached, or refuses us, was not
// looked at.
func Unseen(err error) error {
	if errors.Is(err, host.ErrUnreachable) || errors.Is(err, host.ErrRefused) {
		return err
	}
	return nil
}
