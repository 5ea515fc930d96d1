package sftpfs

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Placer does what a server may have no extension for: the protocol's own rename
// replaces nothing.
type Placer interface {
	// Place gives the complete file at temp the name path, in one step. A regular
	// file there is replaced; anything else is a [*host.TypeError]. The error of a
	// host that has no means to do so matches [errors.ErrUnsupported].
	Place(ctx context.Context, temp, path string) error
}

// errOneStep says that the server can not replace what is at a path in one step.
// To remove it first would leave nothing there for a moment, or for ever: others
// do what this is the error of, or nobody does.
var errOneStep = fmt.Errorf("the host's SFTP server replaces nothing in one step, as it does not offer %s: %w",
	sftp.ExtPosixRename, errors.ErrUnsupported)

// replaces says whether the server's rename replaces what has the name.
func replaces(c *sftp.Client) bool { return c.Has(sftp.ExtPosixRename) }

// renaming adds what renames to a batch. Where the server does not replace, it
// fails if something has the name.
func renaming(b *sftp.Batch, c *sftp.Client, oldPath, newPath string) *sftp.Reply[sftp.None] {
	if replaces(c) {
		return b.PosixRename(oldPath, newPath)
	}
	return b.Rename(oldPath, newPath)
}

// inTheWay says whether something is at the path that the server does not replace.
func (w *writing) inTheWay(c *sftp.Client) bool {
	return w.at.Err == nil && !w.opts.Exclusive && !replaces(c)
}

// byShell gives the file its name where that is all that is missing, and could not
// be done with a session. There is none held meanwhile, as the host may have no
// place for another.
func (w *writing) byShell(ctx context.Context, err error) error {
	if err != errOneStep || w.files.placer == nil { //nolint:errorlint // one deeper down is of a caller's hook
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	placed := w.files.placer.Place(ctx, w.temp, w.path)
	if errors.Is(placed, errors.ErrUnsupported) {
		return fmt.Errorf("%w, and %w", err, placed)
	}
	w.placed = placed == nil
	return placed
}
