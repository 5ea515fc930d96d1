package target

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// Hosts are the machines that the provider's configuration names. They are safe
// for use by many goroutines at once.
type Hosts struct {
	standard string
	byName   map[string]host.Host

	mu    sync.Mutex
	known map[place]struct{}
	made  map[place]struct{}
}

type place struct {
	host string
	path Path
}

// NewHosts makes the set of these hosts. The first is the one that resources
// are on when they name none.
func NewHosts(hosts ...host.Host) (*Hosts, error) {
	if len(hosts) == 0 {
		return nil, errors.New("there is no host")
	}
	s := &Hosts{standard: hosts[0].Name(), byName: make(map[string]host.Host, len(hosts)), known: make(map[place]struct{}), made: make(map[place]struct{})}
	for _, h := range hosts {
		if _, twice := s.byName[h.Name()]; twice {
			return nil, fmt.Errorf("there are two hosts with the name %q", h.Name())
		}
		s.byName[h.Name()] = h
	}
	return s, nil
}

// Find is the host with this name; nil is the standard one. Its error belongs
// to the attribute host.
func (s *Hosts) Find(name *string) (host.Host, error) {
	if name == nil {
		return s.byName[s.standard], nil
	}
	if h, ok := s.byName[*name]; ok {
		return h, nil
	}
	return nil, diag.AttributeErrorf("host", "there is no host %q. The provider has: %s. Name one of these, or leave host out for %s",
		*name, strings.Join(slices.Sorted(maps.Keys(s.byName)), ", "), s.standard)
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
