package lifecycle

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// Hosts is the set of hosts that resources can be on, with the facts that this run has
// recorded about them. It is safe for concurrent use.
type Hosts struct {
	finder  Finder
	objects objects
	// planned has the users and groups that this run is planned to create, and the units that it may
	// change. Objects planned after them may depend on them, although the host does not have them yet.
	planned  Table[struct{}]
	checks   preflights
	listings listings
	locks    host.KeyedMutex[place]
}

// Finder finds hosts by name. A Finder may create hosts on first use, and does not connect to
// them. If it is an io.Closer, its method Close closes the hosts that it created.
type Finder interface {
	// Default returns the name of the default host.
	Default() string
	// Find returns the host with this name, the same one each time; its Name is the current
	// name of the host.
	Find(name string) (host.Host, error)
	// CurrentName returns the current name of the host that has or had this name. The result is
	// the name itself unless the host was renamed.
	CurrentName(name string) string
	// SkipsUnreachable reports whether reads and plans continue without the host with this name
	// if it cannot be reached.
	SkipsUnreachable(name string) bool
}

// New returns the set of the hosts that finder finds.
func New(finder Finder) *Hosts {
	return &Hosts{finder: finder, checks: newPreflights(), listings: newListings()}
}

// NewHosts returns the set of these hosts. The first is the default host. NewHosts returns an error
// if there is no host, or if two hosts have the same name.
func NewHosts(hosts ...host.Host) (*Hosts, error) {
	if len(hosts) == 0 {
		return nil, errors.New("at least one host is required")
	}
	s := set{standard: hosts[0].Name(), byName: make(map[string]host.Host, len(hosts))}
	for _, h := range hosts {
		if _, twice := s.byName[h.Name()]; twice {
			return nil, fmt.Errorf("more than one host has the name %q", h.Name())
		}
		s.byName[h.Name()] = h
	}
	return New(s), nil
}

// set is a finder of existing hosts.
type set struct {
	standard string
	byName   map[string]host.Host
}

func (s set) Default() string { return s.standard }

func (set) CurrentName(name string) string { return name }

func (set) SkipsUnreachable(string) bool { return false }

func (s set) Find(name string) (host.Host, error) {
	if h, ok := s.byName[name]; ok {
		return h, nil
	}
	return nil, NoSuchHostErrorf("no host %q is configured. The provider has: %s. Use one of these hosts, or leave host out for %s",
		name, strings.Join(slices.Sorted(maps.Keys(s.byName)), ", "), s.standard)
}

// NoSuchHostErrorf returns the error of a [Finder] that has no host with the requested name.
func NoSuchHostErrorf(format string, args ...any) error {
	return noSuchHostError{fmt.Errorf(format, args...)}
}

type noSuchHostError struct{ error }

// Find returns the host with this name; nil means the default host. Errors are about
// the attribute host.
func (s *Hosts) Find(name *string) (host.Host, error) {
	unset := ""
	if name == nil {
		name, unset = new(s.finder.Default()), "host is not set, so the provider's default_host is used: "
	}
	h, err := s.finder.Find(*name)
	if err != nil {
		summary := "Invalid host"
		if _, unknown := errors.AsType[noSuchHostError](err); unknown {
			summary = "Unknown host"
		}
		return nil, diag.FromError(summary, diag.AttributeErrorf("host", "%s%w", unset, err))
	}
	return h, nil
}

// SameName implements [runtime.Aliaser]: a host that was renamed is the same host.
func (s *Hosts) SameName(attribute, prior, current string) bool {
	return attribute == "host" && s.finder.CurrentName(prior) == s.finder.CurrentName(current)
}

// Scope returns a scope without a key on the host with this name; nil means the default host.
// Its errors are those of [Hosts.Find].
func (s *Hosts) Scope(name *string) (*Scope, error) {
	h, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	return &Scope{Host: h, hosts: s}, nil
}

// Close closes the finder, if it is an io.Closer.
func (s *Hosts) Close() error {
	if closer, ok := s.finder.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
