package target

import "github.com/posixform/terraform-provider-posix/host"

// Kinds of accounts, as [Hosts.Expect] and those who look for accounts name them.
const (
	AccountUser  = "user"
	AccountGroup = "group"
)

// Expect notes that an account is planned to be made in this run. What is planned
// after it may belong to it: that the host does not have it yet is no mistake.
func (s *Hosts) Expect(h host.Host, kind, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected[place{h.Name(), Name(kind, name)}] = struct{}{}
}

// ExpectAnyAccount is the same for what may bring accounts of which nobody knows
// the names before, as a package.
func (s *Hosts) ExpectAnyAccount(h host.Host) { s.Expect(h, "account", "") }

// Expects reports whether a plan has to reckon with an account that is not there.
func (s *Hosts) Expects(h host.Host, kind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, named := s.expected[place{h.Name(), Name(kind, name)}]
	_, some := s.expected[place{h.Name(), Name("account", "")}]
	return named || some
}
