package textedit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// MaxSize is the maximum size of files that are edited, in bytes.
const MaxSize = 16 << 20

// attempts is the maximum number of calls of [Retry].
const attempts = 60

// ErrConflict is the error of a change whose file was changed by another program since it
// was read.
var ErrConflict = errors.New("the file was changed by another program at the same time")

// Change returns the new content of a file. The present content is nil if the file does
// not exist. It may be called several times. If it returns the same content, or nil for a
// file that does not exist, nothing is written.
type Change func(was []byte) ([]byte, error)

// File changes a file. Nil attributes are those of the present file; for a new file, see
// [host.WriteOptions]. It returns the info of the file after the change, whose Path is
// empty if it does not exist.
func File(ctx context.Context, scope *lifecycle.Scope, path address.Path, attrs host.Attributes, change Change) (info host.FileInfo, err error) {
	h := scope.Host
	err = scope.WithLock(ctx, "edit "+string(path), func() error {
		return Retry(ctx, func() error {
			info, err = tryChange(ctx, h, string(path), attrs, change)
			return err
		})
	})
	return info, hostpath.Explain(h, path, host.TypeRegular, err)
}

// Read returns the content of a file, nil if it does not exist.
func Read(ctx context.Context, h host.Host, path address.Path) (host.FileInfo, []byte, error) {
	info, content, err := h.Open(ctx, string(path))
	if errors.Is(err, fs.ErrNotExist) {
		return host.FileInfo{}, nil, nil
	}
	if err != nil {
		return host.FileInfo{}, nil, hostpath.Explain(h, path, host.TypeRegular, err)
	}
	text, err := io.ReadAll(io.LimitReader(content, MaxSize+1))
	if err = errors.Join(err, content.Close()); err != nil {
		return host.FileInfo{}, nil, fmt.Errorf("read %s on host %s: %w", path, h.Name(), err)
	}
	if len(text) > MaxSize {
		return host.FileInfo{}, nil, fmt.Errorf("%s on host %s is larger than %d MiB, the limit for files that are edited", path, h.Name(), MaxSize>>20)
	}
	if text == nil {
		text = []byte{}
	}
	return info, text, nil
}

func tryChange(ctx context.Context, h host.Host, path string, attrs host.Attributes, change Change) (host.FileInfo, error) {
	info, was, err := Read(ctx, h, address.Path(path))
	if err != nil {
		return info, err
	}
	is, err := change(bytes.Clone(was))
	if err != nil || was == nil && is == nil || was != nil && bytes.Equal(was, is) {
		return info, err
	}
	if was != nil {
		info, err = replace(ctx, h, info, was, is, attrs)
	} else {
		info, err = h.WriteFile(ctx, path, bytes.NewReader(is), host.WriteOptions{Attributes: attrs, Exclusive: true})
	}
	if was == nil && errors.Is(err, fs.ErrExist) || was != nil && errors.Is(err, fs.ErrNotExist) {
		err = ErrConflict
	}
	return info, err
}

// Retry calls do again, after random pauses, while its error is [ErrConflict].
func Retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		if err := do(); !errors.Is(err, ErrConflict) || attempt == attempts {
			return err
		}
		select {
		case <-time.After(rand.N(time.Duration(attempt) * 5 * time.Millisecond)): //nolint:gosec // no secret
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
