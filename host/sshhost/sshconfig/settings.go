package sshconfig

import "time"

// Query is the destination to look up, as on the command line of ssh.
type Query struct {
	Host string // host name or alias
	User string // empty if not given
	Port int    // 0 if not given
}

// Settings are the settings of a host. Unset ones are zero, unless a field says otherwise.
type Settings struct {
	// Listed reports that a Host or Match line names this host specifically: it is an
	// alias, and not just matched by a pattern for all hosts.
	Listed bool

	HostName string // host to connect to; defaults to the name in the query
	User     string
	Port     int

	// IdentityFiles is nil if unset and empty for "none".
	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	// IdentityAgent is the path of a socket, [NoAgent], or empty for the agent in the
	// environment.
	IdentityAgent string

	// ProxyJump are the jump hosts in order. It is nil if unset and empty for "none".
	ProxyJump []string

	// UserKnownHostsFiles and GlobalKnownHostsFiles are nil if unset and empty for "none".
	UserKnownHostsFiles   []string
	GlobalKnownHostsFiles []string
	HostKeyAlias          string
	// HostKeyAlgorithms are names and patterns; a leading +, ^ or - appends them to the
	// defaults, puts them first, or removes them.
	HostKeyAlgorithms     []string
	StrictHostKeyChecking Strictness

	// Negative if unset.
	ServerAliveInterval time.Duration
	ServerAliveCountMax int
	ConnectTimeout      time.Duration

	where map[string]Position
}

// NoAgent is the IdentityAgent "none".
const NoAgent = "none"

// Strictness is a value of StrictHostKeyChecking.
type Strictness string

// The values of StrictHostKeyChecking. Off can also be written no.
const (
	StrictUnset     Strictness = ""
	StrictYes       Strictness = "yes"
	StrictAsk       Strictness = "ask"
	StrictAcceptNew Strictness = "accept-new"
	StrictOff       Strictness = "off"
)

// Where returns the place of the directive that decided a setting, by its keyword in lower
// case; ok is false if there is none.
func (s *Settings) Where(keyword string) (at Position, ok bool) {
	at, ok = s.where[keyword]
	return at, ok
}
