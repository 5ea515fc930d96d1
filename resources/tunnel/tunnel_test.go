package tunnel_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func echo(conn net.Conn) { _, _ = io.Copy(conn, conn) } // the peer detects missing data

// ask sends a text, closes the connection for writing, and returns the response.
func ask(address, text string) (string, error) {
	conn, err := net.DialTimeout("tcp", address, time.Minute)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }() // all data was read
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return "", err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, text)
		sent <- errors.Join(err, conn.(*net.TCPConn).CloseWrite()) //nolint:forcetypeassert // dialled with tcp
	}()
	got, err := io.ReadAll(conn)
	return string(got), errors.Join(err, <-sent)
}

// to returns the configuration of a tunnel to an address.
func to(address net.Addr) attrs {
	if address.Network() == "unix" {
		return attrs{"target_socket": str(address.String())}
	}
	host, port, _ := net.SplitHostPort(address.String())
	number, _ := strconv.ParseInt(port, 10, 64)
	return attrs{"target_host": str(host), "target_port": cty.NumberIntVal(number)}
}

func at(q *resourcetest.Lookup) string { return q.Result.GetAttr("address").AsString() }

func TestTunnel(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]net.Addr{
		"tcp": nettest.Serve(t, "tcp", "127.0.0.1:0", echo), "unix": nettest.Serve(t, "unix", filepath.Join(t.TempDir(), "socket"), echo),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel")
			resourcetest.NoErrors(t, q.Open(to(address)))
			host, port, err := net.SplitHostPort(at(q))
			resourcetest.Must(t, err)
			q.WantAttrs(attrs{"host": str("local"), "local_host": str("127.0.0.1")})
			if got := q.Result.GetAttr("local_port").AsBigFloat().String(); host != "127.0.0.1" || got != port {
				t.Errorf("address %s, port %s, want 127.0.0.1 and the same port", at(q), got)
			}
			if wait := time.Until(q.RenewAt); wait < time.Minute || wait > time.Hour {
				t.Errorf("a renewal is due in %s, want 1m to 1h", wait)
			}
			// Many concurrent connections, each complete in both directions.
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() {
					text := strings.Repeat(fmt.Sprintf("%d,", i), 100_000)
					if got, err := ask(at(q), text); err != nil || got != text {
						t.Errorf("received %d bytes, want %d (%v)", len(got), len(text), err)
					}
				})
			}
			all.Wait()
			resourcetest.NoErrors(t, q.Renew())
			if wait := time.Until(q.RenewAt); wait < time.Minute {
				t.Errorf("second renewal is due in %s, want at least 1m", wait)
			}
			if got, err := ask(at(q), "still there"); err != nil || got != "still there" {
				t.Errorf("after a renewal: received %q (%v), want \"still there\"", got, err)
			}
			// The connections of a tunnel end when it is closed.
			conn, err := net.Dial("tcp", at(q))
			resourcetest.Must(t, err)
			_, err = io.WriteString(conn, "x")
			resourcetest.Must(t, err)
			_, err = io.ReadFull(conn, make([]byte, 1))
			resourcetest.Must(t, err)
			if diags := q.Close(); len(diags) > 0 {
				t.Errorf("closing: %v, want no diagnostics", diags)
			}
			if n, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("read after the tunnel was closed: %d bytes, error %v, want a reset", n, err)
			}
			if _, err := ask(at(q), "x"); err == nil {
				t.Error("the closed tunnel accepts connections")
			}
			resourcetest.NoErrors(t, q.Close()) // closing again is not an error
			resourcetest.WantError(t, q.Renew(), "", "the tunnel was closed")
		})
	}
}

// TestTunnels checks that tunnels are independent, even if they have the same target.
func TestTunnels(t *testing.T) {
	t.Parallel()
	p := resourcetest.New(t, types)
	address := nettest.Serve(t, "tcp", "127.0.0.1:0", echo)
	var open []*resourcetest.Lookup
	for range 5 {
		q := resourcetest.NewEphemeral(t, p, "posix_tunnel")
		resourcetest.NoErrors(t, q.Open(to(address)))
		open = append(open, q)
	}
	for i, q := range open {
		resourcetest.NoErrors(t, q.Close())
		for _, other := range open[i+1:] {
			if got, err := ask(at(other), "x"); err != nil || got != "x" {
				t.Errorf("another tunnel: received %q (%v), want x", got, err)
			}
		}
	}
}

// unusedPort returns a random port of one of two ranges. They are between the ports of sshdtest and the ephemeral
// ones of the kernel, so that no other process takes the port.
func unusedPort(ofRange int) int { return 30000 + 1350*ofRange + rand.IntN(1350) }

