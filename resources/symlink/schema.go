package symlink

import (
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Symlink manages a symbolic link.
//
// The target is changed atomically: readers that follow the link reach either the old
// or the new target. Every plan detects drift of the target, and the next apply repairs
// it.
//
// On create, missing parent directories are created, with mode `0755` and the owner that
// the host assigns; they are kept on destroy. An existing link with the same target is
// adopted, and a link with another target is an error.
//
// A file, a directory or any other object at the path is not replaced: the plan shows a
// warning, and the apply of this resource fails. If a managed link was replaced by such
// an object, the link counts as deleted.
//
// On destroy, the link is removed and its target is kept. An object of another type in
// its place is kept.
type Symlink struct {
	// Host to manage the link on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the link, without `.`, `..` or double slashes. Must be UTF-8 in
	// Unicode normalisation form C (NFC), like every string in Terraform; links with
	// other names cannot be managed. Changing this forces a new resource.
	Path address.Path

	// Target of the link, absolute or relative to the directory of the link. The target
	// does not have to exist.
	Target Target

	lifecycle.Links
}

// Output is the state of a managed link.
type Output struct {
	Host   *string `tf:",computed"`
	Path   address.Path
	Target Target
}

// Target is the target of a link.
type Target string

// MarshalText implements [encoding.TextMarshaler].
func (t Target) MarshalText() ([]byte, error) { return []byte(t), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns an error for a text that cannot be the target of a link.
func (t *Target) UnmarshalText(text []byte) error {
	switch {
	case len(text) == 0:
		return errors.New("the target must not be empty")
	case strings.Contains(string(text), "\x00"):
		return errors.New("the target must not contain NUL bytes")
	}
	*t = Target(text)
	return nil
}

var (
	_ runtime.TypedResource[Symlink, *Output, *lifecycle.Scope]        = (*Symlink)(nil)
	_ runtime.Constrainer                                              = (*Symlink)(nil)
	_ runtime.Replacer[Symlink]                                        = (*Symlink)(nil)
	_ runtime.Mover                                                    = (*Symlink)(nil)
	_ runtime.ResourcePlanModifier[Symlink, *Output, *lifecycle.Scope] = (*Symlink)(nil)
	_ runtime.Identifier[address.Identity, *Output, *lifecycle.Scope]  = (*Symlink)(nil)
	_ runtime.ImportIDParser[address.Identity]                         = (*Symlink)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Symlink, *Output]()
}

// Constraints implements [runtime.Constrainer].
func (*Symlink) Constraints() []runtime.Constraint { return []runtime.Constraint{address.HostRule()} }

// SchemaVersion implements [runtime.TypedResource].
func (*Symlink) SchemaVersion() int { return 0 }

// ReplaceFields implements [runtime.TypedResource].
func (*Symlink) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn implements [runtime.Replacer].
func (*Symlink) ReplaceOn(field string, prior, _ Symlink) bool {
	return lifecycle.ReplacesHost(field, prior.Host)
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update does not change
// outputs, except for an object that was moved from another provider.
func (*Symlink) ModifyResourcePlan(req runtime.ResourcePlanRequest[Symlink, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if req.PriorInputs.Host != nil {
		return nil
	}
	s := &req.CurrentInputs
	return req.Config.PlanMove(req.Context(), resp, req.PriorInputs.Path, s.Path, func() error {
		_, err := s.adoptMoved(req.Context(), req.Config.Host, req.PriorInputs.Target)
		return err
	})
}

// Identity implements [runtime.Identifier].
func (*Symlink) Identity(_ *lifecycle.Scope, out *Output) address.Identity {
	return address.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Symlink) ParseImportID(id string) (address.Identity, error) { return address.ParseImportID(id) }
