package resources_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/block"
	"github.com/posixform/terraform-provider-posix/resources/cron"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// counted is a host in memory that records its operations, except lookups of names, which
// hosts over SSH cache. Like those, it computes digests, removes by type and edits files in one step.
type counted struct {
	*memory.Host
	fault   func(op string) error // if not nil, called before each operation
	lost    func(op string) error // if not nil, called after each operation that has succeeded
	mu      sync.Mutex
	done    []string
	running bool // whether a program runs: its operations are not recorded, and do not fail
}

func (c *counted) record(op, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return nil
	}
	if !strings.HasPrefix(op, "Lookup") {
		c.done = append(c.done, op)
	}
	if c.fault != nil {
		return c.fault(op)
	}
	return nil
}

func (c *counted) lose(op, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running || c.lost == nil {
		return nil
	}
	return c.lost(op)
}

// writeKernel writes to a file in /proc/sys, as a program on the host does.
func (c *counted) writeKernel(path string, text io.Reader) error {
	during := func(running bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running = running
	}
	during(true)
	defer during(false)
	_, err := c.WriteFile(context.Background(), path, text, host.WriteOptions{})
	return err
}

// as runs the function do, and records the operations of do as the single operation op.
func (c *counted) as(op string, do func()) {
	c.mu.Lock()
	all := append(slices.Clone(c.done), op)
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = all
}

// Digest implements [host.Digester].
func (c *counted) Digest(ctx context.Context, path string) (info host.FileInfo, sum [sha256.Size]byte, err error) {
	c.as("Digest", func() { info, sum, err = host.Digest(ctx, c.Host, path) })
	return info, sum, err
}

// RemoveOnly implements [host.TypedRemover].
func (c *counted) RemoveOnly(ctx context.Context, path string, want host.FileType) (err error) {
	c.as("RemoveOnly", func() { err = host.RemoveOnly(ctx, c.Host, path, want) })
	return err
}

// EditFile implements [host.Editor].
func (c *counted) EditFile(ctx context.Context, path string, edit host.Edit, attrs host.Attributes) (info host.FileInfo, now []byte, err error) {
	c.as("EditFile", func() {
		var content io.ReadCloser
		if info, content, err = c.Open(ctx, path); err != nil {
			return
		}
		defer func() { _ = content.Close() }() // read only
		if now, err = io.ReadAll(content); err != nil {
			return
		}
		if edited, ok := hosttest.Edited(edit, info, now); ok {
			now = nil
			info, err = c.WriteFile(ctx, path, bytes.NewReader(edited), host.WriteOptions{Attributes: attrs})
		}
	})
	return info, now, err
}

// during runs the function do and returns the operations that do has made.
func (c *counted) during(do func()) string {
	c.mu.Lock()
	c.done = nil
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.done, " ")
}

// TestOperations checks which operations on a host each step of an object makes, since
// operations take round trips over SSH: at most one that reads and, besides RemoveTemp, one that changes something.
func TestOperations(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	for name, tt := range map[string]struct {
		config, changed              resourcetest.Attrs
		create, read, update, delete string
	}{
		"posix_file": {
			resourcetest.Attrs{"path": str("/dir/it"), "content": str("old")},
			resourcetest.Attrs{"path": str("/dir/it"), "content": str("new"), "mode": str("0600")},
			"WriteFile", "Digest", "WriteFile", "RemoveOnly",
		},
		"posix_file with another mode": { // RemoveTemp takes a round trip only for the first path of a directory
			resourcetest.Attrs{"path": str("/dir/it"), "content": str("old")},
			resourcetest.Attrs{"path": str("/dir/it"), "content": str("old"), "mode": str("0600")},
			"WriteFile", "Digest", "SetAttributes RemoveTemp", "RemoveOnly",
		},
		"posix_directory": {
			resourcetest.Attrs{"path": str("/dir/it")},
			resourcetest.Attrs{"path": str("/dir/it"), "mode": str("0700")},
			"Mkdir", "Lstat", "SetAttributes", "Rmdir",
		},
		"posix_symlink": {
			resourcetest.Attrs{"path": str("/dir/it"), "target": str("old")},
			resourcetest.Attrs{"path": str("/dir/it"), "target": str("new")},
			"Symlink", "Lstat", "ReplaceSymlink", "RemoveOnly",
		},
		"posix_cron": {
			resourcetest.Attrs{"name": str("it"), "schedule": str("@daily"), "user": str("root"), "command": str("old")},
			resourcetest.Attrs{"name": str("it"), "schedule": str("@daily"), "user": str("root"), "command": str("new")},
			"WriteFile", "Open", "Open WriteFile", "RemoveOnly",
		},
		"posix_file_block": {
			resourcetest.Attrs{"path": str("/dir/lines"), "name": str("it"), "content": str("old")},
			resourcetest.Attrs{"path": str("/dir/lines"), "name": str("it"), "content": str("new")},
			"EditFile", "Open", "EditFile", "EditFile",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &counted{}
			h.Host = memory.New(memory.Config{Name: "town", Users: []host.User{{Name: "root"}}, Fault: h.record})
			types := runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
				"file": file.Resource(), "directory": directory.Resource(), "symlink": symlink.Resource(), "file_block": block.Resource(), "cron": cron.Resource(),
			}}
			p := resourcetest.Configured(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }))
			for _, path := range []string{"/dir/it", cron.Dir + "/it"} {
				_, err := host.MakeParents(t.Context(), h, path, host.Attributes{})
				resourcetest.Must(t, err)
			}
			resourcetest.WriteOn(t, h, "/dir/lines", "a line\n")
			typeName, _, _ := strings.Cut(name, " ")
			o := resourcetest.NewObject(t, p, typeName)
			step := func(what, want string, do func()) {
				t.Helper()
				if got := h.during(do); got != want {
					t.Errorf("%s: operations %q, want %q", what, got, want)
				}
			}
			apply := func(set resourcetest.Attrs) func() {
				plan := o.Plan(set)
				resourcetest.NoErrors(t, plan.Diagnostics)
				return func() { resourcetest.NoErrors(t, o.ApplyPlan(set, plan)) }
			}
			step("create", tt.create, apply(tt.config))
			o.NextRun()
			step("read", tt.read, func() { resourcetest.NoErrors(t, o.Read()) })
			step("update", tt.update, apply(tt.changed))
			step("delete", tt.delete, func() { resourcetest.NoErrors(t, o.Destroy()) })
		})
	}
}
