package target

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// Hosts are the machines that resources can be on. They are safe for use by many
// goroutines at once.
type Hosts struct {
	finder Finder

	mu       sync.Mutex
	known    map[place]struct{}
	made     map[place]struct{}
	expected map[place]struct{} // accounts that are planned to be made
	gone     map[string]bool    // hosts that could not be reached, by name
	roots    map[string]bool    // whether the provider works as root there, by name
	glances  map[place]*glance
	turns    map[place]chan struct{}
}

// Finder knows hosts by name. It may make them when they are first asked for, and
// connects to none of them. Where it is an io.Closer, it closes what it has made.
type Finder interface {
	// Default is the name of the host that is meant where none is named.
	Default() string
	// Find is the host with this name, the same one each time; its Name is this name.
	Find(name string) (host.Host, error)
}

type place struct {
	host string
	path Path
}

// New makes hosts of those that a finder knows.
func New(finder Finder) *Hosts {
	return &Hosts{
		finder: finder, known: make(map[place]struct{}), made: make(map[place]struct{}), expected: make(map[place]struct{}), gone: make(map[string]bool), roots: make(map[string]bool),
		glances: make(map[place]*glance), turns: make(map[place]chan struct{}),
	}
}

// NewHosts makes the set of these hosts. The first is the one that resources
// are on when they name none.
func NewHosts(hosts ...host.Host) (*Hosts, error) {
	if len(hosts) == 0 {
		return nil, errors.New("there is no host")
	}
	s := set{standard: hosts[0].Name(), byName: make(map[string]host.Host, len(hosts))}
	for _, h := range hosts {
		if _, twice := s.byName[h.Name()]; twice {
			return nil, fmt.Errorf("there are two hosts with the name %q", h.Name())
		}
		s.byName[h.Name()] = h
	}
	return New(s), nil
}

// set is the finder of hosts that are there already.
type set struct {
	standard string
	byName   map[string]host.Host
}

func (s set) Default() string { return s.standard }

func (s set) Find(name string) (host.Host, error) {
	if h, ok := s.byName[name]; ok {
		return h, nil
	}
	return nil, fmt.Errorf("no host %q is configured. The provider has: %s. Use one of these, or leave host out for %s",
		name, strings.Join(slices.Sorted(maps.Keys(s.byName)), ", "), s.standard)
}

// Find is the host with this name; nil is the standard one. Its error belongs
// to the attribute host.
func (s *Hosts) Find(name *string) (host.Host, error) {
	unset := ""
	if name == nil {
		name, unset = new(s.finder.Default()), "host is not set, so the provider's default_host is used: "
	}
	h, err := s.finder.Find(*name)
	if err != nil {
		return nil, diag.AttributeErrorf("host", "%s%w", unset, err)
	}
	return h, nil
}

// Close closes the hosts that were made.
func (s *Hosts) Close() error {
	if closer, ok := s.finder.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Remember notes that state has an object at this place. What is then planned to
// be created there is its replacement, and what stands there is its own: the
// plan of a tainted object, and OpenTofu's of a replacement, are in themselves no
// different from the plan of a first creation.
func (s *Hosts) Remember(h host.Host, path Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[place{h.Name(), path}] = struct{}{}
	delete(s.made, place{h.Name(), path}) // a later run reads before it deletes
}

// Forget is its opposite: the object is gone.
func (s *Hosts) Forget(h host.Host, path Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, place{h.Name(), path})
	delete(s.made, place{h.Name(), path})
}

// Make notes that an object was created at this place in this run.
func (s *Hosts) Make(h host.Host, path Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[place{h.Name(), path}] = struct{}{}
}

// Made reports whether an object was created there in this run. What is then to
// be deleted there is an older object of the same place, replaced with
// create_before_destroy or renamed without a moved block: what stands there now
// is the new one's.
func (s *Hosts) Made(h host.Host, path Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.made[place{h.Name(), path}]
	return ok
}

// RememberPrior is Remember for a prior state, as a plan has it; s may be nil,
// as the provider may not be configured yet.
func (s *Hosts) RememberPrior(name *string, path Path) {
	if s == nil {
		return
	}
	if h, err := s.Find(name); err == nil {
		s.Remember(h, path)
	}
}

// Remembers reports whether state had an object at this place, as far as this
// process was told.
func (s *Hosts) Remembers(h host.Host, path Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.known[place{h.Name(), path}]
	return ok
}
