package file

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// stampKey is the key of the stamp in the private data: the stamp that the file had when it was
// last read or written. With the stamp, the write of an update detects a later change of the
// file. Without it, as in states of older versions, the update reads the digest first.
const stampKey = "stamp"

// anySize is the size in the stamp of write-only content, whose actual size must not be stored.
const anySize = -1

func (f *File) stampOf(info host.FileInfo) *host.FileStamp {
	stamp := info.Stamp()
	if f.isWriteOnly() {
		stamp.Size = anySize
	}
	return &stamp
}

// recordStamp stores the stamp of the file.
func (f *File) recordStamp(ctx context.Context, info host.FileInfo) {
	stamp := f.stampOf(info)
	runtime.Private(ctx).Set(stampKey, fmt.Appendf(nil, "%d %d", stamp.Size, stamp.ModTime))
}

// keepStamp keeps the stored stamp of a file whose content was neither read nor written. It removes
// the size if the content is now write-only.
func (f *File) keepStamp(ctx context.Context) {
	if stamp := storedStamp(ctx); stamp != nil {
		f.recordStamp(ctx, host.FileInfo{Size: stamp.Size, ModTime: time.Unix(stamp.ModTime, 0)})
	}
}

// storedStamp returns the stored stamp, or nil if there is none.
func storedStamp(ctx context.Context) *host.FileStamp {
	var stamp host.FileStamp
	if _, err := fmt.Sscanf(string(runtime.Private(ctx).Get(stampKey)), "%d %d", &stamp.Size, &stamp.ModTime); err != nil {
		return nil
	}
	return &stamp
}

// replace writes the content, which differs from that in the prior state, if the file still has
// the content that the plan was made with. It returns an error if the content was changed later,
// because the plan did not show the change. A file that already has the wanted content is adopted, and
// a missing file is created.
func (f *File) replace(ctx context.Context, h host.Host, b body, attrs host.Attributes, want fingerprint, was *Output) (writeResult, error) {
	stamp := storedStamp(ctx)
	var kept error // has the path of a backup that the first attempt kept; nil if there is none
	if stamp != nil {
		w, err := f.write(ctx, h, b, host.WriteOptions{Attributes: attrs, Unchanged: stamp})
		if !errors.Is(err, host.ErrChanged) {
			return w, err
		}
		kept = backupKept(err)
	}
	info, sum, err := host.Digest(ctx, h, string(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist): // create the file again
		return f.write(ctx, h, b, host.WriteOptions{Attributes: attrs})
	case err != nil:
		return writeResult{}, err
	case sum == want.sum:
		info, err := f.fixAttributes(ctx, h, attrs)
		return writeResult{info: info, fingerprint: want}, err
	}
	same, err := was.maybeHas(ctx, sum, stamp != nil)
	if err == nil && !same {
		err = lifecycle.ChangedAfterPlan("path", h, f.Path)
	}
	if err != nil {
		return writeResult{}, errors.Join(err, kept)
	}
	w, err := f.write(ctx, h, b, host.WriteOptions{Attributes: attrs, Unchanged: f.stampOf(info)})
	if errors.Is(err, host.ErrChanged) {
		err = errors.Join(lifecycle.ChangedAfterPlan("path", h, f.Path), backupKept(err))
	}
	return w, err
}

// maybeHas reports whether content with this SHA-256 may be that of the state. For write-only content
// that has drifted, the state has no digest: the content counts as changed if the stamp has changed,
// unless the file has the content that was last written.
func (o *Output) maybeHas(ctx context.Context, sum [sha256.Size]byte, stampChanged bool) (bool, error) {
	if o.SHA256 != nil {
		return *o.SHA256 == fingerprint{sum: sum}.hex(), nil
	}
	if !o.hasWrittenContent() && !stampChanged {
		return true, nil
	}
	return matchesDigest(storedDigest(ctx), sum)
}
