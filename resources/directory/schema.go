package directory

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Directory manages a directory: its mode and owner. What is in it is not
// managed, except that a directory with anything in it is not deleted unless
// `force_destroy` is set.
//
// A directory that exists already is adopted when the resource is created if it
// is empty, or if its mode, owner and group are as configured. Any other is an
// error: import it, so that a plan shows what would change. A file, a link or
// anything else at the path is an error, and is neither followed nor replaced.
type Directory struct {
	// The host that the directory is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new directory.
	Host *string

	// The absolute path of the directory, without `.`, `..` or double slashes.
	// Names are text in UTF-8 and in normalisation form C, as all text in Terraform:
	// what has another one on the host cannot be managed.
	// Changing it makes a new directory; nothing is moved.
	Path target.Path

	// The permissions as three or four octal digits, as `0755` or `1777`; `755`
	// and `0755` are the same. The default is `0755`.
	Mode host.Mode

	// The user that owns the directory, by name or number. When unset, that is
	// the user whom the provider works as for a new directory, and is left alone
	// for one that exists.
	Owner *string

	// The group of the directory, by name or number. When unset, it is the one
	// that the host gives to a new directory, and is left alone for one that
	// exists.
	Group *string

	// Whether to create missing directories above this one, with mode 0755 and
	// the owner that the host gives to new directories. They are left when the
	// directory is destroyed. The default is true.
	Parents bool

	// Whether everything in the directory is deleted when the resource is
	// destroyed. Links in it are deleted, what they point to is not, and where
	// another file system is mounted in it nothing is deleted at all. It must be
	// applied before it has an effect. The default is false: a directory that is
	// not empty is then not deleted, and the error says what is in it.
	ForceDestroy *bool
}

// Output is what is known of a directory that exists.
type Output struct {
	Host  *string `tf:",computed"`
	Path  target.Path
	Mode  host.Mode
	Owner *string `tf:",computed"`
	Group *string `tf:",computed"`
}

var (
	_ runtime.TypedResource[Directory, *Output, *target.Hosts]        = (*Directory)(nil)
	_ runtime.Defaulter                                               = (*Directory)(nil)
	_ runtime.Constrainer                                             = (*Directory)(nil)
	_ runtime.InputValidator[*target.Hosts]                           = (*Directory)(nil)
	_ runtime.InputEquivalencer[Directory]                            = (*Directory)(nil)
	_ runtime.Replacer[Directory]                                     = (*Directory)(nil)
	_ runtime.Mover                                                   = (*Directory)(nil)
	_ runtime.ResourcePlanModifier[Directory, *Output, *target.Hosts] = (*Directory)(nil)
	_ runtime.Identifier[target.Identity, *Output, *target.Hosts]     = (*Directory)(nil)
	_ runtime.ImportIDParser[target.Identity]                         = (*Directory)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Directory, *Output, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*Directory) Constraints() []runtime.Constraint { return []runtime.Constraint{target.HostRule()} }

// SchemaVersion is part of [runtime.TypedResource].
func (*Directory) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Directory) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn is part of [runtime.Replacer].
func (*Directory) ReplaceOn(field string, prior, _ Directory) bool {
	return target.ReplacesHost(field, prior.Host)
}

// Defaults is part of [runtime.Defaulter].
func (d *Directory) Defaults() {
	d.Mode = 0o755
	d.Parents = true
	d.ForceDestroy = new(false)
}

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when
// a directory is created never changes one that exists.
func (*Directory) EquivalentInput(_ context.Context, field string, prior, current Directory) bool {
	switch field {
	case "mode":
		return prior.Mode == current.Mode
	case "parents":
		return true
	}
	return false
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. No output ever
// changes by an update: all are configured, or are what is there.
func (*Directory) ModifyResourcePlan(req runtime.ResourcePlanRequest[Directory, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	if req.PriorInputs.Host == nil {
		return planArrival(req, resp)
	}
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.Path)
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Directory) Identity(_ *target.Hosts, out *Output) target.Identity {
	return target.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Directory) ParseImportID(id string) (target.Identity, error) { return target.ParseImportID(id) }
