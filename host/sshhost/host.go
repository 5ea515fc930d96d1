package sshhost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/perlfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var (
	_ host.Host     = (*Host)(nil)
	_ host.RootHost = (*Host)(nil)
)

// Host is a host that is reached over SSH. [New] makes one.
type Host struct {
	name      string
	user      string // user that operations run as
	conn      *conn.Conn
	admission *admission
	via       *Host // the jump host, if it is a Host; else nil

	starter     remote.Starter
	elevated    *elevate.Elevated // the starter if operations are done with sudo; else nil
	batches     *shellrpc.Coalescer
	accounts    *shellrpc.Accounts
	commands    *command.Runner
	sftpSession *sftpSession
	shellFiles  *shellfs.Files
	perl        *perlfs.Files         // with SFTP for what Perl cannot do
	byShell     *remotefs.Files       // over shellFiles
	trustedDirs *remotefs.TrustedDirs // nil unless operations are done as root

	mode      atomic.Pointer[mode] // nil until it is detected
	detecting chan struct{}        // a mutex for detecting the mode: a channel of capacity 1

	mu         sync.Mutex
	dependents map[*Host]bool // hosts that use this one as their jump host
}

// New returns a host. It does not connect. An error means that options are missing or invalid.
func New(o Options) (*Host, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	connection, err := conn.New(connOptions(&o))
	if err != nil {
		return nil, err
	}
	h := &Host{name: o.Name, user: o.User, conn: connection, dependents: map[*Host]bool{}, detecting: make(chan struct{}, 1)}
	var before *admission
	if via, ok := o.Via.(*Host); ok {
		h.via, before = via, via.admission
		via.addDependent(h)
	}
	h.admission = newAdmission(o.Slots, before, h.disconnect)
	var starter remote.Starter = connection
	serve := func(ctx context.Context) (remote.Process, error) { return connection.Subsystem(ctx, "sftp") }
	if o.Become != nil && o.Become.User != o.User {
		h.user = o.Become.User
		h.elevated = elevate.New(connection, o.Become.User, (*string)(o.Become.Password))
		starter = h.elevated
		serve = func(ctx context.Context) (remote.Process, error) { return elevate.StartSFTP(ctx, h.elevated) }
	}
	if h.RunsAsRoot() {
		h.trustedDirs = &remotefs.TrustedDirs{}
	}
	h.starter = starter
	helper := shellrpc.NewHelper(starter, keeper[*shellrpc.Session]{connection, "shell"})
	h.batches = shellrpc.NewCoalescer(helper)
	h.accounts = shellrpc.NewAccounts(o.Name, h.batches)
	h.commands = &command.Runner{Host: o.Name, Starter: starter}
	h.shellFiles = shellfs.New(starter, helper, h.batches, func() bool { return connection.MaxSessions() == 1 })
	h.byShell = remotefs.New(o.Name, h.shellFiles, h.accounts, h.batches, h.trustedDirs)
	h.sftpSession = &sftpSession{conn: connection, serve: serve}
	h.perl = perlfs.New(sftpfs.New(h.sftpSession), starter, keeper[*perlfs.Session]{connection, "perl"}, func() bool { return connection.MaxSessions() > sessionsWithPerl })
	return h, nil
}

// Name implements [host.Host].
func (h *Host) Name() string { return h.name }

// RunsAsRoot implements [host.RootHost].
func (h *Host) RunsAsRoot() bool { return h.user == "root" }

// Close closes the connection. Operations in progress and later ones fail, including those of
// hosts that use this one as their jump host.
func (h *Host) Close() error {
	err := h.conn.Close()
	h.admission.end()
	if h.via != nil {
		h.via.removeDependent(h)
	}
	return err
}

// addDependent adds a host that uses h as its jump host, and loses its connection when h is
// disconnected.
func (h *Host) addDependent(other *Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dependents[other] = true
}

func (h *Host) removeDependent(other *Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.dependents, other)
}

