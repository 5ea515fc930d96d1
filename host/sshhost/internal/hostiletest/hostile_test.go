//go:build linux

package hostiletest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/hostilessh"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// operation is an operation on a host. Its paths are in dir.
type operation struct {
	name string
	do   func(ctx context.Context, h *sshhost.Host, dir string) error
}

// result returns the error of an operation that returns two results.
func result[T any](_ T, err error) error { return err }

var attributes = host.Attributes{Mode: new(host.Mode(0o640))}

var operations = []operation{
	{"Lstat", func(ctx context.Context, h *sshhost.Host, dir string) error { return result(h.Lstat(ctx, dir+"/link")) }},
	{"Open", func(ctx context.Context, h *sshhost.Host, dir string) error {
		_, content, err := h.Open(ctx, dir+"/large")
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, content)
		return errors.Join(err, content.Close())
	}},
	{"ReadDir", func(ctx context.Context, h *sshhost.Host, dir string) error {
		entries, err := h.ReadDir(ctx, dir)
		for _, e := range entries {
			if e.Name == "" || e.Name == "." || e.Name == ".." || strings.ContainsAny(e.Name, "/\x00") {
				return &escapeError{e.Name}
			}
		}
		return err
	}},
	{"ReadTree", func(ctx context.Context, h *sshhost.Host, dir string) error {
		entries, err := host.ReadTree(ctx, h, dir, host.TreeQuery{All: true, Limit: 1000, Digests: true})
		for _, e := range entries {
			if !filepath.IsLocal(e.Path) || filepath.Clean(e.Path) != e.Path || strings.Contains(e.Path, "\x00") {
				return &escapeError{e.Path}
			}
		}
		return err
	}},
	{"Digest", func(ctx context.Context, h *sshhost.Host, dir string) error {
		_, _, err := h.Digest(ctx, dir+"/file")
		return err
	}},
	{"WriteFile", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.WriteFile(ctx, dir+"/file", strings.NewReader("content"), host.WriteOptions{Attributes: attributes}))
	}},
	{"WriteFile of a large one", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.WriteFile(ctx, dir+"/large", strings.NewReader(strings.Repeat("content", 100_000)), host.WriteOptions{}))
	}},
	{"EditFile", func(ctx context.Context, h *sshhost.Host, dir string) error {
		_, _, err := h.EditFile(ctx, dir+"/file", host.Edit{Old: []byte("content"), New: []byte("new"), Was: &host.FileInfo{Mode: 0o640}}, attributes)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		return err
	}},
	{"RemoveTemp", func(ctx context.Context, h *sshhost.Host, dir string) error { return h.RemoveTemp(ctx, dir+"/file") }},
	{"MakeParents", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.MakeParents(ctx, dir+"/a/b/c", host.Attributes{}))
	}},
	{"Mkdir", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.Mkdir(ctx, dir+"/directory", host.Attributes{}))
	}},
	{"Rmdir", func(ctx context.Context, h *sshhost.Host, dir string) error { return h.Rmdir(ctx, dir+"/directory") }},
	{"Remove", func(ctx context.Context, h *sshhost.Host, dir string) error { return h.Remove(ctx, dir+"/copy") }},
	{"Rename", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return h.Rename(ctx, dir+"/hard", dir+"/copy")
	}},
	{"Link", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return h.Link(ctx, dir+"/file", dir+"/hard")
	}},
	{"Symlink", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.Symlink(ctx, "file", dir+"/link"))
	}},
	{"ReplaceSymlink", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.ReplaceSymlink(ctx, "other", dir+"/link", nil))
	}},
	{"SetAttributes", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return result(h.SetAttributes(ctx, dir+"/file", host.TypeUnknown, attributes))
	}},
	{"RemoveOnly", func(ctx context.Context, h *sshhost.Host, dir string) error {
		return h.RemoveOnly(ctx, dir+"/link", host.TypeSymlink)
	}},
	{"WriteTree", func(ctx context.Context, h *sshhost.Host, dir string) error {
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("content")), nil }
		return host.WriteTree(ctx, h, dir, []host.TreeFile{
			{Path: "file", Attributes: attributes, Size: 7, Open: open}, {Path: "tree/file", Attributes: attributes, Size: 7, Open: open},
		})
	}},
	{"DialHost", func(ctx context.Context, h *sshhost.Host, dir string) error {
		conn, err := h.DialHost(ctx, "unix", dir+"/socket")
		if err != nil {
			return err
		}
		_ = conn.SetDeadline(time.Now().Add(opTimeout)) // not all connections have deadlines
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		_, _ = io.CopyN(io.Discard, conn, 1<<20) // an error of the connection does not name the host
		return conn.Close()
	}},
	{"Reset", func(_ context.Context, h *sshhost.Host, _ string) error { h.Reset(); return nil }},
	{"LookupUser", func(ctx context.Context, h *sshhost.Host, _ string) error { return result(h.LookupUser(ctx, "root")) }},
	{"LookupGroup", func(ctx context.Context, h *sshhost.Host, _ string) error { return result(h.LookupGroup(ctx, "0")) }},
	{"Run", func(ctx context.Context, h *sshhost.Host, dir string) error {
		_, err := h.Run(ctx, host.Command{
			Args: []string{"sh", "-c", "cat; echo err >&2"}, Dir: dir, Stdin: strings.NewReader("in"), Stdout: &host.Tail{}, Stderr: &host.Tail{},
		})
		return err
	}},
}

