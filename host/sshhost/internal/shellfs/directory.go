package shellfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// Mkdir implements [remotefs.Backend]. A directory for another owner is created with mode
// 0700; any other has its final mode from the start, so that a kill leaves no incomplete
// directory.
func (f *Files) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	owner := ownerText(attrs)
	mask := ^*attrs.Mode & 0o777
	if owner != "" {
		mask = 0o077
	}
	answer, err := f.change(ctx, shell.Call("px_mkdir", path, mask.String(), owner, modeText(*attrs.Mode)), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	info, err := accepted(path, answer, attrs)
	if err != nil && answer[0] == "" {
		_, undo := f.change(ctx, shell.Call("px_rmdir", path), outcome)
		err = errors.Join(err, undo)
	}
	return info, err
}

// Rmdir implements [remotefs.Backend].
func (f *Files) Rmdir(ctx context.Context, path string) error {
	answer, err := f.change(ctx, shell.Call("px_rmdir", path), outcome)
	if err != nil || answer[0] == "" {
		return err
	}
	err = why(answer[0], host.Attributes{})
	if is, there := shellrpc.InfoAnswer(path, answer); there == nil && is.Type != host.TypeDirectory {
		return remotefs.WantType(toInfo(is), host.TypeDirectory)
	}
	if errors.Is(err, fs.ErrExist) { // some systems return this for a directory that is not empty
		return host.ErrNotEmpty
	}
	return err
}

var kinds = map[byte]host.FileType{
	'f': host.TypeRegular, 'd': host.TypeDirectory, 'l': host.TypeSymlink, 'p': host.TypeFIFO, 's': host.TypeSocket,
	'b': host.TypeBlockDevice, 'c': host.TypeCharDevice,
}

// ReadDir implements [remotefs.Backend].
func (f *Files) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	answers, err := f.batches.Ask(ctx, shellrpc.InfoQuestion(path),
		shellrpc.Question{Text: shell.Call("px_list", strings.TrimSuffix(path, "/")+"/"), Blocks: 2})
	if err != nil {
		return nil, err
	}
	is, err := shellrpc.InfoAnswer(path, answers[0])
	if err == nil {
		err = remotefs.WantType(toInfo(is), host.TypeDirectory)
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
			if len(entry) == 1 || strings.Contains(entry, "/") {
				return nil, fmt.Errorf("the host listed %.100q, which is not the name of a file in a directory", entry[1:])
			}
			entries = append(entries, host.DirEntry{Name: entry[1:], Type: kinds[entry[0]]})
		}
	}
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}