// disconnect closes the connection, and those of hosts that use this one as their jump host. Operations
// in progress fail.
func (h *Host) disconnect() {
	h.mu.Lock()
	dependents := slices.Collect(maps.Keys(h.dependents))
	h.mu.Unlock()
	for _, other := range dependents {
		other.disconnect()
	}
	h.conn.Disconnect()
}

// fail returns the error of an operation: nil for nil, else a [*host.Error], unless err
// is one already.
func (h *Host) fail(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // a wrapped one can be an error of another operation
		return err
	}
	return &host.Error{Op: verb, Host: h.name, Path: path, Err: err}
}

// outcomeUnknown returns the error of a change after its last attempt. If the connection broke
// after the request was sent, the text explains that the operation may have taken effect.
func outcomeUnknown(err error) error {
	failed, ok := err.(*host.Error) //nolint:errorlint // a wrapped one can be an error of another operation
	_, unsent := errors.AsType[*shell.NotSentError](err)
	_, source := errors.AsType[*host.SourceError](err) // of the content or the hook, before the change
	if !ok || unsent || source || !errors.Is(err, host.ErrLost) {
		return err
	}
	return &host.Error{Op: failed.Op, Host: failed.Host, Path: failed.Path, Err: fmt.Errorf(
		"%w. The operation may have taken effect: check the host, or run a new plan", failed.Err)}
}

var _ host.Accounts = (*Host)(nil)

// LookupUser implements [host.Accounts].
func (h *Host) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	return lookUp(ctx, h, "look up user", nameOrID, h.accounts.LookupUser)
}

// LookupGroup implements [host.Accounts].
func (h *Host) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	return lookUp(ctx, h, "look up group", nameOrID, h.accounts.LookupGroup)
}

func lookUp[T any](ctx context.Context, h *Host, verb, nameOrID string, do func(context.Context, string) (T, error)) (found T, err error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return found, h.fail(verb, "", err)
	}
	defer done()
	return do(ctx, nameOrID)
}

var _ host.Runner = (*Host)(nil)

// Run implements [host.Runner]. Each command has a session of its own.
func (h *Host) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return host.Result{}, h.fail("run", cmd.Dir, &host.NotStartedError{Err: err})
	}
	defer done()
	defer func() { // programs such as chown and usermod change directories and accounts
		h.trustedDirs.Forget()
		h.accounts.Forget()
	}()
	return h.commands.Run(ctx, cmd)
}

var _ host.Resetter = (*Host)(nil)

// Reset implements [host.Resetter]. Hosts that use this one as their jump host lose their
// connections too. The jump hosts of this one may be booting as well: their errors are cleared, and
// they stay connected.
func (h *Host) Reset() {
	h.disconnect()
	for other := h; other != nil; other = other.via {
		other.conn.ClearErrors()
	}
	if h.elevated != nil {
		h.elevated.Forget()
	}
	h.trustedDirs.Forget()
	h.accounts.Forget()
	h.perl.Reset()
	h.mode.Store(nil) // a booting host may not offer everything yet
}

// Options configure one host. They are complete: only files that they name, and the .pub and -cert.pub
// files of keys, are read.
type Options struct {
	// Name is the host's name in messages and in the state.
	Name string

	Address string // a name or an IP address
	Port    int
	User    string
	Auth    Auth
	Trust   Trust

	// Via is the jump host; nil for none. It must be a [host.Dialer]. It may be shared and
	// is not closed by this host.
	Via host.Host

	// ProxyCommand is the command whose process is the connection to Address; nil for none. It
	// excludes Via.
	ProxyCommand *ProxyCommand

	// Become is the user to run operations as; nil for User.
	Become *Become

	// ConnectTimeout limits each attempt to connect and authenticate, the requests to the agent,
	// and the wait for the reply to the start of a session or program; zero means no limit.
	ConnectTimeout time.Duration
	// Retries is the number of retries after transient errors before authentication, with growing
	// pauses.
	Retries int
	// KeepAlive is the time without received data after which a keepalive request is sent;
	// zero disables it. The connection is closed if nothing is received for KeepAliveCount
	// more such intervals.
	KeepAlive      time.Duration
	KeepAliveCount int
	// MaxSessions limits the number of concurrent sessions. The limit in use drops when the
	// server refuses one.
	MaxSessions int
	// Slots limits the connections of many hosts together; nil means no limit.
	Slots *Slots
}

