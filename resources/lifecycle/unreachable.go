package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// skipped reports whether this run could not reach the host, and its policy is to skip it.
// Reads and plans then do not connect to it again.
func (s *Scope) skipped() bool {
	of := s.hosts.checks
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.skipped[s.Host.Name()]
}

// skips reports whether err, of a read or of a check of a plan, is to be ignored, because the
// host cannot be reached and its policy is to skip it. It warns once for each host.
func (s *Scope) skips(ctx context.Context, err error) bool {
	name, of := s.Host.Name(), s.hosts.checks
	if !errors.Is(err, host.ErrUnreachable) || !s.hosts.finder.SkipsUnreachable(name) {
		return false
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.skipped[name] {
		return true
	}
	of.skipped[name] = true
	runtime.Warn(ctx, "host", "Skipped a host that cannot be reached",
		fmt.Sprintf("%s. Since on_unreachable is \"skip\" for host %s, its resources keep their last known state, "+
			"and changes are planned from that, without checks on the host. Applying a change on it fails until it can be reached.", err, name))
	return true
}
