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
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Tunnel brings an address that a host can reach to this machine, for as long as a
// run needs it: a port on 127.0.0.1, each connection to which goes on from the host.
// So another provider reaches a database behind a bastion.
//
// It is opened once for the plan and once more for the apply, and closed when
// nothing needs it any more. Any number of tunnels through a host, and of
// connections through a tunnel, share the one connection to the host. Whoever can
// open a connection to 127.0.0.1 on this machine can use the tunnel while it is
// open.
type Tunnel struct {
	// The host through which the tunnel goes: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The name or IP address that the tunnel leads to, as the host sees it:
	// `localhost` is the host itself.
	TargetHost *string

	// The port that the tunnel leads to.
	TargetPort *int64

	// The absolute path of the socket on the host that the tunnel leads to, such as
	// `/run/postgresql/.s.PGSQL.5432`.
	TargetSocket *string

	// The port on 127.0.0.1. When unset, one that is free is chosen.
	LocalPort *int64

	// Whether to see, when the tunnel is opened, that the target can be reached, by a
	// connection that is closed at once. The default is true.
	Check *bool

	// How long it may take to connect to the target, such as `"10s"`. The default is
	// `"30s"`.
	ConnectTimeout runtime.Duration

	all *tunnels
}

// Output is an open tunnel.
type Output struct {
	Host *string `tf:",computed"`

	// The address of this machine that the tunnel listens on: `127.0.0.1`.
	LocalHost string

	LocalPort int64 `tf:",computed"`

	// Both with a colon between them, such as `127.0.0.1:40123`.
	Address string
}

// Session tells a tunnel from the others of this process.
type Session struct {
	ID string
}

var (
	_ runtime.TypedEphemeral[*Output, Session, *target.Hosts] = (*Tunnel)(nil)
	_ runtime.EphemeralRenewer[Session, *target.Hosts]        = (*Tunnel)(nil)
	_ runtime.EphemeralCloser[Session, *target.Hosts]         = (*Tunnel)(nil)
	_ runtime.Defaulter                                       = (*Tunnel)(nil)
	_ runtime.Constrainer                                     = (*Tunnel)(nil)
)

const (
	// renewEvery is how often the client says that it still needs a tunnel.
	renewEvery = 5 * time.Minute
	// idleMax is how long a tunnel stays open that is neither renewed nor used: the
	// client is gone, or it sleeps.
	idleMax = 20 * time.Minute
)

// EphemeralResource is the registration of the ephemeral resource type, with the
// tunnels of one provider.
func EphemeralResource() runtime.EphemeralRegistration {
	all := newTunnels(idleMax)
	return runtime.MakeEphemeralWith[Tunnel, *Output, Session, *target.Hosts](func() *Tunnel { return &Tunnel{all: all} })
}

// Defaults is part of [runtime.Defaulter].
func (t *Tunnel) Defaults() {
	t.Check = new(true)
	t.ConnectTimeout = runtime.Duration(30 * time.Second)
}

// Constraints is part of [runtime.Constrainer].
func (*Tunnel) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.ExactlyOneOf("target_host", "target_socket"),
		runtime.RequiredTogether("target_host", "target_port"),
		runtime.Check("target_host", "", nameOrAddress),
		runtime.Range("target_port", 1, 65535),
		runtime.Check("target_socket", "", host.CheckPath),
		runtime.Range("local_port", 1, 65535),
		runtime.Check("connect_timeout", "must be greater than zero", longerThanNothing),
	}
}

func nameOrAddress(text string) error {
	if _, err := netip.ParseAddr(text); err == nil {
		return nil
	}
	if text == "" || strings.ContainsAny(text, ":/@[] \t\r\n\x00") {
		return errors.New("write a name or an IP address here, and the port as target_port")
	}
	return nil
}

func longerThanNothing(d runtime.Duration) error {
	if d <= 0 {
		return errors.New("a connection needs some time")
	}
	return nil
}

// target is what the tunnel leads to, as [host.Dial] takes it.
func (t *Tunnel) target() (network, address string) {
	if t.TargetSocket != nil {
		return "unix", *t.TargetSocket
	}
	return "tcp", net.JoinHostPort(*t.TargetHost, strconv.FormatInt(*t.TargetPort, 10))
}

// Open is part of [runtime.TypedEphemeral].
func (t *Tunnel) Open(ctx context.Context, hosts *target.Hosts) (*Output, runtime.Lease[Session], error) {
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
		if err := reach(ctx, dial); err != nil {
			return nil, lease, err
		}
	}
	port := int64(0)
	if t.LocalPort != nil {
		port = *t.LocalPort
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.FormatInt(port, 10)))
	if err != nil {
		return nil, lease, diag.AttributeErrorf("local_port", "%w. Choose another port, or leave local_port out to have one chosen", err)
	}
	local := listener.Addr().(*net.TCPAddr) //nolint:forcetypeassert // of a listener for TCP
	lease.Session.ID = t.all.open(ctx, newForward(listener, dial))
	lease.RenewAt = time.Now().Add(renewEvery)
	return &Output{Host: new(h.Name()), LocalHost: local.IP.String(), LocalPort: int64(local.Port), Address: local.String()}, lease, nil
}

// reach sees that the target can be reached.
func reach(ctx context.Context, dial dialer) error {
	conn, err := dial(ctx)
	if err != nil {
		return fmt.Errorf("%w. The tunnel would lead nowhere. If the target is there only later in the run, set check = false", err)
	}
	return conn.Close()
}

// Renew is part of [runtime.EphemeralRenewer].
func (t *Tunnel) Renew(_ context.Context, _ *target.Hosts, session Session) (runtime.Lease[Session], error) {
	if !t.all.renew(session.ID) {
		return runtime.Lease[Session]{}, fmt.Errorf("the tunnel is closed, as it was neither renewed nor used for %s", idleMax)
	}
	return runtime.Lease[Session]{RenewAt: time.Now().Add(renewEvery)}, nil
}

// Close is part of [runtime.EphemeralCloser].
func (t *Tunnel) Close(ctx context.Context, _ *target.Hosts, session Session) error {
	f := t.all.take(session.ID)
	if f == nil {
		return runtime.ErrNotFound
	}
	err := f.close(ctx)
	if failed, of, last := f.failures(); failed > 0 {
		runtime.Warn(ctx, "", "Connections through a tunnel failed",
			fmt.Sprintf("%d of the %d connections through the tunnel could not be made, and were reset. The last of them: %s", failed, of, last))
	}
	return err
}
