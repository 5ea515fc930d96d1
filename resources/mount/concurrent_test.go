package mount_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// mountingHost is a host on which another program mounts file systems before and after the provider does.
type mountingHost struct {
	resourcetest.Recorded
	before, after string // scripts that run before and after mount(8); none if empty
	lost          bool   // whether the connection is lost before the result of mount(8) arrives
}

// Run implements [host.Runner].
func (h *mountingHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if args := remotecmd.Program(cmd); len(args) == 0 || args[0] != "mount" {
		return h.Recorded.Run(ctx, cmd)
	}
	if err := h.does(h.before); err != nil {
		return host.Result{}, err
	}
	result, err := h.Recorded.Run(ctx, cmd)
	err = errors.Join(err, h.does(h.after))
	if h.lost {
		err = errors.Join(err, errors.New("connection lost"))
	}
	return result, err
}

func (h *mountingHost) does(script string) error {
	if script == "" {
		return nil
	}
	return h.Does(script)()
}

func attrs(source, kind, option string) resourcetest.Attrs {
	return resourcetest.Attrs{
		"path": cty.StringVal("/srv/it"), "source": cty.StringVal(source), "type": cty.StringVal(kind), "options": cty.ListVal([]cty.Value{cty.StringVal(option)}),
	}
}

// TestRecordedFailedCreate checks that a failed create unmounts only the file system that it mounted.
func TestRecordedFailedCreate(t *testing.T) {
	h := record(t)
	const (
		theirs = "mount -t tmpfs theirs /srv/it"
		kept   = "not unmounted: another program may have mounted the file systems at /srv/it on host local: "
	)
	for _, tt := range []struct {
		name          string
		attrs         resourcetest.Attrs
		before, after string
		lost          bool
		want          []string
		mounted       string // sources at the path after the create
	}{
		{
			name: "not mounted", attrs: attrs("one", "nothing", "defaults"), before: theirs,
			want: []string{"unknown filesystem type", kept + "theirs of type tmpfs."}, mounted: "theirs",
		},
		{
			name: "not mounted, but by another program", attrs: attrs("one", "tmpfs", "nothing=1"), before: "mount -t tmpfs one /srv/it",
			want: []string{"cannot mount one at /srv/it", kept + "one of type tmpfs."}, mounted: "one",
		},
		{
			name: "mounted below", attrs: attrs("one", "tmpfs", "defaults"), after: theirs,
			want: []string{"theirs of type tmpfs is mounted at /srv/it instead", kept + "one of type tmpfs, theirs of type tmpfs."}, mounted: "one theirs",
		},
		{
			name: "mounted above", attrs: attrs("one", "proc", "gid=010"), before: theirs,
			want: []string{"gid=8 is in effect instead of gid=010"}, mounted: "theirs",
		},
		{
			name: "replaced", attrs: attrs("one", "tmpfs", "defaults"), after: "umount /srv/it; " + theirs,
			want: []string{"theirs of type tmpfs is mounted at /srv/it instead", kept + "theirs of type tmpfs."}, mounted: "theirs",
		},
		{
			name: "unknown outcome", attrs: attrs("one", "tmpfs", "defaults"), lost: true,
			want: []string{"cannot mount one at /srv/it on host local: connection lost"},
		},
		{
			name: "unknown outcome, not mounted", attrs: attrs("one", "nothing", "defaults"), before: theirs, lost: true,
			want: []string{"connection lost", kept + "theirs of type tmpfs."}, mounted: "theirs",
		},
		{
			name: "unknown outcome, mounted below", attrs: attrs("one", "tmpfs", "defaults"), after: theirs, lost: true,
			want: []string{"connection lost", kept + "one of type tmpfs, theirs of type tmpfs."}, mounted: "one theirs",
		},
	} {
		t.Run(tt.name, func(t *testing.T) { // not parallel: all have the same path
			resourcetest.Must(t, h.Does("mkdir -p /srv/it")())
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, &mountingHost{Recorded: h, before: tt.before, after: tt.after, lost: tt.lost}), "posix_mount")
			plan := o.Plan(tt.attrs)
			resourcetest.NoErrors(t, plan.Diagnostics)
			diags := o.ApplyPlan(tt.attrs, plan)
			for _, want := range tt.want {
				resourcetest.WantError(t, diags, "", want)
			}
			is := h.Does("test \"$(echo $(findmnt -n -o SOURCE -M /srv/it))\" = '" + tt.mounted + "'; ! grep /srv/it /etc/fstab")()
			resourcetest.Must(t, h.Does("while umount /srv/it 2>/dev/null; do :; done")(), is)
		})
	}
}

// TestRecordedFailedUpdate checks that after a failed update, the same file systems are mounted as before.
func TestRecordedFailedUpdate(t *testing.T) {
	h := record(t)
	mounted := func(a resourcetest.Attrs, is bool) resourcetest.Attrs {
		a["mounted"] = cty.BoolVal(is)
		return a
	}
	for _, tt := range []struct {
		name        string
		prior, next resourcetest.Attrs
		want, types string
	}{
		{
			name: "of another type", prior: attrs("one", "tmpfs", "noexec"), next: attrs("two", "proc", "gid=010"),
			want: "gid=8 is in effect instead of gid=010", types: "one tmpfs",
		},
		{
			name: "not mounted before", prior: mounted(attrs("one", "tmpfs", "noexec"), false), next: mounted(attrs("one", "tmpfs", "nothing=1"), true),
			want: "cannot mount one at /srv/it",
		},
	} {
		t.Run(tt.name, func(t *testing.T) { // not parallel: all have the same path
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
			o.Apply(tt.prior)
			plan := o.Plan(tt.next)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.WantError(t, o.ApplyPlan(tt.next, plan), "", tt.want)
			resourcetest.Must(t, h.Does("test \"$(echo $(findmnt -n -o SOURCE,FSTYPE -M /srv/it))\" = '"+tt.types+"'; grep '^one /srv/it tmpfs .*noexec' /etc/fstab")())
			resourcetest.NoErrors(t, o.Destroy())
		})
	}
}

// TestRecordedRemount checks that an update of the options does not remount a file system that another
// program mounted at the path.
func TestRecordedRemount(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	edited := &resourcetest.EditedHost{Host: h}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, edited), "posix_mount")
	next := attrs("one", "tmpfs", "noexec")
	o.Apply(attrs("one", "tmpfs", "defaults"))
	for _, tt := range []struct {
		source string
		late   bool // mounted while the update runs
		want   string
	}{
		{source: "theirs", late: true, want: "not remounted: during the apply, another program mounted theirs of type tmpfs at /srv/it on host local"},
		{source: "one", late: true, want: "not remounted: during the apply, another program mounted one of type tmpfs at /srv/it on host local"},
		{source: "one", want: "not remounted: at /srv/it on host local, several file systems of type tmpfs with the source one are mounted one over another"},
	} {
		o.Refresh()
		plan := o.Plan(next)
		resourcetest.NoErrors(t, plan.Diagnostics)
		mount := func() { does("mount -t tmpfs " + tt.source + " /srv/it") }
		if tt.late {
			edited.BeforeWrite = mount
		} else {
			mount()
		}
		resourcetest.WantError(t, o.ApplyPlan(next, plan), "", tt.want)
		does("grep ' /srv/it .*noexec' /proc/self/mountinfo /etc/fstab && exit 1; umount /srv/it")
	}
	o.Apply(next)
	resourcetest.NoErrors(t, o.Destroy())
}