// escapeError is the error for a name that leads out of its directory.
type escapeError struct{ name string }

func (e *escapeError) Error() string { return fmt.Sprintf("the name %q leaves its directory", e.name) }

const (
	opTimeout = 3 * time.Second       // the timeout of each operation
	most      = 64 << 20              // how much the heap may grow because of one host
	sampling  = 20 * time.Millisecond // time between two measurements of the heap
	parallel  = 32                    // hosts at a time

	// hangs is the time after which an operation counts as hanging. An operation may undo a
	// change after its context has ended.
	hangs = opTimeout + host.UndoTimeout + time.Minute
)

// TestHostileServer runs operations on hosts whose servers misbehave. Each operation must end
// soon after its deadline at the latest, with success or an error that names the host. Names
// from the server must not lead out of their directory. Nothing may change in another directory.
// Memory must be limited, and no goroutine and no file descriptor may be left.
func TestHostileServer(t *testing.T) { //nolint:paralleltest // it counts goroutines
	sftptest.Path(t) // skips the test here if sftp-server is missing: the hosts start in other goroutines, which must not skip it
	outside := newDir(t)
	if err := os.WriteFile(outside+"/file", []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := chown(outside, outside+"/file"); err != nil {
		t.Fatal(err)
	}
	goroutines, descriptors := goruntime.NumGoroutine(), openFiles(t)
	stop := make(chan struct{})
	var sampler sync.WaitGroup
	var heap uint64
	sampler.Go(func() { heap = peakGrowth(stop) })

	var all sync.WaitGroup
	var tally tally
	seeds := make(chan uint64)
	for range parallel {
		all.Go(func() {
			for seed := range seeds {
				testHost(t, seed, outside, &tally)
			}
		})
	}
	for seed := range tier.Pick[uint64](8, 24, 1000) {
		seeds <- seed
	}
	close(seeds)
	all.Wait()
	close(stop)
	sampler.Wait()

	t.Logf("%d operations succeeded, %d failed, the longest took %s; the heap grew by at most %d MiB",
		tally.succeeded.Load(), tally.failed.Load(), tally.longest.Round(time.Millisecond), heap>>20)
	if tally.succeeded.Load() == 0 || tally.failed.Load() == 0 {
		t.Error("no operation succeeded, or no operation failed: the faults are too frequent or too rare")
	}
	if heap > parallel/8*most { // only a few of the hosts print without end at the same time
		t.Errorf("the heap grew by %d bytes, at most %d are allowed", heap, parallel/8*most)
	}
	for range 600 {
		if goruntime.NumGoroutine() <= goroutines && openFiles(t) <= descriptors {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines (%d before) and %d file descriptors (%d before) are left:\n%s", goruntime.NumGoroutine(), goroutines,
		openFiles(t), descriptors, stacks[:goruntime.Stack(stacks, true)])
}

// TestOperations checks that operations has all methods of [sshhost.Host] that send a request.
func TestOperations(t *testing.T) {
	t.Parallel()
	for method := range reflect.TypeFor[*sshhost.Host]().Methods() {
		tested := slices.ContainsFunc(operations, func(op operation) bool { return op.name == method.Name })
		if !tested && !slices.Contains([]string{"Close", "Name", "RunsAsRoot"}, method.Name) {
			t.Errorf("%s is not in operations", method.Name)
		}
	}
}

// TestNames checks that, if the server replaces the real names with names that lead out of the directory,
// ReadDir and ReadTree do not return these, and return an error over SFTP.
func TestNames(t *testing.T) {
	t.Parallel()
	for combination, sftp := range []bool{true, false, true} {
		h, dir := newHost(t, "names", combination, 10, func() hostilessh.Fault {
			return hostilessh.Fault{Stage: hostilessh.Output, Kind: hostilessh.Names}
		})
		if h == nil {
			return
		}
		for _, op := range operations {
			if op.name != "ReadDir" && op.name != "ReadTree" {
				continue
			}
			err := op.do(t.Context(), h.Host, dir)
			var escape *escapeError
			if errors.As(err, &escape) || sftp && (err == nil || !strings.Contains(err.Error(), "is not the name of a file")) {
				t.Errorf("%s (services %d): error %v, want no escape, and with SFTP a rejected name", op.name, combination, err)
			} else {
				t.Logf("%s (services %d): %v", op.name, combination, err)
			}
		}
		h.end()
	}
}

// TestMemory runs each operation on a host whose programs begin to print without end: the heap
// may grow only by a limited amount.
func TestMemory(t *testing.T) { //nolint:paralleltest // it measures the heap
	tier.Nightly(t)
	for combination := range 3 {
		for _, op := range operations {
			h, dir := newHost(t, "endless", combination, 10, func() hostilessh.Fault {
				return hostilessh.Fault{Stage: hostilessh.Output, Kind: hostilessh.Endless, After: 1 << 40}
			})
			if h == nil {
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), opTimeout)
			_, _ = h.Lstat(ctx, dir) // connects; if the host has neither a shell nor SFTP, it fails, like the operation
			h.server.Break()
			stop, grown := make(chan struct{}), make(chan uint64)
			go func() { grown <- peakGrowth(stop) }()
			err := op.do(ctx, h.Host, dir)
			cancel()
			close(stop)
			if heap := <-grown; heap > most {
				t.Errorf("%s (services %d): the heap grew by %d bytes, at most %d are allowed; error %v", op.name, combination, heap, most, err)
			} else {
				t.Logf("%s (services %d): the heap grew by %d MiB; error %v", op.name, combination, heap>>20, err)
			}
			h.end()
		}
	}
}

// tally counts operations, and records the duration of the longest.
type tally struct {
	succeeded, failed atomic.Int64

	mu      sync.Mutex
	longest time.Duration
}

// testHost runs random operations on a host whose connections have random faults.
func testHost(t *testing.T, seed uint64, outside string, tally *tally) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	services, sessions := r.IntN(services), []int{10, 1, 2}[r.IntN(3)]
	name := fmt.Sprintf("hostile-%d", seed)
	var mu sync.Mutex
	var faults []hostilessh.Fault
	h, dir := newHost(t, name, services, sessions, func() hostilessh.Fault {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, hostilessh.Random(r))
		return faults[len(faults)-1]
	})
	if h == nil {
		return
	}
	defer h.end()
	own := rand.New(rand.NewPCG(seed, 1))
	for range tier.Pick(3, 5, 10) {
		op := operations[own.IntN(len(operations))]
		if own.IntN(3) == 0 {
			h.Reset() // so that the operation has a connection with another fault
		}
		ctx, cancel := context.WithTimeout(t.Context(), opTimeout)
		done, began := make(chan error, 1), time.Now()
		go func() { done <- op.do(ctx, h.Host, dir) }()
		var err error
		select {
		case err = <-done:
		case <-time.After(hangs):
			stacks := make([]byte, 1<<20)
			panic(fmt.Sprintf("host %s: %s hangs; faults: %v\n%s", name, op.name, faults, stacks[:goruntime.Stack(stacks, true)]))
		}
		cancel()
		tally.mu.Lock()
		tally.longest = max(tally.longest, time.Since(began))
		tally.mu.Unlock()
		var escape *escapeError
		switch {
		case err == nil:
			tally.succeeded.Add(1)
			continue
		case errors.As(err, &escape), !strings.Contains(err.Error(), name):
			mu.Lock()
			t.Errorf("host %s: %s: error %v, want an error that names the host, and no escape; faults: %v", name, op.name, err, faults)
			mu.Unlock()
		}
		tally.failed.Add(1)
	}
	if err := h.Close(); err != nil {
		t.Errorf("host %s: close: %v", name, err)
	}
	if got, err := snapshot(outside); err != nil || !slices.Equal(got, []string{". drwx------", "file -rw------- content"}) {
		t.Errorf("host %s: the other directory contains %v, error %v, want no change; faults: %v", name, got, err, faults)
	}
}

