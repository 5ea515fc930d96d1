package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Create implements [runtime.TypedResource]. The exclusive write checks atomically whether the path is free.
func (f *File) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h, b, attrs, err := f.prepare(ctx, scope)
	if err != nil {
		return nil, err
	}
	if b.isUnset() {
		return nil, errNoContent
	}
	w, err := f.write(ctx, h, b, host.WriteOptions{Attributes: attrs, Exclusive: true})
	if errors.Is(err, fs.ErrExist) {
		w, err = f.adoptOrReplace(ctx, h, b, attrs, nil)
	}
	if wrong, is := errors.AsType[*host.TypeError](err); is && f.writeOptions().overwrites() {
		if err = hostpath.RemoveOther(ctx, h, f.Path, host.TypeRegular, wrong.Got); err == nil {
			w, err = f.write(ctx, h, b, host.WriteOptions{Attributes: attrs, Exclusive: true})
		}
	}
	if err != nil {
		return nil, hostpath.Explain(h, f.Path, host.TypeRegular, err)
	}
	return f.output(ctx, h, w)
}

// adoptOrReplace adopts a file that has the desired content. It replaces a file whose
// digest equals the argument was, or that may be overwritten. It returns an error for any
// other object.
func (f *File) adoptOrReplace(ctx context.Context, h host.Host, b body, attrs host.Attributes, was *string) (writeResult, error) {
	same, found, err := f.identical(ctx, h, b)
	switch {
	case err != nil:
		return writeResult{}, err
	case same:
		info, err := f.fixAttributes(ctx, h, attrs)
		return writeResult{info: info, fingerprint: found}, err
	case f.writeOptions().overwrites() || f.hasDigest(ctx, h, was):
		return f.write(ctx, h, b, host.WriteOptions{Attributes: attrs})
	default:
		return writeResult{}, f.conflict(h)
	}
}

// Update implements [runtime.TypedResource].
func (f *File) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[File, *Output]) (*Output, error) {
	h, b, attrs, err := f.prepare(ctx, scope)
	if err != nil {
		return nil, err
	}
	was := prior.Observed
	// If follow_links is new, the refresh did not follow the links, so the state may be older than the file.
	followed := f.FollowsLinks() && !prior.Inputs.FollowsLinks()
	if followed && !b.isUnset() {
		if _, err := h.Lstat(ctx, string(f.Path)); errors.Is(err, fs.ErrNotExist) {
			w, err := f.write(ctx, h, b, host.WriteOptions{Attributes: attrs, Exclusive: true})
			if err != nil {
				return nil, hostpath.Explain(h, f.Path, host.TypeRegular, err)
			}
			return f.output(ctx, h, w)
		}
	}
	if f.isWriteOnly() && !f.writeOnlyDue(prior.Inputs) && was.hasWrittenContent() {
		// Without a new version or drift, content_wo is not written, even if its value differs.
		info, err := f.fixAttributes(ctx, h, attrs)
		if err != nil {
			return nil, f.wrapMissing(h, err)
		}
		return f.outputWriteOnly(h, info), nil
	}
	if b.isUnset() {
		info, err := f.fixAttributes(ctx, h, attrs)
		if err != nil {
			return nil, f.wrapMissing(h, err)
		}
		out := f.outputAccess(h, info)
		out.SHA256, out.ContentWOVersion = was.SHA256, was.ContentWOVersion
		return out, nil
	}
	if prior.Inputs.Host == nil {
		w, err := f.adoptOrReplace(ctx, h, b, attrs, was.SHA256)
		if err != nil {
			return nil, f.wrapMissing(h, err)
		}
		return f.output(ctx, h, w)
	}
	want, err := b.plannedFingerprint(ctx, h, f.Path)
	if err != nil {
		return nil, err
	}
	has, err := was.hasContent(ctx, want)
	if err != nil {
		return nil, err
	}
	if has {
		info, err := f.fixAttributes(ctx, h, attrs)
		if err != nil {
			return nil, f.wrapMissing(h, err)
		}
		return f.output(ctx, h, writeResult{info: info, fingerprint: want, unverified: true})
	}
	var w writeResult
	if followed {
		w, err = f.write(ctx, h, b, host.WriteOptions{Attributes: attrs})
	} else {
		w, err = f.replace(ctx, h, b, attrs, want, was)
	}
	if err != nil {
		return nil, hostpath.Explain(h, f.Path, host.TypeRegular, err)
	}
	return f.output(ctx, h, w)
}

// Delete implements [runtime.TypedResource].
func (f *File) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return hostpath.Remove(ctx, scope.Host, f.Path, host.TypeRegular)
}

