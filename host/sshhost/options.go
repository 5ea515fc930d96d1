package sshhost

import (
	"errors"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// Options configure one host. They are complete: only files that they name are read.
type Options struct {
	// Name is the host's name in messages and in states.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via is the jump host; nil for none. It must be a [host.Dialer]. It may be shared and
	// is not closed by this host.
	Via host.Host

	// Become is the user to run operations as; nil for User.
	Become *Become

	// ConnectTimeout limits each attempt to connect and authenticate; zero means no limit.
	ConnectTimeout time.Duration
	// Retries is how often a failed connection attempt is repeated, with growing pauses.
	// Failed authentication is never repeated.
	Retries int
	// KeepAlive is the time without received data after which a keepalive request is sent;
	// zero disables it. The connection is closed after KeepAliveCount requests without a
	// reply.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions limits the number of concurrent sessions. It drops when the server
	// refuses one.
	MaxSessions int
	// Slots limits the connections of many hosts together; nil means no limit.
	Slots *Slots
}

// Types for the connection options.
type (
	// Auth configures the authentication of User.
	Auth = conn.Auth
	// Key is a private key: its text, or the path of its file.
	Key = conn.Key
	// Trust configures host key verification.
	Trust = conn.Trust
	// Policy is what to do about an unknown host key.
	Policy = conn.Policy
	// Secret is a string that is never printed, whatever the format.
	Secret = conn.Secret
)

// The policies: reject an unknown host key, accept and store it, or accept any key without
// verification.
const (
	Strict    = conn.Strict
	AcceptNew = conn.AcceptNew
	Insecure  = conn.Insecure
)

// CheckHostKey returns an error unless text is valid in [Trust].Pinned.
func CheckHostKey(text string) error { return conn.CheckHostKey(text) }

// CheckKnownHosts returns an error unless text is valid in [Trust].Known.
func CheckKnownHosts(text string) error { return conn.CheckKnownHosts(text) }

// CheckPrivateKey returns an error unless text is a private key, perhaps encrypted.
func CheckPrivateKey(text string) error { return conn.CheckPrivateKey(text) }

// CheckCertificate returns an error unless text is a certificate, as a -cert.pub file
// has it.
func CheckCertificate(text string) error { return conn.CheckCertificate(text) }

// Become configures the user to run operations as, with sudo.
type Become struct {
	User string // as "root"
	// Password is for sudo; nil if it does not ask for one.
	Password *Secret
}

// Check returns an error about the first option that is missing or invalid.
func (o *Options) Check() error {
	connection := connOptions(o)
	errs := []error{connection.Check()}
	if o.Become != nil && o.Become.User == "" {
		errs = append(errs, errors.New("sudo requires a user to become"))
	}
	if _, dials := o.Via.(host.Dialer); o.Via != nil && !dials {
		errs = append(errs, errors.New("connections through this jump host are not supported: "+o.Via.Name()))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("host %s: %w", o.Name, err)
	}
	return nil
}
