package mount_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// mountHost is a host in memory with mount(8) and umount(8) for /srv/it.
type mountHost struct {
	host.Host
	t       *testing.T
	mounts  []string // type and source of each; the last one is visible
	broken  bool     // whether systemd cannot be reloaded
	reloads int      // number of reloads of systemd
	written func()   // called after each write of fstab, if it is set
}

func newMountHost(t *testing.T) *mountHost {
	t.Helper()
	h := &mountHost{Host: resourcetest.NewRootHost(t, fstab), t: t}
	resourcetest.WriteOn(t, h, fstab, others+"\n")
	return h
}

// Run implements [host.Runner].
func (h *mountHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	if len(args) == 4 && strings.Contains(args[2], "daemon-reload") && ctx.Err() == nil {
		h.reloads++
	}
	switch {
	case len(args) == 6 && strings.HasPrefix(args[2], "cat /proc/self/mountinfo "): // path and source are parameters
		var table strings.Builder
		for i, m := range h.mounts {
			fmt.Fprintf(&table, "%d 1 0:%d / /srv/it rw - %s rw\n", i, i, m)
		}
		_, err := io.WriteString(cmd.Stdout, table.String()+"\npath /srv/it\n")
		return host.Result{}, err
	case h.broken && len(args) == 4 && strings.Contains(args[2], "daemon-reload"):
		_, err := io.WriteString(cmd.Stderr, "Failed to reload daemon\n")
		return host.Result{ExitCode: 1}, err
	case len(args) == 5 && strings.Contains(args[2], "exec systemctl stop "):
		h.mounts = slices.DeleteFunc(h.mounts, func(m string) bool { return strings.HasPrefix(m, "autofs ") })
		return host.Result{}, nil
	case slices.Equal(args, []string{"mount", "/srv/it"}):
		for line := range strings.Lines(h.fstab()) {
			if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "/srv/it" {
				h.mounts = append(h.mounts, fields[2]+" "+fields[0])
			}
		}
		return host.Result{}, nil
	case slices.Equal(args, []string{"umount", "/srv/it"}):
		h.mounts = h.mounts[:len(h.mounts)-1]
		return host.Result{}, nil
	}
	return h.Host.Run(ctx, cmd)
}

// WriteFile implements [host.Files].
func (h *mountHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := h.Host.WriteFile(ctx, path, content, opts)
	if path == fstab && h.written != nil {
		h.written()
	}
	return info, err
}

func (h *mountHost) fstab() string {
	h.t.Helper()
	_, r, err := h.Open(h.t.Context(), fstab)
	resourcetest.Must(h.t, err)
	text, err := io.ReadAll(r)
	resourcetest.Must(h.t, err, r.Close())
	return string(text)
}

// want fails the test unless these file systems are mounted, and fstab has this text.
func (h *mountHost) want(text string, mounts ...string) {
	h.t.Helper()
	if got := h.fstab(); got != text || !slices.Equal(h.mounts, mounts) {
		h.t.Errorf("the mounted file systems are %q, want %q; fstab is\n%s\nwant\n%s", h.mounts, mounts, got, text)
	}
}

// TestInterruptedUpdate checks that the next apply mounts the new file system if an update was killed after it had
// written the line, and that a destroy unmounts the old one.
func TestInterruptedUpdate(t *testing.T) {
	h := newMountHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	one, two := attrs("one", "tmpfs", "defaults"), attrs("two", "tmpfs", "defaults")
	interrupted := func() {
		o.Apply(one)
		resourcetest.WriteOn(t, h, fstab, strings.Replace(h.fstab(), "one /srv/it", "two /srv/it", 1))
		o.Refresh()
	}
	interrupted()
	o.Changes(two, "mounted_otherwise")
	o.Apply(two)
	h.want(others+"\ntwo /srv/it tmpfs defaults 0 0\n", "tmpfs two")

	interrupted()
	resourcetest.NoErrors(t, o.Destroy())
	h.want(others + "\n")
}

// TestInterruptedAutomount checks that a destroy stops the automount unit if an update was killed after it had removed the
// option from the line, or if a user added the option to the line and changed its source.
func TestInterruptedAutomount(t *testing.T) {
	for _, tt := range []struct{ applied, source, option string }{
		{applied: "x-systemd.automount", source: "one", option: "defaults"},
		{applied: "defaults", source: "two", option: "x-systemd.automount"},
	} {
		h := newMountHost(t)
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
		o.Apply(attrs("one", "tmpfs", tt.applied))
		h.mounts = []string{"autofs systemd-1", "tmpfs one"}
		resourcetest.WriteOn(t, h, fstab, others+"\n"+tt.source+" /srv/it tmpfs "+tt.option+" 0 0\n")
		o.Refresh()
		resourcetest.NoErrors(t, o.Destroy())
		h.want(others + "\n")
	}
}

// TestAppliedLine checks that the private data has no options that may have passwords.
func TestAppliedLine(t *testing.T) {
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, newMountHost(t)), "posix_mount")
	o.Apply(attrs("one", "tmpfs", "password=x"))
	var private struct{ Data map[string][]byte }
	resourcetest.Must(t, json.Unmarshal(o.Private, &private))
	if line := string(private.Data["line"]); line != "one /srv/it tmpfs defaults 0 0" {
		t.Errorf("the private data has the line %q, want the line without the password", line)
	}
}

// TestFailedReload checks that a create removes its line again if systemd cannot be reloaded: the host might not boot
// with the line.
func TestFailedReload(t *testing.T) {
	h := newMountHost(t)
	h.broken = true
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	set := attrs("one", "tmpfs", "defaults")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "Failed to reload daemon")
	h.want(others + "\n")
}

// TestInterruptedDelete checks that a destroy that is interrupted after removing the line reloads systemd: the next
// refresh does not find the line, so no later destroy would reload systemd.
func TestInterruptedDelete(t *testing.T) {
	h := newMountHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	o.Apply(attrs("one", "tmpfs", "defaults"))
	h.reloads, h.written = 0, func() { resourcetest.Must(t, o.Provider.Stop(t.Context())) }
	resourcetest.NoErrors(t, o.Destroy())
	h.want(others + "\n")
	if h.reloads != 1 {
		t.Errorf("systemd was reloaded %d times, want once", h.reloads)
	}
}
