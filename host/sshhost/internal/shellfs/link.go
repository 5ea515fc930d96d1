package shellfs

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Symlink implements [remotefs.Backend].
func (f *Files) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	answer, err := f.change(ctx, shell.Call("px_symlink", target, path), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return result(path, answer, host.TypeSymlink, host.Attributes{})
}

// ReplaceSymlink implements [remotefs.Backend].
func (f *Files) ReplaceSymlink(ctx context.Context, target, temp, path string) (info host.FileInfo, gone bool, err error) {
	answer, err := f.change(ctx, shell.Call("px_relink", target, temp, path), outcome)
	if err != nil {
		return host.FileInfo{}, false, err
	}
	info, err = result(path, answer, host.TypeSymlink, host.Attributes{})
	return info, true, err
}
