package shellfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// Remove implements [remotefs.Backend].
func (f *Files) Remove(ctx context.Context, path string) error {
	reply, err := f.runChange(ctx, shell.Call("px_remove", path), 1)
	switch {
	case err != nil || reply[0] == "":
		return err
	case reply[0] == failedType:
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return failureError(reply[0], host.Attributes{})
}

// RemoveAll implements [remotefs.Backend].
func (f *Files) RemoveAll(ctx context.Context, paths []string) error {
	_, err := f.batches.Do(ctx, shellrpc.Request{Text: shell.Call("px_discard", paths...)})
	return err
}

// Rename implements [remotefs.Backend]. It renames like rename(2), but errors about the types of
// the objects are the same on all hosts. mv would copy a file to a different file system, so that
// case is excluded first, unless the new parent is a link.
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	seen, err := f.batches.Lstats(ctx, oldPath, newPath, path.Dir(newPath))
	if err != nil {
		return err
	}
	from, to, parent := seen[0], seen[1], seen[2]
	isDir := from.Type == host.TypeDirectory
	switch {
	case from.Err != nil:
		return &remotefs.OldPathError{Err: from.Err}
	case to.Err == nil && isDir && to.Type != host.TypeDirectory:
		return to.Type.Want(host.TypeDirectory)
	case to.Err == nil && !isDir && to.Type == host.TypeDirectory:
		return &host.TypeError{Got: host.TypeDirectory}
	case to.Err == nil && to.Device == from.Device && to.Inode == from.Inode:
		return nil // POSIX: renaming a hard link to the same file does nothing
	case to.Err != nil && !errors.Is(to.Err, fs.ErrNotExist):
		return to.Err
	case parent.Err == nil && parent.Type != host.TypeSymlink && parent.Device != from.Device:
		return syscall.EXDEV
	}
	reply, err := f.runChange(ctx, shell.Call("px_move", oldPath, newPath), 1)
	if err != nil || reply[0] == "" {
		return err
	}
	err = failureError(reply[0], host.Attributes{})
	switch {
	case errors.Is(err, remotefs.ErrTempGone):
		return &remotefs.OldPathError{Err: fs.ErrNotExist}
	case isDir && errors.Is(err, fs.ErrExist):
		return host.ErrNotEmpty
	}
	return err
}

// Link implements [remotefs.Backend].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	is, err := f.batches.Lstat(ctx, oldPath)
	if err := cmp.Or(err, is.Type.Want(host.TypeRegular)); err != nil {
		return &remotefs.OldPathError{Err: err}
	}
	reply, err := f.runChange(ctx, shell.Call("px_link", oldPath, newPath), 1)
	if err == nil && reply[0] != "" {
		err = failureError(reply[0], host.Attributes{})
	}
	return err
}

// Symlink implements [remotefs.Backend].
func (f *Files) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	reply, err := f.runChange(ctx, shell.Call("px_symlink", target, path), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return result(path, reply, host.TypeSymlink, host.Attributes{})
}

// ReplaceSymlink implements [remotefs.Backend].
func (f *Files) ReplaceSymlink(ctx context.Context, target, temp, path string, was *string) (info host.FileInfo, gone bool, err error) {
	reply, err := f.runChange(ctx, shell.Call("px_relink", target, temp, path, remotefs.RequiredTarget(was)), outcome)
	if err != nil {
		return host.FileInfo{}, false, err
	}
	info, err = result(path, reply, host.TypeSymlink, host.Attributes{})
	return info, true, err
}

// Mkdir implements [remotefs.Backend]. A directory whose owner or group is to be set is created with mode
// 0700; any other has its final permissions, except for the setuid, setgid and sticky bits, from the start, in
// case the script is killed before it sets the mode.
func (f *Files) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	owner := ownerText(attrs)
	mask := ^*attrs.Mode & 0o777
	if owner != "" {
		mask = 0o077
	}
	reply, err := f.runChange(ctx, shell.Call("px_mkdir", path, mask.String(), owner, modeText(*attrs.Mode)), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	info, err := accepted(path, reply, attrs)
	if err != nil && reply[0] == "" {
		_, undo := f.runChange(ctx, shell.Call("px_rmdir", path), outcome)
		err = errors.Join(err, undo)
	}
	return info, err
}

// Rmdir implements [remotefs.Backend].
func (f *Files) Rmdir(ctx context.Context, path string) error {
	reply, err := f.runChange(ctx, shell.Call("px_rmdir", path), outcome)
	if err != nil || reply[0] == "" {
		return err
	}
	err = failureError(reply[0], host.Attributes{})
	if is, infoErr := shellrpc.InfoReply(path, reply); infoErr == nil && is.Type != host.TypeDirectory {
		return is.Type.Want(host.TypeDirectory)
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

// maxListing limits the output of the shell for a directory, in bytes.
const maxListing = 8 << 20

// ReadDir implements [remotefs.Backend].
func (f *Files) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	replies, err := f.batches.Do(ctx, shellrpc.InfoRequest(path),
		shellrpc.Request{Text: shell.Call("px_list", strings.TrimSuffix(path, "/")+"/"), Blocks: 2, Large: maxListing})
	if err != nil {
		return nil, err
	}
	is, err := shellrpc.InfoReply(path, replies[0])
	if err == nil {
		err = is.Type.Want(host.TypeDirectory)
	}
	if err == nil && replies[1][0] != "" {
		err = failureError(replies[1][0], host.Attributes{})
	}
	if err != nil {
		return nil, err
	}
	var entries []host.DirEntry
	for entry := range strings.SplitSeq(replies[1][1], "\x00") {
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
