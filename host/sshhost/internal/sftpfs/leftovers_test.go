//go:build unix

package sftpfs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// leaseOf returns the parts of the lease of a temporary file that a host writes.
func leaseOf(t *testing.T, h testHost) []string {
	t.Helper()
	var lease string
	_, err := h.WriteFile(t.Context(), t.TempDir()+"/x", strings.NewReader(""), host.WriteOptions{
		BeforeReplace: func(_ context.Context, temp string) error {
			lease = strings.TrimPrefix(path.Base(temp), path.Base(host.TempPath("/x", ""))+"-")
			return nil
		},
	})
	parts := strings.Split(lease, "-")
	if err != nil || len(parts) != 3 || len(parts[0]) != 8 || parts[1] != fmt.Sprint(os.Getpid()) || len(parts[2]) != 6 {
		t.Fatalf("lease %q, error %v, want 8 hexadecimal digits, the PID of this process and 6 characters", lease, err)
	}
	return parts
}

// TestLeases checks that a leftover is removed once its writer is known to have ended or the leftover is
// older than 10 minutes, and not before. A leftover with the variant "link" or an invalid PID is removed at once.
func TestLeases(t *testing.T) {
	t.Parallel()
	ended := exec.Command("true")
	live := exec.Command("sleep", "60")
	if err := errors.Join(ended.Run(), live.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(live.Process.Kill(), live.Wait()) })
	h := newTestHost(t, newSessions(t), nil)
	here := leaseOf(t, h)[0]
	for _, tt := range []struct {
		name    string
		variant string
		age     time.Duration
		removed bool
	}{
		{"no lease", "", 9 * time.Minute, false},
		{"no lease, old file", "", 11 * time.Minute, true},
		{"another variant", "abcdef", 9 * time.Minute, false},
		{"another variant, old file", "abcdef", 11 * time.Minute, true},
		{"variant of links", "link", 0, true},
		{"ended process", fmt.Sprintf("%s-%d-abcdef", here, ended.Process.Pid), 0, true},
		{"running process", fmt.Sprintf("%s-%d-abcdef", here, live.Process.Pid), 9 * time.Minute, false},
		{"running process, old file", fmt.Sprintf("%s-%d-abcdef", here, live.Process.Pid), 11 * time.Minute, true},
		{"another host", fmt.Sprintf("01234567-%d-abcdef", ended.Process.Pid), 9 * time.Minute, false},
		{"another host, old file", fmt.Sprintf("01234567-%d-abcdef", ended.Process.Pid), 11 * time.Minute, true},
		{"invalid PID", here + "-0-abcdef", 0, true},
		{"this process", fmt.Sprintf("%s-%d-abcdef", here, os.Getpid()), 0, false},
	} {
		for _, how := range []string{"write", "remove", "link", "remove temp"} {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				target := dir + "/a b"
				temp := host.TempPath(target, tt.variant)
				other := host.TempPath(dir+"/a b c", tt.variant)
				when := time.Now().Add(-tt.age)
				for _, p := range []string{temp, other} {
					if err := errors.Join(os.WriteFile(p, []byte("left"), 0o600), os.Chtimes(p, when, when)); err != nil {
						t.Fatal(err)
					}
				}
				var err error
				switch how {
				case "write":
					_, err = h.WriteFile(t.Context(), target, strings.NewReader(""), host.WriteOptions{})
				case "link":
					_, err = h.ReplaceSymlink(t.Context(), "x", target, nil)
				case "remove":
					err = errors.Join(os.WriteFile(target, nil, 0o600), h.Remove(t.Context(), target))
				case "remove temp":
					err = h.RemoveTemp(t.Context(), target)
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, err := os.Lstat(temp); (err != nil) != tt.removed {
					t.Errorf("Lstat of the leftover returned %v, want the leftover removed: %t", err, tt.removed)
				}
				if _, err := os.Lstat(other); err != nil {
					t.Errorf("Lstat of the leftover of another target returned %v, want the leftover kept", err)
				}
			})
		}
	}
}

// finder records its calls. It returns err or, if that is nil, the name of a leftover and another name.
type finder struct {
	mu   sync.Mutex
	dirs []string
	err  error
}

func (f *finder) Leftovers(_ context.Context, dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirs = append(f.dirs, dir)
	if f.err != nil {
		return nil, f.err
	}
	return []string{path.Base(host.TempPath("x", "")), "no temporary file"}, nil
}

