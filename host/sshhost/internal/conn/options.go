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

// Options describe the connection. Nothing is added from files or from the
// environment but what they name.
type Options struct {
	Name    string // of the host, in messages
	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via makes the connection to Address; nil is this machine.
	Via Dialer

	// ConnectTimeout bounds each attempt to connect and log in; zero is no bound.
	ConnectTimeout time.Duration
	// Retries is how often an attempt that ended before authentication is repeated.
	// RetryPause is the first pause; each is twice the one before, up to ten
	// seconds. Zero is half a second.
	Retries    int
	RetryPause time.Duration
	// KeepAlive is after how long a silence the host is asked whether it is there;
	// zero is never. After KeepAliveCount such times without a sign of life the
	// connection is given up.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions is how many sessions are open at the same time at most; zero is
	// what OpenSSH's default is. Where the server allows fewer, that is found out.
	MaxSessions int
}

// Dialer makes connections of network "tcp" or "unix" from some host. Errors of
// a [*Conn] are told from those of the target, as the first do not pass. One that
// has a method Connect, as [Conn.Connect], is connected by it first, so that the
// time for that is not taken from ConnectTimeout.
type Dialer interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// Auth is how User logs in. What there is, is tried in this order: keys that were
// asked for, the agent's, other keys, the password.
type Auth struct {
	Keys []Key
	// Agent is the socket of an agent; empty is none. AgentKeysOnly has it offer
	// only those keys of which Keys has the file.
	Agent         string
	AgentKeysOnly bool
	// Password is for password authentication and, where the server has only that,
	// for keyboard-interactive authentication; nil is none.
	Password *Secret
}

// Key is a private key, by its text or by the path of its file, which is read
// when the host is connected to.
type Key struct {
	Text Secret
	Path string
	// Implicit is for a path that nobody asked for: where there is no such file, or
	// where it cannot be decrypted, it is passed over.
	Implicit bool
	// Passphrase decrypts the key, where that is necessary; nil is none.
	Passphrase *Secret
	// Certificate of the key, by its text or by the path of its file. Where both are
	// empty, that is the file beside the key's own, if there is one.
	Certificate     string
	CertificatePath string
}

// Policy is what to do about a host key that is not known. A known host with
// another key than the known one is refused by all but [Insecure].
type Policy string

// The policies.
const (
	Strict    Policy = "strict"     // refuse it
	AcceptNew Policy = "accept_new" // take it, and remember it
	Insecure  Policy = "insecure"   // take any key, each time
)

// Trust is by which key the host is recognised.
type Trust struct {
	Policy Policy
	// Pinned are public keys and SHA-256 fingerprints. If there are any, the host's
	// key must be one of them, and nothing else is asked.
	Pinned []string
	// Known are texts as known_hosts files have them, and Files the paths of such
	// files, which need not exist. The first of Files is where [AcceptNew] writes;
	// where there is none, it remembers as long as the Conn lives.
	Known []string
	Files []string
	// Alias is the name under which the key is looked for; empty is the address.
	Alias string
	// Algorithms of host keys, as ssh_config writes them: a list, or what is added
	// to the usual ones by +, ^ or taken out by -. Empty are the usual ones.
	Algorithms string
}

// Secret is a text that is not printed, whatever the format.
type Secret string

// Format writes that there is something, and not what.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) } // as fmt itself does

// MarshalText is the same for encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const (
	hidden = "(sensitive)"

	defaultSessions = 10 // OpenSSH's MaxSessions
	defaultPause    = 500 * time.Millisecond
	maxPause        = 10 * time.Second
)

// check says what is missing, or cannot be.
func (o *Options) check() error {
	var errs []error
	require := func(holds bool, problem string) {
		if !holds {
			errs = append(errs, errors.New(problem))
		}
	}
	require(o.Name != "", "it has no name")
	require(o.Address != "", "it has no address")
	require(o.User != "", "nobody logs in: it has no user")
	require(o.Port > 0 && o.Port < 1<<16, "its port is not from 1 to 65535")
	require(o.MaxSessions >= 0 && o.Retries >= 0, "a number is negative")
	require(o.ConnectTimeout >= 0 && o.KeepAlive >= 0 && o.RetryPause >= 0, "a time is negative")
	require(o.KeepAlive == 0 || o.KeepAliveCount > 0, "at least one question is needed to keep alive")
	switch o.Trust.Policy {
	case Strict, AcceptNew, Insecure:
	default:
		require(false, "it is not said what to do about a host key that is not known")
	}
	return errors.Join(errs...)
}

func (o *Options) address() string { return net.JoinHostPort(o.Address, strconv.Itoa(o.Port)) }
