package file

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// writeResult is the result of writing a file.
type writeResult struct {
	info        host.FileInfo
	fingerprint fingerprint
	backup      string // path of the backup; empty if there is none
}

// write writes the file and, if parents is set, missing directories. The new content is
// validated, and a backup of the old one is made, before the file is renamed.
func (f *File) write(ctx context.Context, h host.Host, b body, opts host.WriteOptions) (writeResult, error) {
	found, err := b.plannedFingerprint(ctx, h, f.Path)
	if err != nil {
		return writeResult{}, err
	}
	w := writeResult{fingerprint: found}
	keeps := f.keepsBackup() && !opts.Exclusive
	if keeps || len(f.Validate) > 0 { // without a hook, a host may combine several steps
		opts.BeforeReplace = func(ctx context.Context, temp string) (err error) {
			if err = f.validateContent(ctx, h, temp); err == nil && keeps {
				w.backup, err = f.backUp(ctx, h)
			}
			return err
		}
	}
	err = hostpath.InDirectory(ctx, h, f.Path, f.Parents, func() (err error) {
		w.info, err = b.write(ctx, h, f.Path, found, opts)
		return err
	})
	if err == nil {
		return w, nil
	}
	err = hostpath.CallerError(err)
	if backupErr := f.removeBackup(ctx, h, w.backup); backupErr != nil {
		err = errors.Join(err, backupErr)
	}
	return writeResult{}, err
}
