package sshhost

import (
	"errors"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// Options describe one host. They are complete: nothing is added from files or from the
// environment but what they name.
type Options struct {
	// Name is the host's name in messages and in states.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via is the jump host; nil is none. It must be a [host.Dialer], is shared, and stays
	// its owner's to close.
	Via host.Host

	// Become is the user to work as, if that is not User; nil is User.
	Become *Become

	// ConnectTimeout limits each attempt to connect and authenticate; zero is no limit.
	ConnectTimeout time.Duration
	// Retries is how often a connection that could not be made is tried again, with
	// growing pauses. Authentication that failed is never tried again.
	Retries int
	// KeepAlive is the time without a sign of life after which the host is asked for
	// one; zero is never. After KeepAliveCount such times the connection is closed.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions limits the sessions that are open at the same time. A server that
	// refuses one lowers it.
	MaxSessions int
	// Slots limits the connections of many hosts together; nil is no limit.
	Slots *Slots
}

// What a connection is described by.
type (
	// Auth is how User authenticates.
	Auth = conn.Auth
	// Key is a private key, by its text or by the path of its file.
	Key = conn.Key
	// Trust is the host key verification.
	Trust = conn.Trust
	// Policy is what to do about a host key that is not known.
	Policy = conn.Policy
	// Secret is a text that is not printed, whatever the format.
	Secret = conn.Secret
)

// The policies: reject a host key that is not known, accept and remember it, or accept
// any key each time.
const (
	Strict    = conn.Strict
	AcceptNew = conn.AcceptNew
	Insecure  = conn.Insecure
)

// CheckHostKey returns an error unless text can be in [Trust].Pinned.
func CheckHostKey(text string) error { return conn.CheckHostKey(text) }

// CheckKnownHosts returns an error unless text can be in [Trust].Known.
func CheckKnownHosts(text string) error { return conn.CheckKnownHosts(text) }

// CheckPrivateKey returns an error unless text is a private key, perhaps encrypted.
func CheckPrivateKey(text string) error { return conn.CheckPrivateKey(text) }

// CheckCertificate returns an error unless text is a certificate, as a -cert.pub file
// has it.
func CheckCertificate(text string) error { return conn.CheckCertificate(text) }

// Become is the user to work as, by sudo.
type Become struct {
	User string // as "root"
	// Password is for hosts whose sudo asks for one; nil is none.
	Password *Secret
}

// Check returns what is missing or cannot be.
func (o *Options) Check() error {
	connection := connOptions(o)
	errs := []error{connection.Check()}
	if o.Become != nil && o.Become.User == "" {
		errs = append(errs, errors.New("sudo needs a user to become"))
	}
	if _, dials := o.Via.(host.Dialer); o.Via != nil && !dials {
		errs = append(errs, errors.New("no connection goes through "+o.Via.Name()))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("host %s: %w", o.Name, err)
	}
	return nil
}
