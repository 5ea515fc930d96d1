package mount

import (
	"context"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Mount manages a file system that is mounted on a host that runs Linux: its line in
// /etc/fstab, and that it is mounted as the line says. The rest of the file stays as it
// is, byte for byte.
//
// A change made by hand of either shows in the next plan: of the line as the attribute
// that it changes; that it was unmounted, or mounted, as `mounted`; and that something
// else is mounted there, or with other options, as `mounted_otherwise`. An object is gone
// when its line is.
//
// A change of the options remounts; one of `source` or `type` unmounts and mounts, which
// fails where the file system is in use. Options of the file system that are taken out of
// the configuration may stay in effect until it is mounted again, as a remount cannot take
// all of them away.
//
// A line, or something mounted, that is there when the resource is created is taken
// over if it is as configured. Any other is an error: import it, so that a plan shows
// what would change. Where mounting fails, the line is not left behind. Destroying the
// resource unmounts and removes the line; the directory stays.
type Mount struct {
	// The host: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default. Changing it makes a
	// new object.
	Host *string

	// The absolute path of the directory at which it is mounted, without `.`, `..` or
	// double slashes. For a bind mount of a file it is a file. Changing it makes a new
	// object.
	Path target.Path

	// What is mounted, as the first field of the line has it: a device (`/dev/sdb1`,
	// `UUID=…`, `LABEL=…`), what a network has (`server:/export`), a directory with the
	// option `bind`, or any name for what needs none (`tmpfs`).
	Source string

	// The type of the file system, as `ext4`, `nfs`, `tmpfs`, or `none` for a bind mount.
	Type string

	// The options, each as one element. The default is `["defaults"]`. Of what is mounted, these
	// are compared: whether `ro`, `nosuid`, `nodev`, `noexec`, `sync` and `nosymfollow` are
	// in effect when, and only when, they are here; whether the other flags that are here are,
	// and those with a value have this one, as far as the kernel shows them. What else the kernel
	// shows, such as `relatime`, does not count. A bind mount begins with the flags of what it shows,
	// so of those only the ones that are here are compared. Give passwords in a file
	// (`credentials=…`): everybody can read /etc/fstab.
	Options []string

	// The fifth field of the line: whether dump(8) saves the file system. The default is 0.
	Dump *int64

	// The sixth field: when fsck(8) checks it as the host starts. 0 is never, and the
	// default; 1 is for the root file system, 2 for others.
	Pass *int64

	// Whether it is mounted now. When false, there is the line, and what is mounted is
	// unmounted; with the option `noauto` it then stays so. The default is true.
	Mounted bool

	// Whether to create the directory, with those above it, with mode 0755, where it is
	// missing. It is left when the resource is destroyed. The default is true.
	CreateDirectory bool
}

// Output is what is known of a mount that exists.
type Output struct {
	Host    *string `tf:",computed"`
	Path    target.Path
	Source  string
	Type    string
	Options []string
	Dump    *int64
	Pass    *int64
	Mounted bool

	// In which way what is mounted is not as configured, in words; null where it is, and
	// where nothing is mounted.
	MountedOtherwise *string
}

var (
	_ runtime.TypedResource[Mount, *Output, *target.Hosts]        = (*Mount)(nil)
	_ runtime.Defaulter                                           = (*Mount)(nil)
	_ runtime.Constrainer                                         = (*Mount)(nil)
	_ runtime.InputValidator[*target.Hosts]                       = (*Mount)(nil)
	_ runtime.InputEquivalencer[Mount]                            = (*Mount)(nil)
	_ runtime.ResourcePlanModifier[Mount, *Output, *target.Hosts] = (*Mount)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                        = (*Mount)(nil)
	_ runtime.Identifier[target.Identity, *Output, *target.Hosts] = (*Mount)(nil)
	_ runtime.ImportIDParser[target.Identity]                     = (*Mount)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Mount, *Output, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (m *Mount) Defaults() {
	m.Options = []string{"defaults"}
	m.Dump, m.Pass = new(int64(0)), new(int64(0))
	m.Mounted, m.CreateDirectory = true, true
}

// Constraints is part of [runtime.Constrainer].
func (*Mount) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("path", "", func(p target.Path) error { return checkField(string(p)) }),
		runtime.Check("source", "", checkField),
		runtime.Check("type", "", checkType),
		runtime.Length("options", 1, 0),
		runtime.Each(runtime.Check("options", "must be a single option", checkOption)),
		runtime.Range("dump", 0, 1),
		runtime.Range("pass", 0, 99),
	}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Mount) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Mount) ReplaceFields() []string { return []string{"host", "path"} }

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when a
// directory is created never changes one that exists, as it does where something is
// mounted. Where nothing is, an update may have to create it.
func (*Mount) EquivalentInput(_ context.Context, field string, prior, _ Mount) bool {
	return field == "create_directory" && prior.Mounted
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*Mount) ModifyResourcePlan(req runtime.ResourcePlanRequest[Mount, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.Path)
	if req.PriorOutputs.MountedOtherwise != nil {
		resp.MarkOutputUnknown("mounted_otherwise")
	}
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (m *Mount) PlanOutputs(_ context.Context, hosts *target.Hosts, plan *runtime.OutputPlan) error {
	h, err := hosts.Find(m.Host)
	if err != nil {
		return err
	}
	plan.Set("host", h.Name())
	plan.Set("mounted_otherwise", nil)
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Mount) Identity(_ *target.Hosts, out *Output) target.Identity {
	return target.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Mount) ParseImportID(id string) (target.Identity, error) { return target.ParseImportID(id) }

// entry is the line that is configured.
func (m *Mount) entry() entry {
	e := entry{source: m.Source, path: string(m.Path), kind: m.Type, options: m.Options}
	if m.Dump != nil {
		e.dump = *m.Dump
	}
	if m.Pass != nil {
		e.pass = *m.Pass
	}
	return e
}

// output is what is known of a mount with this line. What is no text in it was never
// configured.
func output(h host.Host, e entry, mounted bool) *Output {
	out := &Output{
		Host: new(h.Name()), Path: target.Path(e.path), Source: text(e.source), Type: text(e.kind),
		Dump: &e.dump, Pass: &e.pass, Mounted: mounted,
	}
	for _, option := range e.options {
		out.Options = append(out.Options, text(option))
	}
	return out
}

func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
