package sshhost

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
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
