package perlfs

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// silent is a process that reads its input and prints nothing.
type silent struct {
	remote.Process
	closed bool
}

func (*silent) Stdin() io.WriteCloser { return discard{io.Discard} }

func (s *silent) Close() error {
	s.closed = true
	return nil
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// TestSilent checks that a request to a process that does not reply fails after
// [remote.ReplyTimeout], and that the process is closed.
func TestSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		process := &silent{}
		s := &Session{process: &shell.Process{Process: process}, done: make(chan struct{}), sending: make(chan struct{}, 1)}
		began := time.Now()
		if _, err := s.call(t.Context(), "write"); !errors.Is(err, remote.ErrSilent) {
			t.Errorf("got error %v, want %v", err, remote.ErrSilent)
		}
		if took := time.Since(began); took != remote.ReplyTimeout {
			t.Errorf("the call took %s, want %s", took, remote.ReplyTimeout)
		}
		if !process.closed {
			t.Error("the process is not closed")
		}
	})
}

// TestSilentFromTheStart checks that a Perl process that is not running within [remote.ReplyTimeout]
// is not used.
func TestSilentFromTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := start(t.Context(), &remotetest.Fake{}); !errors.Is(err, errMissing) {
			t.Errorf("got error %v, want %v", err, errMissing)
		}
		if took := time.Since(began); took != remote.ReplyTimeout {
			t.Errorf("the start took %s, want %s", took, remote.ReplyTimeout)
		}
	})
}
