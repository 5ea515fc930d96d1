package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Tunnel forwards a local port to an address that a host can reach, for the duration of a
// run. The provider listens on 127.0.0.1, and the host connects to the target. Other
// providers can use the local port, for example to reach a database behind a bastion
// host.
//
// The tunnel is opened once during the plan and once during the apply, and closed when it
// is no longer needed. The plan does not open it if something that it depends on has to be
// applied first. All tunnels through a host, and all connections through a tunnel, share one
// SSH connection. While the tunnel is open, every local user who can connect to
// 127.0.0.1 can use it.
//
// Over SSH, sshd must permit forwarding (`AllowTcpForwarding`, or
// `AllowStreamLocalForwarding` for a socket), which is the default of OpenSSH. sshd
// opens a socket with the permissions of the user the provider connects as, even with
// sudo.
type Tunnel struct {
	// Host to tunnel through: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Name or IP address to forward to, as seen from the host; `localhost` is the host
	// itself.
	TargetHost *string

	// Port to forward to.
	TargetPort *int64

	// Absolute path of a socket on the host to forward to, such as
	// `/run/postgresql/.s.PGSQL.5432`.
	TargetSocket *string

	// Port on 127.0.0.1 to listen on. Defaults to a free port.
	LocalPort *int64

	// Whether to check that the target is reachable when the tunnel is opened, with a
	// connection that is closed at once. Defaults to `true`.
	Check *bool

	// Time limit for connecting to the target, such as `"10s"`. It includes connecting to the
	// host if that is necessary. Defaults to `"30s"`.
	ConnectTimeout runtime.Duration

	tunnels *tunnels
}

// Output is an open tunnel.
type Output struct {
	Host *string `tf:",computed"`

	// Local address that the tunnel listens on: `127.0.0.1`.
	LocalHost string

	LocalPort int64 `tf:",computed"`

	// Local address and port, separated by a colon, such as `127.0.0.1:40123`.
	Address string
}

// Session identifies a tunnel in this process.
type Session struct {
	ID string
}

var (
	_ runtime.EphemeralRenewer[Session, *lifecycle.Hosts] = (*Tunnel)(nil)
	_ runtime.EphemeralCloser[Session, *lifecycle.Hosts]  = (*Tunnel)(nil)
	_ runtime.Defaulter                                   = (*Tunnel)(nil)
	_ runtime.Constrainer                                 = (*Tunnel)(nil)
)

const (
	// renewInterval is the time between two renewals by the client.
	renewInterval = 5 * time.Minute
	// maxIdle is the time without a renewal after which a tunnel without connections is
	// closed, because the client has probably ended.
	maxIdle = 20 * time.Minute
)

// EphemeralResource returns the registration of the ephemeral resource type, with the
// tunnels of one provider.
func EphemeralResource() runtime.EphemeralRegistration {
	all := newTunnels(maxIdle)
	return runtime.MakeEphemeralWith[Tunnel, *Output, Session, *lifecycle.Hosts](func() *Tunnel { return &Tunnel{tunnels: all} })
}

// Defaults implements [runtime.Defaulter].
func (t *Tunnel) Defaults() {
	t.Check = new(true)
	t.ConnectTimeout = runtime.Duration(30 * time.Second)
}

// Constraints implements [runtime.Constrainer].
func (*Tunnel) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.ExactlyOneOf("target_host", "target_socket"),
		runtime.RequiredTogether("target_host", "target_port"),
		runtime.Check("target_host", "", checkTargetHost),
		runtime.Range("target_port", 1, 65535),
		runtime.Check("target_socket", "", host.CheckPath),
		runtime.Range("local_port", 1, 65535),
		runtime.Check("connect_timeout", "must be greater than zero", lifecycle.CheckPositive),
	}
}

func checkTargetHost(text string) error {
	if _, err := netip.ParseAddr(text); err == nil {
		return nil
	}
	if text == "" || strings.ContainsAny(text, ":/@[] \t\r\n\x00") {
		return errors.New("must be a name or an IP address; set the port with target_port")
	}
	return nil
}

// target returns the network and address of the target for [host.Dial].
func (t *Tunnel) target() (network, address string) {
	if t.TargetSocket != nil {
		return "unix", *t.TargetSocket
	}
	return "tcp", net.JoinHostPort(*t.TargetHost, strconv.FormatInt(*t.TargetPort, 10))
}

// Open implements [runtime.TypedEphemeral].
func (t *Tunnel) Open(ctx context.Context, hosts *lifecycle.Hosts) (*Output, runtime.Lease[Session], error) {
	var lease runtime.Lease[Session]
	h, err := hosts.Find(t.Host)
	if err != nil {
		return nil, lease, err
	}
	network, address := t.target()
	dial := func(ctx context.Context) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(t.ConnectTimeout))
		defer cancel()
		return host.Dial(ctx, h, network, address)
	}
	if *t.Check {
		if err := checkReachable(ctx, dial); err != nil {
			return nil, lease, err
		}
	}
	port := int64(0)
	if t.LocalPort != nil {
		port = *t.LocalPort
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.FormatInt(port, 10)))
	if err != nil {
		return nil, lease, diag.AttributeErrorf("local_port", "%w. Choose another port, or leave local_port unset to use a free port", err)
	}
	local := listener.Addr().(*net.TCPAddr) //nolint:forcetypeassert // the listener is TCP
	lease.Session.ID = t.tunnels.open(ctx, newForward(listener, dial))
	lease.RenewAt = time.Now().Add(renewInterval)
	return &Output{Host: new(h.Name()), LocalHost: local.IP.String(), LocalPort: int64(local.Port), Address: local.String()}, lease, nil
}

// checkReachable returns an error if it cannot connect to the target.
func checkReachable(ctx context.Context, dial dialer) error {
	conn, err := dial(ctx)
	if err != nil {
		return fmt.Errorf("the target of the tunnel is not reachable: %w. If the target is created later in the same apply, set check = false", err)
	}
	return conn.Close()
}

// Renew implements [runtime.EphemeralRenewer].
func (t *Tunnel) Renew(_ context.Context, _ *lifecycle.Hosts, session Session) (runtime.Lease[Session], error) {
	if !t.tunnels.renew(session.ID) {
		return runtime.Lease[Session]{}, fmt.Errorf("the tunnel was closed, since it had no connections and was not renewed for %s", maxIdle)
	}
	return runtime.Lease[Session]{RenewAt: time.Now().Add(renewInterval)}, nil
}

// Close implements [runtime.EphemeralCloser].
func (t *Tunnel) Close(ctx context.Context, _ *lifecycle.Hosts, session Session) error {
	f := t.tunnels.remove(session.ID)
	if f == nil {
		return runtime.ErrNotFound
	}
	err := f.close(ctx)
	if text := f.warning(); text != "" {
		runtime.Warn(ctx, "", "A tunnel had errors", text)
	}
	return err
}
