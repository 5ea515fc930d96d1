package sftp_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// TestSilentServer checks that a session ends five minutes after the last reply if a request
// is pending, and that an idle session does not end.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := fake(t, func(_ byte, id uint32, _ []byte) []byte {
			if requests++; requests == 3 {
				<-t.Context().Done()
				return nil
			}
			time.Sleep(4 * time.Minute)
			return packet(105, id, 0, 0, 0, 0)
		})
		time.Sleep(time.Hour)
		if err := askLstat(t.Context(), c); err != nil {
			t.Fatalf("a request on an idle session returned error %v, want none", err)
		}
		began := time.Now()
		b := c.Batch()
		b.Lstat("/x")
		b.Lstat("/y")
		err := b.Do(t.Context())
		if !errors.Is(err, sftp.ErrClosed) || !errors.Is(err, remote.ErrSilent) {
			t.Errorf("got error %v, want an error that matches %q and %q", err, sftp.ErrClosed, remote.ErrSilent)
		}
		if took := time.Since(began); took != 9*time.Minute {
			t.Errorf("the batch took %s, want 4 minutes for the first reply and 5 for the second", took)
		}
	})
}
