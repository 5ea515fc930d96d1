package sshconfig

import "time"

// Query is the host that is asked about, as on the command line of ssh.
type Query struct {
	Host string // the name as it is written
	User string // empty where none is given
	Port int    // 0 where none is given
}

// Settings are what the configuration says about a host. What it does not say is
// the zero value, unless a field says otherwise.
type Settings struct {
	// Listed reports that a Host or Match line is about this host in particular: that
	// its name is an alias, and not just covered by what is said about all.
	Listed bool

	HostName string // where to connect to; the name itself where nothing is said
	User     string
	Port     int

	// IdentityFiles are nil where nothing is said and empty for "none".
	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	// IdentityAgent is the path of a socket, [NoAgent], or empty: the one that the
	// environment names.
	IdentityAgent string

	// ProxyJump are the destinations to go through, the first first. Nil where
	// nothing is said, empty for "none".
	ProxyJump []string

	// UserKnownHostsFiles and GlobalKnownHostsFiles are nil where nothing is said
	// and empty for "none".
	UserKnownHostsFiles   []string
	GlobalKnownHostsFiles []string
	HostKeyAlias          string
	// HostKeyAlgorithms are names and patterns, the first of which may begin with
	// +, ^ or -: they are then added to the usual ones, put before them, or taken out.
	HostKeyAlgorithms     []string
	StrictHostKeyChecking Strictness

	// Negative where nothing is said.
	ServerAliveInterval time.Duration
	ServerAliveCountMax int
	ConnectTimeout      time.Duration

	where map[string]Position
}

// NoAgent is the IdentityAgent of who wants none.
const NoAgent = "none"

// Strictness is what StrictHostKeyChecking says.
type Strictness string

// What StrictHostKeyChecking can say. Off is also written no.
const (
	StrictUnset     Strictness = ""
	StrictYes       Strictness = "yes"
	StrictAsk       Strictness = "ask"
	StrictAcceptNew Strictness = "accept-new"
	StrictOff       Strictness = "off"
)

// Where is the place of the directive that decided a setting, by its keyword in
// lower case; ok is false where none did.
func (s *Settings) Where(keyword string) (at Position, ok bool) {
	at, ok = s.where[keyword]
	return at, ok
}
