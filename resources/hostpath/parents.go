package hostpath

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// InDirectory does what needs the directory of a path. Where that is missing and
// parents are wanted, it is made with those above it, and what failed is done
// once more.
func InDirectory(ctx context.Context, h host.Host, at address.Path, parents bool, do func() error) error {
	err := do()
	remedy := "create it first, or set parents = true"
	if parents {
		remedy = "create it first"
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = host.MakeParents(ctx, h, string(at), host.Attributes{Mode: new(host.Mode(0o755))}); err == nil {
				err = do()
			}
		}
	}
	return NoDirectory(ctx, h, at, err, remedy)
}

// NoDirectory puts the remedy to the error of an operation on path if that found
// no directory to work in: it names the directory that is missing, with what to
// do about it, or else what is in the place of one.
func NoDirectory(ctx context.Context, h host.Host, at address.Path, err error, remedy string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := path.Dir(string(at))
	above, info := nearest(ctx, h, dir)
	where, wrong := "", errors.Is(err, host.ErrParentNotDirectory)
	switch {
	case info.Type == host.TypeSymlink:
		where = fmt.Sprintf("%s is a symbolic link to %s", host.QuotePath(above), host.QuotePath(info.LinkTarget))
	case above != "" && info.Type != host.TypeDirectory:
		where, wrong = fmt.Sprintf("%s is a %s", host.QuotePath(above), info.Type), true
	}
	switch {
	case where == "":
		return fmt.Errorf("%w. The directory %s does not exist on host %s: %s", err, host.QuotePath(dir), h.Name(), remedy)
	case wrong:
		return fmt.Errorf("%w. On host %s, %s where a directory is needed: move it away, or change the path", err, h.Name(), where)
	default: // the link leads nowhere, or to a directory that lacks the rest
		return fmt.Errorf("%w. The directory %s does not exist on host %s, where %s: %s", err, host.QuotePath(dir), h.Name(), where, remedy)
	}
}

// nearest is the first of dir and the directories above it at which there is
// anything; none when that cannot be found out.
func nearest(ctx context.Context, h host.Host, dir string) (string, host.FileInfo) {
	for ; ; dir = path.Dir(dir) {
		switch info, err := h.Lstat(ctx, dir); {
		case err == nil:
			return dir, info
		case dir == "/" || !errors.Is(err, fs.ErrNotExist):
			return "", host.FileInfo{}
		}
	}
}
