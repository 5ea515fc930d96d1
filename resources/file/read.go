package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// maxShown is the maximum size, in bytes, of content that was not written by the
// provider and is still read into the state and shown in a plan.
const maxShown = 1 << 20

// Read implements [runtime.TypedResource]. It reads the content into memory only if its
// digest differs from that in the state, and only for an import or if the state has the content.
func (f *File) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	info, sum, err := host.Digest(ctx, h, string(f.Path))
	if err != nil {
		return nil, f.wrapReadError(h, err)
	}
	out := newOutput(h, f.Path, info)
	if out.Owner, err = access.Owner(ctx, h, f.Owner, info); err != nil {
		return nil, err
	}
	if out.Group, err = access.Group(ctx, h, f.Group, info); err != nil {
		return nil, err
	}
	if digest := storedDigest(ctx); digest != "" || f.isWriteOnly() || f.mayBeDriftedWriteOnly(ctx, prior) {
		same, err := matchesDigest(digest, sum)
		if err != nil {
			return nil, err
		}
		if same {
			out.ContentWOVersion = f.ContentWOVersion
		}
		if digest == "" {
			markDigestLost(ctx)
		}
		info.Size = anySize // also for drifted content, whose version in the state is null
		f.recordStamp(ctx, info)
		return out, nil
	}
	out.setFingerprint(fingerprint{sum, info.Size})
	imported := prior.SHA256 == nil
	switch {
	case equalNonNil(prior.SHA256, out.SHA256):
		out.Content, out.ContentBase64 = prior.Content, prior.ContentBase64
	case imported || f.Content != nil || f.ContentBase64 != nil:
		if err := f.showContent(ctx, h, imported, out); err != nil {
			return nil, err
		}
	}
	f.recordStamp(ctx, info) // not before the state is complete: after a failed read, the old state is kept
	return out, nil
}

// mayBeDriftedWriteOnly reports whether the state, whose inputs f has, can be that of write-only content that has
// drifted: it has no content, digest or version. The private data, which shows this as well, is lost if the provider is
// killed during the apply that repairs the file. The state must not get the SHA-256 then. Two other
// states may lack all of these: that of an import, and that of a source that was moved from another provider.
func (f *File) mayBeDriftedWriteOnly(ctx context.Context, prior *Output) bool {
	return !runtime.Imports(ctx) && prior.SHA256 == nil && f.Content == nil && f.ContentBase64 == nil && f.Source == nil
}

// wrapReadError adds a remedy to an error of reading the file. The error for a missing file wraps
// runtime.ErrNotFound.
func (f *File) wrapReadError(h host.Host, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, err)
}

// showContent sets the content of the file in out: in the attribute that the state has or,
// for an import, as text if possible. Content that is larger than maxShown, or that the
// attribute cannot represent, is null, with a warning: null differs from every configured value.
func (f *File) showContent(ctx context.Context, h host.Host, imported bool, out *Output) error {
	content, err := f.readShown(ctx, h)
	if err != nil {
		return f.wrapReadError(h, err)
	}
	if len(content) > maxShown {
		f.warnNotShown(ctx, h, imported, fmt.Sprintf("larger than %d bytes", maxShown))
		return nil
	}
	// The file may have changed since its digest was computed.
	out.setFingerprint(fingerprint{sha256.Sum256(content), int64(len(content))})
	text, isText := asText(content)
	switch {
	case isText && (imported || f.Content != nil):
		out.Content = &text
	case imported || f.ContentBase64 != nil:
		out.ContentBase64 = (*Base64)(&content)
	default:
		f.warnNotShown(ctx, h, imported, "not text that Terraform can store unchanged")
	}
	return nil
}

// readShown returns the content, but at most one byte more than maxShown.
func (f *File) readShown(ctx context.Context, h host.Host) ([]byte, error) {
	_, r, err := h.Open(ctx, string(f.Path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // read only
	return io.ReadAll(io.LimitReader(r, maxShown+1))
}

func (f *File) warnNotShown(ctx context.Context, h host.Host, imported bool, why string) {
	what, then := "has changed", "The plan shows the change by sha256."
	if imported {
		what, then = "is imported without its content", "The first apply records the configured content, and writes it only if the file has different content."
	}
	runtime.Warn(ctx, "", "Content of a file not shown",
		fmt.Sprintf("%s on host %s %s, and its content is %s. %s", f.Path, h.Name(), what, why, then))
}

// asText returns content as a string if the state and a terminal preserve it byte for
// byte: valid UTF-8 in the normalisation form of Terraform's strings, with no control
// characters except those of text files.
func asText(content []byte) (string, bool) {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' && r != '\f' }
	if !utf8.Valid(content) || bytes.ContainsFunc(content, control) {
		return "", false
	}
	text := string(content)
	return text, cty.NormalizeString(text) == text
}
