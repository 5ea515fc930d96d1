package shellfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// Mkdir implements [host.Files].
func (f *Files) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	info, err := host.FileInfo{}, cmp.Or(beginMake(ctx, path), attrs.Check())
	if err == nil {
		info, err = f.mkdir(ctx, path, attrs)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("make directory", path, err)
	}
	return info, nil
}

// mkdir leaves no directory when it can not finish it. One that is to have
// another owner begins as its maker's alone; any other has its mode from the
// first instant, so that a kill leaves nothing half made.
func (f *Files) mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	if attrs.Mode == nil {
		attrs.Mode = new(host.Mode(0o755))
	}
	owner := ownerText(attrs)
	mask := ^*attrs.Mode & 0o777
	if owner != "" {
		mask = 0o077
	}
	answer, err := f.change(ctx, shell.Call("px_mkdir", path, mask.String(), owner, modeText(*attrs.Mode)), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	info, err := f.settled(ctx, path, answer, attrs)
	if err != nil && answer[0] == "" {
		_, undo := f.change(ctx, shell.Call("px_rmdir", path), outcome)
		err = undone(err, undo)
	}
	return info, err
}

// Rmdir implements [host.Files].
func (f *Files) Rmdir(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		err = f.rmdir(ctx, path)
	}
	return f.fail("remove directory", path, err)
}

func (f *Files) rmdir(ctx context.Context, path string) error {
	answer, err := f.change(ctx, shell.Call("px_rmdir", path), outcome)
	if err != nil || answer[0] == "" {
		return err
	}
	err = why(answer[0], host.Attributes{})
	if is, there := shellrpc.InfoAnswer(path, answer); there == nil && is.Type != host.TypeDirectory {
		return wantType(is, host.TypeDirectory)
	}
	if errors.Is(err, fs.ErrExist) { // what some systems say of a directory that is not empty
		return host.ErrNotEmpty
	}
	return err
}

// ReadDir implements [host.Files].
func (f *Files) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	var entries []host.DirEntry
	err := begin(ctx, path)
	if err == nil {
		entries, err = f.readDir(ctx, path)
	}
	if err != nil {
		return nil, f.fail("list", path, err)
	}
	return entries, nil
}

var kinds = map[byte]host.FileType{
	'f': host.TypeRegular, 'd': host.TypeDirectory, 'l': host.TypeSymlink, 'p': host.TypeFIFO, 's': host.TypeSocket,
	'b': host.TypeBlockDevice, 'c': host.TypeCharDevice,
}

func (f *Files) readDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	answers, err := f.batches.Ask(ctx, shellrpc.InfoQuestion(path),
		shellrpc.Question{Text: shell.Call("px_list", strings.TrimSuffix(path, "/")+"/"), Blocks: 2})
	if err != nil {
		return nil, err
	}
	is, err := shellrpc.InfoAnswer(path, answers[0])
	if err == nil {
		err = wantType(is, host.TypeDirectory)
	}
	if err == nil && answers[1][0] != "" {
		err = why(answers[1][0], host.Attributes{})
	}
	if err != nil {
		return nil, err
	}
	var entries []host.DirEntry
	for entry := range strings.SplitSeq(answers[1][1], "\x00") {
		if entry != "" {
			entries = append(entries, host.DirEntry{Name: entry[1:], Type: kinds[entry[0]]})
		}
	}
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// undone is err after what it leaves half done was undone, which may have
// failed as well.
func undone(err, undo error) error {
	if undo == nil {
		return err
	}
	return errors.Join(err, undo)
}
