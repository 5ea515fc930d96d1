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

// TestRoundTrips limits the round trips of the first operation as root and of a later one. The first
// operation needs seven for the connection and, unless it is a digest, one for links above the path. The
// simulated delay grows until a busy host has enough time for its work.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const shortest, longest = 160 * time.Millisecond, 10 * time.Second
	server, o := serve(t, sshdtest.Config{})
	o.ConnectTimeout = 2 * time.Minute
	o.Trust = sshhost.Trust{Policy: sshhost.Insecure}
	put := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	write := func(h *sshhost.Host, path string, opts host.WriteOptions) error {
		_, err := h.WriteFile(t.Context(), path, strings.NewReader("x"), opts)
		return err
	}
	edited, lines := host.FileInfo{Path: t.TempDir() + "/edited", Mode: 0o600}, []byte("x")
	link, target, mode := t.TempDir()+"/link", "x", host.Mode(0o600)
	if err := errors.Join(put(edited.Path), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	full := host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(5))}
	empty := t.TempDir() + "/empty"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir() // belongs to another user
	if err := errors.Join(put(foreign+"/file"), os.Chown(foreign, 5, 5)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name        string
		first, then int
		do          func(h *sshhost.Host, present, unused string) error // present is the path of a file; nothing is at the path unused, which differs in each call
	}{
		{"Digest", 10, 1, func(h *sshhost.Host, present, _ string) error {
			_, _, err := host.Digest(t.Context(), h, present)
			return err
		}},
		{"Digest in a directory of a user", 10, 1, func(h *sshhost.Host, _, _ string) error {
			_, _, err := host.Digest(t.Context(), h, foreign+"/file")
			return err
		}},
		{"Lstat", 12, 1, func(h *sshhost.Host, present, _ string) error { _, err := h.Lstat(t.Context(), present); return err }},
		{"Open and read", 14, 1, func(h *sshhost.Host, present, _ string) error {
			_, r, err := h.Open(t.Context(), present)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, r)
			return errors.Join(err, r.Close())
		}},
		{"WriteFile of a new file", 14, 1, func(h *sshhost.Host, _, unused string) error {
			return write(h, unused, host.WriteOptions{Attributes: full, Exclusive: true})
		}},
		{"WriteFile of an existing file", 14, 1, func(h *sshhost.Host, present, _ string) error { return write(h, present, host.WriteOptions{}) }},
		{"EditFile", 15, 1, func(h *sshhost.Host, _, _ string) error {
			info, now, err := h.EditFile(t.Context(), edited.Path, host.Edit{Old: lines, New: append(lines, 'x'), Was: &edited}, host.Attributes{})
			if err != nil || now != nil {
				return cmp.Or(err, errors.New("the file has changed"))
			}
			edited, lines = info, append(lines, 'x')
			return nil
		}},
		{"EditFile of a part", 15, 1, func(h *sshhost.Host, _, _ string) error {
			_, now, err := h.EditFile(t.Context(), empty, host.Edit{New: []byte("x\n"), Mark: "mark"}, host.Attributes{})
			if err != nil || now != nil {
				return cmp.Or(err, errors.New("the file is not as required"))
			}
			return nil
		}},
		{"SetAttributes", 14, 1, func(h *sshhost.Host, present, _ string) error {
			mode ^= 0o40
			_, err := h.SetAttributes(t.Context(), present, host.TypeRegular, host.Attributes{Mode: new(mode), UID: new(uint32(0))})
			return err
		}},
		{"Mkdir", 12, 1, func(h *sshhost.Host, _, unused string) error {
			_, err := h.Mkdir(t.Context(), unused, host.Attributes{})
			return err
		}},
		{"Rmdir", 12, 1, func(h *sshhost.Host, _, unused string) error {
			return errors.Join(os.Mkdir(unused, 0o700), h.Rmdir(t.Context(), unused))
		}},
		{"Symlink", 12, 1, func(h *sshhost.Host, _, unused string) error {
			_, err := h.Symlink(t.Context(), "x", unused)
			return err
		}},
		{"ReplaceSymlink", 14, 1, func(h *sshhost.Host, _, unused string) error {
			_, err := h.ReplaceSymlink(t.Context(), unused, link, new(target))
			target = unused
			return err
		}},
		{"Remove", 12, 1, func(h *sshhost.Host, _, unused string) error {
			return errors.Join(put(unused), h.Remove(t.Context(), unused))
		}},
		{"RemoveOnly", 11, 1, func(h *sshhost.Host, _, unused string) error {
			return errors.Join(put(unused), host.RemoveOnly(t.Context(), h, unused, host.TypeRegular))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			proxy, o := nettest.Start(t, server.Addr(), 0), o
			if _, err := fmt.Sscanf(proxy.Addr(), "127.0.0.1:%d", &o.Port); err != nil {
				t.Fatal(err)
			}
			dir, calls := t.TempDir(), 0
			const many = 1000
			if err := put(dir + "/present"); err != nil {
				t.Fatal(err)
			}
			first, then := many, many
			var late error
			for trip := shortest; trip < longest && (first > tt.first || then > tt.then); trip *= 2 {
				h, err := sshhost.New(o)
				if err != nil {
					t.Fatal(err)
				}
				trips := func() int {
					calls++
					n, err := proxy.Trips(trip, func() error { return tt.do(h, dir+"/present", fmt.Sprint(dir, "/", calls)) })
					switch {
					case errors.Is(err, errors.ErrUnsupported): // the request was too late, because the host was busy
						late = err
						return many
					case err != nil:
						t.Error(err)
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
				t.Errorf("the first call takes %d round trips and a later one %d, want at most %d and %d (error: %v)", first, then, tt.first, tt.then, late)
			}
		})
	}
}
