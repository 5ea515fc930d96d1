package directory

import (
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Directory manages a directory: its mode and owner. The content of the directory is not
// managed.
//
// Every plan detects drift of the mode, and of owner and group if they are set; the
// next apply repairs it in place.
//
// On create, an existing directory is adopted if it is empty, or if its mode, owner
// and group are as configured. Any other directory is an error: import it to see in a
// plan what would change.
//
// Other resources should refer to the directory, as in
// `path = "${posix_directory.NAME.path}/file"`: then they are created after it.
// Otherwise one of them may create it first as a missing parent, with mode `0755`,
// which this resource corrects later in the same apply.
//
// A file, a symbolic link or any other object at the path is neither followed nor
// replaced: the plan shows a warning, and the apply of this resource fails. If a managed
// directory was replaced by such an object, the directory counts as deleted.
//
// On destroy, an empty directory is removed. A directory that is not empty is only
// removed if `force_destroy` is `true`. An object of another type in its place is kept.
type Directory struct {
	// Host to manage the directory on: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the directory, without `.`, `..`, double slashes or a trailing
	// slash. Must be UTF-8 in Unicode normalisation form C (NFC), like every string in
	// Terraform; directories with other names cannot be managed. Changing this forces a
	// new resource; the content is not moved.
	Path address.Path

	// Permissions as three or four octal digits, such as `0755` or `1777`. `755` and
	// `0755` are equivalent. Defaults to `0755`.
	Mode host.Mode

	// Owner of the directory, as a user name or UID. If unset, a new directory is owned
	// by the user the provider runs as on the host, and the owner of an existing
	// directory is not changed.
	Owner *string

	// Group of the directory, as a group name or GID. If unset, a new directory gets the
	// group that the host assigns, and the group of an existing directory is not changed.
	Group *string

	// Whether to create missing parent directories, with mode `0755` and the owner that
	// the host assigns. They are kept on destroy. Defaults to `true`.
	Parents bool

	// Whether to delete everything in the directory on destroy. Symbolic links are
	// deleted, but their targets are not. Nothing is deleted if a file system is mounted
	// at or below the directory, including a bind mount, or if that cannot be determined,
	// as on a host with SFTP only. A directory in which the same apply has created
	// objects is kept with its content. Takes effect once applied. Defaults to `false`: a
	// directory that is not empty is not deleted, and the error lists up to 10 of its
	// entries.
	ForceDestroy *bool

	lifecycle.Links
}

// Output is the state of a managed directory.
type Output struct {
	Host  *string `tf:",computed"`
	Path  address.Path
	Mode  host.Mode
	Owner *string `tf:",computed"`
	Group *string `tf:",computed"`
}

var (
	_ runtime.Defaulter                                                  = (*Directory)(nil)
	_ runtime.Constrainer                                                = (*Directory)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                           = (*Directory)(nil)
	_ runtime.InputEquivalencer[Directory]                               = (*Directory)(nil)
	_ runtime.Replacer[Directory]                                        = (*Directory)(nil)
	_ runtime.Mover                                                      = (*Directory)(nil)
	_ runtime.ResourcePlanModifier[Directory, *Output, *lifecycle.Scope] = (*Directory)(nil)
	_ runtime.Identifier[address.Identity, *Output, *lifecycle.Scope]    = (*Directory)(nil)
	_ runtime.ImportIDParser[address.Identity]                           = (*Directory)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Directory, *Output]()
}

// Constraints implements [runtime.Constrainer].
func (*Directory) Constraints() []runtime.Constraint { return []runtime.Constraint{address.HostRule()} }

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Directory) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn implements [runtime.Replacer].
func (*Directory) ReplaceOn(field string, prior, _ Directory) bool {
	return lifecycle.ReplacesHost(field, prior.Host)
}

// Defaults implements [runtime.Defaulter].
func (d *Directory) Defaults() {
	d.Mode = 0o755
	d.Parents = true
	d.ForceDestroy = new(false)
}

// EquivalentInput implements [runtime.InputEquivalencer]. Inputs that are only used on
// create never change an existing directory.
func (*Directory) EquivalentInput(field string, prior, current Directory) bool {
	switch field {
	case "mode":
		return prior.Mode == current.Mode
	case "parents":
		return true
	}
	return false
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. Updates do not change
// outputs, except for an object that was moved from another provider.
func (*Directory) ModifyResourcePlan(req runtime.ResourcePlanRequest[Directory, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if req.PriorInputs.Host != nil {
		return nil
	}
	d := &req.CurrentInputs
	ctx := req.Context()
	return req.Config.PlanMove(ctx, resp, req.PriorInputs.Path, d.Path, func() error {
		owner, group := access.Configured(ctx, d.Owner, d.Group)
		attrs, err := access.ResolveForPlan(ctx, req.Config, d.Mode, owner, group)
		if err == nil {
			err = d.checkMoved(ctx, req.Config.Host, attrs, req.PriorOutputs.Mode)
		}
		return err
	})
}

// Identity implements [runtime.Identifier].
func (*Directory) Identity(_ *lifecycle.Scope, out *Output) address.Identity {
	return address.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Directory) ParseImportID(id string) (address.Identity, error) {
	return address.ParseImportID(id)
}
