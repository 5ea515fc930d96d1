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

// Max is how large a file can be that is changed in parts, in bytes.
const Max = 16 << 20

// attempts is how often a change is made anew because others were faster.
const attempts = 60

// errOvertaken says that the file is not any more what the change was made of.
var errOvertaken = errors.New("the file was changed by another program at the same time")

// Change makes the new content of a file from the one it has, which is nil where
// there is no file. It may be called several times. To answer what it was given
// leaves the file alone; to answer nil for a file that is not there leaves that so.
type Change func(was []byte) ([]byte, error)

// File changes a file. Attributes that are nil are those that the file has; for a
// new file they are as [host.WriteOptions] says. The info is that of the file as it
// is then; its Path is empty where there is none.
func File(ctx context.Context, scope *lifecycle.Scope, path address.Path, attrs host.Attributes, change Change) (info host.FileInfo, err error) {
	h := scope.Host
	err = scope.WithLock(ctx, "edit "+string(path), func() error {
		for attempt := range attempts {
			if info, err = once(ctx, h, string(path), attrs, change); !errors.Is(err, errOvertaken) {
				break
			}
			if err := pause(ctx, attempt); err != nil {
				return err
			}
		}
		return err
	})
	return info, hostpath.Explain(h, path, host.TypeRegular, err)
}

// Read is the content of a file, nil where there is none.
func Read(ctx context.Context, h host.Host, path address.Path) (host.FileInfo, []byte, error) {
	info, content, err := h.Open(ctx, string(path))
	if errors.Is(err, fs.ErrNotExist) {
		return host.FileInfo{}, nil, nil
	}
	if err != nil {
		return host.FileInfo{}, nil, hostpath.Explain(h, path, host.TypeRegular, err)
	}
	text, err := io.ReadAll(io.LimitReader(content, Max+1))
	if err = errors.Join(err, content.Close()); err != nil {
		return host.FileInfo{}, nil, fmt.Errorf("read %s on host %s: %w", path, h.Name(), err)
	}
	if len(text) > Max {
		return host.FileInfo{}, nil, fmt.Errorf("%s on host %s is larger than %d MiB, the limit for files that are edited", path, h.Name(), Max>>20)
	}
	if text == nil {
		text = []byte{}
	}
	return info, text, nil
}

func once(ctx context.Context, h host.Host, path string, attrs host.Attributes, change Change) (host.FileInfo, error) {
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
		err = errOvertaken
	}
	return info, err
}

// pause waits a little longer each time, and not as long as the others.
func pause(ctx context.Context, attempt int) error {
	longest := time.Duration(attempt+1) * 5 * time.Millisecond
	select {
	case <-time.After(rand.N(longest)): //nolint:gosec // no secret
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
