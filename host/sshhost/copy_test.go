package sshhost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// large returns the path of a new file that is too large for a backend to read ahead completely, and its content.
func large(t *testing.T, dir string) (p, content string) {
	t.Helper()
	p, content = dir+"/from", strings.Repeat("0123456789", 400_000)
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, content
}

// copyFile copies a file on a host. opened is called with the reader of the
// file, and returns the content to write.
func copyFile(ctx context.Context, h *sshhost.Host, from, to string, opened func(io.Reader) io.Reader) error {
	_, r, err := h.Open(ctx, from)
	if err != nil {
		return err
	}
	_, err = h.WriteFile(ctx, to, opened(r), host.WriteOptions{})
	return errors.Join(err, r.Close())
}

// TestCopyAfterLostConnection checks that the copy of a file on one host does not wait for its own
// sessions if the connection breaks while the file is open.
func TestCopyAfterLostConnection(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	if _, err := fmt.Sscanf(proxy.Addr(), "127.0.0.1:%d", &o.Port); err != nil {
		t.Fatal(err)
	}
	o.Trust = sshhost.Trust{Policy: sshhost.Insecure}
	h, dir := open(t, o), t.TempDir()
	from, want := large(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := copyFile(ctx, h, from, dir+"/to", func(r io.Reader) io.Reader {
		proxy.Cut()
		for ctx.Err() == nil { // until there is a new connection
			if _, err := h.Run(ctx, host.Command{Args: []string{"true"}}); err == nil {
				break
			}
		}
		return r
	})
	if got, read := os.ReadFile(dir + "/to"); string(got) != want || err != nil {
		t.Errorf("the copy has %d bytes, want the same %d; error of the copy %v, of the read %v", len(got), len(want), err, read)
	}
}

// TestCopyOverShell checks that files can be copied through the shell if few sessions are left for the
// writes: each open reader has one, and each write needs another one.
func TestCopyOverShell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sessions, copies int }{{2, 1}, {3, 1}, {10, 8}} {
		_, o := serve(t, sshdtest.Config{Subsystem: sshdtest.None})
		o.MaxSessions = tt.sessions
		h, dir := open(t, o), t.TempDir()
		from, want := large(t, dir)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var all sync.WaitGroup
		var opened atomic.Int32
		allOpened := make(chan struct{})
		for i := range tt.copies {
			all.Go(func() {
				to := fmt.Sprintf("%s/to%d", dir, i)
				err := copyFile(ctx, h, from, to, func(r io.Reader) io.Reader {
					if int(opened.Add(1)) == tt.copies {
						close(allOpened)
					}
					select {
					case <-allOpened:
					case <-ctx.Done():
					}
					return r
				})
				if got, read := os.ReadFile(to); string(got) != want || err != nil {
					t.Errorf("%d copies in %d sessions: a copy has %d bytes, want the same %d; error of the copy %v, of the read %v", tt.copies, tt.sessions, len(got), len(want), err, read)
				}
			})
		}
		all.Wait()
		cancel()
	}
}
