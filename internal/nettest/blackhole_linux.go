package nettest

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BlackHole returns a TCP address on 127.0.0.1 at which connecting neither succeeds nor
// fails until the test ends, as behind a firewall that drops packets. If it cannot create
// such an address, it skips the test.
func BlackHole(tb testing.TB) string {
	tb.Helper()
	addr, free, err := blackHole()
	if err != nil {
		tb.Skipf("cannot create an address that does not respond: %v", err)
	}
	tb.Cleanup(free)
	return addr
}

// blackHole listens with the shortest backlog and fills it, so that Linux drops
// further connections. free closes all sockets.
func blackHole() (addr string, free func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, os.NewSyscallError("socket", err)
	}
	var held []net.Conn
	free = func() {
		for _, conn := range held {
			_ = conn.Close() // nothing was sent
		}
		_ = unix.Close(fd) // nothing was accepted
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		free()
		return "", nil, os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		free()
		return "", nil, os.NewSyscallError("listen", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		free()
		return "", nil, os.NewSyscallError("getsockname", err)
	}
	inet, ok := name.(*unix.SockaddrInet4)
	if !ok {
		free()
		return "", nil, errors.New("the socket has no IPv4 address")
	}
	addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(inet.Port))
	dialer := net.Dialer{Timeout: 200 * time.Millisecond}
	for range 8 {
		conn, err := dialer.DialContext(context.Background(), "tcp", addr)
		if err != nil {
			return addr, free, nil //nolint:nilerr // expected: the backlog is full
		}
		held = append(held, conn)
	}
	free()
	return "", nil, errors.New("the backlog of the socket accepts all connections")
}
