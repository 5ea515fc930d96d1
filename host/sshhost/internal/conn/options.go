package conn

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var (
	_ remote.Starter = (*Conn)(nil)
	_ Dialer         = (*Conn)(nil)
)

// Options configure a Conn. They are complete: only files that they name, and the .pub and -cert.pub
// files of keys, are read.
type Options struct {
	// Name is the host's name in messages.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via makes the connection to Address; nil if there is no jump host.
	Via Dialer

	// ProxyCommand is the command whose process is the connection to Address; nil for none. It
	// excludes Via.
	ProxyCommand *ProxyCommand

	// ConnectTimeout limits each attempt to connect and authenticate, the requests to the agent,
	// and the wait for the reply to the start of a session or program; zero means no limit.
	ConnectTimeout time.Duration
	// Retries is the number of retries after transient errors before authentication, with growing
	// pauses. RetryPause is the first pause; zero means half a second.
	Retries    int
	RetryPause time.Duration
	// KeepAlive is the time without received data after which a keepalive request is sent;
	// zero disables it. The connection is closed if nothing is received for KeepAliveCount
	// more such intervals.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions limits the number of concurrent sessions. The limit in use drops when the
	// server refuses one.
	MaxSessions int
}

// Dialer makes connections to addresses of network "tcp" or "unix". An error that is an [*Error], such
// as that of the connection to a jump host, is not transient. If the Dialer has a method Connect like
// [Conn.Connect], that is called first, so that ConnectTimeout does not include the time that
// it takes.
type Dialer interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// Auth configures the authentication of User. Explicitly configured keys are tried first,
// then those of the agent, implicit keys, and the password.
type Auth struct {
	// Keys are offered in this order, but implicit ones after the others.
	Keys []Key
	// Agent is the socket of an SSH agent; empty for none. With AgentKeysOnly, only its
	// keys that are also in Keys are offered.
	Agent         string
	AgentKeysOnly bool
	// Password is for password authentication or, if the server does not offer that, for
	// keyboard-interactive authentication; nil for none.
	Password *Secret
}

// Key is a private key, or a public key whose private key is in the agent: its text, or the path of its
// file, which is read on connecting.
type Key struct {
	Text Secret
	Path string
	// Implicit marks a default path: a key that cannot be used is skipped.
	Implicit bool
	// Passphrase decrypts the key, if necessary; nil for none.
	Passphrase *Secret
	// Certificate is the text of the key's certificate, and CertificatePath the path of its
	// file, which is read if Certificate is empty. If both are empty, the file PATH-cert.pub
	// next to the key is used if it exists.
	Certificate     string
	CertificatePath string
}

// Policy selects how an unknown host key is handled, unless keys are pinned. All policies but [Insecure] reject a
// host whose key differs from the known one.
type Policy string

// The policies.
const (
	Strict    Policy = "strict"     // reject an unknown key
	AcceptNew Policy = "accept_new" // accept an unknown key and store it
	Insecure  Policy = "insecure"   // accept any key without verification
)

// Trust configures host key verification.
type Trust struct {
	Policy Policy
	// Pinned are public keys and SHA-256 fingerprints. If there are any, the host key must
	// be one of them, and known hosts are ignored.
	Pinned []string
	// Known are the contents of known_hosts files, and Files the paths of such files, which
	// need not exist. [AcceptNew] appends to the first of Files; if there is none, it
	// keeps keys for the lifetime of the Conn.
	Known []string
	Files []string
	// Alias is the name under which the key is looked up; if empty, it is the address.
	Alias string
	// Algorithms is a list of host key algorithms as in HostKeyAlgorithms of ssh_config:
	// names and patterns, optionally with a leading +, ^ or -. If empty, the defaults are
	// used.
	Algorithms []string
}

// Secret is a string that is never printed, whatever the format.
type Secret string

// Format writes a placeholder.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) } // fmt also ignores write errors

// MarshalText returns a placeholder.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const (
	hidden = "(sensitive)"

	defaultPause = 500 * time.Millisecond
	maxPause     = 10 * time.Second
)

// Check returns the errors about missing or invalid options, joined. [New] also checks Trust.Algorithms.
func (o *Options) Check() error {
	var errs []error
	require := func(holds bool, problem string) {
		if !holds {
			errs = append(errs, errors.New(problem))
		}
	}
	require(o.Name != "", "the name is missing")
	require(o.Address != "", "the address is missing")
	require(o.User != "", "the user is missing")
	require(o.Port > 0 && o.Port < 1<<16, "the port must be from 1 to 65535")
	require(o.MaxSessions > 0, "the maximum number of sessions must be at least 1")
	require(o.Retries >= 0 && o.ConnectTimeout >= 0 && o.KeepAlive >= 0 && o.RetryPause >= 0, "retries and times must not be negative")
	require(o.KeepAlive == 0 || o.KeepAliveCount > 0, "the number of keepalive requests must be at least 1")
	require(o.ProxyCommand == nil || o.Via == nil, "a jump host and a ProxyCommand exclude each other")
	switch o.Trust.Policy {
	case Strict, AcceptNew, Insecure:
	default:
		require(false, "the policy for unknown host keys must be strict, accept_new or insecure")
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

// fingerprintPrefix begins a fingerprint as ssh-keygen -l prints it.
const fingerprintPrefix = "SHA256:"

// CheckHostKey returns an error unless text is valid in [Trust].Pinned: a public key as in
// a .pub file, or the SHA-256 fingerprint of one.
func CheckHostKey(text string) error {
	if sum, ok := strings.CutPrefix(text, fingerprintPrefix); ok {
		if b, err := base64.RawStdEncoding.DecodeString(sum); err != nil || len(b) != sha256.Size {
			return errors.New("a fingerprint consists of SHA256: and 43 characters, as ssh-keygen -l prints it")
		}
		return nil
	}
	if _, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(text)); err != nil || len(rest) > 0 { //nolint:dogsled // only the key is used
		return errors.New("must be a public key (ssh-ed25519 AAAA…) or a fingerprint (SHA256:…)")
	}
	return nil
}

// CheckKnownHosts returns an error unless text is valid in [Trust].Known: lines of a
// known_hosts file, which may include comments and empty lines.
func CheckKnownHosts(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		switch marker, _, _, _, _, err := ssh.ParseKnownHosts([]byte(line)); {
		case err != nil:
			return errors.New("must consist of lines of a known_hosts file (host names, type of the key, key), as ssh-keyscan prints them")
		case marker != "" && marker != "cert-authority" && marker != "revoked":
			return fmt.Errorf("unknown marker @%s", marker)
		}
	}
	return nil
}

// CheckPrivateKey returns an error unless text is a private key, perhaps encrypted.
func CheckPrivateKey(text string) error {
	_, err := ssh.ParseRawPrivateKey([]byte(text))
	if _, encrypted := errors.AsType[*ssh.PassphraseMissingError](err); err == nil || encrypted {
		return nil
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err == nil { //nolint:dogsled // only the error is used
		return errors.New("must be a private key, but it is a public key. The private key is in the file without .pub")
	}
	return errors.New("must be a private key in OpenSSH or PEM format, including its first and last line")
}

// CheckCertificate returns an error unless text is a certificate as in a -cert.pub
// file.
func CheckCertificate(text string) error {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil {
		return errors.New("must be a certificate (ssh-ed25519-cert-v01@openssh.com AAAA…)")
	}
	if _, ok := key.(*ssh.Certificate); !ok {
		return errors.New("must be a certificate, but it is a public key")
	}
	return nil
}
