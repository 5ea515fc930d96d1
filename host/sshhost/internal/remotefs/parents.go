package remotefs

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.ParentMaker = (*Files)(nil)

// DirMaker is a [Backend] that can create many directories in one step.
type DirMaker interface {
	// MakeDirs creates the directories, each the parent of the next, unless they exist. It
	// returns those that it created. Its error is a [*DirError].
	MakeDirs(ctx context.Context, dirs []string, attrs host.Attributes) (made []string, err error)
}

// DirError is the error of one of several directories that were to be created.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DirError) Unwrap() error { return e.Err }

// MakeParents implements [host.ParentMaker].
func (f *Files) MakeParents(ctx context.Context, target string, attrs host.Attributes) (made []string, err error) {
	const op = "make parents of"
	if err = check(ctx, target); err == nil {
		err = attrs.Check()
	}
	if err != nil {
		return nil, f.fail(op, target, err)
	}
	var dirs []string
	for dir := path.Dir(target); dir != "/"; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs) // the outermost first
	maker, ok := f.backend.(DirMaker)
	if !ok {
		return f.makeDirs(ctx, dirs, attrs)
	}
	if len(dirs) > 0 {
		made, err = maker.MakeDirs(ctx, dirs, DirAttributes(attrs))
	}
	if dir, is := err.(*DirError); is { //nolint:errorlint // it is the outermost
		return made, f.fail("make directory", dir.Dir, dir.Err)
	}
	return made, f.fail(op, target, err)
}

// makeDirs tries the innermost directory first, as most already exist. If one of them is
// not a directory, creating the next one fails.
func (f *Files) makeDirs(ctx context.Context, dirs []string, attrs host.Attributes) (made []string, err error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	outer, dir := dirs[:len(dirs)-1], dirs[len(dirs)-1]
	_, err = f.Mkdir(ctx, dir, attrs)
	if errors.Is(err, fs.ErrNotExist) && len(outer) > 0 {
		if made, err = f.makeDirs(ctx, outer, attrs); err != nil {
			return made, err
		}
		_, err = f.Mkdir(ctx, dir, attrs)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return made, nil
	case err != nil:
		return made, err
	}
	return append(made, dir), nil
}
