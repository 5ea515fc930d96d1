package shellfs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// inBatch is the largest content that is included in the reply to a request, unless the host allows a
// single session: see singleContent.
const inBatch = 64 << 10

// Open implements [remotefs.Backend].
func (f *Files) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	is, content, err := f.open(ctx, path)
	if err != nil {
		return host.FileInfo{}, nil, err
	}
	return is.FileInfo, &reader{ctx: ctx, content: content}, nil
}

// open returns the file at the path, and never the target of a link: because a shell follows
// links when it opens a file, open compares the opened file with the one at the path.
func (f *Files) open(ctx context.Context, path string) (shellrpc.Info, io.ReadCloser, error) {
	limit := inBatch
	if f.single() {
		limit = singleContent
	}
	for range remotefs.OpenAttempts {
		replies, err := f.batches.Do(ctx, shellrpc.Request{
			Text: shell.Call("px_get", path, strconv.Itoa(limit)), Blocks: 7, Large: limit,
		})
		if err != nil {
			return shellrpc.Info{}, nil, err
		}
		reply := replies[0]
		at, err := shellrpc.InfoReply(path, reply[:4])
		if err == nil {
			err = at.Type.Want(host.TypeRegular)
		}
		if err != nil {
			return shellrpc.Info{}, nil, err
		}
		record, content, failure := reply[4], reply[5], reply[6]
		if failure != "" {
			if _, gone := f.batches.Lstat(ctx, path); gone == nil { // otherwise the next attempt reports it
				return shellrpc.Info{}, nil, failureError(failure, host.Attributes{})
			}
			continue
		}
		if record == "" {
			continue // the object has another type now
		}
		is, err := shellrpc.OpenedInfo(record)
		switch {
		case err != nil:
			return shellrpc.Info{}, nil, err
		case !sameFile(is, at):
			continue
		case is.Size <= int64(limit) && int64(len(content)) >= is.Size:
			return is, io.NopCloser(bytes.NewReader([]byte(content))), nil
		case is.Size <= int64(limit):
			continue
		}
		stream, err := f.stream(ctx, path, &is)
		if stream != nil || err != nil {
			return is, stream, err
		}
	}
	return shellrpc.Info{}, nil, remotefs.ErrReplaced
}

// sameFile reports whether two infos describe the same regular file.
func sameFile(a, b shellrpc.Info) bool {
	return a.Device == b.Device && a.Inode == b.Inode && a.Type == host.TypeRegular
}

// stream reads a file with a separate process. If the file is still that of want, stream
// updates want; otherwise it returns nil.
func (f *Files) stream(ctx context.Context, path string, want *shellrpc.Info) (io.ReadCloser, error) {
	p, err := shell.Start(ctx, f.starter, shell.Join(shellrpc.OpenFile, shell.Call("set --", path), reading))
	if err != nil {
		return nil, err
	}
	is, err := shellrpc.OpenedInfo(p.ReadyArgs())
	if p.ReadyArgs() != "" && err == nil && sameFile(is, *want) {
		*want = is
		return &stream{p}, nil
	}
	_ = p.Close() // its output is not used
	if p.ReadyArgs() == "" {
		err = nil // the next attempt reports why the file cannot be opened
	}
	return nil, err
}

// stream is the standard output of a process. It ends with an error if the process fails.
type stream struct{ *shell.Process }

func (s *stream) Read(p []byte) (n int, err error) {
	err = remote.WithinReplyTimeout(s.abandon, func() error {
		n, err = s.read(p)
		return err
	})
	return n, err
}

func (s *stream) abandon() { _ = s.Close() } // unblocks the read

func (s *stream) read(p []byte) (int, error) {
	n, err := s.Stdout().Read(p)
	if err != io.EOF {
		return n, err
	}
	exit, failed := s.Wait()
	if failed == nil && exit.Code != 0 {
		failed = fmt.Errorf("the command that reads the file failed with exit code %d", exit.Code)
	}
	if failed != nil {
		return n, failed
	}
	return n, io.EOF
}

// reader is an open file whose Read fails once the context of Open is done.
type reader struct {
	ctx     context.Context //nolint:containedctx // Read must fail once the context of Open is done
	content io.ReadCloser
}

func (r *reader) Read(p []byte) (int, error) {
	stop := context.AfterFunc(r.ctx, func() { _ = r.content.Close() }) // unblocks the read
	n, err := r.content.Read(p)
	if !stop() {
		err = r.ctx.Err()
	}
	return n, err
}

func (r *reader) Close() error { return r.content.Close() }
