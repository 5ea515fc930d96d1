package conn_test

import (
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// A round trip costs more than all that is done between two. TCP and the greetings take
// two; the protocol has five after them: keys, service, which methods there are,
// whether the key would do, the key; and two for a program: the session and the request.
// The line gets longer until a busy host has time enough for its work.
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
