package target

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Named identifies an object by its host and name, for objects without a path, such
// as users.
type Named struct {
	// Host of the object: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Name of the object on the host.
	Name string
}

// ParseNamed reads an import id: the name, or host:name. No name has a colon;
// check says what else is none.
func ParseNamed(id string, check func(name string) error) (Named, error) {
	var identity Named
	identity.Name = id
	if i := strings.LastIndexByte(id, ':'); i >= 0 {
		name := id[:i]
		if err := CheckHost(name); err != nil {
			return identity, err
		}
		identity.Host, identity.Name = &name, id[i+1:]
	}
	if identity.Name == "" {
		return identity, errors.New("use the name, or the host and the name, such as local:name or root@192.0.2.7:22:name")
	}
	return identity, check(identity.Name)
}

// Name is the place of an object that is at no path, for [Hosts.Remember] and its
// like. No path is the same, as a path begins with a slash.
func Name(kind, name string) Path { return Path(kind + ":" + name) }

// Alone runs do while no other of this process does the same on the host, whatever
// what names: programs that change the users of a system do not wait for each other.
func (s *Hosts) Alone(ctx context.Context, h host.Host, what string, do func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	turn := s.turn(place{h.Name(), Path(what)})
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-turn }()
	return do()
}

// AloneToEnd is Alone for what must not end in the middle: do gets a context that is
// canceled no sooner than some time after ctx is.
func (s *Hosts) AloneToEnd(ctx context.Context, h host.Host, what string, limit time.Duration, do func(context.Context) error) error {
	return s.Alone(ctx, h, what, func() error {
		whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(limit, cancel) })()
		return do(whole)
	})
}

// turn is a channel with room for the one whose turn it is.
func (s *Hosts) turn(p place) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[p] == nil {
		s.turns[p] = make(chan struct{}, 1)
	}
	return s.turns[p]
}
