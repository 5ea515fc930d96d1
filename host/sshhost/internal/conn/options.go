package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var (
	_ remote.Starter = (*Conn)(nil)
	_ Dialer         = (*Conn)(nil)
)

// Options describe the connection. Nothing is added from files or from the environment
// but what they name.
type Options struct {
	// Name is the host's name in messages.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via makes the connection to Address; nil connects from this host.
	Via Dialer

	// ConnectTimeout limits each attempt to connect and authenticate; zero is no limit.
	ConnectTimeout time.Duration
	// Retries is how often an attempt that failed before authentication is repeated,
	// with growing pauses. RetryPause is the first pause; zero is half a second.
	Retries    int
	RetryPause time.Duration
	// KeepAlive is the time without a sign of life after which the host is asked for
	// one; zero is never. After KeepAliveCount such times the connection is closed.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions limits the sessions that are open at the same time. A server that
	// refuses one lowers it.
	MaxSessions int
}

// Dialer makes connections of network "tcp" or "unix" from some host. Errors of a
// [*Conn] are told from those of the target, as they are not transient. If it has a
// method Connect, as [Conn.Connect], that is called first, so that the time for it is
// not taken from ConnectTimeout.
type Dialer interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// Auth is how User authenticates. Keys that were asked for are tried first, then those of
// the agent, other keys, and the password.
type Auth struct {
	// Keys are offered in this order.
	Keys []Key
	// Agent is the socket of an agent; empty is none. With AgentKeysOnly it offers only
	// keys whose file is in Keys.
	Agent         string
	AgentKeysOnly bool
	// Password is for password authentication and, if the server has only that, for
	// keyboard-interactive authentication; nil is none.
	Password *Secret
}

// Key is a private key, by its text or by the path of its file, which is read when the
// host is connected to.
type Key struct {
	Text Secret
	Path string
	// Implicit is for a path that nobody asked for in particular: if there is no such
	// file, if it cannot be decrypted, or if its certificate is another key's, it is
	// skipped.
	Implicit bool
	// Passphrase decrypts the key, if necessary; nil is none.
	Passphrase *Secret
	// Certificate of the key, by its text or by the path of its file. If both are empty,
	// it is the file next to the key's own (PATH-cert.pub), if there is one.
	Certificate     string
	CertificatePath string
}

// Policy is what to do about a host key that is not known. A host with another key than
// the known one is rejected by all but [Insecure].
type Policy string

// The policies.
const (
	Strict    Policy = "strict"     // reject it
	AcceptNew Policy = "accept_new" // accept and remember it
	Insecure  Policy = "insecure"   // accept any key, each time
)

// Trust is the host key verification.
type Trust struct {
	Policy Policy
	// Pinned are public keys and SHA-256 fingerprints. If there are any, the host's key
	// must be one of them, and nothing else counts.
	Pinned []string
	// Known are texts as known_hosts files have them, and Files the paths of such files,
	// which need not exist. [AcceptNew] writes to the first of Files; without one it
	// remembers keys as long as the Conn lives.
	Known []string
	Files []string
	// Alias is the name under which the key is looked up; empty is the address.
	Alias string
	// Algorithms of host keys, as HostKeyAlgorithms of ssh_config has them: names and
	// patterns, the first of which may begin with +, ^ or -. None are the defaults.
	Algorithms []string
}

// Secret is a text that is not printed, whatever the format.
type Secret string

// Format writes that there is something, and not what.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) } // as fmt itself does

// MarshalText is the same for encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const (
	hidden = "(sensitive)"

	defaultPause = 500 * time.Millisecond
	maxPause     = 10 * time.Second
)

// Check returns what is missing or cannot be.
func (o *Options) Check() error {
	var errs []error
	require := func(holds bool, problem string) {
		if !holds {
			errs = append(errs, errors.New(problem))
		}
	}
	require(o.Name != "", "it has no name")
	require(o.Address != "", "it has no address")
	require(o.User != "", "it has no user")
	require(o.Port > 0 && o.Port < 1<<16, "its port is not from 1 to 65535")
	require(o.MaxSessions > 0, "at least one session is needed")
	require(o.Retries >= 0 && o.ConnectTimeout >= 0 && o.KeepAlive >= 0 && o.RetryPause >= 0, "a number or time is negative")
	require(o.KeepAlive == 0 || o.KeepAliveCount > 0, "at least one question is needed to keep alive")
	switch o.Trust.Policy {
	case Strict, AcceptNew, Insecure:
	default:
		require(false, "it has no policy for host keys that are not known")
	}
	for _, pin := range o.Trust.Pinned {
		errs = append(errs, CheckHostKey(pin))
	}
	for _, text := range o.Trust.Known {
		errs = append(errs, CheckKnownHosts(text))
	}
	return errors.Join(errs...)
}

func (o *Options) address() string { return net.JoinHostPort(o.Address, strconv.Itoa(o.Port)) }
