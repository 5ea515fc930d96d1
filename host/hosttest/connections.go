package hosttest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// testConnections tests hosts that implement [host.Dialer], and [host.Dial] for a host that does not. Each
// host with a Dialer is the host that the test runs on, so it can reach the servers of the test.
func testConnections(t *testing.T, s suite) {
	dials := func(name string, test func(e env)) {
		run(t, s, name, func(e env) {
			if _, ok := e.Host.(host.Dialer); !ok {
				e.Skip("this host does not open connections")
			}
			test(e)
		})
	}
	dials("tcp", func(e env) { e.exchange("tcp", e.serve("tcp", "127.0.0.1:0")) })
	dials("unix", func(e env) {
		path := e.path("socket")
		e.serve("unix", path)
		e.must(os.Chmod(path, 0o777)) // the host's user must be able to reach it
		e.exchange("unix", path)
	})
	dials("many at once", func(e env) {
		address := e.serve("tcp", "127.0.0.1:0")
		e.must(errors.Join(together(20, 1, func(i int) error {
			return e.echo("tcp", address, strconv.Itoa(i)+pattern(i*1000))
		})...))
	})
	dials("context canceled after Dial", func(e env) {
		ctx, cancel := context.WithCancel(e.ctx())
		conn, err := host.Dial(ctx, e.Host, "tcp", e.serve("tcp", "127.0.0.1:0"))
		e.must(err)
		cancel()
		e.must(checkEcho(conn, "text"))
	})
	dials("no listener", func(e env) {
		// The port of a client is in use, so no other process listens on it. The port of a closed listener could still be
		// open in a child process that has not called exec yet.
		client, err := (&net.Dialer{}).DialContext(e.ctx(), "tcp", e.serve("tcp", "127.0.0.1:0"))
		e.must(err)
		address := client.LocalAddr().String()
		_, err = host.Dial(e.ctx(), e.Host, "tcp", address)
		e.wantError(err, "")
		if err != nil && strings.Count(err.Error(), address) != 1 {
			e.Errorf("error %q, want the address %s exactly once", err, address)
		}
		e.must(client.Close())
		_, err = host.Dial(e.ctx(), e.Host, "unix", e.path("absent"))
		if errors.Is(err, fs.ErrNotExist) { // some protocols do not report that the socket does not exist
			e.wantError(err, e.path("absent"), fs.ErrNotExist)
		} else {
			e.wantError(err, e.path("absent"))
		}
	})
	dials("context canceled before Dial", func(e env) {
		ctx, cancel := context.WithCancel(e.ctx())
		cancel()
		e.wantError(errOf(host.Dial(ctx, e.Host, "tcp", e.serve("tcp", "127.0.0.1:0"))), "", context.Canceled)
	})
	dials("invalid addresses", func(e env) {
		for _, address := range [][2]string{{"tcp", "db"}, {"tcp", ""}, {"udp", "127.0.0.1:53"}} {
			e.wantError(errOf(host.Dial(e.ctx(), e.Host, address[0], address[1])), "")
		}
		e.wantError(errOf(host.Dial(e.ctx(), e.Host, "unix", "relative")), "relative", host.ErrInvalidPath)
	})
	run(t, s, "host without Dialer", func(e env) {
		e.wantError(errOf(host.Dial(e.ctx(), struct{ host.Host }{e.Host}, "tcp", "127.0.0.1:1")), "", errors.ErrUnsupported)
	})
}

// serve starts a server that echoes its input until the test ends, and returns its address.
func (e env) serve(network, address string) string {
	e.Helper()
	listener, err := (&net.ListenConfig{}).Listen(e.ctx(), network, address)
	e.must(err)
	e.Cleanup(func() { _ = listener.Close() }) // the test has ended
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }() // the peer detects missing data
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func (e env) exchange(network, address string) {
	e.Helper()
	e.must(e.echo(network, address, pattern(300_000)))
}

func (e env) echo(network, address, text string) error {
	conn, err := host.Dial(e.ctx(), e.Host, network, address)
	if err != nil {
		return err
	}
	return checkEcho(conn, text)
}

// checkEcho sends text, closes the sending direction, and checks that the peer sends the
// text back. It closes conn.
func checkEcho(conn net.Conn, text string) error {
	defer func() { _ = conn.Close() }() // the text was read, or a different error is returned
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, text)
		half, ok := conn.(interface{ CloseWrite() error })
		if !ok {
			err = errors.Join(err, errors.New("the connection has no method CloseWrite"))
		} else {
			err = errors.Join(err, half.CloseWrite())
		}
		sent <- err
	}()
	timer := time.AfterFunc(time.Minute, func() { _ = conn.Close() }) // makes the read fail
	defer timer.Stop()
	got, err := io.ReadAll(conn)
	if err == nil && string(got) != text {
		err = errors.New("received " + brief(string(got)) + ", want the sent text " + brief(text))
	}
	return errors.Join(err, <-sent)
}
