package conn_test

import (
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// A round trip costs more than all that is done between two. The protocol has
// five after the greeting: keys, service, which methods there are, whether the
// key would do, the key; and two for a program: the session and the request. The
// greeting and the offer of algorithms, which come one right after the other,
// may be answered one by one, and count as two. A host that is busy makes two
// of one, too, so the best of some attempts counts.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const connecting, running = 6, 2
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 10*time.Millisecond)
	l := open(t, through(t, o, proxy.Addr()))
	turns := func(what func() error) int {
		before := proxy.Turns()
		if err := what(); err != nil {
			t.Fatal(err)
		}
		return proxy.Turns() - before
	}
	connect, start := 1000, 1000
	var program remote.Process
	for range 60 {
		connect = min(connect, turns(func() error { return l.Connect(t.Context()) }))
		start = min(start, turns(func() error {
			var err error
			program, err = l.Start(t.Context(), "exec sleep 3600")
			return err
		}))
		program.Close()
		if connect <= connecting && start <= running {
			return
		}
		l.Disconnect()
	}
	t.Errorf("%d round trips to connect and %d to start a program, want %d and %d", connect, start, connecting, running)
}
