//go:build unix && !aix && !solaris

package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// These tests use unexported functions, because some of these functions run only with some file
// systems and kernels.

// TestUserOfEnvironment checks that an entry that package os/user built from the environment hides neither
// the entry of the local file nor its absence.
func TestUserOfEnvironment(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "getent"), []byte("#!/bin/sh\nexit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	lookUp := func(string) (*user.User, error) {
		return &user.User{Uid: strconv.Itoa(os.Getuid()), Gid: strconv.Itoa(os.Getgid()), Username: "made-up", HomeDir: "/"}, nil
	}
	if found, err := findUserWith(t.Context(), "made-up", lookUp); err != nil || found != nil {
		t.Errorf("the host has the user %+v, error %v, want nil, nil", found, err)
	}
	for _, key := range []string{"root", "0"} {
		found, err := findUserWith(t.Context(), key, lookUp)
		if err != nil || found == nil || found.Name != "root" || found.UID != 0 || found.Home == "/" {
			t.Errorf("%s is %+v, error %v, want the user root of the local file", key, found, err)
		}
	}
}

// TestNoReply checks that a lookup without a reply is repeated, but not at once: each attempt takes a long time.
func TestNoReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		users := accounts[host.User]{find: func(context.Context, string) (*host.User, error) {
			calls++
			return nil, errNoReply
		}}
		for want := 1; want < 3; want++ {
			for range 2 {
				if user, err := users.get(t.Context(), "70001"); !errors.Is(err, errNoReply) || calls != want {
					t.Errorf("got user %+v, error %v after %d lookups, want error %v after %d", user, err, calls, errNoReply, want)
				}
			}
			time.Sleep(getentTimeout)
		}
	})
}

// TestParseUser checks that comments and entries for NIS that have the UID of a user are not returned as that user.
func TestParseUser(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"al:x:1000:100:Al:/home/al:/bin/sh":    "al",
		"#al:x:1000:100:Al:/home/al:/bin/sh":   "",
		"+al:x:1000:100:Al:/home/al:/bin/sh":   "",
		"-al:x:1000:100:Al:/home/al:/bin/sh":   "",
		":x:1000:100:Al:/home/al:/bin/sh":      "",
		"other:x:1001:100:Al:/home/al:/bin/sh": "",
		"al:x:1000:100":                        "",
	} {
		name := ""
		if found := parseUser(strings.Split(line, ":"), "1000"); found != nil {
			name = found.Name
		}
		if name != want {
			t.Errorf("UID 1000 in %q is the user %q, want %q", line, name, want)
		}
	}
}

// TestEmptyEnvironment checks that a command inherits no variables if the provider has only variables that
// commands do not inherit.
func TestEmptyEnvironment(t *testing.T) {
	t.Parallel()
	if env := environment([]string{"POSIX_PASSWORD=hidden"}, nil); env == nil || len(env) > 0 {
		t.Errorf("environment %#v, want an empty slice that is not nil", env)
	}
}

func TestRenameByLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := renameByLink(from, to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(from); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of the first name returned error %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.WriteFile(from, []byte("newer"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := renameByLink(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want %v", err, fs.ErrExist)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "new" {
		t.Errorf("the target has the content %q, error %v, want new", got, err)
	}
}

// TestUnlockable checks that a temporary file that cannot be locked counts as a leftover only if
// another writer waited for maxWait and the file did not change.
func TestUnlockable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "temp")
	write := func(content string) fs.FileInfo {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		stat, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return stat
	}
	first := write("a")
	second := write("ab")
	for _, tt := range []struct {
		name   string
		seen   fs.FileInfo
		waited time.Duration
		want   finding
	}{
		{"not seen before", nil, time.Hour, live},
		{"changed since", first, time.Hour, live},
		{"unchanged for too short a time", second, maxWait - 1, live},
		{"unchanged", second, maxWait, leftover},
	} {
		if got := unchangedLeftover(path, second, tt.seen, tt.waited); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of the leftover returned error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestLostTemp checks that a writer whose temporary file was removed as a leftover and replaced
// by another writer's neither renames nor removes the file of the other writer.
func TestLostTemp(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "file")
	mine, err := newTemp(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.release()
	if err := os.Remove(mine.name); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine.name, []byte("half of another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, exclusive := range []bool{false, true} {
		if err := mine.replaceTarget(target, &host.WriteOptions{Exclusive: exclusive}); err == nil {
			t.Errorf("exclusive %t: the file of another writer was renamed", exclusive)
		}
	}
	if err := mine.discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(mine.name); err != nil {
		t.Errorf("the file of another writer was removed: %v", err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of the target returned error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "file")
	name := host.TempPath(target, "")
	if got, _ := inspect(name, nil, 0); got != absent {
		t.Errorf("the state of a missing file is %d, want %d", got, absent)
	}
	writer, err := newTemp(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := inspect(name, nil, time.Hour); got != live {
		t.Errorf("the state of a locked file is %d, want %d", got, live)
	}
	inherited, err := unix.Dup(int(writer.lock.Fd())) // as a child process has it before exec
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(inherited) }() // nothing was written through it
	writer.release()
	if got, _ := inspect(name, nil, 0); got != leftover {
		t.Errorf("the state of a file without a writer is %d, want %d", got, leftover)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of the leftover returned error %v, want %v", err, fs.ErrNotExist)
	}
	if locked, err := tryLock(writer.file); err != nil || !locked {
		t.Errorf("lock of an open file: %t, error %v, want true, nil", locked, err)
	}
	if err := writer.file.Close(); err != nil {
		t.Fatal(err)
	}
	// NFS returns the same error for a file that is open for reading as for a closed file.
	if locked, err := tryLock(writer.file); !errors.Is(err, errNoLocks) || locked {
		t.Errorf("lock of a closed file: %t, error %v, want false, %v", locked, err, errNoLocks)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newTemp(ctx, target); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestNotFollowed checks that each error that a system can return for an object of an unwanted type becomes a
// [*host.TypeError] for a link, and is kept for a regular file.
func TestNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for _, errno := range []syscall.Errno{syscall.ELOOP, syscall.EMLINK, syscall.ENOTDIR, syscall.ENXIO, syscall.EOPNOTSUPP} {
		if err := notFollowed(link, host.TypeRegular, errno); !errors.Is(err, host.ErrIsSymlink) {
			t.Errorf("%v: error %v, want %v", errno, err, host.ErrIsSymlink)
		}
		if err := notFollowed(file, host.TypeRegular, errno); err != error(errno) { //nolint:errorlint // it must be the same
			t.Errorf("%v for a regular file: error %v, want the same error", errno, err)
		}
	}
	if err := notFollowed(link, host.TypeRegular, syscall.EACCES); !errors.Is(err, syscall.EACCES) {
		t.Errorf("error %v, want %v", err, syscall.EACCES)
	}
}

// TestOutputAtDeadline checks that all output that a command wrote before it exited is
// copied, even if a process that it left running keeps the pipe open until the deadline.
func TestOutputAtDeadline(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = write.Close() }()
	if _, err := write.WriteString("all of it"); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	o := &output{read: read, write: write, to: &got, done: make(chan struct{})}
	if err := read.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	go o.copy()
	if err := finish([]*output{o}, time.Hour); err != nil || got.String() != "all of it" {
		t.Errorf("output %q, error %v, want \"all of it\"", &got, err)
	}
}

// TestSession checks that a command leads a session of its own: a new session has no terminal.
func TestSession(t *testing.T) {
	t.Parallel()
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	output, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := h.Run(t.Context(), host.Command{Args: []string{"/bin/sh", "-c", "echo $$; read -r line"}, Stdin: stdin, Stdout: stdout})
		done <- errors.Join(err, stdout.CloseWithError(err))
	}()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if session, err := unix.Getsid(pid); err != nil || session != pid {
		t.Errorf("the command %d is in the session %d, error %v, want a session of its own", pid, session, err)
	}
	if err := errors.Join(end.Close(), <-done); err != nil {
		t.Error(err)
	}
}
