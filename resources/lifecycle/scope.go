package lifecycle

import "github.com/posixform/terraform-provider-posix/host"

// Scope is what the methods of a type work in: the host, and what this run knows of it.
type Scope struct {
	Host host.Host

	hosts *Hosts
	key   Key // of the object; empty for types without one
}

// HostName returns a pointer to the name of the host, for outputs.
func (s *Scope) HostName() *string { return new(s.Host.Name()) }

// Owned reports whether state has the object that a create is planned for: it is
// replaced, and what exists in its place is its own.
func (s *Scope) Owned() bool { return s.Manages(s.key) }

// Manages reports whether state has the object with this key on the host.
func (s *Scope) Manages(key Key) bool { return s.hosts.objects.inState.contains(s.Host, key) }
