package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (d *Directory) Place() (*string, lifecycle.Key) { return d.Host, d.Path }

// ValidateInputs implements [runtime.InputValidator].
func (d *Directory) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	return scope.Preflight(ctx, func() error {
		owner, group := access.Configured(ctx, d.Owner, d.Group)
		attrs, err := access.ResolveForPlan(ctx, scope, d.Mode, owner, group)
		if err != nil || !runtime.PlansCreate(ctx) || scope.Owned() {
			return err
		}
		info, err := scope.CachedLstat(ctx, d.Path)
		if err != nil {
			return lifecycle.ConnectionError(err)
		}
		return d.checkAdoptable(ctx, h, info, attrs)
	})
}

func (d *Directory) attributes(ctx context.Context, scope *lifecycle.Scope) (host.Host, host.Attributes, error) {
	h := scope.Host
	owner, group := access.Configured(ctx, d.Owner, d.Group)
	attrs, err := access.Resolve(ctx, h, d.Mode, owner, group)
	return h, attrs, err
}

// checkAdoptable returns an error if a create must not adopt the object at the path.
func (d *Directory) checkAdoptable(ctx context.Context, h host.Host, info host.FileInfo, attrs host.Attributes) error {
	if info.Type != host.TypeDirectory {
		return hostpath.WrongType(h, d.Path, host.TypeDirectory, info.Type)
	}
	if !access.Differs(info, attrs) {
		return nil
	}
	entries, err := h.ReadDir(ctx, string(d.Path))
	if err != nil {
		return hostpath.Explain(h, d.Path, host.TypeDirectory, err)
	}
	if len(entries) == 0 {
		return nil
	}
	return lifecycle.ConflictErrorf("path", "the directory %s already exists on host %s with mode %s, owner %s and group %s, which differs from the configuration. "+
		"Import it (id %q) to see in a plan what would change, or change the configuration",
		d.Path, h.Name(), info.Mode, info.Owner, info.Group, h.Name()+":"+string(d.Path))
}

// Create implements [runtime.TypedResource].
func (d *Directory) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h, attrs, err := d.attributes(ctx, scope)
	if err != nil {
		return nil, err
	}
	info, err := d.mkdir(ctx, h, attrs)
	if errors.Is(err, fs.ErrExist) {
		info, err = d.adopt(ctx, scope, attrs)
	}
	if err != nil {
		return nil, hostpath.Explain(h, d.Path, host.TypeDirectory, err)
	}
	return d.output(h, info), nil
}

func (d *Directory) mkdir(ctx context.Context, h host.Host, attrs host.Attributes) (host.FileInfo, error) {
	var info host.FileInfo
	err := hostpath.InDirectory(ctx, h, d.Path, d.Parents, func() (err error) {
		info, err = h.Mkdir(ctx, string(d.Path), attrs)
		return err
	})
	return info, err
}

func (d *Directory) adopt(ctx context.Context, scope *lifecycle.Scope, attrs host.Attributes) (host.FileInfo, error) {
	info, err := scope.Host.Lstat(ctx, string(d.Path))
	if err != nil {
		return info, err
	}
	err = d.checkAdoptable(ctx, scope.Host, info, attrs)
	if info.Type != host.TypeDirectory {
		return info, err
	}
	// If the directory is still being created as a parent, its mode is set last: MadeAsParent waits until then.
	if scope.MadeAsParent(d.Path) {
		info, err = scope.Host.Lstat(ctx, string(d.Path))
	}
	if err != nil {
		return info, err
	}
	return access.Set(ctx, scope.Host, info, attrs)
}

// Read implements [runtime.TypedResource].
func (d *Directory) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	info, err := hostpath.Lstat(ctx, h, d.Path, host.TypeDirectory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	out := newOutput(h, d.Path, info)
	if out.Owner, err = access.Owner(ctx, h, d.Owner, info); err != nil {
		return nil, err
	}
	out.Group, err = access.Group(ctx, h, d.Group, info)
	return out, err
}

// Update implements [runtime.TypedResource].
func (d *Directory) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Directory, *Output]) (*Output, error) {
	h, attrs, err := d.attributes(ctx, scope)
	if err != nil {
		return nil, err
	}
	if prior.Inputs.Host == nil {
		err = d.checkMoved(ctx, h, attrs, prior.Observed.Mode)
	}
	var info host.FileInfo
	if err == nil {
		info, err = h.SetAttributes(ctx, string(d.Path), host.TypeDirectory, attrs)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if !d.FollowsLinks() || prior.Inputs.FollowsLinks() {
			return nil, fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", d.Path, h.Name())
		}
		info, err = d.mkdir(ctx, h, attrs) // the refresh did not follow the links
	}
	if err != nil {
		return nil, hostpath.Explain(h, d.Path, host.TypeDirectory, err)
	}
	return d.output(h, info), nil
}

// Delete implements [runtime.TypedResource]. It keeps a directory in which the same run has created or changed
// objects (see [lifecycle.Scope.CreatedBelow]), for example if the new path is below the old one, because these
// objects are in the state. This is not an error even without force_destroy, because each later delete would fail
// as well.
func (d *Directory) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	h := scope.Host
	err := h.Rmdir(ctx, string(d.Path))
	if errors.Is(err, host.ErrNotEmpty) {
		if created := scope.CreatedBelow(d.Path); len(created) > 0 {
			d.warnKept(ctx, h, created)
			return nil
		}
		if d.ForceDestroy != nil && *d.ForceDestroy {
			if err = checkNoMounts(ctx, h, string(d.Path)); err == nil {
				err = removeAll(ctx, h, string(d.Path), 0)
			}
		}
	}
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, host.ErrNotEmpty):
		return d.notEmpty(ctx, h, err)
	default:
		return hostpath.Explain(h, d.Path, host.TypeDirectory, err)
	}
}

