package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// preflights caches the results of checks by host name.
type preflights struct {
	mu          *sync.Mutex
	unreachable map[string]bool // whether a create was planned without its check
	skipped     map[string]bool // whether reads and plans skip the host: see [Scope.skips]
	root        map[string]bool // whether the provider runs as root on the host
}

func newPreflights() preflights {
	return preflights{new(sync.Mutex), make(map[string]bool), make(map[string]bool), make(map[string]bool)}
}

// Preflight runs a check that lets a plan fail early, with the error that the apply would
// return. It does not run the check on a pending host or, for a create, after this run has
// created an object: Terraform then plans creates a second time, and Create checks again. If
// the host of a create cannot be reached, the plan continues with one warning, because the same
// apply may start the host; later checks of creates on this host are skipped. The same holds if sudo
// rejects the provider, because the same apply may allow it through another entry of hosts. If
// on_unreachable is skip for the host, every plan continues if the host cannot be reached. An
// object of another type in the place of one to create is a warning as well, so that only the
// apply of this resource fails.
//
// A user or another prerequisite that the host lacks is only a warning too: see [WarnMissing].
//
// A type's ValidateInputs that calls Preflight also does so before Create and Update. The check
// then runs, except on a pending host, and its error is returned.
func (s *Scope) Preflight(ctx context.Context, check func() error) error {
	name, checks := s.Host.Name(), s.hosts.checks
	if Pending(s.Host) || runtime.Plans(ctx) && s.skipped() || runtime.PlansCreate(ctx) && (checks.isUnreachable(name) || !s.hosts.objects.created.empty()) {
		return nil
	}
	err := check()
	if runtime.PlansCreate(ctx) && isWrongType(err) {
		runtime.Warn(ctx, "", "Object of another type at the path", err.Error()+". Until then, the apply of this resource fails.")
		return nil
	}
	if runtime.Plans(ctx) && s.skips(ctx, err) {
		return nil
	}
	summary, expected := "Host cannot be reached while planning", "creates the host"
	if errors.Is(err, host.ErrNotElevated) {
		summary, expected = "Host rejects sudo while planning", "allows sudo on the host, for example with posix_sudoers and another entry of hosts"
	} else if !errors.Is(err, host.ErrUnreachable) {
		return err
	}
	if !runtime.PlansCreate(ctx) {
		return err
	}
	checks.mu.Lock()
	defer checks.mu.Unlock()
	if checks.unreachable[name] {
		return nil
	}
	checks.unreachable[name] = true
	runtime.Warn(ctx, "host", summary,
		fmt.Sprintf("%s. Resources to be created on host %s are planned without checking for existing objects. "+
			"This is expected if the same apply %s.", err, name, expected))
	return nil
}

// WarnMissing adds to the plan of a create a warning about err, which names what the host lacks,
// such as a user. This is not an error, because something that the plan does not show may provide the
// missing object before the apply of the resource: a command, a package, a resource with unknown arguments, or a
// directory service.
func WarnMissing(ctx context.Context, attribute string, err error) {
	runtime.Warn(ctx, attribute, "Missing on the host",
		err.Error()+". Unless something provides it first, the apply of this resource fails.")
}

func (p preflights) isUnreachable(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unreachable[name]
}

// ConnectionError returns err if the host cannot be reached or rejects the provider, if the
// connection was lost during the check, or if root does not follow a link above the path. It
// returns nil for other errors of a check: another resource may create a missing object before the
// apply.
func ConnectionError(err error) error {
	if isUnsafeLink(err) {
		return err
	}
	for _, kind := range []error{host.ErrUnreachable, host.ErrRefused, host.ErrLost} {
		if errors.Is(err, kind) {
			return err
		}
	}
	return nil
}

// PreflightAsRoot is [Scope.Preflight] for objects, named in the plural, that only root
// can manage: the plan of a create fails if the provider runs as another user. If the
// user is not known, only the apply fails.
func (s *Scope) PreflightAsRoot(ctx context.Context, objects string, check func() error) error {
	return s.Preflight(ctx, func() error {
		if runtime.PlansCreate(ctx) {
			root, err := s.isRoot(ctx)
			if err != nil {
				return err
			}
			if !root {
				return RootRequired(s.Host, objects)
			}
		}
		return check()
	})
}

// isRoot reports whether the provider runs as root on the host, and caches what the host reports.
// If the host is reachable but does not report the user, isRoot returns true.
func (s *Scope) isRoot(ctx context.Context) (bool, error) {
	checks := s.hosts.checks
	checks.mu.Lock()
	root, known := checks.root[s.Host.Name()]
	checks.mu.Unlock()
	if known {
		return root, nil
	}
	root, err := remotecmd.IsRoot(ctx, s.Host)
	if err != nil {
		return true, ConnectionError(err)
	}
	checks.mu.Lock()
	defer checks.mu.Unlock()
	checks.root[s.Host.Name()] = root
	return root, nil
}

// RootRequired returns the error about objects, named in the plural, that only root can
// manage.
func RootRequired(h host.Host, objects string) error {
	if h.Name() == host.LocalName {
		return errors.New(objects + " can only be managed by root: run Terraform as root")
	}
	return diag.AttributeErrorf("host", "%s can only be managed by root, and on host %s the provider runs as another user: "+
		"set sudo = {} for the host in the provider's configuration, or connect as root", objects, h.Name())
}

// skipped reports whether this run could not reach the host, and on_unreachable is skip for it.
// Reads and plans then do not connect to it again.
func (s *Scope) skipped() bool {
	checks := s.hosts.checks
	checks.mu.Lock()
	defer checks.mu.Unlock()
	return checks.skipped[s.Host.Name()]
}

// skips reports whether err, of a read or of a check of a plan, is to be ignored, because the
// host cannot be reached and on_unreachable is skip for it. It warns once for each host.
func (s *Scope) skips(ctx context.Context, err error) bool {
	name, checks := s.Host.Name(), s.hosts.checks
	if !errors.Is(err, host.ErrUnreachable) || !s.hosts.finder.SkipsUnreachable(name) {
		return false
	}
	checks.mu.Lock()
	defer checks.mu.Unlock()
	if checks.skipped[name] {
		return true
	}
	checks.skipped[name] = true
	runtime.Warn(ctx, "host", "Skipped a host that cannot be reached",
		fmt.Sprintf("%s. Since on_unreachable is \"skip\" for host %s, its resources keep their last known state, "+
			"and changes are planned from that state, without checks on the host. The apply of a change on this host fails until the provider can reach the host.", err, name))
	return true
}
