package textedit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// Exit codes of the script.
const (
	exitConflict = 75
	exitLocked   = 76
	exitFailed   = 77
)

// marker is the first line of the script's output. It distinguishes a failed script from a
// host that cannot run the script.
const marker = "posix-edit"

// script renames the new file to the old one if the old one still has the content on
// standard input and the attributes $4. If the host has flock and the directory can be read, the
// script holds a lock on the directory until it ends, so a connection that breaks or stalls does not block
// other writers. The file is either replaced or unchanged.
//
// With an access control list (ACL), the group's bits of the mode are the mask of the list: without
// the list, they would be the rights of the owning group. So if $6 is set, the list is kept. A user who can
// write to the directory can replace both files at any time, even with links: the new file is therefore
// changed through its open descriptor, and only if that file has no other name. If a link to a directory
// has replaced the old file, the option -T keeps mv from moving the new file into that directory.
//
// The script also removes temporary files of killed writers that are too old to be in use.
const script = `echo posix-edit
dir=$1 old=$2 new=$3 attributes=$4 left=$5 keep=$6
has_acl() { case $(ls -ld "$1" 2>/dev/null) in ??????????+*) ;; *) return 1 ;; esac; }
keep_acl() {
	id=$(stat -c '%d %i 1' "$new") && [ "$(stat -L -c '%d %i %h' /proc/self/fd/8 8<&8)" = "$id" ] &&
		cp -P --attributes-only --preserve=mode "$old" /proc/self/fd/8 8<&8 && has_acl "$new"
}
if command -v flock >/dev/null 2>&1 && [ -r "$dir/." ]; then
	exec 9<"$dir/."
	waited=0
	while :; do
		flock -n 9
		[ $? -eq 1 ] || break # locked, or the file system does not support locks
		[ $waited -lt 1200 ] || exit 76
		if sleep 0.05; then waited=$((waited + 1)); else sleep 1; waited=$((waited + 20)); fi
	done 2>/dev/null
fi
over=-f
case $(mv -T /no/such/file /no/such/name 2>&1) in *"No such file or directory") over=-fT ;; esac
[ -f "$old" ] && [ ! -h "$old" ] || exit 75
if command -v cmp >/dev/null 2>&1; then
	cmp -s - "$old" || exit 75
else
	[ "$(sha256sum)" = "$(sha256sum <"$old")" ] || exit 75
fi
is=$(stat -c '%a %u %g' "$old" 2>/dev/null) && [ "$is" != "$attributes" ] && exit 75
if [ -n "$keep" ] && has_acl "$old"; then
	keep_acl 8<"$new" || {
		echo "its access control list cannot be kept. Remove the list, for example with setfacl -b, and apply again" >&2
		exit 77
	}
fi
mv "$over" "$new" "$old" || exit 77
sync "$dir" 2>/dev/null
find "$dir/.$left"* "$dir/..$left"* -prune -type f -mmin +10 -exec rm -f {} + 2>/dev/null
exit 0`

// replace replaces the content of a file. It returns [ErrConflict] if the file differs from
// info or was.
func replace(ctx context.Context, h host.Host, info host.FileInfo, was, is []byte, attrs host.Attributes) (host.FileInfo, error) {
	all := attrs.Or(info.Mode, info.UID, info.GID)
	if editor, ok := h.(host.Editor); ok {
		written, now, err := editor.EditFile(ctx, info.Path, host.Edit{Old: was, New: is, Was: &info}, all)
		switch {
		case err == nil && now != nil:
			return written, ErrConflict
		case !errors.Is(err, errors.ErrUnsupported):
			return written, err
		}
	}
	prefix := tempPrefix(info.Path)
	temp := path.Join(path.Dir(info.Path), "."+prefix+strings.ToLower(rand.Text()[:12]))
	written, err := h.WriteFile(ctx, temp, bytes.NewReader(is), host.WriteOptions{Attributes: all, Exclusive: true})
	if err != nil {
		return written, withPath(info.Path, err)
	}
	renamed := false
	defer func() {
		if !renamed {
			removeTemp(ctx, h, temp)
		}
	}()
	keep := ""
	if attrs == (host.Attributes{}) {
		keep = "acl"
	}
	call := remotecmd.Shell(script, path.Dir(info.Path), info.Path, temp, fmt.Sprintf("%o %d %d", uint32(info.Mode), info.UID, info.GID), prefix, keep)
	call.Stdin, call.Answers = string(was), []int{exitConflict, exitLocked}
	result, err := call.Run(ctx, h)
	switch {
	case err == nil && result.ExitCode == 0:
		renamed, written.Path = true, info.Path
		return written, nil
	case result.ExitCode == exitConflict:
		return written, ErrConflict
	case result.ExitCode == exitLocked:
		return written, fmt.Errorf("%s was not changed: another program has held a lock on the directory %s of host %s for a minute. Find the program with fuser -v %[2]s, end it, and apply again",
			address.Path(info.Path), host.QuotePath(path.Dir(info.Path)), h.Name())
	case notRun(result, err):
		removeTemp(ctx, h, temp)
		renamed = true
		return replaceUnlocked(ctx, h, info, was, is, all)
	case remotecmd.FailedWith(err, exitFailed):
		return written, fmt.Errorf("%s on host %s was not changed: %s", address.Path(info.Path), h.Name(), strings.TrimSpace(result.Stderr))
	}
	return written, err
}

// notRun reports whether the script did not run, because the host does not support commands.
func notRun(result remotecmd.Result, err error) bool {
	if strings.HasPrefix(result.Stdout, marker) {
		return false
	}
	if !host.MayHaveRun(err) {
		return !errors.Is(err, host.ErrUnreachable) && !errors.Is(err, host.ErrRefused) &&
			!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	_, failed := errors.AsType[*remotecmd.Failed](err)
	return failed || remotecmd.IsMissing(err) || errors.Is(err, errors.ErrUnsupported)
}

// replaceUnlocked replaces a file on a host without commands. It compares the content just
// before the rename, without a lock on the host: two clients of such a host may replace the
// file at the same time. It returns [ErrConflict] as replace does.
func replaceUnlocked(ctx context.Context, h host.Host, info host.FileInfo, was, is []byte, attrs host.Attributes) (host.FileInfo, error) {
	return h.WriteFile(ctx, info.Path, bytes.NewReader(is), host.WriteOptions{
		Attributes: attrs,
		BeforeReplace: func(ctx context.Context, _ string) error {
			now, is, err := Read(ctx, h, address.Path(info.Path))
			switch {
			case err != nil:
				return err
			case is == nil || !bytes.Equal(is, was) || now.Mode != info.Mode || now.UID != info.UID || now.GID != info.GID:
				return ErrConflict
			}
			return nil
		},
	})
}

// tempPrefix returns the prefix of the names of temporary files for path. It has no dots, and no
// characters with a special meaning for the shell.
func tempPrefix(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "posix-edit-" + hex.EncodeToString(sum[:6]) + "-"
}

// withPath returns err with the path of the temporary file replaced by path.
func withPath(path string, err error) error {
	if of, ok := err.(*host.Error); ok { //nolint:errorlint // a wrapper would be lost
		return &host.Error{Op: of.Op, Host: of.Host, Path: path, Err: of.Err}
	}
	return err
}

// removeTemp removes a temporary file. If that fails, a later run of the script removes the file.
func removeTemp(ctx context.Context, h host.Host, path string) {
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	_ = h.Remove(ctx, path) // a later run of the script removes the file
}
