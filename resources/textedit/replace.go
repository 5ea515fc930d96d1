package textedit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// What the script ends with, beside 0 for what is done.
const (
	exitOvertaken = 75
	exitLocked    = 76
	exitFailed    = 77
)

// began is what the script says first, so that a host on which it does not run can be
// told from one on which it fails.
const began = "posix-edit"

// script gives the new file the name of the old one, if that still is what the new
// one was made of: it reads from standard input what that was. All of this happens
// on the host, in the moment in which the script has a lock on the directory, which
// ends with the script, however that ends. Whose connection breaks or stalls has
// therefore changed the file or has not, and holds up nobody.
//
// What killed writers of the file have left beside it is removed when it is too old
// to be somebody's at work.
const script = `echo posix-edit
dir=$1 old=$2 new=$3 attributes=$4 left=$5
if command -v flock >/dev/null 2>&1 && [ -r "$dir/." ]; then
	exec 9<"$dir/."
	waited=0
	while :; do
		flock -n 9
		[ $? -eq 1 ] || break # it is ours; or the file system has no locks
		[ $waited -lt 1200 ] || exit 76
		if sleep 0.05; then waited=$((waited + 1)); else sleep 1; waited=$((waited + 20)); fi
	done 2>/dev/null
fi
[ -f "$old" ] && [ ! -h "$old" ] || exit 75
if command -v cmp >/dev/null 2>&1; then
	cmp -s - "$old" || exit 75
else
	[ "$(sha256sum)" = "$(sha256sum <"$old")" ] || exit 75
fi
is=$(stat -c '%a %u %g' "$old" 2>/dev/null) && [ "$is" != "$attributes" ] && exit 75
mv -f "$new" "$old" || exit 77
find "$dir/.$left"* "$dir/..$left"* -prune -type f -mmin +10 -exec rm -f {} + 2>/dev/null
exit 0`

// replace puts new content in the place of what info and was are about, unless that
// is not there any more as it was.
func replace(ctx context.Context, h host.Host, info host.FileInfo, was, is []byte, attrs host.Attributes) (host.FileInfo, error) {
	left := leftover(info.Path)
	beside := path.Join(path.Dir(info.Path), "."+left+strings.ToLower(rand.Text()[:12]))
	written, err := h.WriteFile(ctx, beside, bytes.NewReader(is), host.WriteOptions{Attributes: complete(attrs, info), Exclusive: true})
	if err != nil {
		return written, about(info.Path, err)
	}
	taken := false
	defer func() {
		if !taken {
			tidy(ctx, h, beside)
		}
	}()
	call := remotecmd.Shell(script, path.Dir(info.Path), info.Path, beside, fmt.Sprintf("%o %d %d", uint32(info.Mode), info.UID, info.GID), left)
	call.Stdin, call.Answers = string(was), []int{exitOvertaken, exitLocked}
	result, err := call.Run(ctx, h)
	switch {
	case err == nil && result.ExitCode == 0:
		taken, written.Path = true, info.Path
		return written, nil
	case result.ExitCode == exitOvertaken:
		return written, errOvertaken
	case result.ExitCode == exitLocked:
		return written, fmt.Errorf("%s was not changed: another program has held a lock on the directory %s of host %s for a minute. Find it with fuser -v %[2]s, end it, and apply again",
			address.Path(info.Path), host.QuotePath(path.Dir(info.Path)), h.Name())
	case runsNothing(result, err):
		tidy(ctx, h, beside)
		taken = true
		return replaceUnlocked(ctx, h, info, was, is, attrs)
	case remotecmd.FailedWith(err, exitFailed):
		return written, fmt.Errorf("%s on host %s was not changed: %s", address.Path(info.Path), h.Name(), strings.TrimSpace(result.Stderr))
	}
	return written, err
}

// runsNothing says whether the script was not run at all, as on a host of files
// alone.
func runsNothing(result remotecmd.Result, err error) bool {
	if strings.HasPrefix(result.Stdout, began) {
		return false
	}
	if _, unstarted := errors.AsType[*host.NotStartedError](err); unstarted {
		return !errors.Is(err, host.ErrUnreachable) && !errors.Is(err, host.ErrRefused) &&
			!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	_, failed := errors.AsType[*remotecmd.Failed](err)
	return failed || remotecmd.IsMissing(err) || errors.Is(err, errors.ErrUnsupported)
}

// replaceUnlocked is for hosts that run no programs: it looks a moment before the
// new file takes the name. In this process, and of writers on the host itself, one
// waits for the other; of two machines with such a host, both may replace the file in
// the same moment.
func replaceUnlocked(ctx context.Context, h host.Host, info host.FileInfo, was, is []byte, attrs host.Attributes) (host.FileInfo, error) {
	written, err := h.WriteFile(ctx, info.Path, bytes.NewReader(is), host.WriteOptions{
		Attributes: complete(attrs, info),
		BeforeReplace: func(ctx context.Context, _ string) error {
			now, is, err := Read(ctx, h, address.Path(info.Path))
			switch {
			case err != nil:
				return err
			case is == nil || !bytes.Equal(is, was) || now.Mode != info.Mode || now.UID != info.UID || now.GID != info.GID:
				return errOvertaken
			}
			return nil
		},
	})
	return written, err
}

// complete are the attributes with those of the file in the place of what is nil.
func complete(attrs host.Attributes, info host.FileInfo) host.Attributes {
	if attrs.Mode == nil {
		attrs.Mode = &info.Mode
	}
	if attrs.UID == nil {
		attrs.UID = &info.UID
	}
	if attrs.GID == nil {
		attrs.GID = &info.GID
	}
	return attrs
}

// leftover is what the names of files have in common that are to take the place of
// the one at path. It has no letter that a shell reads as more than itself.
func leftover(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "posix-edit-" + hex.EncodeToString(sum[:6]) + "-"
}

// about has an error name the file that was to be changed, not the one beside it.
func about(path string, err error) error {
	if of, ok := err.(*host.Error); ok { //nolint:errorlint // what is around it would be lost
		return &host.Error{Op: of.Op, Host: of.Host, Path: path, Err: of.Err}
	}
	return err
}

// undoLimit is how long it may take to remove what is not used, also while the run
// is being stopped.
const undoLimit = 30 * time.Second

// tidy removes a file that has not taken its place. Where that fails, a later change
// removes it.
func tidy(ctx context.Context, h host.Host, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	if err := h.Remove(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
}
