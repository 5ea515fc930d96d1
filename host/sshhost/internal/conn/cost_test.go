package conn_test

import (
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestRoundTrips counts round trips with a delay that is long compared to the work between
// them. TCP and the version exchange take two, the SSH protocol five more (key exchange,
// service, list of methods, key offer, signature), and a program two (session, exec). The
// delay grows until a busy system has enough time for its work.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const connecting, running = 7, 2
	const shortest, longest = 80 * time.Millisecond, 6 * time.Second
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	l := open(t, through(t, o, proxy.Addr()))
	connect, start := 1000, 1000
	for trip := shortest; trip < longest && (connect > connecting || start > running); trip *= 2 {
		trips := func(do func() error) int {
			n, err := proxy.Trips(trip, do)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		connect = min(connect, trips(func() error { return l.Connect(t.Context()) }))
		var program remote.Process
		start = min(start, trips(func() (err error) {
			program, err = l.Start(t.Context(), "exec sleep 3600")
			return err
		}))
		program.Close()
		l.Disconnect()
	}
	if connect > connecting || start > running {
		t.Errorf("%d round trips to connect and %d to start a program, want %d and %d", connect, start, connecting, running)
	}
}
