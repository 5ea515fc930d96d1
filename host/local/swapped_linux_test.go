package local_test

import (
	"errors"
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestSwapped checks that no operation changes or reads a file of root that another user chooses, and that no file
// stays open.
func TestSwapped(t *testing.T) { //nolint:paralleltest // open files of other tests would count
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	r, w, err := os.Pipe() // the first pipe makes the Go runtime open files of its own
	if err := errors.Join(err, r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, swap := range []hosttest.Swap{hosttest.SwapObject, hosttest.SwapDirectory} {
		t.Run(string(swap), func(t *testing.T) {
			open := files()
			hosttest.Swapped(t, newHost, swap, tier.Pick(20, 20, 1000))
			if now := files(); now > open {
				t.Errorf("%d files are open, want at most %d, as before", now, open)
			}
		})
	}
}
