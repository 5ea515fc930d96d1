package mount

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Mount manages a mounted file system of a Linux host: its line in `/etc/fstab` and
// the mount itself. The rest of the file stays unchanged, byte for byte.
//
// Every plan detects drift. It shows a changed line as a difference in the attribute
// of the changed field, a file system that was mounted or unmounted by hand as a
// difference in `mounted`, and another file system or other options in
// `mounted_otherwise`. A missing line is added again. If the line was changed or another
// file system was mounted after the plan was made, the update fails and replaces nothing:
// a new plan shows the change.
//
// A change of `options` remounts the file system, unless it affects only options that
// are not passed to the kernel, such as `nofail`. A change of `source` or `type`
// unmounts it and mounts it again, unless the mounted file system already has the new
// source and type. The unmount fails if the file system is in use. Options that are removed
// from the configuration may stay in effect until the next mount, since a remount
// cannot reset all of them.
//
// On create, an existing line for the path is adopted if it is as configured. Any other
// line for the path is an error: import it to see in a plan what would change. A file
// system that is mounted at the path is adopted if it has the configured source and type;
// if its options differ, the apply remounts it, and the plan shows a warning if the host
// can be reached. Any other file system mounted there is an error, and so is any file
// system mounted there if `mounted` is `false`. If mounting fails, a line that the create
// added is removed again.
//
// On destroy, the file system is unmounted and the line is removed; the directory is
// kept. Another file system that is mounted at the path stays mounted, with a warning. If a
// bind mount includes copies of file systems that are mounted below its source, the
// copies are unmounted with it, and the originals stay mounted. A file system with
// its own line in `/etc/fstab` does not count as a copy. If the bind mount or one of the
// copies is in use, all of them stay mounted.
//
// If the option `x-systemd.automount` is removed, the update unmounts the file system,
// stops its automount unit and, unless `mounted` is `false`, mounts the file system
// again. A destroy also stops the unit.
//
// The provider must run as root on the host.
type Mount struct {
	// Host to mount the file system on: a key of the provider's `hosts`, an alias from
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to
	// the provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the mount point, without `.`, `..`, double slashes or a trailing
	// slash. Must be a directory, or a file for the bind mount of a file. Changing this
	// forces a new resource.
	Path address.Path

	// Source of the mount, as in the first field of the line: a device (`/dev/sdb1`,
	// `UUID=…`, `LABEL=…`), a network file system (`server:/export`), a directory or file
	// with the option `bind`, or any name for types that need no source (`tmpfs`).
	Source string

	// Type of the file system, such as `ext4`, `nfs` or `tmpfs`; `none` for a bind mount.
	Type string

	// Mount options, one per element. Store passwords in a file (`credentials=…`), since
	// all users can read `/etc/fstab`. Defaults to `["defaults"]`.
	//
	// Drift of the mounted options is detected as follows. `ro`, `nosuid`, `nodev`,
	// `noexec`, `sync` and `nosymfollow` must be in effect if they are listed or implied,
	// as by `user`, and only then. Other flags must be in effect if they are listed, and
	// options with a value must have this value, as far as the kernel shows them. Other
	// options that the kernel shows, such as `relatime`, are ignored. A bind mount
	// inherits the flags of its source, so only flags that are listed or implied are compared.
	Options []string

	// Whether dump(8) backs up the file system: the fifth field of the line. Defaults to
	// `0`.
	Dump *int64

	// Order in which fsck(8) checks the file system at boot: the sixth field of the line.
	// `1` is for the root file system, `2` for others, and `0` (the default) disables the
	// check.
	Pass *int64

	// Whether the file system is mounted. If `false`, the line is kept and the file
	// system is unmounted; add the option `noauto` to keep it unmounted at boot. Defaults
	// to `true`.
	//
	// While systemd waits for the next access to a file system with the option
	// `x-systemd.automount`, `mounted` has the configured value. `false` does not prevent
	// systemd from mounting such a file system on access: also remove the option.
	Mounted bool

	// Whether to create a missing mount point and its parent directories, with mode
	// `0755`. They are kept on destroy. Defaults to `true`.
	CreateDirectory bool
}

// Output is the state of a managed mount.
type Output struct {
	Host    *string `tf:",computed"`
	Path    address.Path
	Source  string
	Type    string
	Options []string
	Dump    *int64
	Pass    *int64
	Mounted bool

	// Difference between the mounted file system and its line in `/etc/fstab`, as text.
	// Null if there is none, or if nothing is mounted.
	MountedOtherwise *string
}