func TestFinder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		err   error
		calls int
		left  bool
	}{
		{"found", nil, 1, false},
		{"error", errors.New("test error"), 3, true},
	} {
		f, dir := &finder{err: tt.err}, t.TempDir()
		h := newTestHost(t, newSessions(t), f)
		temp := host.TempPath(dir+"/x", "")
		if err := errors.Join(os.WriteFile(temp, nil, 0o600), os.Chtimes(temp, time.Time{}, time.Unix(1e9, 0))); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y", "x"} {
			if _, err := h.WriteFile(t.Context(), dir+"/"+name, strings.NewReader(""), host.WriteOptions{}); err != nil {
				t.Error(err)
			}
		}
		if len(f.dirs) != tt.calls || f.dirs[0] != dir {
			t.Errorf("%s: Leftovers was called with %q, want %d calls with %q", tt.name, f.dirs, tt.calls, dir)
		}
		if _, err := os.Lstat(temp); (err == nil) != tt.left {
			t.Errorf("%s: Lstat of the leftover returned %v, want the leftover kept: %t", tt.name, err, tt.left)
		}
		if _, err := os.Lstat(dir + "/no temporary file"); err == nil {
			t.Error("a file that is not temporary was created")
		}
	}
}

// TestLeftoversMove checks that leftovers in a renamed directory are removed at its new path.
func TestLeftoversMove(t *testing.T) {
	t.Parallel()
	h, dir := newTestHost(t, newSessions(t), nil), t.TempDir()
	put := func(p string) {
		t.Helper()
		if _, err := h.WriteFile(t.Context(), p, strings.NewReader(""), host.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"/a", "/b"} {
		if err := os.Mkdir(dir+name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(dir + "/b/x")
	temp := host.TempPath(dir+"/a/x", "")
	if err := errors.Join(h.Remove(t.Context(), dir+"/b/x"), os.WriteFile(temp, nil, 0o600), os.Chtimes(temp, time.Time{}, time.Unix(1e9, 0)),
		h.Rename(t.Context(), dir+"/a", dir+"/b")); err != nil {
		t.Fatal(err)
	}
	put(dir + "/b/x")
	wantNames(t, dir+"/b", "x")
}

const partEnv = "HOST_FILES_TEST_DIR"

// TestPartWriter is the program of a process that TestKill starts and kills.
func TestPartWriter(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(partEnv)
	if dir == "" {
		t.Skip("this runs only as a process of TestKill")
	}
	h := newTestHost(t, newSessions(t), nil)
	fmt.Println("started")
	for round := 0; ; round++ {
		for _, name := range killNames {
			content := strings.NewReader(strings.Repeat(string(rune('a'+round%26)), killSize))
			opts := host.WriteOptions{
				Attributes: host.Attributes{Mode: new(host.Mode(0o640))},
				Exclusive:  strings.HasPrefix(name, "new"),
				NoSync:     round%2 == 0,
			}
			p := filepath.Join(dir, name)
			if opts.Exclusive && round > 0 {
				if err := h.Remove(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := h.WriteFile(t.Context(), p, content, opts); err != nil {
				t.Fatal(err)
			}
			if _, err := h.ReplaceSymlink(t.Context(), name, p+"-link", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

const killSize = 100_000

var killNames = []string{"one", "new one", strings.Repeat("n", 240)}

// TestKill kills a writer at random moments. Files are complete and have their mode, and
// the next write removes all leftovers.
func TestKill(t *testing.T) {
	t.Parallel()
	if os.Getenv(partEnv) != "" {
		t.Skip("this is a process of TestKill")
	}
	kills := tier.Pick(5, 15, 60)
	h := newTestHost(t, newSessions(t), nil)
	left := 0
	for range kills {
		dir := t.TempDir()
		startAndKill(t, dir, time.Duration(rand.IntN(30_000))*time.Microsecond)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if host.IsTempPath(e.Name()) {
				left++
			} else if e.Type().IsRegular() {
				wantWhole(t, filepath.Join(dir, e.Name()))
			}
		}
		var want []string
		for _, name := range killNames {
			p := filepath.Join(dir, name)
			if _, err := h.WriteFile(t.Context(), p, strings.NewReader("next"), host.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.ReplaceSymlink(t.Context(), name, p+"-link", nil); err != nil {
				t.Fatal(err)
			}
			want = append(want, name, name+"-link")
		}
		wantNames(t, dir, want...)
	}
	t.Logf("%d kills left %d temporary files for the next writer to remove", kills, left)
	if left == 0 && kills >= 15 {
		t.Errorf("%d kills left no temporary file, want at least one kill during a write", kills)
	}
}

func wantWhole(t *testing.T, p string) {
	t.Helper()
	content, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(p)
	if err != nil || len(content) != killSize || strings.Trim(string(content), string(content[:1])) != "" || info.Mode() != 0o640 {
		t.Errorf("%s has %d bytes and mode %s, error %v, want %d equal bytes and mode 0640", p, len(content), info.Mode(), err, killSize)
	}
}

// startAndKill runs a writer, kills it the given time after it reported its start, and
// waits for its server to end too.
func startAndKill(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPartWriter$", "-test.v=true", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), partEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended, inherited, err := os.Pipe() // the writer and its server keep the second end open
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{inherited}
	if err := errors.Join(cmd.Start(), inherited.Close()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Text() != "started" && lines.Scan() {
		continue
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	// The server still executes the requests that it has received.
	_, err = io.Copy(io.Discard, ended)
	if err := errors.Join(err, ended.Close()); err != nil {
		t.Error(err)
	}
}
