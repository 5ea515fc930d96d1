package sshhost_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestRoundTrips limits the round trips of the first operation as root, seven of which are for the
// connection and one for links above the path, and of each later operation. The simulated delay grows until a busy system has
// enough time for its work.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const shortest, longest = 160 * time.Millisecond, 10 * time.Second
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	if _, err := fmt.Sscanf(proxy.Addr(), "127.0.0.1:%d", &o.Port); err != nil {
		t.Fatal(err)
	}
	o.ConnectTimeout = 2 * time.Minute
	o.Trust = sshhost.Trust{Policy: sshhost.Insecure}
	dir, n := t.TempDir(), 0
	next := func() string {
		n++
		return fmt.Sprintf("%s/%d", dir, n)
	}
	put := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	present, link := next(), next()
	if err := errors.Join(put(present), os.Symlink("x", link)); err != nil {
		t.Fatal(err)
	}
	write := func(h *sshhost.Host, path string, opts host.WriteOptions) error {
		_, err := h.WriteFile(t.Context(), path, strings.NewReader("x"), opts)
		return err
	}
	edited, lines := host.FileInfo{Path: next(), Mode: 0o600}, []byte("x")
	if err := put(edited.Path); err != nil {
		t.Fatal(err)
	}
	full := host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(5))}
	for _, tt := range []struct {
		name        string
		first, then int
		do          func(*sshhost.Host) error
	}{
		{"Digest", 11, 1, func(h *sshhost.Host) error {
			_, _, err := host.Digest(t.Context(), h, present)
			return err
		}},
		{"Lstat", 12, 1, func(h *sshhost.Host) error { _, err := h.Lstat(t.Context(), present); return err }},
		{"Open and read", 14, 1, func(h *sshhost.Host) error {
			_, r, err := h.Open(t.Context(), present)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, r)
			return errors.Join(err, r.Close())
		}},
		{"WriteFile of a new file", 14, 1, func(h *sshhost.Host) error {
			return write(h, next(), host.WriteOptions{Attributes: full, Exclusive: true})
		}},
		{"WriteFile of an existing file", 14, 1, func(h *sshhost.Host) error { return write(h, present, host.WriteOptions{}) }},
		{"EditFile", 15, 1, func(h *sshhost.Host) error {
			info, done, err := h.EditFile(t.Context(), edited, lines, append(lines, 'x'), host.Attributes{})
			if !done {
				return cmp.Or(err, errors.New("it has changed"))
			}
			edited, lines = info, append(lines, 'x')
			return err
		}},
		{"SetAttributes", 14, 1, func(h *sshhost.Host) error {
			n++
			_, err := h.SetAttributes(t.Context(), present, host.Attributes{Mode: new(host.Mode(0o600 + n%2*0o40)), UID: new(uint32(0))})
			return err
		}},
		{"Mkdir", 12, 1, func(h *sshhost.Host) error { _, err := h.Mkdir(t.Context(), next(), host.Attributes{}); return err }},
		{"Rmdir", 12, 1, func(h *sshhost.Host) error {
			path := next()
			return errors.Join(os.Mkdir(path, 0o700), h.Rmdir(t.Context(), path))
		}},
		{"Symlink", 12, 1, func(h *sshhost.Host) error { _, err := h.Symlink(t.Context(), "x", next()); return err }},
		{"ReplaceSymlink", 14, 1, func(h *sshhost.Host) error { _, err := h.ReplaceSymlink(t.Context(), next(), link); return err }},
		{"Remove", 12, 1, func(h *sshhost.Host) error {
			path := next()
			return errors.Join(put(path), h.Remove(t.Context(), path))
		}},
		{"RemoveOnly", 11, 1, func(h *sshhost.Host) error {
			path := next()
			return errors.Join(put(path), host.RemoveOnly(t.Context(), h, path, host.TypeRegular))
		}},
	} {
		first, then := 1000, 1000
		for trip := shortest; trip < longest && (first > tt.first || then > tt.then); trip *= 2 {
			h, err := sshhost.New(o)
			if err != nil {
				t.Fatal(err)
			}
			trips := func() int {
				n, err := proxy.Trips(trip, func() error { return tt.do(h) })
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				return n
			}
			first = min(first, trips())
			for range 3 { // the second operation may wait for a process that the first one started
				then = min(then, trips())
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
