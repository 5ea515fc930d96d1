//go:build unix && !aix && !solaris

package local_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

func newHost(t *testing.T) (host.Host, string) {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h, t.TempDir()
}

func newBenchHost(b *testing.B) (host.Host, string) {
	b.Helper()
	h, err := local.New()
	if err != nil {
		b.Fatal(err)
	}
	return h, b.TempDir()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	part, parts := 0, 1
	if number, ok := partOf(conformancePart); ok {
		if _, err := fmt.Sscanf(number, "%d/%d", &part, &parts); err != nil {
			t.Fatal(err)
		}
		t.Logf("part %d of %d as user %d ", part, parts, os.Geteuid())
	}
	hosttest.RunPart(t, newHost, part, parts)
}

//nolint:paralleltest // allocations of other tests would count
func TestStream(t *testing.T) { hosttest.Stream(t, newHost, 64<<20, 4<<20) }

// TestExclusiveRace checks that an exclusive write does not replace a file that is created
// at the last moment.
func TestExclusiveRace(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	target, other := filepath.Join(dir, "target"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mine, err := os.Lstat(other)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var linking sync.WaitGroup
	linking.Go(func() {
		for ctx.Err() == nil {
			if os.Link(other, target) != nil {
				continue // the written file exists
			}
			now, err := os.Lstat(target)
			if err == nil && !os.SameFile(now, mine) {
				err = errors.New("a write replaced the link")
			}
			if err := errors.Join(err, os.Remove(target)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	written := 0
	for range tier.Pick(4000, 10000, 100000) {
		_, err := h.WriteFile(t.Context(), target, strings.NewReader("x"), host.WriteOptions{Exclusive: true, NoSync: true})
		if err == nil {
			written++
			err = os.Remove(target)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Error(err)
			break
		}
	}
	stop()
	linking.Wait()
	if written == 0 {
		t.Error("no write succeeded")
	}
}

// TestLinkedTemp checks that no temporary name is left if the temporary file already has the final
// name too: rename(2) then does nothing.
func TestLinkedTemp(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	path := filepath.Join(dir, "file")
	link := func(_ context.Context, temp string) error { return os.Link(temp, path) }
	if _, err := h.WriteFile(t.Context(), path, strings.NewReader("x"), host.WriteOptions{BeforeReplace: link}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, error %v, want 1 entry", entries, err)
	}
}

// TestOneWriter checks that one writer for both outputs gets the data in the order in which
// the command wrote it.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t)
	var out strings.Builder
	script := "for i in 1 2 3 4 5; do echo out; echo err >&2; done"
	_, err := h.Run(t.Context(), host.Command{Args: []string{"sh", "-c", script}, Stdout: &out, Stderr: &out})
	if want := strings.Repeat("out\nerr\n", 5); err != nil || out.String() != want {
		t.Errorf("error %v, output %q, want %q", err, out.String(), want)
	}
}

// TestBusyProgram checks that Run waits until the program is no longer open for writing.
func TestBusyProgram(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	path := filepath.Join(dir, "program")
	program, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = program.WriteString("#!/bin/sh\nexit 42\n")
	if err := errors.Join(err, program.Chmod(0o755)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	time.AfterFunc(20*time.Millisecond, func() { closed <- program.Close() })
	result, err := h.Run(t.Context(), host.Command{Args: []string{path}})
	if err := errors.Join(err, <-closed); err != nil || result.ExitCode != 42 {
		t.Errorf("Run returned %+v, error %v, want exit code 42", result, err)
	}
}

// TestAddedPath checks that a program is looked up in the PATH that the command adds to the environment.
func TestAddedPath(t *testing.T) {
	t.Parallel()
	h, dir := newHost(t)
	if err := os.WriteFile(filepath.Join(dir, "true"), []byte("#!/bin/sh\nexit 42\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for list, code := range map[string]int{dir: 42, dir + "/absent:" + dir: 42, dir + "/absent": 127, "": 127} {
		result, err := h.Run(t.Context(), host.Command{Args: []string{"true"}, Env: map[string]string{"PATH": list}})
		if err != nil || result.ExitCode != code {
			t.Errorf("true with the PATH %q: %+v, error %v, want exit code %d", list, result, err, code)
		}
	}
}

// TestCommandEnvironment checks that commands do not inherit variables that may be secrets.
//
//nolint:paralleltest // it sets variables
func TestCommandEnvironment(t *testing.T) {
	for _, name := range []string{"POSIX_PASSWORD", "POSIX_HOST_WEB_SUDO_PASSWORD", "AWS_SECRET_ACCESS_KEY", "TF_VAR_token", "TF_PLUGIN_MAGIC_COOKIE"} {
		t.Setenv(name, "hidden")
	}
	t.Setenv("LC_TIME", "C")
	h, _ := newHost(t)
	var out strings.Builder
	_, err := h.Run(t.Context(), host.Command{Args: []string{"env"}, Env: map[string]string{"ADDED": "too"}, Stdout: &out})
	if err != nil || strings.Contains(out.String(), "hidden") {
		t.Errorf("error %v, want no hidden value in the environment\n%s", err, out.String())
	}
	for _, want := range []string{"PATH=" + os.Getenv("PATH"), "LC_TIME=C", "ADDED=too"} {
		if !strings.Contains("\n"+out.String(), "\n"+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}