// services is the number of combinations of services: all, no SFTP, no programs, and all again.
const services = 4

// hostile is a host with its server and directory.
type hostile struct {
	*sshhost.Host
	server *hostilessh.Server
	dir    string
}

// end closes the host, ends the server and removes the directory.
func (h *hostile) end() {
	_ = h.Close() // the connection may be broken
	h.server.Close()
	_ = os.RemoveAll(h.dir) // if this fails, the cleanup of newDir removes it
}

// newHost starts a server, and returns a host and a directory on it that belongs to the host's
// user. If the files or the host cannot be created, it reports an error and returns nil.
func newHost(t *testing.T, name string, services, sessions int, next func() hostilessh.Fault) (*hostile, string) {
	t.Helper()
	return startHost(t, services, next, sshhost.Options{
		Name: name, ConnectTimeout: time.Second, Retries: 1, KeepAlive: 300 * time.Millisecond, KeepAliveCount: 3, MaxSessions: sessions,
	})
}

// startHost is newHost with options, to which it adds those that depend on the server.
func startHost(t *testing.T, services int, next func() hostilessh.Fault, o sshhost.Options) (*hostile, string) {
	t.Helper()
	dir := newDir(t)
	if err := errors.Join(os.WriteFile(dir+"/file", []byte("content"), 0o640), os.WriteFile(dir+"/large", make([]byte, 300_000), 0o600),
		os.Symlink("file", dir+"/link"), os.Link(dir+"/file", dir+"/hard"), chown(dir, dir+"/file", dir+"/large")); err != nil {
		t.Error(err)
		return nil, ""
	}
	command := func(line string) *exec.Cmd {
		if line == "" && services == 1 || line != "" && services == 2 {
			line = "false"
		}
		return hostilessh.Command(line)
	}
	server := hostilessh.Start(t, command, next)
	password := sshhost.Secret(hostilessh.Password)
	o.Address, o.Port, o.User = "127.0.0.1", server.Port(), hostilessh.User
	o.Auth, o.Trust = sshhost.Auth{Password: &password}, sshhost.Trust{Policy: sshhost.Insecure}
	h, err := sshhost.New(o)
	if err != nil {
		t.Error(err)
		return nil, ""
	}
	return &hostile{h, server, dir}, dir
}

// newDir returns a new directory whose parents all users can enter. It is removed when the test
// ends.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hostile-") //nolint:usetesting // the parents of t.TempDir are private
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// chown changes the owner of files to the user of the programs, if the test runs as root.
func chown(paths ...string) error {
	if os.Getuid() != 0 {
		return nil
	}
	var err error
	for _, path := range paths {
		err = errors.Join(err, os.Lchown(path, hostilessh.Nobody, hostilessh.Nobody))
	}
	return err
}

// snapshot returns the names, modes and contents in a directory.
func snapshot(dir string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		line := rel + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			content, failed := os.ReadFile(path)
			line, err = line+" "+string(content), errors.Join(err, failed)
		}
		all = append(all, line)
		return err
	})
	return all, err
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// peakGrowth returns the maximum growth of the live heap until stop is closed.
func peakGrowth(stop <-chan struct{}) uint64 {
	live := func() uint64 {
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak := live(), uint64(0)
	ticker := time.NewTicker(sampling)
	defer ticker.Stop()
	for {
		peak = max(peak, live())
		select {
		case <-stop:
			return peak - min(before, peak)
		case <-ticker.C:
		}
	}
}
