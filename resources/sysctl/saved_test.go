package sysctl_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

const somaxconnFile = "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"

func backlog(value string) resourcetest.Attrs {
	return resourcetest.Attrs{"key": cty.StringVal("net.core.somaxconn"), "value": cty.StringVal(value)}
}

// kernelHost is a host in memory on which net.core.somaxconn can be set.
type kernelHost struct {
	host.Host
	t       *testing.T
	refuses string            // value that the kernel rejects
	prints  map[string]string // values that the kernel prints, by the text that is written
}

func newKernelHost(t *testing.T) kernelHost {
	t.Helper()
	h := kernelHost{Host: resourcetest.NewRootHost(t, somaxconnFile), t: t, prints: map[string]string{}}
	_, err := host.MakeParents(t.Context(), h, somaxconn, host.Attributes{})
	resourcetest.Must(t, err)
	resourcetest.WriteOn(t, h, somaxconn, "100\n")
	return h
}

// Run implements [host.Runner]. It simulates the command that sets the value.
func (h kernelHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if args := remotecmd.Program(cmd); len(args) > 0 && args[len(args)-1] == somaxconn {
		value, err := io.ReadAll(cmd.Stdin)
		if h.refuses != "" && string(value) == h.refuses+"\n" {
			_, err = io.WriteString(cmd.Stderr, "cat: write error: Operation not permitted\n")
			return host.Result{ExitCode: 1}, err
		}
		if printed, other := h.prints[string(value)]; other {
			value = []byte(printed)
		}
		resourcetest.WriteOn(h.t, h.Host, somaxconn, string(value))
		return host.Result{}, err
	}
	return h.Host.Run(ctx, cmd)
}

func (h kernelHost) read(path string) string {
	h.t.Helper()
	_, r, err := h.Open(h.t.Context(), path)
	resourcetest.Must(h.t, err)
	text, err := io.ReadAll(r)
	resourcetest.Must(h.t, err, r.Close())
	return string(text)
}

// TestFileChangedAfterPlan checks that an update does not replace settings of the file that the plan
// did not show.
func TestFileChangedAfterPlan(t *testing.T) {
	saved := resourcetest.SavedPlan{
		Types: types, TypeName: "posix_sysctl", Old: backlog("111"), New: backlog("222"), Path: somaxconnFile, Attribute: "key",
		Edited: "net.core.somaxconn = 7\n", Again: "net.core.somaxconn = 7\nnet.core.rmem_max = 8\n",
	}
	t.Run("memory", func(t *testing.T) {
		h := newKernelHost(t)
		saved.Host = h
		saved.Run(t)
		if now := h.read(somaxconn); now != "100\n" {
			t.Errorf("after the destroy, the value is %q, want 100", now)
		}
	})
	t.Run("local", func(t *testing.T) {
		roottest.Require(t)
		h, err := local.New()
		resourcetest.Must(t, err)
		saved.Host = h
		saved.Run(t)
	})
}

// TestValueChangedAfterPlan checks that an update does not replace a value of the running kernel that
// the plan did not show, and that an update that fails changes nothing.
func TestValueChangedAfterPlan(t *testing.T) {
	h := newKernelHost(t)
	edited := &resourcetest.EditedHost{Host: h}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, edited), "posix_sysctl")
	const changed = " on host local was changed after the plan was made"
	for name, tt := range map[string]struct {
		before, after string // values that another program sets before and after the plan
		file          string // content that another program writes while the update runs
		want          string // error of the update
	}{
		"changed":            {after: "333", want: somaxconn + changed},
		"changed as planned": {before: "333"},
		"changed again":      {before: "333", after: "444", want: somaxconn + changed},
		"as wanted":          {after: "222"},
		"file during update": {file: "net.core.somaxconn = 7\n", want: somaxconnFile + changed},
	} {
		o.Apply(backlog("111"))
		set := func(value string) {
			if value != "" {
				resourcetest.WriteOn(t, h, somaxconn, value+"\n")
			}
		}
		set(tt.before)
		o.Refresh()
		plan := o.Plan(backlog("222"))
		resourcetest.NoErrors(t, plan.Diagnostics)
		set(tt.after)
		value, file := h.read(somaxconn), h.read(somaxconnFile)
		if tt.file != "" {
			file = tt.file
			edited.BeforeWrite = func() { resourcetest.WriteOn(t, h, somaxconnFile, file) }
		}
		diags := o.ApplyPlan(backlog("222"), plan)
		if tt.want == "" {
			if diags.HasErrors() || h.read(somaxconn) != "222\n" {
				t.Errorf("%s: the value is %q, diagnostics %v, want 222 and no errors", name, h.read(somaxconn), diags)
			}
			continue
		}
		resourcetest.WantError(t, diags, "key", tt.want)
		if nowValue, nowFile := h.read(somaxconn), h.read(somaxconnFile); nowValue != value || nowFile != file {
			t.Errorf("%s: the value is %q, want %q; the file has %q, want %q", name, nowValue, value, nowFile, file)
		}
	}
}