var (
	_ runtime.Defaulter                                               = (*Mount)(nil)
	_ runtime.Constrainer                                             = (*Mount)(nil)
	_ runtime.InputEquivalencer[Mount]                                = (*Mount)(nil)
	_ runtime.ResourcePlanModifier[Mount, *Output, *lifecycle.Scope]  = (*Mount)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                         = (*Mount)(nil)
	_ runtime.Identifier[address.Identity, *Output, *lifecycle.Scope] = (*Mount)(nil)
	_ runtime.ImportIDParser[address.Identity]                        = (*Mount)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Mount, *Output]()
}

// Defaults implements [runtime.Defaulter].
func (m *Mount) Defaults() {
	m.Options = []string{"defaults"}
	m.Dump, m.Pass = new(int64(0)), new(int64(0))
	m.Mounted, m.CreateDirectory = true, true
}

// Constraints implements [runtime.Constrainer].
func (*Mount) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("path", "", func(p address.Path) error { return checkField(string(p)) }),
		runtime.Check("source", "", checkField),
		runtime.Check("type", "", checkType),
		runtime.Length("options", 1, 0),
		runtime.Each(runtime.Check("options", "must be a single option", checkOption)),
		runtime.Range("dump", 0, 1),
		runtime.Range("pass", 0, 99),
	}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Mount) ReplaceFields() []string { return []string{"host", "path"} }

// EquivalentInput implements [runtime.InputEquivalencer]. create_directory has no effect
// while something is mounted; otherwise, an update may have to create the directory.
func (*Mount) EquivalentInput(field string, prior, _ Mount) bool {
	return field == "create_directory" && prior.Mounted
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*Mount) ModifyResourcePlan(req runtime.ResourcePlanRequest[Mount, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if req.PriorOutputs.MountedOtherwise != nil {
		resp.MarkOutputUnknown("mounted_otherwise")
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner].
func (*Mount) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	plan.Set("mounted_otherwise", nil)
	return nil
}

// Identity implements [runtime.Identifier].
func (*Mount) Identity(_ *lifecycle.Scope, out *Output) address.Identity {
	return address.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Mount) ParseImportID(id string) (address.Identity, error) { return address.ParseImportID(id) }

// entry returns the configured line.
func (m *Mount) entry() entry {
	e := entry{source: m.Source, path: string(m.Path), fsType: m.Type, options: m.Options}
	if m.Dump != nil {
		e.dump = *m.Dump
	}
	if m.Pass != nil {
		e.pass = *m.Pass
	}
	return e
}

// output returns the state of a mount with this line, with its texts in the form of
// [address.Shown].
func output(h host.Host, e entry, mounted bool) *Output {
	out := &Output{
		Host: new(h.Name()), Path: address.Path(e.path), Source: address.Shown(e.source), Type: address.Shown(e.fsType),
		Dump: &e.dump, Pass: &e.pass, Mounted: mounted,
	}
	for _, option := range e.options {
		out.Options = append(out.Options, address.Shown(option))
	}
	return out
}

// checkField returns an error for a text that cannot be a field of a line.
func checkField(text string) error {
	switch {
	case text == "":
		return errors.New("must not be empty")
	case !utf8.ValidString(text):
		return errors.New("must be valid UTF-8")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return errors.New("must not contain control characters other than tabs")
	}
	return nil
}

// checkType returns an error for a type that cannot be mounted.
func checkType(kind string) error {
	if err := checkField(kind); err != nil {
		return err
	}
	if kind == "swap" || kind == "ignore" {
		return fmt.Errorf("must be the type of a file system that is mounted at a path, but is %s", kind)
	}
	if strings.ContainsFunc(kind, unicode.IsSpace) {
		return errors.New("a type must be a single word")
	}
	return nil
}

// checkOption returns an error for a text that is not exactly one option. The error does not contain the
// option, which may be a password.
func checkOption(option string) error {
	if err := checkField(option); err != nil {
		return err
	}
	if strings.Count(option, `"`)%2 != 0 {
		return errors.New("the option has a quotation mark that is not closed")
	}
	if len(splitOptions(option)) != 1 {
		return errors.New("the element has several options: use one element for each")
	}
	if option == "remount" {
		return errors.New("remount is not an option for fstab")
	}
	return nil
}
