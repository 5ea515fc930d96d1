package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Dial connects from the host to an address of network "tcp" or "unix". The connection
// implements CloseWrite. If the host permits the connection but cannot open it, the error
// is a [*ForwardError]. If the connection to the host breaks before the host has replied, Dial
// reconnects and retries a few times: no data was sent to the address.
func (c *Conn) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	kind, payload, err := forwarding(network, address)
	if err != nil {
		return nil, err
	}
	for lost := 0; ; lost++ {
		conn, err := c.connect(ctx)
		if err != nil {
			return nil, err
		}
		forward, err := conn.forward(ctx, kind, payload, farAddr{network, address})
		if err == nil {
			return forward, nil
		}
		if conn.alive() || lost == maxLost || ctx.Err() != nil {
			return nil, c.dialError(address, err)
		}
	}
}

// dialError returns the error of Dial for a request that failed.
func (c *Conn) dialError(address string, err error) error {
	if refusal, ok := errors.AsType[*ssh.OpenChannelError](err); ok && refusal.Reason == ssh.Prohibited {
		return fmt.Errorf("host %s rejects a forwarded connection to %s: %w (see AllowTcpForwarding, "+
			"AllowStreamLocalForwarding and PermitOpen of sshd)", c.options.Name, address, err)
	} else if ok {
		return &ForwardError{Host: c.options.Name, Address: address, Err: err}
	}
	return c.errorf("connect to "+address+" through", err)
}

// ForwardError is the error of a host that cannot connect to an address.
type ForwardError struct {
	Host    string // name of the host
	Address string
	Err     error
}

func (e *ForwardError) Error() string {
	return fmt.Sprintf("host %s cannot connect to %s: %v", e.Host, e.Address, e.Err)
}

// Unwrap returns Err.
func (e *ForwardError) Unwrap() error { return e.Err }

// forwarding returns the channel type and payload of a forwarding request.
func forwarding(network, address string) (kind string, payload []byte, err error) {
	switch network {
	case "tcp":
		name, port, err := net.SplitHostPort(address)
		if err != nil {
			return "", nil, err
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return "", nil, fmt.Errorf("invalid port in %s: %w", address, err)
		}
		return "direct-tcpip", ssh.Marshal(struct {
			Host       string
			Port       uint32
			Origin     string
			OriginPort uint32
		}{name, uint32(number), "127.0.0.1", 0}), nil
	case "unix":
		return "direct-streamlocal@openssh.com", ssh.Marshal(struct {
			Path         string
			Reserved     string
			ReservedPort uint32
		}{Path: address}), nil
	}
	return "", nil, fmt.Errorf("network %q: %w", network, errors.ErrUnsupported)
}

func (c *connection) forward(ctx context.Context, kind string, payload []byte, far farAddr) (net.Conn, error) {
	channel, requests, err := c.openChannel(ctx, kind, payload, func(channel ssh.Channel, requests <-chan *ssh.Request, err error) {
		if err == nil {
			go ssh.DiscardRequests(requests)
			_ = channel.Close() // not used
		}
	})
	if err != nil {
		return nil, err
	}
	go ssh.DiscardRequests(requests)
	return newForwarded(c, channel, far), nil
}

// farAddr is an address in the network of the host.
type farAddr struct{ network, address string }

func (a farAddr) Network() string { return a.network }
func (a farAddr) String() string  { return a.address }

// forwarded is a connection through a channel. Channels have no deadlines, so data is
// copied through pipes, which have them.
type forwarded struct {
	net.Conn // received data; provides SetReadDeadline
	up       net.Conn
	conn     *connection
	channel  ssh.Channel
	far      farAddr
	close    sync.Once

	mu   sync.Mutex
	lost error // error to return instead of io.EOF at the end of received data
}

func newForwarded(conn *connection, channel ssh.Channel, far farAddr) *forwarded {
	down, downEnd := net.Pipe()
	up, upEnd := net.Pipe()
	f := &forwarded{Conn: down, up: up, conn: conn, channel: channel, far: far}
	go f.receive(downEnd)
	go f.send(upEnd)
	return f
}

// receive copies data from the channel to the pipe until either ends, records the error, and
// closes the pipe.
func (f *forwarded) receive(to net.Conn) {
	_, err := io.Copy(to, f.channel)
	if err == nil {
		err = f.conn.ping() // the end of the channel may be due to a broken connection
	}
	f.mu.Lock()
	f.lost = err
	f.mu.Unlock()
	_ = to.Close()                        // unblocks Read
	_, _ = io.Copy(io.Discard, f.channel) // after Close, so that the channel ends
}

// send copies written data to the channel.
func (f *forwarded) send(from net.Conn) {
	if _, err := io.Copy(f.channel, from); err == nil {
		_ = f.channel.CloseWrite() // on error, the peer no longer reads
	}
	_ = from.Close() // unblocks Write
}

// Read implements [net.Conn]. If the SSH connection broke, the error is that of the SSH
// connection, not [io.EOF].
func (f *forwarded) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.lost != nil {
			err = f.lost
		}
	}
	return n, err
}

// Write implements [net.Conn].
func (f *forwarded) Write(p []byte) (int, error) { return f.up.Write(p) }

// CloseWrite closes the sending direction.
func (f *forwarded) CloseWrite() error { return f.up.Close() }

// Close implements [net.Conn].
func (f *forwarded) Close() error {
	f.close.Do(func() {
		_ = f.up.Close()                // pipes return no errors on Close
		_ = f.Conn.Close()              // pipes return no errors on Close
		_ = sendWithin(f.channel.Close) // may have ended already
	})
	return nil
}

// LocalAddr implements [net.Conn].
func (f *forwarded) LocalAddr() net.Addr { return f.conn.ssh.LocalAddr() }

// RemoteAddr implements [net.Conn].
func (f *forwarded) RemoteAddr() net.Addr { return f.far }

// SetDeadline implements [net.Conn].
func (f *forwarded) SetDeadline(t time.Time) error {
	return errors.Join(f.SetReadDeadline(t), f.SetWriteDeadline(t))
}

// SetWriteDeadline implements [net.Conn].
func (f *forwarded) SetWriteDeadline(t time.Time) error { return f.up.SetWriteDeadline(t) }
