package lease_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
)

func TestNew(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		v := lease.New()
		if seen[v] || !host.IsTempPath(host.TempPath("/a", v)) || len(v) > 32 || lease.Abandoned(v) {
			t.Errorf("New returned the variant %q, want a new one of at most 32 bytes that is not abandoned", v)
		}
		seen[v] = true
	}
}

func TestAbandoned(t *testing.T) {
	t.Parallel()
	mine, _, _ := strings.Cut(lease.New(), "-")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.CommandContext(t.Context(), self, "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for variant, want := range map[string]bool{
		"":       false, // of host/local: unknown here
		"link":   true,
		"abcdef": false,
		mine + "-" + strconv.Itoa(ended.Process.Pid) + "-abc123":  true,
		mine + "-" + strconv.Itoa(os.Getpid()) + "-abc123":        false,
		"00000000-" + strconv.Itoa(ended.Process.Pid) + "-abc123": false, // of another host: unknown here
		mine + "-" + strconv.Itoa(os.Getpid()) + "-abc12":         false,
	} {
		if got := lease.Abandoned(variant); got != want {
			t.Errorf("Abandoned(%q) = %t, want %t", variant, got, want)
		}
	}
}

func TestLocks(t *testing.T) {
	t.Parallel()
	var locks lease.Locks
	var inside atomic.Int32
	done := make(chan error, 10)
	for range 10 {
		go func() {
			release, err := locks.Lock(t.Context(), "/a")
			if err == nil {
				if inside.Add(1) != 1 {
					err = errors.New("two callers had the lock at the same time")
				}
				time.Sleep(time.Millisecond)
				inside.Add(-1)
				release()
			}
			done <- err
		}()
	}
	for range 10 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	release, err := locks.Lock(t.Context(), "/a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := locks.Lock(t.Context(), "/b") // a different path has its own lock
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := locks.Lock(ctx, "/a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Lock of a locked path: error %v, want %v", err, context.DeadlineExceeded)
	}
	begun := time.Now()
	second, err := locks.Lock(t.Context(), "/a")
	if took := time.Since(begun); err != nil || took < time.Second || took > time.Minute {
		t.Fatalf("Lock of a locked path: error %v after %s, want none after 1s to 1m", err, took)
	}
	second()
	release()
}
