package sshhost

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

var _ host.Dialer = (*Host)(nil)

// DialHost implements [host.Dialer].
func (h *Host) DialHost(ctx context.Context, network, address string) (net.Conn, error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return nil, host.DialError(h, network, address, err)
	}
	conn, err := h.conn.Dial(ctx, network, address)
	if err != nil {
		done()
		return nil, host.DialError(h, network, address, err)
	}
	return &dialled{Conn: conn, done: sync.OnceFunc(done)}, nil
}

// dialled is a connection that keeps its host connected until it is closed.
type dialled struct {
	net.Conn
	done func()
}

// Close implements [net.Conn].
func (d *dialled) Close() error {
	defer d.done()
	return d.Conn.Close()
}

// CloseWrite closes the sending direction.
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
		MaxSessions: o.MaxSessions,
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

// through connects from another host of this package. The slot of that host is then limited
// by the hosts behind it: see admission.
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