// warnKept warns that the directory was not deleted, because this run has created or changed objects in it.
func (d *Directory) warnKept(ctx context.Context, h host.Host, created []address.Path) {
	var names []string
	for _, at := range created {
		names = append(names, at.String())
	}
	runtime.Warn(ctx, "", "Not deleted: the directory has new objects",
		fmt.Sprintf("%s on host %s is kept with its content, and is no longer managed, because this apply has created or changed objects in it: %s. "+
			"Delete the rest of its content by hand.", d.Path, h.Name(), diag.List(names, maxListed)))
}

// checkNoMounts returns an error if something is mounted at the directory or below it, or if that
// cannot be determined. It runs before anything is deleted.
func checkNoMounts(ctx context.Context, h host.Host, dir string) error {
	mounts, err := mounttable.Below(ctx, h, dir)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was deleted, because force_destroy must not delete the content of other file systems, and it is unknown "+
			"whether any are mounted in %s on host %s: %w. Delete the content of the directory first", host.QuotePath(dir), h.Name(), err)
	case len(mounts) > 0:
		return fmt.Errorf("%s on host %s is a mount point, which force_destroy does not enter. "+
			"Nothing was deleted: unmount it first", host.QuotePath(mounts[0]), h.Name())
	}
	return nil
}

// maxListed is the maximum number of names in a message.
const maxListed = 10

// notEmpty returns the error about a directory that is not deleted because of its
// entries.
func (d *Directory) notEmpty(ctx context.Context, h host.Host, cause error) error {
	entries, err := h.ReadDir(ctx, string(d.Path))
	if err != nil {
		return errors.Join(cause, err)
	}
	var names []string
	for _, e := range entries {
		name := host.QuotePath(e.Name)
		if e.Type == host.TypeDirectory {
			name += "/"
		}
		names = append(names, name)
	}
	return fmt.Errorf("cannot delete %s on host %s: the directory is not empty: it has %s. "+
		"Delete or move these entries; if this configuration manages the entries, let them depend on the directory; "+
		"or set force_destroy = true and apply this change before destroying", d.Path, h.Name(), diag.List(names, maxListed))
}

func (d *Directory) output(h host.Host, info host.FileInfo) *Output {
	out := newOutput(h, d.Path, info)
	out.Owner, out.Group = cmp.Or(d.Owner, out.Owner), cmp.Or(d.Group, out.Group)
	return out
}

func newOutput(h host.Host, path address.Path, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: path, Mode: info.Mode, Owner: &info.Owner, Group: &info.Group}
}

// Moves implements [runtime.Mover].
func (*Directory) Moves() []runtime.Move {
	type systemFolder struct {
		Path string
		Mode *string
	}
	return []runtime.Move{
		runtime.MoveFrom("neuspaces/system", "system_folder", func(ctx context.Context, old systemFolder) (d Directory, out *Output, err error) {
			d.Defaults()
			if err = d.Path.UnmarshalText([]byte(old.Path)); err != nil {
				return d, nil, err
			}
			if old.Mode != nil && *old.Mode != "" {
				if d.Mode, err = host.ParseMode(*old.Mode); err != nil {
					return d, nil, err
				}
			}
			lifecycle.MarkHostUnknown(ctx)
			return d, &Output{Path: d.Path, Mode: d.Mode}, nil
		}),
	}
}

// checkMoved checks the directory for a state that was moved from a provider whose state
// has no host. The directory must have the mode of that state, be as configured, or be empty.
func (d *Directory) checkMoved(ctx context.Context, h host.Host, attrs host.Attributes, was host.Mode) error {
	_, err := lifecycle.AdoptMoved(ctx, h, d.Path, host.TypeDirectory, func(info host.FileInfo) error {
		if info.Mode == was {
			return nil // the plan shows the change
		}
		return d.checkAdoptable(ctx, h, info, attrs)
	})
	return err
}

// maxHeld is the maximum number of names in the listings of the directories above the one that
// removeAll lists. Without a limit, a host that lists endlessly nested directories would fill the
// memory of the provider.
const maxHeld = 1 << 22

// removeAll deletes a directory with its content. Links are deleted and never followed:
// a directory that has become a link since it was listed is an error. Entries that other
// processes delete at the same time are ignored. held is the number of names in the listings
// of the directories above dir; more than maxHeld are [host.ErrTooMany].
func removeAll(ctx context.Context, h host.Host, dir string, held int) error {
	if held > maxHeld {
		return &host.Error{Op: "remove", Host: h.Name(), Path: dir, Err: host.ErrTooMany}
	}
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return ignoreNotExist(err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name)
		if e.Type == host.TypeDirectory {
			err = removeAll(ctx, h, at, held+len(entries))
		} else {
			err = ignoreNotExist(h.Remove(ctx, at))
		}
		if err != nil {
			return err
		}
	}
	return ignoreNotExist(h.Rmdir(ctx, dir))
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
