package textedit

import (
	"bytes"
	"cmp"
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

// MaxSize is the maximum size of a file to edit, in bytes.
const MaxSize = 16 << 20

// attempts is the maximum number of calls that [Retry] makes.
const attempts = 60

// ErrConflict is the error of a change if another program changed the file after it was
// read.
var ErrConflict = errors.New("the file was changed by another program at the same time")

// Change returns the new content of a file. was is the present content, or nil if the file
// does not exist. If Change returns the same content, or nil for a file that does not exist,
// nothing is written. It may be called several times.
type Change func(was []byte) ([]byte, error)

// newMode is the mode of new files, the default of posix_file.
const newMode host.Mode = 0o644

// File changes a file. Attributes that are nil are not changed; a new file gets the mode 0644
// and the owner that the host assigns. It returns the information of the file after the change. If the file
// does not exist, info.Path is empty. File tries again if another program changes the file at the same time; if
// each attempt fails because of that, the error wraps [ErrConflict].
func File(ctx context.Context, scope *lifecycle.Scope, path address.Path, attrs host.Attributes, change Change) (info host.FileInfo, err error) {
	return file(ctx, scope, path, attrs, host.Edit{}, change)
}

// Part is [File] for a change of a part of a file. If the host is a [host.Editor] and that part
// is as edit requires, edit is made without reading the file first, and change is not called. edit and change must
// have the same result, and change must not change a file in which edit has been made. An edit without a mark, or
// with the same old and new bytes, is not made.
func Part(ctx context.Context, scope *lifecycle.Scope, path address.Path, edit host.Edit, change Change) (host.FileInfo, error) {
	return file(ctx, scope, path, host.Attributes{}, edit, change)
}

func file(ctx context.Context, scope *lifecycle.Scope, path address.Path, attrs host.Attributes, edit host.Edit, change Change) (info host.FileInfo, err error) {
	h := scope.Host
	err = scope.WithLock(ctx, "edit "+string(path), func() error {
		return Retry(ctx, func() error {
			info, err = tryChange(ctx, h, string(path), attrs, edit, change)
			return err
		})
	})
	if errors.Is(err, ErrConflict) {
		err = fmt.Errorf("change %s on host %s: %w", path, h.Name(), ErrConflict)
	}
	return info, hostpath.Explain(h, path, host.TypeRegular, err)
}

// Read returns the information and content of a file. The content is nil if the file does not exist. A file
// that is larger than [MaxSize] is an error.
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

// editOrRead makes edit and returns edited as true, or returns the same results as [Read].
func editOrRead(ctx context.Context, h host.Host, path string, edit host.Edit) (info host.FileInfo, was []byte, edited bool, err error) {
	var lost error // the outcome of the edit is unknown
	if editor, ok := h.(host.Editor); ok && edit.Mark != "" && !bytes.Equal(edit.Old, edit.New) {
		info, was, err = editor.EditFile(ctx, path, edit, host.Attributes{})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return host.FileInfo{}, nil, false, nil
		case errors.Is(err, host.ErrLost) && !errors.Is(err, host.ErrSilent):
			lost = err
		case !errors.Is(err, errors.ErrUnsupported):
			return info, was, err == nil && was == nil, err
		}
	}
	info, was, err = Read(ctx, h, address.Path(path))
	if err != nil && lost != nil {
		err = lost
	}
	return info, was, false, err
}

func tryChange(ctx context.Context, h host.Host, path string, attrs host.Attributes, edit host.Edit, change Change) (host.FileInfo, error) {
	info, was, edited, err := editOrRead(ctx, h, path, edit)
	if err != nil || edited {
		return info, err
	}
	is, err := change(bytes.Clone(was))
	if err != nil || was == nil && is == nil || was != nil && bytes.Equal(was, is) {
		return info, err
	}
	if was != nil {
		info, err = replace(ctx, h, info, was, is, attrs)
	} else {
		attrs.Mode = cmp.Or(attrs.Mode, new(newMode))
		info, err = h.WriteFile(ctx, path, bytes.NewReader(is), host.WriteOptions{Attributes: attrs, Exclusive: true})
	}
	if was == nil && errors.Is(err, fs.ErrExist) || was != nil && errors.Is(err, fs.ErrNotExist) {
		err = ErrConflict
	}
	return info, err
}

// Retry calls do until its error is not [ErrConflict], at most attempts times, with a random pause before each
// further call. It returns the last error of do, or that of ctx if it ends during a pause.
func Retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		if err := do(); !errors.Is(err, ErrConflict) || attempt == attempts {
			return err
		}
		pause := rand.N(time.Duration(attempt) * 5 * time.Millisecond) //nolint:gosec // no secret
		if err := host.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}
