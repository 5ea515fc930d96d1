package resourcetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// SavedPlan tests that an update does not replace content that its plan has not shown.
type SavedPlan struct {
	Types     runtime.Definition
	Host      host.Host
	TypeName  string
	Old, New  Attrs
	Path      string // path of the file that the update writes
	Attribute string // attribute that the error is about
	Part      string // name of the part of the file in the error; default: "the content of " and Path
	Edited    string // content of the file after an edit; default: a comment
	Again     string // content of the file after a second edit; default: Edited with one more comment
}

// Run edits the file before the plan, between plan and apply, and while the update runs. An edit
// before the plan, or one after which the content is as configured, must not cause an error.
func (s SavedPlan) Run(t *testing.T) {
	t.Helper()
	part := cmp.Or(s.Part, "the content of "+s.Path)
	edited := cmp.Or(s.Edited, "# edited by hand\n")
	again := cmp.Or(s.Again, edited+"# again\n")
	h := &EditedHost{Host: s.Host}
	o := NewObject(t, NewOn(t, s.Types, h), s.TypeName)
	o.Apply(s.New)
	wanted := s.content(t)
	edit := func(text string) func() { return func() { WriteOn(t, s.Host, s.Path, text) } }
	for _, step := range []struct {
		name                 string
		before, after, write func() // called before the plan, after it, and before the first write of the apply
		want                 string // content that is kept; empty if the apply succeeds
	}{
		{name: "edited", after: edit(edited), want: edited},
		{name: "edited while the update runs", write: edit(edited), want: edited},
		{name: "edited again", before: edit(edited), after: edit(again), want: again},
		{name: "edited as planned", before: edit(edited)},
		{name: "as wanted", after: edit(wanted)},
	} {
		o.Apply(s.Old)
		call(step.before)
		o.Refresh()
		plan := o.Plan(s.New)
		NoErrors(t, plan.Diagnostics)
		call(step.after)
		h.BeforeWrite = step.write
		diags := o.ApplyPlan(s.New, plan)
		if step.want == "" {
			if diags.HasErrors() {
				t.Errorf("%s: %v", step.name, diags)
			}
		} else {
			WantError(t, diags, s.Attribute, part+" on host "+h.Name()+" was changed after the plan was made", "Create a new plan")
			if got := s.content(t); got != step.want {
				t.Errorf("%s: the file has %q, want %q", step.name, got, step.want)
			}
		}
		o.Apply(s.New) // refreshes first
		if got := s.content(t); got != wanted {
			t.Errorf("%s: after a new plan, the file has %q, want %q", step.name, got, wanted)
		}
	}
	NoErrors(t, o.Destroy())
}

// Everywhere calls Run on a host in memory and, in a root, on the local host.
func (s SavedPlan) Everywhere(t *testing.T) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		s.on(NewRootHost(t, s.Path)).Run(t)
	})
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		roottest.Require(t)
		h, err := local.New()
		Must(t, err)
		s.on(h).Run(t)
	})
}

// on returns the test on a host.
func (s SavedPlan) on(h host.Host) SavedPlan {
	s.Host = h
	return s
}

// NewRootHost returns a host in memory with the directory of path. The provider is root there, and
// programs succeed without any effect, except for those that edit files: these do not start.
func NewRootHost(t *testing.T, path string) *memory.Host {
	t.Helper()
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		if args := remotecmd.Program(cmd); len(args) > 2 && strings.HasPrefix(args[2], "echo posix-edit\n") {
			return host.Result{}, &host.NotStartedError{Err: errors.ErrUnsupported}
		}
		if remotecmd.IsRootQuery(cmd) {
			_, err := io.WriteString(cmd.Stdout, "0\n")
			return host.Result{}, err
		}
		return host.Result{}, nil
	}})
	_, err := host.MakeParents(t.Context(), h, path, host.Attributes{})
	Must(t, err)
	return h
}

func call(do func()) {
	if do != nil {
		do()
	}
}

func (s SavedPlan) content(t *testing.T) string {
	t.Helper()
	_, r, err := s.Host.Open(t.Context(), s.Path)
	Must(t, err)
	text, err := io.ReadAll(r)
	Must(t, err, r.Close())
	return string(text)
}

// EditedHost is a host on which a file is edited just before the next write.
type EditedHost struct {
	host.Host
	BeforeWrite func() // nil once it has been called
}

// WriteFile implements [host.Host].
func (h *EditedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	edit := h.BeforeWrite
	h.BeforeWrite = nil
	call(edit)
	return h.Host.WriteFile(ctx, path, content, opts)
}
