package shellfs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// TestSilent checks that reading or writing large content with a separate process fails after
// [remote.ReplyTimeout] if the process does not continue.
func TestSilent(t *testing.T) {
	t.Parallel()
	ready := &remotetest.Fake{Ready: "begun"}
	fill := func(ctx context.Context, f *remotetest.Fake, content string) error {
		w := &writing{
			Write: &remotefs.Write{}, files: &Files{starter: f}, temp: "/x", attrs: host.Attributes{Mode: new(host.Mode(0o600))},
		}
		return w.fill(ctx, strings.NewReader(content))
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"read": func(ctx context.Context) error {
			p, err := shell.Start(ctx, ready, shell.Fixed("px_ready"))
			if err != nil {
				return err
			}
			_, err = (&stream{p}).Read(make([]byte, 1))
			return err
		},
		"write": func(ctx context.Context) error {
			return fill(ctx, &remotetest.Fake{Ready: "begun", Stops: true}, "content")
		},
		"finish": func(ctx context.Context) error { return fill(ctx, ready, "content") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if err := do(t.Context()); !errors.Is(err, remote.ErrSilent) {
					t.Errorf("got error %v, want %v", err, remote.ErrSilent)
				}
				if took := time.Since(began); took != remote.ReplyTimeout {
					t.Errorf("the call took %s, want %s", took, remote.ReplyTimeout)
				}
			})
		})
	}
}
