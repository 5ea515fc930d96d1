package conn_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestRoundTripsOfOpenSSH checks that OpenSSH's client takes no fewer round trips than this
// package to connect and to run a program. A busy host can only add round trips.
func TestRoundTripsOfOpenSSH(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	_, port, err := net.SplitHostPort(proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	n, err := proxy.Trips(160*time.Millisecond, func() error {
		return exec.CommandContext(t.Context(), "ssh", "-F", "none", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no",
			"-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes", "-i", o.Auth.Keys[0].Path, "-p", port, o.User+"@"+server.Host(), "true").Run()
	})
	if err != nil || n < connecting+running {
		t.Errorf("OpenSSH takes %d round trips, want at least %d; error %v", n, connecting+running, err)
	}
}

// serve starts a server, which accepts a new key unless config has users, and returns it with
// the options to connect to it.
func serve(tb testing.TB, config sshdtest.Config) (*sshdtest.Server, conn.Options) {
	tb.Helper()
	key := sshdtest.NewKey(tb)
	if config.Users == nil {
		config.Users = []sshdtest.User{sshdtest.Me(key.PublicKey())}
	}
	server := sshdtest.Start(tb, config)
	return server, conn.Options{
		Name: "web", Address: server.Host(), Port: server.Port(), User: config.Users[0].Name,
		Auth:           conn.Auth{Keys: []conn.Key{{Path: key.File(tb, "")}}},
		Trust:          conn.Trust{Policy: conn.Strict, Known: []string{server.KnownHosts()}},
		ConnectTimeout: time.Minute, RetryPause: time.Millisecond, MaxSessions: 10,
	}
}

// open returns a Conn that is closed when the test ends.
func open(tb testing.TB, o conn.Options) *conn.Conn {
	tb.Helper()
	c, err := conn.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// run runs a command line with an input until it exits, and returns its standard output and its exit.
func run(ctx context.Context, l remote.Starter, line, stdin string) (string, remote.Exit, error) {
	p, err := l.Start(ctx, line)
	if err != nil {
		return "", remote.Exit{}, err
	}
	defer p.Close()
	go func() {
		io.WriteString(p.Stdin(), stdin)
		p.Stdin().Close()
	}()
	errOut := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stderr())
		errOut <- err
	}()
	out, err := io.ReadAll(p.Stdout())
	err = errors.Join(err, <-errOut)
	exit, errExit := p.Wait()
	return string(out), exit, errors.Join(err, errExit)
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	large := strings.Repeat("0123456789abcde\n", 300_000) // more than a channel's window
	for _, tt := range []struct {
		name, line, stdin, stdout string
		exit                      remote.Exit
	}{
		{"output", "echo hello", "", "hello\n", remote.Exit{}},
		{"input", "cat", "some text", "some text", remote.Exit{}},
		{"large input and output", "cat", large, large, remote.Exit{}},
		{"large unread input", "true", large, "", remote.Exit{}},
		{"exit code", "exit 3", "", "", remote.Exit{Code: 3}},
		{"signal", "kill -TERM $$", "", "", remote.Exit{Code: 143, Signal: "TERM"}},
		{"both outputs", "head -c 3000000 /dev/zero >&2; echo done", "", "done\n", remote.Exit{}},
	} {
		stdout, exit, err := run(t.Context(), c, tt.line, tt.stdin)
		if err != nil || stdout != tt.stdout || exit != tt.exit {
			t.Errorf("%s: got %d bytes %.20q, exit %+v, error %v; want %d bytes %.20q, exit %+v", tt.name,
				len(stdout), stdout, exit, err, len(tt.stdout), tt.stdout, tt.exit)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestSubsystem(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	p, err := c.Subsystem(t.Context(), "sftp")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Stdin().Write([]byte{0, 0, 0, 5, 1, 0, 0, 0, 3}) // the client's SFTP version message
	got := make([]byte, 9)
	if _, err := io.ReadFull(p.Stdout(), got); err != nil || !bytes.Equal(got[4:], []byte{2, 0, 0, 0, 3}) {
		t.Errorf("received %v, error %v, want SSH_FXP_VERSION (2) with version 3", got, err)
	}
	if _, err := c.Subsystem(t.Context(), "nothing"); !errors.Is(err, conn.ErrNoSubsystem) {
		t.Errorf("Subsystem returned %v for an unknown subsystem, want %v", err, conn.ErrNoSubsystem)
	}
	if _, _, err := run(t.Context(), c, "true", ""); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestClosedProgram checks that pending calls on a process return errors after its program, which neither
// reads nor writes, is killed and the process is closed.
func TestClosedProgram(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	p, err := c.Start(t.Context(), "echo begun; exec sleep 3600")
	if err != nil {
		t.Fatal(err)
	}
	begun := make([]byte, 6)
	if _, err := io.ReadFull(p.Stdout(), begun); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 4)
	go func() { _, err := p.Stdout().Read(make([]byte, 1)); ended <- err }()
	go func() { _, err := p.Stderr().Read(make([]byte, 1)); ended <- err }()
	go func() { _, err := p.Stdin().Write(make([]byte, 10<<20)); ended <- err }()
	go func() {
		exit, err := p.Wait()
		if exit.Signal != "" { // the exit signal may arrive before Close
			err = errors.New("killed")
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("a call returned before Close: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := p.Signal("KILL"); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for range 4 {
		if err := <-ended; err == nil {
			t.Error("a pending call returned no error after Close")
		}
	}
}

const connecting, running = 7, 2

// TestRoundTrips counts round trips with a delay that is long compared with the work between
// them. TCP and the version exchange take two, the SSH protocol five more (key exchange,
// service, list of methods, key offer, signature), and a program two (session, exec). The
// delay grows until a busy host has enough time for its work.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const shortest, longest = 80 * time.Millisecond, 6 * time.Second
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	c := open(t, through(t, o, proxy.Addr()))
	connect, start := 1000, 1000
	for trip := shortest; trip < longest && (connect > connecting || start > running); trip *= 2 {
		trips := func(do func() error) int {
			n, err := proxy.Trips(trip, do)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		connect = min(connect, trips(func() error { return c.Connect(t.Context()) }))
		var program remote.Process
		start = min(start, trips(func() (err error) {
			program, err = c.Start(t.Context(), "exec sleep 3600")
			return err
		}))
		program.Close()
		c.Disconnect()
	}
	if connect > connecting || start > running {
		t.Errorf("%d round trips to connect and %d to start a program, want at most %d and %d", connect, start, connecting, running)
	}
}