// TestFileUnset checks that a file whose name is no longer configured gets the default name, and that an imported
// one keeps its name.
func TestFileUnset(t *testing.T) {
	h := newKernelHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
	named := backlog("111")
	named["file"] = cty.StringVal("50-x.conf")
	o.Apply(named)
	o.Changes(backlog("111"), "file")
	o.ChangesTo(backlog("222"), resourcetest.Attrs{"file": cty.StringVal("99-posix-net.core.somaxconn.conf"), "value": cty.StringVal("222")})
	o.Apply(backlog("111"))
	if text := h.read(somaxconnFile); !strings.Contains(text, "net.core.somaxconn = 111\n") {
		t.Errorf("the file has %q, want the value 111", text)
	}
	if _, err := h.Lstat(t.Context(), "/etc/sysctl.d/50-x.conf"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the former file: error %v, want %v", err, fs.ErrNotExist)
	}
	o.Apply(named)
	o.Forget()
	resourcetest.NoErrors(t, o.Import("net.core.somaxconn", cty.NilVal))
	o.Changes(backlog("111"))
}

// interruptedHost is a kernelHost on which interrupt is called after each write of a file.
type interruptedHost struct {
	kernelHost
	interrupt func()
}

// WriteFile implements [host.Files].
func (h *interruptedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := h.kernelHost.WriteFile(ctx, path, content, opts)
	h.interrupt()
	return info, err
}

// TestRenameInterrupted checks that an update to another file name that is interrupted when it has written the new file
// removes the previous one: the state has only one of them, so a destroy would leave the other.
func TestRenameInterrupted(t *testing.T) {
	h := &interruptedHost{kernelHost: newKernelHost(t), interrupt: func() {}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
	o.Apply(backlog("111"))
	named := backlog("111")
	named["file"] = cty.StringVal("50-x.conf")
	plan := o.Plan(named)
	resourcetest.NoErrors(t, plan.Diagnostics)
	h.interrupt = func() { resourcetest.Must(t, o.Provider.Stop(t.Context())) }
	resourcetest.NoErrors(t, o.ApplyPlan(named, plan))
	if _, err := h.Lstat(t.Context(), somaxconnFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the former file: error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestRestoredAfterDrift checks that a destroy restores the previous value if and only if the kernel still has the
// applied one, whatever another program wrote to the file.
func TestRestoredAfterDrift(t *testing.T) {
	for name, tt := range map[string]struct{ value, file, want string }{
		"file":           {"111\n", "net.core.somaxconn = 333\n", "100\n"},
		"value":          {"333\n", "net.core.somaxconn = 111\n", "333\n"},
		"value and file": {"333\n", "net.core.somaxconn = 333\n", "333\n"},
	} {
		h := newKernelHost(t)
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
		o.Apply(backlog("111"))
		resourcetest.WriteOn(t, h, somaxconn, tt.value)
		resourcetest.WriteOn(t, h, somaxconnFile, tt.file)
		o.Refresh()
		resourcetest.NoErrors(t, o.Destroy())
		if now := h.read(somaxconn); now != tt.want {
			t.Errorf("%s: the value is %q, want %q", name, now, tt.want)
		}
	}
}

// TestRestoredAfterLostResult checks that a destroy restores the previous value if an update was complete, but its
// result did not reach the client.
func TestRestoredAfterLostResult(t *testing.T) {
	h := newKernelHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
	o.Apply(backlog("111"))
	was := *o
	o.Apply(backlog("222"))
	*o = was
	o.NoChange(backlog("222"))
	resourcetest.NoErrors(t, o.Destroy())
	if now := h.read(somaxconn); now != "100\n" {
		t.Errorf("after the destroy, the value is %q, want the previous value 100", now)
	}
}

// TestPreviousValueRefused checks that a destroy removes the file of a parameter whose previous value the
// kernel rejects, such as kernel.unprivileged_bpf_disabled.
func TestPreviousValueRefused(t *testing.T) {
	h := newKernelHost(t)
	h.refuses = "100"
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
	o.Apply(backlog("111"))
	diags := o.Destroy()
	if diags.HasErrors() || len(diags) != 1 || !strings.Contains(diags[0].Detail, `rejects "100" for net.core.somaxconn`) {
		t.Errorf("diagnostics of the destroy: %v, want one warning about the rejected value 100", diags)
	}
	if _, err := h.Lstat(t.Context(), somaxconnFile); !errors.Is(err, fs.ErrNotExist) || h.read(somaxconn) != "111\n" {
		t.Errorf("after the destroy: lstat of the file: error %v, want %v; value %q, want 111", err, fs.ErrNotExist, h.read(somaxconn))
	}
}

// TestManagedValueRefused checks that a destroy fails if the kernel changes the previous value and then rejects
// the managed one, because the value in effect is neither of them.
func TestManagedValueRefused(t *testing.T) {
	h := newKernelHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_sysctl")
	o.Apply(backlog("111"))
	h.prints["100\n"] = "99\n"
	o.Provider = resourcetest.NewOn(t, types, kernelHost{Host: h.Host, t: t, refuses: "111", prints: h.prints})
	resourcetest.WantError(t, o.Destroy(), "value", `accepts "100" for net.core.somaxconn, but prints it as "99"`)
	if h.read(somaxconn) != "99\n" || !strings.Contains(h.read(somaxconnFile), "111") {
		t.Errorf("after the failed destroy, the value is %q, the file has %q, want 99 and 111", h.read(somaxconn), h.read(somaxconnFile))
	}
	resourcetest.NoErrors(t, o.Destroy()) // the value may be that of another program, so it is kept
}
