//go:build linux

package hostiletest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/hostilessh"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// healthyTimeout is the timeout of an operation on a host whose server behaves correctly. The programs
// of the other host may use the whole CPU.
const healthyTimeout = time.Minute

// TestHealthyHost checks that a host whose server misbehaves does not disturb a healthy host in the same
// process, although both have the same [sshhost.Slots]: every operation on the healthy host succeeds
// within its timeout, with the right result.
func TestHealthyHost(t *testing.T) {
	t.Parallel()
	for seed := range tier.Pick[uint64](2, 8, 200) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			options := sshhost.Options{
				Name: "hostile", ConnectTimeout: time.Second, Retries: 1, KeepAlive: 300 * time.Millisecond, KeepAliveCount: 3,
			}
			limit := opTimeout
			if seed%2 == 0 { // operations on the faulty host then wait for its server until the test cancels them
				options.ConnectTimeout, options.KeepAlive, limit = 0, 0, time.Hour
			}
			testHealthy(t, seed, options, limit)
		})
	}
}

// testHealthy runs operations on a healthy host while random operations, each for at most limit, run on
// a host with random faults.
func testHealthy(t *testing.T, seed uint64, options sshhost.Options, limit time.Duration) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0)) // for the faults; the server uses it in one goroutine
	own := rand.New(rand.NewPCG(seed, 1))
	slots := sshhost.NewSlots(2)
	healthy, dir := startHost(t, 0, func() hostilessh.Fault { return hostilessh.Fault{Stage: hostilessh.Output, After: math.MaxInt} },
		sshhost.Options{Name: "healthy", ConnectTimeout: healthyTimeout, MaxSessions: 10, Slots: slots})
	if healthy == nil {
		return
	}
	defer healthy.end()

	options.MaxSessions, options.Slots = []int{10, 1, 2}[own.IntN(3)], slots
	var mu sync.Mutex
	var faults []hostilessh.Fault
	connected := make(chan struct{})
	bad, badDir := startHost(t, own.IntN(services), func() hostilessh.Fault {
		mu.Lock()
		defer mu.Unlock()
		fault := hostilessh.Random(r)
		for fault.Kind == hostilessh.Flip { // a falsified PID could be that of a program of the healthy host, which would be killed
			fault = hostilessh.Random(r)
		}
		if faults = append(faults, fault); len(faults) == 1 {
			close(connected)
		}
		return fault
	}, options)
	if bad == nil {
		return
	}
	defer bad.end()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	succeeded, failed, ended := 0, 0, make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if own.IntN(3) == 0 {
				bad.Reset()
			}
			limited, stop := context.WithTimeout(ctx, limit)
			err := operations[own.IntN(len(operations))].do(limited, bad.Host, badDir)
			stop()
			if err == nil {
				succeeded++
				continue
			}
			failed++
			_ = host.Sleep(ctx, 10*time.Millisecond) // a stored error is returned at once
		}
	}()

	<-connected
	for _, lines := range []int{1, 20_000} {
		for _, op := range checkedOperations(strings.Repeat(fmt.Sprintf("seed %d\n", seed), lines)) {
			limited, stop := context.WithTimeout(ctx, healthyTimeout)
			err := op.do(limited, healthy.Host, dir)
			stop()
			if err != nil {
				mu.Lock()
				t.Errorf("%s: error %v; faults of the other host: %v", op.name, err, faults)
				mu.Unlock()
			}
		}
		healthy.Reset() // the next operation connects again
	}

	cancel()
	bad.server.Close() // ends operations that undo a change
	select {
	case <-ended:
		t.Logf("on the other host %d operations succeeded, %d failed", succeeded, failed)
	case <-time.After(hangs):
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("seed %d: an operation on the other host hangs; faults: %v\n%s", seed, faults, stacks[:goruntime.Stack(stacks, true)]))
	}
}

// checkedOperations returns operations that create, check and remove objects, and look up a user. Each
// returns an error if its result is wrong.
func checkedOperations(content string) []operation {
	const target = "../target"
	return []operation{
		{"WriteFile", func(ctx context.Context, h *sshhost.Host, dir string) error {
			info, err := h.WriteFile(ctx, dir+"/new", strings.NewReader(content), host.WriteOptions{Attributes: attributes})
			return errors.Join(err, same(info.Mode, *attributes.Mode))
		}},
		{"Symlink", func(ctx context.Context, h *sshhost.Host, dir string) error {
			info, err := h.Symlink(ctx, target, dir+"/new-link")
			return errors.Join(err, same(info.LinkTarget, target))
		}},
		{"Lstat", func(ctx context.Context, h *sshhost.Host, dir string) error {
			info, err := h.Lstat(ctx, dir+"/new")
			return errors.Join(err, same(info.Type, host.TypeRegular), same(info.Size, int64(len(content))))
		}},
		{"Open", func(ctx context.Context, h *sshhost.Host, dir string) error {
			_, file, err := h.Open(ctx, dir+"/new")
			if err != nil {
				return err
			}
			got, err := io.ReadAll(file)
			return errors.Join(err, file.Close(), same(string(got), content))
		}},
		{"Digest", func(ctx context.Context, h *sshhost.Host, dir string) error {
			_, sum, err := h.Digest(ctx, dir+"/new")
			return errors.Join(err, same(sum, sha256.Sum256([]byte(content))))
		}},
		{"ReadDir", func(ctx context.Context, h *sshhost.Host, dir string) error {
			entries, err := h.ReadDir(ctx, dir)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name)
			}
			return errors.Join(err, same(strings.Join(names, " "), "file hard large link new new-link"))
		}},
		{"LookupUser", func(ctx context.Context, h *sshhost.Host, _ string) error {
			user, err := h.LookupUser(ctx, "root")
			return errors.Join(err, same(user.UID, 0))
		}},
		{"Run", func(ctx context.Context, h *sshhost.Host, dir string) error {
			var out strings.Builder
			ended, err := h.Run(ctx, host.Command{Args: []string{"cat", dir + "/new"}, Stdout: &out})
			return errors.Join(err, same(ended.ExitCode, 0), same(out.String(), content))
		}},
		{"RemoveOnly", func(ctx context.Context, h *sshhost.Host, dir string) error {
			return h.RemoveOnly(ctx, dir+"/new-link", host.TypeSymlink)
		}},
		{"Remove", func(ctx context.Context, h *sshhost.Host, dir string) error { return h.Remove(ctx, dir+"/new") }},
		{"Lstat of the removed file", func(ctx context.Context, h *sshhost.Host, dir string) error {
			err := result(h.Lstat(ctx, dir+"/new"))
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return errors.Join(errors.New("Lstat returned no error that matches fs.ErrNotExist"), err)
		}},
	}
}

// same returns an error unless the values are equal.
func same[T comparable](got, want T) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("got %.100s, want %.100s", fmt.Sprint(got), fmt.Sprint(want))
}
