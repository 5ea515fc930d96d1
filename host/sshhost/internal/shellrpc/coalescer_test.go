//go:build unix

package shellrpc_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

func files(t *testing.T, n int, prefix string) []string {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, n)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprint(prefix, i))
		if err := os.MkdirAll(filepath.Dir(paths[i]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(paths[i], []byte(paths[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// aged waits until the files are older than a helper that is started next, and returns paths.
func aged(t *testing.T, paths []string) []string {
	t.Helper()
	time.Sleep(200 * time.Millisecond)
	return paths
}

func digests(ctx context.Context, c *shellrpc.Coalescer, paths []string) error {
	return together(len(paths), func(i int) error {
		_, sum, err := c.Digest(ctx, paths[i])
		if err == nil && sum != sha256.Sum256([]byte(paths[i])) {
			err = errors.New("wrong digest")
		}
		return err
	})
}

// fewest returns the lowest number of round trips for the digests of all paths, which are
// requested concurrently: a busy host may start the callers late. It tries up to 20 times
// until the number does not exceed most.
func fewest(t *testing.T, s *remotetest.Starter, c *shellrpc.Coalescer, paths []string, most int) int {
	t.Helper()
	trips := math.MaxInt
	for try := 0; try < 20 && trips > most; try++ {
		before := s.Writes()
		if err := digests(t.Context(), c, paths); err != nil {
			t.Error(err)
		}
		trips = min(trips, s.Writes()-before)
	}
	return trips
}

func TestManyCallsAreFewRoundTrips(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	paths := aged(t, files(t, 200, ""))
	if _, err := c.Lstat(t.Context(), "/"); err != nil { // starts the helper
		t.Fatal(err)
	}
	if trips := fewest(t, s, c, paths, 5); trips > 5 {
		t.Errorf("%d round trips for 200 files at once, want at most 5", trips)
	}
	if s.Starts() != 1 {
		t.Errorf("%d processes were started, want 1", s.Starts())
	}
}

// TestBatchWindow checks that requests within the window are sent in one batch.
func TestBatchWindow(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	paths := files(t, 5, "")
	trips := 0
	for range 20 { // a busy host may start the callers late
		before := s.Writes()
		if err := together(len(paths), func(i int) error {
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			_, err := c.Lstat(t.Context(), paths[i])
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if trips = s.Writes() - before; trips == 1 {
			return
		}
	}
	t.Errorf("%d round trips, want 1", trips)
}

// TestTenAtATime runs ten callers at a time, like Terraform, and checks that their requests share
// batches.
func TestTenAtATime(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	paths := aged(t, files(t, 200, ""))
	trips := math.MaxInt
	for try := 0; try < 20 && trips > 100; try++ { // a busy host may start the callers late
		before := s.Writes()
		next := make(chan []string, len(paths))
		for i := range paths {
			next <- paths[i : i+1]
		}
		close(next)
		err := together(10, func(int) error {
			for path := range next {
				if err := digests(t.Context(), c, path); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		trips = min(trips, s.Writes()-before)
	}
	if trips > 100 {
		t.Errorf("%d round trips for 200 files, 10 at a time, want at most 100", trips)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	paths := files(t, 600, "")
	far := aged(t, files(t, 200, strings.Repeat(strings.Repeat("n", 200)+"/", 10)))
	if trips := fewest(t, s, c, far, 20); trips < 6 || trips > 20 {
		t.Errorf("%d round trips for 200 files with long names, want 6 to 20", trips)
	}
	if trips := fewest(t, s, c, paths, 12); trips < 3 || trips > 12 {
		t.Errorf("%d round trips for 600 files with short names, want 3 to 12", trips)
	}
	long := strings.Repeat("x", 100_000) // exceeds the limit of a batch: it is sent in a separate batch
	replies, err := c.Do(t.Context(), say("before"), say(long), say("after"))
	if err != nil || replies[1][0] != long || replies[2][0] != "after" {
		t.Errorf("replies %.20q, error %v, want before, %d times x, and after", replies, err, len(long))
	}
}

// TestRepliesAreCurrent checks that the reply to a request after a change shows the
// change, even if the same request was sent before.
func TestRepliesAreCurrent(t *testing.T) {
	t.Parallel()
	c := newCoalescer(t, &remotetest.Starter{})
	paths := files(t, 20, "")
	if err := together(len(paths), func(i int) error {
		for size := range 20 {
			if err := os.WriteFile(paths[i], make([]byte, size), 0o600); err != nil {
				return err
			}
			if info, err := c.Lstat(t.Context(), paths[i]); err != nil || info.Size != int64(size) {
				return errors.Join(err, fmt.Errorf("size %d, want %d", info.Size, size))
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestSameSubject(t *testing.T) {
	t.Parallel()
	c := newCoalescer(t, &remotetest.Starter{})
	path := files(t, 1, "")
	many := make([]string, 50)
	for i := range many {
		many[i] = path[0]
	}
	if err := digests(t.Context(), c, many); err != nil {
		t.Error(err)
	}
}

func TestCanceledCaller(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	file := filepath.Join(t.TempDir(), "file")
	slow := held(file)
	var canceled atomic.Int32
	err := together(10, func(i int) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if i%2 == 1 {
			time.AfterFunc(time.Duration(i)*5*time.Millisecond, cancel)
			defer func() {
				if canceled.Add(1) == 5 { // all canceled calls have returned: let the other requests end
					_ = os.WriteFile(file, nil, 0o600) // without the file, they do not end
				}
			}()
		}
		begun := time.Now()
		replies, err := c.Do(ctx, slow, say(fmt.Sprint(i)))
		switch {
		case i%2 == 0 && err == nil && replies[1][0] != fmt.Sprint(i):
			return fmt.Errorf("reply %q, want %d", replies, i)
		case i%2 == 1 && time.Since(begun) > 10*time.Second:
			return fmt.Errorf("the canceled call returned after %s, want at most 10s", time.Since(begun))
		case i%2 == 1 && !errors.Is(err, context.Canceled):
			return errors.Join(err, fmt.Errorf("the canceled caller got %q, want context canceled", replies))
		case i%2 == 1:
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if s.Starts() != 1 {
		t.Errorf("%d processes were started, want 1", s.Starts())
	}
}

// held returns a request that ends once a file exists.
func held(file string) shellrpc.Request {
	return say("held", shell.Call("set --", file), shell.Fixed(`while [ ! -e "$1" ]; do sleep 0.05; done`))
}

// start sends a request in the background and returns the channel of its error.
func start(t *testing.T, c *shellrpc.Coalescer, q shellrpc.Request) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := c.Do(t.Context(), q)
		done <- err
	}()
	return done
}

// wroteMore reports whether more was written to the host within maxWait.
func wroteMore(s *remotetest.Starter, from int, maxWait time.Duration) bool {
	for end := time.Now().Add(maxWait); s.Writes() == from; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// TestBatchesInProgress checks that batches are sent while others are in progress, but that a request
// with an effect, and a request after it, wait for the end of the batches in progress.
func TestBatchesInProgress(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	file := filepath.Join(t.TempDir(), "file")
	if _, err := c.Lstat(t.Context(), "/"); err != nil { // starts the helper
		t.Fatal(err)
	}
	var done []<-chan error
	send := func(q shellrpc.Request, wantSent bool) {
		t.Helper()
		before, maxWait := s.Writes(), 10*time.Second
		if !wantSent {
			maxWait = 200 * time.Millisecond
		}
		done = append(done, start(t, c, q))
		if sent := wroteMore(s, before, maxWait); sent != wantSent {
			t.Errorf("sent: %v, want %v", sent, wantSent)
		}
	}
	effect := say("effect", shell.Fixed(":"))
	effect.Effect = true
	send(held(file), true)
	send(say("pure"), true)
	send(effect, false)
	send(say("behind"), false)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, d := range done {
		if err := <-d; err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestAbandonedRequest checks that a request whose caller left before it was sent is
// never sent.
func TestAbandonedRequest(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	file, late := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "late")
	if _, err := c.Lstat(t.Context(), "/"); err != nil { // starts the helper
		t.Fatal(err)
	}
	var done []<-chan error
	for range 8 { // the maximum number of batches in progress
		before := s.Writes()
		done = append(done, start(t, c, held(file)))
		if !wroteMore(s, before, 10*time.Second) {
			t.Fatal("the request was not sent within 10s")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, say("x", shell.Call("touch", late))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range done {
		if err := <-d; err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Do(t.Context(), say("next")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(late); err == nil {
		t.Error("the abandoned request was sent")
	}
}

func TestAbandonedBatch(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	c := newCoalescer(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := together(5, func(int) error {
		if _, err := c.Do(ctx, say("x", shell.Fixed("sleep 60"))); !errors.Is(err, context.DeadlineExceeded) {
			return errors.Join(err, errors.New("the call did not return the error of its context"))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the calls returned after %s, want at most 20s", took)
	}
	if replies, err := c.Do(t.Context(), say("next")); err != nil || replies[0][0] != "next" {
		t.Errorf("reply %q, error %v, want next", replies, err)
	}
	if took := time.Since(begun); took > 40*time.Second {
		t.Errorf("the next reply arrived after %s, want at most 40s", took)
	}
	if s.Starts() < 2 {
		t.Errorf("%d processes were started, want at least 2", s.Starts())
	}
}

func TestErrorsReachAll(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection is down")
	c := newCoalescer(t, &remotetest.Starter{Lost: func() error { return lost }})
	if err := together(10, func(i int) error {
		_, err := c.Lstat(t.Context(), fmt.Sprint("/", i))
		_, err2 := c.Do(t.Context(), say("x"))
		if !errors.Is(err, lost) || !errors.Is(err2, lost) {
			return errors.Join(err, err2, fmt.Errorf("a call did not return %w", lost))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestRemoveOnly checks that only regular files or only symbolic links are removed, depending on the
// wanted type and whatever their names, and that nothing is removed if directories are wanted.
func TestRemoveOnly(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		for _, want := range []host.FileType{host.TypeRegular, host.TypeSymlink, host.TypeDirectory} {
			paths := append(population(t), filepath.Join(t.TempDir(), "absent"))
			c := newCoalescer(t, s)
			if err := together(len(paths), func(i int) error {
				was, absent := os.Lstat(paths[i])
				goes := absent == nil && want != host.TypeDirectory &&
					was.Mode().Type() == map[host.FileType]os.FileMode{host.TypeSymlink: os.ModeSymlink}[want]
				removed, err := c.RemoveOnly(t.Context(), paths[i], want)
				if err != nil || removed != goes {
					t.Errorf("%s %q: removed %v, want %v, error %v", want, paths[i], removed, goes, err)
				}
				if _, gone := os.Lstat(paths[i]); (gone != nil) != (goes || absent != nil) {
					t.Errorf("%s %q: Lstat afterwards returned %v, want an error: %t", want, paths[i], gone, goes || absent != nil)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestRemoveOnlySome checks that, of several paths in one batch, each that can be removed
// is removed.
func TestRemoveOnlySome(t *testing.T) {
	t.Parallel()
	s, dir := asNobody(t)
	if os.Getuid() != 0 {
		t.Skip("only root can create the protected directory")
	}
	c := newCoalescer(t, s)
	protected := openDir(t) // belongs to root
	paths := []string{dir + "/a", protected + "/b", dir + "/c"}
	for _, p := range paths {
		if err := os.WriteFile(p, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := together(len(paths), func(i int) error {
		removed, err := c.RemoveOnly(t.Context(), paths[i], host.TypeRegular)
		if _, gone := os.Lstat(paths[i]); err != nil || removed != (i != 1) || (gone != nil) != removed {
			t.Errorf("%s: removed %t, error %v, want %t and nil; Lstat afterwards returned %v", paths[i], removed, err, i != 1, gone)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