// prepare returns the values that both Create and Update need.
func (f *File) prepare(ctx context.Context, scope *lifecycle.Scope) (host.Host, body, host.Attributes, error) {
	h := scope.Host
	b, errBody := f.body()
	owner, group := access.Configured(ctx, f.Owner, f.Group)
	attrs, errAttrs := access.Resolve(ctx, h, f.Mode, owner, group)
	return h, b, attrs, errors.Join(errBody, errAttrs)
}

// fixAttributes corrects the mode and owner of a file whose content is not written. Like a write,
// it also removes temporary files of a killed writer.
func (f *File) fixAttributes(ctx context.Context, h host.Host, attrs host.Attributes) (host.FileInfo, error) {
	info, err := h.SetAttributes(ctx, string(f.Path), host.TypeRegular, attrs)
	if err == nil {
		_ = h.RemoveTemp(ctx, string(f.Path)) // the next write tries it again
	}
	return info, err
}

// wrapMissing adds a remedy to the error of a step of Update that requires an existing file.
func (f *File) wrapMissing(h host.Host, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", f.Path, h.Name())
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, err)
}

// output returns the state of a file that matches the configuration. It stores the digest
// of write-only content, or deletes the stored digest, and stores the stamp of the file, or keeps
// the stored stamp if the content is unverified.
func (f *File) output(ctx context.Context, h host.Host, w writeResult) (out *Output, err error) {
	if w.unverified {
		f.keepStamp(ctx)
	} else {
		f.recordStamp(ctx, w.info)
	}
	if f.isWriteOnly() {
		out, err = f.outputWriteOnly(h, w.info), storeDigest(ctx, w.fingerprint.sum)
	} else {
		deleteDigest(ctx)
		out = f.outputAccess(h, w.info)
		out.Content, out.ContentBase64 = f.Content, f.ContentBase64
		out.setFingerprint(w.fingerprint)
	}
	return out, err
}

// outputWriteOnly returns the state of a file with write-only content. It stores no digest.
func (f *File) outputWriteOnly(h host.Host, info host.FileInfo) *Output {
	out := f.outputAccess(h, info)
	out.ContentWOVersion = f.ContentWOVersion
	return out
}

// outputAccess returns the state without content, with owner and group as configured.
func (f *File) outputAccess(h host.Host, info host.FileInfo) *Output {
	out := newOutput(h, f.Path, info)
	out.Owner, out.Group = cmp.Or(f.Owner, out.Owner), cmp.Or(f.Group, out.Group)
	return out
}

func newOutput(h host.Host, path address.Path, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: path, Mode: info.Mode, Owner: &info.Owner, Group: &info.Group}
}

func (o *Output) setFingerprint(found fingerprint) {
	o.SHA256 = new(found.hex())
}

// hasContent reports whether the content of the file, according to the state, has the fingerprint want.
func (o *Output) hasContent(ctx context.Context, want fingerprint) (bool, error) {
	switch {
	case o.SHA256 != nil:
		return *o.SHA256 == want.hex(), nil
	case o.hasWrittenContent():
		return matchesDigest(storedDigest(ctx), want.sum)
	default:
		return false, nil
	}
}

// hasWrittenContent reports whether the file still has the write-only content that was last written.
func (o *Output) hasWrittenContent() bool { return o.ContentWOVersion != nil }

// isWriteOnly reports whether the content is write-only. In the state, only the version
// shows this.
func (f *File) isWriteOnly() bool { return f.ContentWO != nil || f.ContentWOVersion != nil }

// writeOnlyDue reports whether content_wo must be written, because its version has changed.
func (f *File) writeOnlyDue(prior File) bool {
	return prior.ContentWOVersion == nil || f.ContentWOVersion == nil || *prior.ContentWOVersion != *f.ContentWOVersion
}

func equalNonNil(a, b *string) bool { return a != nil && b != nil && *a == *b }

// writeResult is the result of writing a file.
type writeResult struct {
	info        host.FileInfo
	fingerprint fingerprint
	backup      string // path of the backup; empty if there is none
	unverified  bool   // the content is that of the state; the file may have other content
}

// write writes the file and, unless the configuration forbids it, creates missing directories.
// Before it replaces the file, it validates the new content and backs up the old one, if configured.
func (f *File) write(ctx context.Context, h host.Host, b body, opts host.WriteOptions) (writeResult, error) {
	found, err := b.plannedFingerprint(ctx, h, f.Path)
	if err != nil {
		return writeResult{}, err
	}
	w := writeResult{fingerprint: found}
	options := f.writeOptions()
	keeps := options.keepsBackup() && !opts.Exclusive
	if keeps || len(options.Validate) > 0 { // without a hook, a host may combine several steps
		opts.BeforeReplace = func(ctx context.Context, temp string) (err error) {
			if err = f.validateContent(ctx, h, temp); err == nil && keeps {
				w.backup, err = f.backUp(ctx, h)
			}
			return err
		}
	}
	err = hostpath.InDirectory(ctx, h, f.Path, options.createsParents(), func() (err error) {
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
