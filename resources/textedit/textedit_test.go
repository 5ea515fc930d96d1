package textedit_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

func localHost(t *testing.T) host.Host {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestNoChangeIsLost checks that the changes of many concurrent writers are all in the file.
func TestNoChangeIsLost(t *testing.T) {
	t.Parallel()
	path := address.Path(filepath.Join(t.TempDir(), "file"))
	const runs, writers = 4, 12
	var all sync.WaitGroup
	for run := range runs {
		h := localHost(t)
		scope := resourcetest.Scope(t, h) // each run has its own scope, as a process does
		for writer := range writers {
			all.Go(func() {
				line := fmt.Sprintf("run %d writer %d\n", run, writer)
				_, err := textedit.File(t.Context(), scope, path, host.Attributes{}, func(was []byte) ([]byte, error) {
					return append(was, line...), nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	content, err := os.ReadFile(string(path))
	if lines := strings.Count(string(content), "\n"); err != nil || lines != runs*writers {
		t.Errorf("the file has %d lines, want %d (%v)", lines, runs*writers, err)
	}
}

// TestRetryReadsAgain checks that a change is made again, with the current file, if another program writes
// the file, changes its mode or removes it during the change.
func TestRetryReadsAgain(t *testing.T) {
	t.Parallel()
	h := localHost(t)
	path := filepath.Join(t.TempDir(), "file")
	for name, others := range map[string]func() error{
		"write":  func() error { return os.WriteFile(path, []byte("theirs\n"), 0o600) },
		"chmod":  func() error { return os.Chmod(path, 0o640) },
		"remove": func() error { return os.Remove(path) },
	} {
		if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		calls := 0
		info, err := textedit.File(t.Context(), resourcetest.Scope(t, h), address.Path(path), host.Attributes{}, func(was []byte) ([]byte, error) {
			if calls++; calls == 1 {
				if err := others(); err != nil {
					t.Error(err)
				}
			}
			return append(was, "ours\n"...), nil
		})
		content, _ := os.ReadFile(path)
		want := map[string]string{"write": "theirs\nours\n", "chmod": "old\nours\n", "remove": "ours\n"}[name]
		if err != nil || calls != 2 || string(content) != want || name == "chmod" && info.Mode != 0o640 {
			t.Errorf("%s: after %d calls the file has %q, mode %s (%v), want 2 calls, %q and, after chmod, mode 0640", name, calls, content, info.Mode, err, want)
		}
	}
}

// TestAlwaysConflicts checks that a change that conflicts in every attempt fails, and keeps
// the content of the other program.
func TestAlwaysConflicts(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web1"})
	n := 0
	_, err := textedit.File(t.Context(), resourcetest.Scope(t, h), "/file", host.Attributes{}, func(was []byte) ([]byte, error) {
		n++
		if _, err := h.WriteFile(t.Context(), "/file", strings.NewReader(fmt.Sprint(n)), host.WriteOptions{}); err != nil {
			t.Error(err)
		}
		return append(was, '!'), nil
	})
	if err == nil || !strings.Contains(err.Error(), "change /file on host web1: the file was changed by another program") {
		t.Errorf("error %v, want an error about a change by another program", err)
	}
	if _, is, err := textedit.Read(t.Context(), h, "/file"); err != nil || string(is) != fmt.Sprint(n) {
		t.Errorf("the file has %q (%v), want %d, the text of the other program", is, err, n)
	}
}

// TestNewFile checks that a new file has the default mode of posix_file, unless another mode is set.
func TestNewFile(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{})
	for want, attrs := range map[host.Mode]host.Attributes{0o644: {}, 0o640: {Mode: new(host.Mode(0o640))}} {
		path := address.Path("/" + want.String())
		info, err := textedit.File(t.Context(), resourcetest.Scope(t, h), path, attrs, func([]byte) ([]byte, error) { return []byte("x"), nil })
		if err != nil || info.Mode != want {
			t.Errorf("the mode is %s, want %s (%v)", info.Mode, want, err)
		}
	}
}

func TestUnchangedContentIsNotWritten(t *testing.T) {
	t.Parallel()
	var operations []string
	h := memory.New(memory.Config{Fault: func(op, _ string) error {
		operations = append(operations, op)
		return nil
	}})
	same := func(was []byte) ([]byte, error) { return was, nil }
	if info, err := textedit.File(t.Context(), resourcetest.Scope(t, h), "/none", host.Attributes{}, same); err != nil || info.Path != "" {
		t.Errorf("edit of a missing file: %+v, error %v, want no path and no error", info, err)
	}
	if _, err := h.WriteFile(t.Context(), "/empty", bytes.NewReader(nil), host.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	operations = nil
	if info, err := textedit.File(t.Context(), resourcetest.Scope(t, h), "/empty", host.Attributes{}, same); err != nil || info.Path != "/empty" {
		t.Errorf("edit of an empty file: %+v, error %v, want the path /empty and no error", info, err)
	}
	if got := strings.Join(operations, " "); got != "Open" {
		t.Errorf("operations: %s, want Open", got)
	}
}

// editor is a host in memory that is a [host.Editor].
type editor struct {
	*memory.Host
	fails error // the error of the first edit
	late  bool  // whether the first edit is made in spite of its error
}

// EditFile implements [host.Editor].
func (e *editor) EditFile(ctx context.Context, path string, edit host.Edit, attrs host.Attributes) (host.FileInfo, []byte, error) {
	fails := e.fails
	if e.fails = nil; fails != nil && !e.late {
		return host.FileInfo{}, nil, fails
	}
	info, now, err := textedit.Read(ctx, e.Host, address.Path(path))
	if err != nil || now == nil {
		return host.FileInfo{}, nil, cmp.Or(err, fs.ErrNotExist)
	}
	edited, ok := hosttest.Edited(edit, info, now)
	if !ok {
		return info, now, fails
	}
	info, err = e.WriteFile(ctx, path, bytes.NewReader(edited), host.WriteOptions{Attributes: attrs})
	return info, nil, cmp.Or(fails, err)
}

// TestPart checks that the edit is made without calling the function, and that the function changes the file if the
// edit does not fit, is not supported or may be lost. If the host does not reply, Part fails.
func TestPart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content string // empty for no file
		fails   error  // of the edit
		late    bool   // whether the edit is made in spite of its error
		changes int    // calls of the function that changes the text
		want    string
		err     error
	}{
		"as expected": {"a\nold\n", nil, false, 0, "a\nnew\n", nil},
		"otherwise":   {"an old\n", nil, false, 1, "an new\n", nil},
		"no file":     {"", nil, false, 1, "", nil},
		"unsupported": {"a\nold\n", errors.ErrUnsupported, false, 1, "a\nnew\n", nil},
		"lost":        {"a\nold\n", host.ErrLost, false, 1, "a\nnew\n", nil},
		"result lost": {"a\nold\n", host.ErrLost, true, 1, "a\nnew\n", nil},
		"no reply":    {"a\nold\n", errors.Join(host.ErrSilent, host.ErrLost), false, 0, "a\nold\n", host.ErrSilent},
	} {
		h := &editor{Host: memory.New(memory.Config{}), fails: tt.fails, late: tt.late}
		if tt.content != "" {
			resourcetest.WriteOn(t, h, "/file", tt.content)
		}
		changes := 0
		edit := host.Edit{Old: []byte("old\n"), New: []byte("new\n"), Mark: "old"}
		info, err := textedit.Part(t.Context(), resourcetest.Scope(t, h), "/file", edit, func(was []byte) ([]byte, error) {
			changes++
			return bytes.Replace(was, []byte("old"), []byte("new"), 1), nil
		})
		if changes != tt.changes || !errors.Is(err, tt.err) || tt.err == nil && (err != nil || info.Size != int64(len(tt.want))) {
			t.Errorf("%s: %d calls, %+v, error %v, want %d calls, error %v and, without an error, size %d", name, changes, info, err, tt.changes, tt.err, len(tt.want))
		}
		if _, is, err := textedit.Read(t.Context(), h, "/file"); err != nil || string(is) != tt.want {
			t.Errorf("%s: the file has %q, error %v, want %q", name, is, err, tt.want)
		}
	}
	failing := memory.New(memory.Config{Fault: func(string, string) error { return host.ErrUnreachable }})
	_, err := textedit.Part(t.Context(), resourcetest.Scope(t, &editor{Host: failing, fails: host.ErrLost}), "/file",
		host.Edit{New: []byte("new\n"), Mark: "new"}, func(was []byte) ([]byte, error) { return was, nil })
	if !errors.Is(err, host.ErrLost) || errors.Is(err, host.ErrUnreachable) {
		t.Errorf("without a connection after the edit: error %v, want %v, the error of the edit", err, host.ErrLost)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{})
	if _, err := h.Symlink(t.Context(), "/elsewhere", "/link"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.WriteFile(t.Context(), "/large", io.LimitReader(zeros{}, textedit.MaxSize+1), host.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	add := func(was []byte) ([]byte, error) { return append(was, 'x'), nil }
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("canceled by the test"))
	for name, tt := range map[string]struct {
		ctx    context.Context
		path   address.Path
		change textedit.Change
		want   string
	}{
		"link":      {t.Context(), "/link", add, "neither followed nor replaced"},
		"too large": {t.Context(), "/large", add, "larger than 16 MiB"},
		"failed":    {t.Context(), "/new", func([]byte) ([]byte, error) { return nil, iotest.ErrTimeout }, "timeout"},
		"canceled":  {canceled, "/new", add, "canceled by the test"},
		"no parent": {t.Context(), "/none/new", add, "/none/new"},
	} {
		if _, err := textedit.File(tt.ctx, resourcetest.Scope(t, h), tt.path, host.Attributes{}, tt.change); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
