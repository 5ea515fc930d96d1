//go:build unix

package shellrpc_test

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var beginning = regexp.MustCompile(`(?m)^px_begin '(.*)'$`)

// TestSilent checks that requests to a shell that prints nothing fail after
// [remote.ReplyTimeout], that each output prolongs this time, and that an idle shell does not end.
func TestSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var batches atomic.Int32 // each session has its own goroutine
		host := &remotetest.Fake{Reply: func(script string, out io.Writer) {
			if batches.Add(1) == 3 {
				<-t.Context().Done()
				return
			}
			token := beginning.FindStringSubmatch(script)[1]
			time.Sleep(4 * time.Minute)
			_, _ = fmt.Fprint(out, "sl")
			time.Sleep(4 * time.Minute)
			_, _ = fmt.Fprintf(out, "ow%[1]s+%[1]s.", token)
		}}
		keeper := &remotetest.Keeper[*shellrpc.Session]{}
		t.Cleanup(keeper.Close)
		h := shellrpc.NewHelper(host, keeper)
		slow := shellrpc.Request{Blocks: 1}
		for range 2 {
			replies, err := h.Do(t.Context(), slow)
			if err != nil || replies[0][0] != "slow" {
				t.Fatalf("a slow request: %q, error %v, want slow", replies, err)
			}
			time.Sleep(time.Hour)
		}
		began := time.Now()
		err := together(2, func(int) error { // the second waits for the first
			_, err := h.Do(t.Context(), slow)
			if took := time.Since(began); took != remote.ReplyTimeout || !errors.Is(err, remote.ErrSilent) {
				t.Errorf("after %s: error %v, want %v after %s", took, err, remote.ErrSilent, remote.ReplyTimeout)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if _, err := h.Do(t.Context(), slow); err != nil {
			t.Errorf("Do with the shell after the silent shell: error %v, want nil", err)
		}
		if n := host.Starts(); n != 3 {
			t.Errorf("%d programs were started, want 3: two shells, and a program that killed the first shell", n)
		}
	})
}

// TestSilentFromTheStart checks that requests to a shell that never becomes ready fail after
// [remote.ReplyTimeout].
func TestSilentFromTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := shellrpc.NewHelper(&remotetest.Fake{Hangs: true}, &remotetest.Keeper[*shellrpc.Session]{})
		began := time.Now()
		if _, err := h.Do(t.Context(), shellrpc.Request{}); !errors.Is(err, remote.ErrSilent) {
			t.Errorf("got error %v, want %v", err, remote.ErrSilent)
		}
		if took := time.Since(began); took < remote.ReplyTimeout || took > remote.ReplyTimeout+10*time.Second {
			t.Errorf("the call took %s, want %s to %s", took, remote.ReplyTimeout, remote.ReplyTimeout+10*time.Second)
		}
	})
}
