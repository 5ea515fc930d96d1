package filecontent

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

const (
	sizeStandard = 1 << 20
	// sizeMax keeps an answer, which may have the content twice and once as base64,
	// well below what clients take.
	sizeMax = 16 << 20
)

// found is a file, and what is in it unless that was not asked for.
type found struct {
	info    host.FileInfo
	sum     [sha256.Size]byte
	content []byte
}

// read reads the file at a path up to a size.
func read(ctx context.Context, h host.Host, path address.Path, maxSize int64) (found, error) {
	var f found
	at, err := follow(ctx, h, string(path))
	if err != nil {
		return f, err
	}
	info, r, err := h.Open(ctx, at)
	if err != nil {
		return f, err
	}
	defer func() { _ = r.Close() }() // nothing was written: a failing Close loses nothing
	if f.content, err = io.ReadAll(io.LimitReader(r, maxSize+1)); err != nil {
		return f, err
	}
	if int64(len(f.content)) > maxSize {
		return f, diag.AttributeErrorf("max_size", "%s on host %s has %d bytes, which is more than max_size (%d). Increase max_size, up to %d",
			path, h.Name(), max(info.Size, maxSize+1), maxSize, sizeMax)
	}
	f.info, f.sum = info, sha256.Sum256(f.content)
	f.info.Size = int64(len(f.content)) // of a file in /proc, too
	return f, nil
}

// digest is read without the content.
func digest(ctx context.Context, h host.Host, path address.Path) (f found, err error) {
	at, err := follow(ctx, h, string(path))
	if err == nil {
		f.info, f.sum, err = host.Digest(ctx, h, at)
	}
	return f, err
}

// explain words the error of reading a file.
func explain(h host.Host, path address.Path, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return diag.AttributeErrorf("path", "file %s does not exist on host %s: %w", path, h.Name(), err)
	}
	if wrong, ok := errors.AsType[*host.TypeError](err); ok {
		return diag.AttributeErrorf("path", "%s on host %s is a %s; only regular files can be read", path, h.Name(), wrong.Got)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w. On host %s, the user the provider runs as needs permission to read it", err, h.Name())
	}
	return err
}

func (f found) hex() string { return hex.EncodeToString(f.sum[:]) }

func (f found) base64() string { return base64.StdEncoding.EncodeToString(f.content) }

// text is the content as a string, or nil where that would be another one: what is
// not UTF-8, or not in the normalisation form that Terraform gives all text.
func (f found) text() *string {
	if text := string(f.content); address.IsText(text) {
		return &text
	}
	return nil
}
