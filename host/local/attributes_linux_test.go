package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestManyLinks checks that operations of root follow as many links as the kernel does.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	if err := os.Symlink(".", filepath.Join(dir, "0")); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 41; i++ {
		if err := os.Symlink(strconv.Itoa(i-1), filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Lstat(t.Context(), filepath.Join(dir, "39/0")); err != nil { // after 40 links
		t.Error(err)
	}
	if _, err := h.Lstat(t.Context(), filepath.Join(dir, "40/0")); !errors.Is(err, unix.ELOOP) {
		t.Errorf("error %v, want %v", err, unix.ELOOP)
	}
}

// TestNewOwner checks that a change of mode and owner never gives the new owner a permission that
// only the old mode grants, nor the old owner one that only the new mode grants.
func TestNewOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the test needs root")
	}
	h, dir := newHost(t)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	modes := [2]host.Mode{0o440, 0o604} // while user 0 owns the file, and while user 1 does
	var watching sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	var wrong string
	bad, seen := 0, 0
	watching.Go(func() {
		for ; ctx.Err() == nil; seen++ {
			var stat unix.Stat_t
			if err := unix.Lstat(path, &stat); err != nil {
				t.Error(err)
				return
			}
			if mode := host.Mode(stat.Mode) & host.ModeMask; stat.Uid > 1 || mode&^modes[stat.Uid] != 0 {
				wrong = fmt.Sprintf("the file of user %d has mode %s", stat.Uid, mode)
				bad++
			}
		}
	})
	for i := range tier.Pick(500, 2000, 20000) {
		attrs := host.Attributes{Mode: &modes[i%2], UID: new(uint32(i % 2))}
		if _, err := h.SetAttributes(t.Context(), path, host.TypeUnknown, attrs); err != nil {
			t.Error(err)
			break
		}
	}
	stop()
	watching.Wait()
	if bad > 1+seen/100 { // a stat is not atomic: rarely, it has an old mode and a new owner
		t.Errorf("%s in %d of %d observations, want at most %d", wrong, bad, seen, 1+seen/100)
	}
}
