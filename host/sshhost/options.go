package sshhost

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Options describe one host: where it is, who logs in, and whom to believe. They
// are complete: nothing is added from files or from the environment but what
// they name.
type Options struct {
	// Name is the host's name in messages and in states.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via is the host through which the connection goes; nil is none. It must be a
	// [host.Dialer], is shared, and stays its owner's to close.
	Via host.Host

	// Become is who works on the host, where that is not User; nil is User.
	Become *Become

	// ConnectTimeout bounds each attempt to connect and log in; zero is no bound.
	ConnectTimeout time.Duration
	// Retries is how often a connection that could not be made is tried again, with
	// growing pauses. A login that was refused is never tried again.
	Retries int
	// KeepAlive is after how long a silence the host is asked whether it is there;
	// zero is never. The connection is given up after KeepAliveCount questions
	// without an answer.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions is how many sessions are open on the connection at the same time
	// at most. Where the server allows fewer, that is found out.
	MaxSessions int
	// Slots bounds the connections of many hosts together; nil is no bound.
	Slots *Slots
}

// Auth is how User logs in.
type Auth struct {
	// Keys are offered in this order.
	Keys []Key
	// Agent is the socket of an agent; empty is none. AgentKeysOnly has it offer
	// only those keys of which Keys has the file.
	Agent         string
	AgentKeysOnly bool
	// Password is for password and keyboard-interactive authentication; nil is none.
	Password *Secret
}

// Key is a private key, by its text or by the path of its file, which is read
// when the host is connected to.
type Key struct {
	Text Secret
	Path string
	// Implicit is for a path that nobody asked for in particular: where there is no
	// such file, where it cannot be decrypted, or where its certificate is another
	// key's, it is passed over.
	Implicit bool
	// Passphrase decrypts the key, where that is necessary; nil is none.
	Passphrase *Secret
	// Certificate of the key, by its text or by the path of its file. Where both are
	// empty, that is the file beside the key's own (PATH-cert.pub), if there is one.
	Certificate     string
	CertificatePath string
}

// Policy is what to do about a host key that is not known. A known host with
// another key than the known one is refused by all but [Insecure].
type Policy string

// The policies.
const (
	// Strict refuses it.
	Strict Policy = "strict"
	// AcceptNew takes it, and remembers it.
	AcceptNew Policy = "accept_new"
	// Insecure takes any key, each time.
	Insecure Policy = "insecure"
)

// Trust is by which key the host is recognised.
type Trust struct {
	Policy Policy
	// Pinned are public keys and fingerprints. If there are any, the host's key must
	// be one of them, and nothing else is asked.
	Pinned []string
	// Known are texts as known_hosts files have them, and Files the paths of such
	// files, which need not exist. The first of Files is where [AcceptNew] writes.
	Known []string
	Files []string
	// Alias is the name under which the key is looked for; empty is the address.
	Alias string
	// Algorithms of host keys, as HostKeyAlgorithms of ssh_config has them: names and
	// patterns, the first of which may begin with +, ^ or -. None are the usual ones.
	Algorithms []string
}

// Become is who works on the host, through sudo.
type Become struct {
	User string // as "root"
	// Password is what sudo asks for; nil is for hosts where it asks for none.
	Password *Secret
}

// Secret is a text that is not printed, whatever the format.
type Secret string

// Format writes that there is something, and not what.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) } // as fmt itself does

// MarshalText is the same for encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const hidden = "(sensitive)"

// Check says what is missing, or cannot be.
func (o *Options) Check() error {
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
	require(o.MaxSessions > 0, "at least one session is needed")
	require(o.Retries >= 0 && o.ConnectTimeout >= 0 && o.KeepAlive >= 0, "a number or time is negative")
	require(o.KeepAlive == 0 || o.KeepAliveCount > 0, "at least one question is needed to keep alive")
	require(o.Become == nil || o.Become.User != "", "sudo needs a user to become")
	switch o.Trust.Policy {
	case Strict, AcceptNew, Insecure:
	default:
		require(false, "it is not said what to do about a host key that is not known")
	}
	if o.Via != nil {
		if _, dials := o.Via.(host.Dialer); !dials {
			require(false, "no connection goes through "+o.Via.Name())
		}
	}
	for _, pin := range o.Trust.Pinned {
		errs = append(errs, CheckHostKey(pin))
	}
	for _, line := range o.Trust.Known {
		errs = append(errs, CheckKnownHosts(line))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("host %s: %w", o.Name, err)
	}
	return nil
}
