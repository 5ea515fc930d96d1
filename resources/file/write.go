package file

import (
	"context"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// written is the result of writing a file.
type written struct {
	info   host.FileInfo
	facts  facts
	backup string // path of the backup; empty if there is none
}

// put writes the file, and creates parent directories if configured. Before the rename, the
// new file is validated and the old one backed up.
func (f *File) put(ctx context.Context, h host.Host, b body, opts host.WriteOptions) (written, error) {
	found, err := b.planned(ctx, h, f.Path)
	if err != nil {
		return written{}, err
	}
	w := written{facts: found}
	keeps := f.keepsBackup() && !opts.Exclusive
	if keeps || len(f.Validate) > 0 { // without a hook, a host can combine several steps
		opts.BeforeReplace = func(ctx context.Context, temp string) (err error) {
			if err = f.validateContent(ctx, h, temp); err == nil && keeps {
				w.backup, err = f.keep(ctx, h)
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
	if kept := f.dropBackup(ctx, h, w.backup); kept != nil {
		err = errors.Join(err, kept)
	}
	return written{}, err
}

// undoLimit limits undoing, also if the run is being stopped.
const undoLimit = 30 * time.Second
