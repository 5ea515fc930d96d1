package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		uid  uint32
		gids []uint32
	}{
		{"root", 0, nil},
		{"user", 1000, []uint32{1000, 50}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hosttest.Run(t, func(t *testing.T) (host.Host, string) { return newHost(t, tt.uid, tt.gids) })
		})
	}
}

// newHost returns a host and the path of a directory that belongs to its user.
func newHost(t *testing.T, uid uint32, gids []uint32) (host.Host, string) {
	t.Helper()
	var h *memory.Host
	h = memory.New(memory.Config{
		Name: "mem", UID: uid, GIDs: gids,
		Users:  []host.User{{Name: "user", UID: 1000, GID: 1000, Home: "/home/user"}},
		Groups: []host.Group{{Name: "user", GID: 1000}},
		Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
			if len(cmd.Args) != 5 || cmd.Args[0] != "mkfifo" {
				return host.Result{}, errors.ErrUnsupported
			}
			_, err := h.Mkspecial(ctx, cmd.Args[4], host.TypeFIFO)
			return host.Result{}, err
		},
	})
	if _, err := h.Mkdir(t.Context(), "/home", host.Attributes{}); err != nil {
		t.Fatal(err)
	}
	return h, "/home"
}

func TestFault(t *testing.T) {
	t.Parallel()
	broken := errors.New("I/O error")
	h := memory.New(memory.Config{Fault: func(op, path string) error {
		if op == "Lstat" && path == "/broken" {
			return broken
		}
		return nil
	}})
	_, err := h.Lstat(t.Context(), "/broken")
	if !errors.Is(err, broken) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if _, err := h.Lstat(t.Context(), "/whole"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestLost checks that an operation whose result is lost still takes effect.
func TestLost(t *testing.T) {
	t.Parallel()
	lost := map[string]bool{"Mkdir": true, "WriteFile": true, "Rename": true, "Run": true}
	ran := false
	h := memory.New(memory.Config{
		Run: func(context.Context, host.Command) (host.Result, error) { ran = true; return host.Result{}, nil },
		Lost: func(op, _ string) error {
			if lost[op] {
				return host.ErrLost
			}
			return nil
		},
	})
	ctx := t.Context()
	_, mkdir := h.Mkdir(ctx, "/dir", host.Attributes{})
	_, write := h.WriteFile(ctx, "/dir/file", strings.NewReader("x"), host.WriteOptions{})
	rename := h.Rename(ctx, "/dir/file", "/dir/other")
	_, run := h.Run(ctx, host.Command{Args: []string{"true"}})
	for op, err := range map[string]error{"Mkdir": mkdir, "WriteFile": write, "Rename": rename, "Run": run} {
		if !errors.Is(err, host.ErrLost) || !host.MayHaveRun(err) {
			t.Errorf("%s: error %v, want %v", op, err, host.ErrLost)
		}
	}
	if entries, err := h.ReadDir(ctx, "/dir"); err != nil || len(entries) != 1 || entries[0].Name != "other" || !ran {
		t.Errorf("the directory has %v (error %v), want other; the command ran: %t, want true", entries, err, ran)
	}
	if err := h.Rename(ctx, "/dir/absent", "/dir/file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
}

// Example writes a file and creates its parent directories only if the write fails
// because they are missing: no operation is needed for existing directories.
func Example() {
	ctx := context.Background()
	var h host.Host = memory.New(memory.Config{Name: "web1"})

	write := func() (host.FileInfo, error) {
		return h.WriteFile(ctx, "/etc/app/motd", strings.NewReader("hello\n"), host.WriteOptions{
			Attributes: host.Attributes{Mode: new(host.Mode(0o644))},
			Exclusive:  true,
		})
	}
	info, err := write()
	if errors.Is(err, fs.ErrNotExist) {
		made, err := host.MakeParents(ctx, h, "/etc/app/motd", host.Attributes{})
		fmt.Println(made, err)
		info, _ = write()
	}
	fmt.Println(info.Path, info.Type, info.Mode, info.Owner, info.Size)

	_, err = write()
	fmt.Println(err)
	// Output:
	// [/etc /etc/app] <nil>
	// /etc/app/motd regular file 0644 root 6
	// write web1:/etc/app/motd: file already exists
}
