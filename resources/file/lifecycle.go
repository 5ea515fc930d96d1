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

// Create is part of [runtime.TypedResource]. The exclusive write detects an existing file,
// which leaves no gap between a check and the write.
func (f *File) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h, b, attrs, err := f.prepare(ctx, scope)
	if err != nil {
		return nil, err
	}
	if b.none() {
		return nil, errNoContent
	}
	w, err := f.put(ctx, h, b, host.WriteOptions{Attributes: attrs, Exclusive: true})
	if errors.Is(err, fs.ErrExist) {
		w, err = f.adoptOrReplace(ctx, h, b, attrs, nil)
	}
	if err != nil {
		return nil, hostpath.Explain(h, f.Path, host.TypeRegular, err)
	}
	return f.output(ctx, h, w)
}

// adoptOrReplace adopts the object at the path if it is a file with the configured content,
// and replaces a file whose content has the digest was, or that may be overwritten.
func (f *File) adoptOrReplace(ctx context.Context, h host.Host, b body, attrs host.Attributes, was *string) (written, error) {
	same, found, err := f.identical(ctx, h, b)
	switch {
	case err != nil:
		return written{}, err
	case same:
		info, err := f.settle(ctx, h, attrs)
		return written{info: info, facts: found}, err
	case f.overwrites() || f.still(ctx, h, was):
		return f.put(ctx, h, b, host.WriteOptions{Attributes: attrs})
	default:
		return written{}, f.conflict(h)
	}
}

// Update is part of [runtime.TypedResource].
func (f *File) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[File, *Output]) (*Output, error) {
	out, err := f.update(ctx, scope, prior)
	if out != nil && out.BackupPath == nil {
		out.BackupPath = prior.Observed.BackupPath
	}
	return out, err
}

func (f *File) update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[File, *Output]) (*Output, error) {
	h, b, attrs, err := f.prepare(ctx, scope)
	if err != nil {
		return nil, err
	}
	was := prior.Observed
	if f.secret() && !f.secretDue(prior.Inputs) && was.intact() {
		// A new content_wo is not written yet.
		info, err := f.settle(ctx, h, attrs)
		if err != nil {
			return nil, f.vanished(h, err)
		}
		return f.outputSecret(h, info), nil
	}
	if b.none() {
		info, err := f.settle(ctx, h, attrs)
		if err != nil {
			return nil, f.vanished(h, err)
		}
		out := f.outputAccess(h, info)
		out.SHA256, out.Size, out.ContentWOIntact = was.SHA256, was.Size, was.ContentWOIntact
		return out, nil
	}
	if prior.Inputs.Host == nil {
		w, err := f.adoptOrReplace(ctx, h, b, attrs, was.SHA256)
		if err != nil {
			return nil, f.vanished(h, err)
		}
		return f.output(ctx, h, w)
	}
	want, err := b.planned(ctx, h, f.Path)
	if err != nil {
		return nil, err
	}
	has, err := was.has(ctx, want)
	if err != nil {
		return nil, err
	}
	if has {
		info, err := f.settle(ctx, h, attrs)
		if err != nil {
			return nil, f.vanished(h, err)
		}
		return f.output(ctx, h, written{info: info, facts: want})
	}
	w, err := f.put(ctx, h, b, host.WriteOptions{Attributes: attrs})
	if err != nil {
		return nil, hostpath.Explain(h, f.Path, host.TypeRegular, err)
	}
	return f.output(ctx, h, w)
}

// Delete is part of [runtime.TypedResource].
func (f *File) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return hostpath.Remove(ctx, scope.Host, f.Path, host.TypeRegular)
}

// prepare returns what Create and Update need.
func (f *File) prepare(ctx context.Context, scope *lifecycle.Scope) (host.Host, body, host.Attributes, error) {
	h := scope.Host
	b, errBody := f.body()
	attrs, errAttrs := access.Resolve(ctx, h, f.Mode, f.Owner, f.Group)
	return h, b, attrs, errors.Join(errBody, errAttrs)
}

// settle sets mode and owner without writing the content, and removes leftovers of a killed
// writer.
func (f *File) settle(ctx context.Context, h host.Host, attrs host.Attributes) (host.FileInfo, error) {
	info, err := h.Lstat(ctx, string(f.Path))
	if err != nil {
		return info, err
	}
	if info.Type != host.TypeRegular {
		return info, &host.TypeError{Want: host.TypeRegular, Got: info.Type}
	}
	if err := h.RemoveTemp(ctx, string(f.Path)); err != nil {
		return info, err
	}
	if !access.Differs(info, attrs) {
		return info, nil
	}
	return h.SetAttributes(ctx, string(f.Path), attrs)
}

// vanished returns the error for a file that existed when the plan was made.
func (f *File) vanished(h host.Host, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", f.Path, h.Name())
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, err)
}

// output returns the output of a file that is as configured, and stores the digest of
// write-only content.
func (f *File) output(ctx context.Context, h host.Host, w written) (out *Output, err error) {
	if f.secret() {
		out, err = f.outputSecret(h, w.info), rememberTrace(ctx, w.facts.sum)
	} else {
		forgetTrace(ctx)
		out = f.outputAccess(h, w.info)
		out.Content, out.ContentBase64 = f.Content, f.ContentBase64
		out.setFacts(w.facts)
	}
	if w.backup != "" {
		out.BackupPath = &w.backup
	}
	return out, err
}

// outputSecret is output for write-only content whose digest is stored.
func (f *File) outputSecret(h host.Host, info host.FileInfo) *Output {
	out := f.outputAccess(h, info)
	out.ContentWOIntact = new(true)
	return out
}

// outputAccess sets owner and group in the form of the configuration.
func (f *File) outputAccess(h host.Host, info host.FileInfo) *Output {
	out := newOutput(h, f.Path, info)
	out.Owner, out.Group = cmp.Or(f.Owner, out.Owner), cmp.Or(f.Group, out.Group)
	return out
}

func newOutput(h host.Host, path address.Path, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: path, Mode: info.Mode, Owner: &info.Owner, Group: &info.Group}
}

func (o *Output) setFacts(found facts) {
	o.SHA256, o.Size = new(found.hex()), &found.size
}

// has reports whether the file has this content, as far as the state shows.
func (o *Output) has(ctx context.Context, want facts) (bool, error) {
	switch {
	case o.SHA256 != nil:
		return *o.SHA256 == want.hex(), nil
	case o.intact():
		return reveals(rememberedTrace(ctx), want.sum)
	default:
		return false, nil
	}
}

// intact reports whether the file has the write-only content that was last written.
func (o *Output) intact() bool { return o.ContentWOIntact != nil && *o.ContentWOIntact }

// secret reports whether the content must not be stored. The version shows it, because that
// is in the state and the content is not.
func (f *File) secret() bool { return f.ContentWO != nil || f.ContentWOVersion != nil }

// secretDue reports whether content_wo must be written.
func (f *File) secretDue(prior File) bool {
	return prior.ContentWOVersion == nil || f.ContentWOVersion == nil || *prior.ContentWOVersion != *f.ContentWOVersion
}

func (f *File) overwrites() bool { return f.Overwrite != nil && *f.Overwrite }

func same(a, b *string) bool { return a != nil && b != nil && *a == *b }
