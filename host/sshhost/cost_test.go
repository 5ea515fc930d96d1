package sshhost_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// far is a server of this host that is a round trip away.
func far(t *testing.T, trip time.Duration) (*nettest.Proxy, sshhost.Options) {
	t.Helper()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), trip/2)
	if _, err := fmt.Sscanf(proxy.Addr(), "127.0.0.1:%d", &o.Port); err != nil {
		t.Fatal(err)
	}
	o.Trust = sshhost.Trust{Policy: sshhost.Insecure}
	return proxy, o
}

// The budget of round trips: of the first operation, of which six are for the
// connection, and of each that follows. A host that is busy makes two of one, so
// the best of some attempts counts, each on a slower line than the one before once it
// is connected: what link says to keep a server awake would count on such a line.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const attempts, trip = 10, 40 * time.Millisecond
	proxy, o := far(t, trip)
	dir, n := t.TempDir(), 0
	next := func() string {
		n++
		return fmt.Sprintf("%s/%d", dir, n)
	}
	put := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	present := next()
	if err := put(present); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name        string
		first, then int
		do          func(*sshhost.Host) error
	}{
		{"the digest of a file", 10, 1, func(h *sshhost.Host) error {
			_, _, err := host.Digest(t.Context(), h, present)
			return err
		}},
		{"Lstat", 14, 1, func(h *sshhost.Host) error { _, err := h.Lstat(t.Context(), present); return err }},
		{"a file that is written", 14, 3, func(h *sshhost.Host) error {
			_, err := h.WriteFile(t.Context(), next(), strings.NewReader("x"), host.WriteOptions{
				Attributes: host.Attributes{Mode: new(host.Mode(0o644))}, Exclusive: true,
			})
			return err
		}},
		{"Remove", 11, 1, func(h *sshhost.Host) error {
			path := next()
			return errors.Join(put(path), h.Remove(t.Context(), path))
		}},
		{"RemoveOnly", 11, 1, func(h *sshhost.Host) error {
			path := next()
			return errors.Join(put(path), host.RemoveOnly(t.Context(), h, path, host.TypeRegular))
		}},
	} {
		first, then := 1000, 1000
		for try := 0; try < attempts && (first > tt.first || then > tt.then); try++ {
			h, err := sshhost.New(o)
			if err != nil {
				t.Fatal(err)
			}
			proxy.SetDelay(trip / 2)
			turns := func() int {
				before := proxy.Turns()
				if err := tt.do(h); err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				return proxy.Turns() - before
			}
			first = min(first, turns())
			proxy.SetDelay(trip / 2 << min(try, 5))
			for range 3 {
				time.Sleep(trip << min(try, 5) * 3 / 2) // for what is still under way
				then = min(then, turns())
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
		if first > tt.first || then > tt.then {
			t.Errorf("%s takes %d round trips at first and %d then, want %d and %d", tt.name, first, then, tt.first, tt.then)
		}
	}
}
