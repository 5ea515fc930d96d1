package filecontent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

const (
	sizeStandard = 1 << 20
	// sizeMax is the largest valid max_size. It keeps responses smaller than the maximum that
	// clients accept: a response may have the content as text and as base64.
	sizeMax = 16 << 20
)

// contents is a file with its content, which is nil if only the digest was requested.
type contents struct {
	info    host.FileInfo
	sum     [sha256.Size]byte
	content []byte
}

// read returns the file at a path, or an error if the file is larger than maxSize.
func read(ctx context.Context, h host.Host, path address.Path, maxSize int64) (contents, error) {
	var f contents
	at, err := follow(ctx, h, string(path))
	if err != nil {
		return f, err
	}
	info, r, err := h.Open(ctx, at)
	if err != nil {
		return f, err
	}
	defer func() { _ = r.Close() }() // read only: no write can be lost
	if f.content, err = io.ReadAll(io.LimitReader(r, maxSize+1)); err != nil {
		return f, err
	}
	if int64(len(f.content)) > maxSize {
		size, remedy := max(info.Size, maxSize+1), "Increase max_size"
		if size > sizeMax {
			remedy = fmt.Sprintf("The content of files larger than %d bytes cannot be read", sizeMax)
		}
		return f, diag.AttributeErrorf("max_size", "%s on host %s has at least %d bytes, which is more than max_size (%d). %s", path, h.Name(), size, maxSize, remedy)
	}
	f.info, f.sum = info, sha256.Sum256(f.content)
	f.info.Size = int64(len(f.content)) // the metadata of files in /proc has the size 0
	return f, nil
}

// digest returns the file at a path with its digest, and without its content.
func digest(ctx context.Context, h host.Host, path address.Path) (f contents, err error) {
	at, err := follow(ctx, h, string(path))
	if err == nil {
		f.info, f.sum, err = host.Digest(ctx, h, at)
	}
	return f, err
}

// explain returns the error to report for err, an error of reading the file at a path. If the file is missing or
// an object of another type, the returned error is about the attribute path. If permission was denied, the
// returned error wraps err and contains what to do. Other errors are returned unchanged.
func explain(h host.Host, path address.Path, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return diag.AttributeErrorf("path", "file %s does not exist on host %s: %w", path, h.Name(), err)
	}
	if wrong, ok := errors.AsType[*host.TypeError](err); ok {
		return diag.AttributeErrorf("path", "%s on host %s is a %s; only regular files can be read", path, h.Name(), wrong.Got)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w. On host %s, the user the provider runs as needs permission to read the file", err, h.Name())
	}
	return err
}

func (f contents) hex() string { return hex.EncodeToString(f.sum[:]) }

func (f contents) base64() string { return base64.StdEncoding.EncodeToString(f.content) }

// text returns the content as a string, or nil if it is not UTF-8 in normalisation form C:
// Terraform would change such a string.
func (f contents) text() *string {
	if text := string(f.content); address.IsText(text) {
		return &text
	}
	return nil
}

// maxLinks is the maximum number of links that Linux follows in a path.
const maxLinks = 40

var errLoop = errors.New("too many levels of symbolic links")

// follow returns a path that leads to the same file as name and does not end in a link, because
// a host does not open a file through a link at the end of a path. If name ends in a link, follow
// resolves all elements: ".." in the target of a link is relative to the resolved directory. If the
// provider runs as root, a link that other users can change is then an error: they would choose which
// file root reads.
func follow(ctx context.Context, h host.Host, name string) (string, error) {
	info, err := h.Lstat(ctx, name)
	if err != nil || info.Type != host.TypeSymlink {
		return name, err
	}
	var ancestry host.Ancestry
	asRoot := host.RunsAsRoot(h)
	if asRoot {
		if info, err = h.Lstat(ctx, "/"); err != nil {
			return name, err
		}
		ancestry.Enter("/", info.Mode, info.UID)
	}
	at, rest, links := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		element := rest[0]
		rest = rest[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, element)
		info, err := h.Lstat(ctx, next)
		if err != nil {
			return name, err
		}
		if info.Type != host.TypeSymlink {
			at = next
			ancestry.Enter(at, info.Mode, info.UID)
			continue
		}
		if links++; links > maxLinks {
			return name, &host.Error{Op: "follow", Host: h.Name(), Path: name, Err: errLoop}
		}
		if asRoot {
			if err := ancestry.Follow(next, info.UID); err != nil {
				return name, &host.Error{Op: "read", Host: h.Name(), Path: name, Err: withOwner(ctx, h, err)}
			}
		}
		if strings.HasPrefix(info.LinkTarget, "/") {
			at = "/"
		}
		rest = append(strings.Split(info.LinkTarget, "/"), rest...)
	}
	return at, nil
}

// withOwner returns err, an error of [host.Ancestry.Follow], with the field Owner set.
func withOwner(ctx context.Context, h host.Host, err error) error {
	if unsafe, is := errors.AsType[*host.UnsafeLinkError](err); is {
		unsafe.Owner = host.FormatID(unsafe.UID)
		if user, err := h.LookupUser(ctx, unsafe.Owner); err == nil {
			unsafe.Owner = cmp.Or(user.Name, unsafe.Owner)
		}
	}
	return err
}
