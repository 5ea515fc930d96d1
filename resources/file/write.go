package file

import (
	"context"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// written is a file as it was written.
type written struct {
	info   host.FileInfo
	facts  facts
	backup string // where the content is that was replaced; empty when nothing was kept
}

// put writes the file, and the directories above it where that is wanted. Before
// the complete new file takes the name it is validated, and what has the name is
// kept.
func (f *File) put(ctx context.Context, h host.Host, b body, opts host.WriteOptions) (written, error) {
	found, err := b.planned(ctx, h, f.Path)
	if err != nil {
		return written{}, err
	}
	w := written{facts: found}
	keeps := f.keepsBackup() && !opts.Exclusive
	if keeps || len(f.Validate) > 0 { // a host without a hook to call may do several steps at once
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

// undoLimit is how long what was begun may take to be undone, also when the run
// is being stopped.
const undoLimit = 30 * time.Second