// Types for the connection options.
type (
	// Auth configures the authentication of User.
	Auth = conn.Auth
	// Key is a key to authenticate with: its text, or the path of its file.
	Key = conn.Key
	// Trust configures host key verification.
	Trust = conn.Trust
	// Policy selects how an unknown host key is handled.
	Policy = conn.Policy
	// ProxyCommand is a command line whose process is the connection to a host.
	ProxyCommand = conn.ProxyCommand
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

// CheckCertificate returns an error unless text is a certificate as in a -cert.pub
// file.
func CheckCertificate(text string) error { return conn.CheckCertificate(text) }

// Become configures the user to run operations as, with sudo.
type Become struct {
	User string // such as "root"
	// Password is the password for sudo; nil if sudo does not require one.
	Password *Secret
}

// Check returns the errors about missing or invalid options, joined. [New] also checks Trust.Algorithms.
func (o *Options) Check() error {
	connection := connOptions(o)
	errs := []error{connection.Check()}
	if o.Become != nil && o.Become.User == "" {
		errs = append(errs, errors.New("sudo requires a user to become"))
	}
	if _, dials := o.Via.(host.Dialer); o.Via != nil && !dials {
		errs = append(errs, errors.New("the jump host "+o.Via.Name()+" does not support connections to other hosts"))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("host %s: %w", o.Name, err)
	}
	return nil
}

var _ host.Dialer = (*Host)(nil)

// DialHost implements [host.Dialer].
func (h *Host) DialHost(ctx context.Context, network, address string) (net.Conn, error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return nil, host.DialError(h, network, address, err)
	}
	forwarded, err := h.conn.Dial(ctx, network, address)
	if err != nil {
		done()
		if failed, is := err.(*conn.ForwardError); is { //nolint:errorlint // only the wrapper is removed, and not one of a jump host
			err = failed.Err // omits the host and the address, which DialError adds
		}
		return nil, host.DialError(h, network, address, err)
	}
	return &dialled{Conn: forwarded, done: sync.OnceFunc(done)}, nil
}

// dialled is a connection that keeps its host connected until Close.
type dialled struct {
	net.Conn
	done func()
}

// Close implements [net.Conn].
func (d *dialled) Close() error {
	defer d.done()
	return d.Conn.Close()
}

// CloseWrite closes the sending direction. The error is [errors.ErrUnsupported] if the connection cannot do that.
func (d *dialled) CloseWrite() error {
	if half, ok := d.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// connOptions converts the options of the connection.
func connOptions(o *Options) conn.Options {
	c := conn.Options{
		Name: o.Name, Address: o.Address, Port: o.Port, User: o.User, Auth: o.Auth, Trust: o.Trust,
		ConnectTimeout: o.ConnectTimeout, Retries: o.Retries, KeepAlive: o.KeepAlive, KeepAliveCount: o.KeepAliveCount,
		MaxSessions: o.MaxSessions, ProxyCommand: o.ProxyCommand,
	}
	switch via := o.Via.(type) {
	case nil:
	case *Host:
		c.Via = through{via}
	default:
		c.Via = dialer{via}
	}
	return c
}

// through connects through another host of this package. Each operation keeps the slot of that host busy: see
// admission.
type through struct{ via *Host }

// Dial implements [conn.Dialer].
func (t through) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return t.via.conn.Dial(ctx, network, address)
}

// Connect connects to the jump host within its own time limit.
func (t through) Connect(ctx context.Context) error { return t.via.conn.Connect(ctx) }

// dialer adapts any host to conn.Dialer.
type dialer struct{ host.Host }

// Dial implements [conn.Dialer].
func (d dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return host.Dial(ctx, d.Host, network, address)
}
