// Package symlink is the resource posix_symlink: a symbolic link with its target.
//
// It decides when an existing link is adopted, and how to show a target that a string of
// Terraform cannot contain.
//
// Invariants: the link is not followed, and its target need not exist; only a link is
// replaced or deleted; a change of the target replaces the link atomically.
//
// Elsewhere: package host replaces the link.
package symlink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Symlink Output

// Symlink manages a symbolic link.
//
// The target is changed atomically: readers that follow the link reach either the old
// or the new target. Every plan detects drift of the target, and the next apply repairs
// it. An update fails if it would replace a target that was changed after the plan was made: a
// new plan shows that change. A change of `follow_links` to `true` replaces any target.
//
// On create, missing parent directories are created, with mode `0755` and the owner that
// the host assigns; they are kept on destroy. An existing link with the same target is
// adopted. A link with a different target is an error: import it to see in a plan what
// would change.
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

	// Absolute path of the link, without `.`, `..`, double slashes or a trailing slash.
	// Must be UTF-8 in Unicode normalisation form C (NFC), like every string in
	// Terraform; links with other names cannot be managed. Changing this forces a new
	// resource.
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

// Target is the path that a symbolic link points to.
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

// ReplaceFields implements [runtime.ReplaceDeclarer].
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

// Place implements [lifecycle.Object].
func (s *Symlink) Place() (*string, lifecycle.Key) { return s.Host, s.Path }

// Preflight implements [lifecycle.Preflighter].
func (s *Symlink) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	info, err := scope.CachedLstat(ctx, s.Path)
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	return s.checkAdoptable(scope.Host, info)
}

// checkAdoptable returns an error if the object at the path is not the configured link.
func (s *Symlink) checkAdoptable(h host.Host, info host.FileInfo) error {
	switch {
	case info.Type != host.TypeSymlink:
		return hostpath.WrongType(h, s.Path, host.TypeSymlink, info.Type)
	case info.LinkTarget == string(s.Target):
		return nil
	}
	return lifecycle.ConflictErrorf("path", "%s already exists on host %s, as a link to %s. "+
		"To manage it, import it (id %q); a plan then shows the change of its target. Or remove it, "+
		"for example if it is the link that this resource replaces with create_before_destroy",
		s.Path, h.Name(), host.QuotePath(info.LinkTarget), h.Name()+":"+string(s.Path))
}

// Create implements [runtime.TypedResource].
func (s *Symlink) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	info, err := s.inDirectory(ctx, h, h.Symlink)
	if errors.Is(err, fs.ErrExist) {
		if info, err = h.Lstat(ctx, string(s.Path)); err == nil {
			err = s.checkAdoptable(h, info)
		}
	}
	if err != nil {
		return nil, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	}
	return s.output(h, info), nil
}

// inDirectory creates or replaces the link by calling the function link, and creates missing parent
// directories.
func (s *Symlink) inDirectory(ctx context.Context, h host.Host, link func(ctx context.Context, target, path string) (host.FileInfo, error)) (info host.FileInfo, err error) {
	err = hostpath.InDirectory(ctx, h, s.Path, true, func() (err error) {
		info, err = link(ctx, string(s.Target), string(s.Path))
		return err
	})
	return info, err
}

// Read implements [runtime.TypedResource].
func (s *Symlink) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	info, err := hostpath.Lstat(ctx, h, s.Path, host.TypeSymlink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return s.output(h, info), nil
}

// Update implements [runtime.TypedResource]. It does not replace a target that the plan did
// not show, unless follow_links changes to true: then the refresh may not have read the target.
func (s *Symlink) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Symlink, *Output]) (*Output, error) {
	h := scope.Host
	var was *string // the target that may be replaced; nil for any
	if prior.Inputs.Host == nil {
		info, err := s.adoptMoved(ctx, h, prior.Inputs.Target)
		if err != nil {
			return nil, err
		}
		was = &info.LinkTarget
	} else if !s.FollowsLinks() || prior.Inputs.FollowsLinks() { // otherwise the refresh may not have read the link
		was = new(string(prior.Observed.Target))
	}
	replace := func(ctx context.Context, target, path string) (host.FileInfo, error) {
		return h.ReplaceSymlink(ctx, target, path, was)
	}
	info, err := s.inDirectory(ctx, h, replace)
	other, changed := errors.AsType[*host.TargetError](err)
	if changed && Target(address.Shown(other.Got)) == prior.Observed.Target { // the state has the target in a different form
		was = &other.Got
		info, err = s.inDirectory(ctx, h, replace)
		_, changed = errors.AsType[*host.TargetError](err)
	}
	switch {
	case changed:
		return nil, lifecycle.PartChangedAfterPlan("path", h, "the target of "+s.Path.String())
	case err != nil:
		return nil, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	}
	return s.output(h, info), nil
}

// Delete implements [runtime.TypedResource].
func (s *Symlink) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return hostpath.Remove(ctx, scope.Host, s.Path, host.TypeSymlink)
}

func (s *Symlink) output(h host.Host, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: s.Path, Target: Target(address.Shown(info.LinkTarget))}
}

// Moves implements [runtime.Mover].
func (*Symlink) Moves() []runtime.Move {
	type link struct{ Path, Target string }
	return []runtime.Move{
		runtime.MoveFrom("neuspaces/system", "system_link", func(ctx context.Context, old link) (s Symlink, out *Output, err error) {
			if err = s.Path.UnmarshalText([]byte(old.Path)); err != nil {
				return s, nil, err
			}
			if err = s.Target.UnmarshalText([]byte(old.Target)); err != nil {
				return s, nil, err
			}
			lifecycle.MarkHostUnknown(ctx)
			return s, &Output{Path: s.Path, Target: s.Target}, nil
		}),
	}
}

// adoptMoved returns the existing link for a state that was moved from a provider whose
// state has no host. It returns an error if the link has neither the target of that state
// nor the configured one.
func (s *Symlink) adoptMoved(ctx context.Context, h host.Host, was Target) (host.FileInfo, error) {
	return lifecycle.AdoptMoved(ctx, h, s.Path, host.TypeSymlink, func(info host.FileInfo) error {
		if Target(address.Shown(info.LinkTarget)) == was {
			return nil // the plan shows the change of the target
		}
		return s.checkAdoptable(h, info)
	})
}