func TestTunnelOnPort(t *testing.T) {
	t.Parallel()
	address := nettest.Serve(t, "tcp", "127.0.0.1:0", echo)
	first := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel")
	set := to(address)
	port := cty.NumberIntVal(int64(unusedPort(0)))
	set["local_port"] = port
	resourcetest.NoErrors(t, first.Open(set))
	second := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel")
	resourcetest.WantError(t, second.Open(set), "local_port", "address already in use", "Choose another port")
	resourcetest.NoErrors(t, first.Close())
	// A program that is being started by another test has a copy of the socket for a moment.
	opened := second.Open(set)
	for range 500 {
		if !opened.HasErrors() {
			break
		}
		time.Sleep(10 * time.Millisecond)
		opened = second.Open(set)
	}
	resourcetest.NoErrors(t, opened)
	second.WantAttrs(attrs{"local_port": port, "address": first.Result.GetAttr("address")})
	resourcetest.NoErrors(t, second.Close())
}

func TestTunnelUnreachableTarget(t *testing.T) {
	t.Parallel()
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: unusedPort(1)}
	set := to(address)
	q := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel")
	resourcetest.WantError(t, q.Open(set), "", "connect to "+address.String()+" on local", "refused", "set check = false")

	// The target may be started later. Earlier connections are reset, and reported on
	// close.
	set["check"] = cty.False
	resourcetest.NoErrors(t, q.Open(set))
	for range 2 {
		if got, err := ask(at(q), "x"); err == nil {
			t.Errorf("connection to an unreachable target: received %q and no error, want a reset", got)
		}
	}
	nettest.Serve(t, "tcp", address.String(), echo)
	if got, err := ask(at(q), "x"); err != nil || got != "x" {
		t.Errorf("after the target was started: received %q (%v), want x", got, err)
	}
	diags := q.Close()
	resourcetest.NoErrors(t, diags)
	if text := diags.Error(); !strings.Contains(text, "2 of 3 connections") || !strings.Contains(text, "refused") {
		t.Errorf("diagnostics %v, want a warning about failed connections", diags)
	}
}

// TestTunnelBrokenConnection checks that a connection that breaks on one side breaks on the
// other.
func TestTunnelBrokenConnection(t *testing.T) {
	t.Parallel()
	address := nettest.Serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 1))        // waits for data
		_ = conn.(*net.TCPConn).SetLinger(0)             //nolint:forcetypeassert // the server listens on TCP
		_, _ = conn.Write(bytes.Repeat([]byte{'x'}, 10)) // the connection breaks after this
	})
	q := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel")
	resourcetest.NoErrors(t, q.Open(to(address)))
	if got, err := ask(at(q), "go on"); err == nil {
		t.Errorf("broken connection: received %q and no error, want a reset", got)
	}
	resourcetest.NoErrors(t, q.Close())
}

func TestTunnelConfiguration(t *testing.T) {
	t.Parallel()
	port := cty.NumberIntVal(5432)
	for name, tt := range map[string]struct {
		set       attrs
		attribute string
		want      []string
	}{
		"no target":                {attrs{}, "", []string{"target_host", "target_socket"}},
		"two targets":              {attrs{"target_host": str("db"), "target_port": port, "target_socket": str("/run/db")}, "target_socket", []string{"target_host is already set"}},
		"target host without port": {attrs{"target_host": str("db")}, "target_port", []string{"must be set too"}},
		"port in target host":      {attrs{"target_host": str("db:5432"), "target_port": port}, "target_host", []string{"set the port with target_port"}},
		"empty target host":        {attrs{"target_host": str(""), "target_port": port}, "target_host", []string{"name or an IP address"}},
		"port out of range":        {attrs{"target_host": str("db"), "target_port": cty.NumberIntVal(65536)}, "target_port", []string{"from 1 to 65535"}},
		"relative socket path":     {attrs{"target_socket": str("run/db")}, "target_socket", []string{"must start with /"}},
		"local port 0":             {attrs{"target_socket": str("/run/db"), "local_port": cty.NumberIntVal(0)}, "local_port", []string{"from 1 to 65535"}},
		"zero timeout":             {attrs{"target_socket": str("/run/db"), "connect_timeout": str("0s")}, "connect_timeout", []string{"greater than zero"}},
		"unknown host":             {attrs{"target_socket": str("/run/db"), "host": str("no such host")}, "host", []string{"host"}},
		"missing socket":           {attrs{"target_socket": str("/no/such/socket")}, "", []string{"connect to /no/such/socket", "no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.WantError(t, resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel").Open(tt.set), tt.attribute, tt.want...)
		})
	}
	q := resourcetest.NewEphemeral(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: "box"})), "posix_tunnel")
	resourcetest.WantError(t, q.Open(attrs{"target_host": str("db"), "target_port": port}), "", "connect to db:5432 on box", "does not support outgoing connections")
	resourcetest.NoErrors(t, resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_tunnel").Open(attrs{"target_host": str("::1"), "target_port": port, "check": cty.False}))
}
