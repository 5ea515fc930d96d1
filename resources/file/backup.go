package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/host"
)

// A backup is .NAME.backup-TIME~ in the same directory, or .NAME.backup-TIME-N~ if that path exists.
// A long NAME is shortened. Programs that read all files of a directory, such as a conf.d, skip
// names that start with a dot, end with a tilde, or lack the expected extension.
const (
	backupTime        = "20060102T150405Z"
	maxBackupName     = 160 // maximum bytes of the file's name in the name of the backup
	maxBackupAttempts = 100
)

// backupPath returns the path of a backup that is made at the time at. n is the number of the attempt, from 0.
func backupPath(file string, at time.Time, n int) string {
	dir, name := path.Split(file)
	if len(name) > maxBackupName {
		sum := sha256.Sum256([]byte(name))
		cut := maxBackupName
		for cut > maxBackupName-utf8.UTFMax && !utf8.RuneStart(name[cut]) { // some file systems reject names that are not UTF-8
			cut--
		}
		name = name[:cut] + "~" + hex.EncodeToString(sum[:8])
	}
	name = "." + name + ".backup-" + at.UTC().Format(backupTime)
	if n > 0 {
		name += "-" + strconv.Itoa(n+1)
	}
	return dir + name + "~"
}

// backUp makes a backup of the file and returns the path of the backup, or an empty path if there
// is no file.
func (f *File) backUp(ctx context.Context, h host.Host) (string, error) {
	old, err := h.Lstat(ctx, string(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", f.backupFailed(h, err)
	case old.Type != host.TypeRegular:
		return "", &host.TypeError{Want: host.TypeRegular, Got: old.Type}
	}
	now := time.Now()
	for n := range maxBackupAttempts {
		name := backupPath(string(f.Path), now, n)
		switch err := backUpAs(ctx, h, old, name); {
		case err == nil:
			return name, nil
		case errors.Is(err, fs.ErrNotExist): // removed since the Lstat
			return "", nil
		case !errors.Is(err, fs.ErrExist):
			return "", f.backupFailed(h, err)
		}
	}
	return "", f.backupFailed(h, fs.ErrExist)
}

func (f *File) backupFailed(h host.Host, err error) error {
	return fmt.Errorf("the content of %s on host %s was not replaced, since its backup failed: %w", f.Path, h.Name(), err)
}

const setID = host.ModeSetuid | host.ModeSetgid

// backUpAs makes a backup of the old file. The backup is a hard link, which has the mode
// and owner of the file, so that no user gains access. Until the file is replaced, a write
// to it also changes the backup. If the host or the file system rejects the link, or if
// the file is setuid or setgid, which a backup must not be, the backup is a copy. If name
// exists, the error is [fs.ErrExist].
func backUpAs(ctx context.Context, h host.Host, old host.FileInfo, name string) error {
	if old.Mode&setID == 0 {
		if err := h.Link(ctx, old.Path, name); err == nil || errors.Is(err, fs.ErrExist) || ctx.Err() != nil {
			return err
		}
	}
	err := copyTo(ctx, h, old.Path, name, func(opened host.FileInfo) host.Attributes {
		return host.Attributes{Mode: new(opened.Mode &^ setID), UID: &opened.UID, GID: &opened.GID}
	})
	if errors.Is(err, fs.ErrPermission) { // the owner cannot be kept, so no other user may read the copy
		err = copyTo(ctx, h, old.Path, name, func(opened host.FileInfo) host.Attributes {
			return host.Attributes{Mode: new(opened.Mode & 0o600)}
		})
	}
	return err
}

// copyTo copies a file. attrs returns the attributes of the copy for the opened file,
// because the file may have been replaced since the Lstat.
func copyTo(ctx context.Context, h host.Host, from, to string, attrs func(opened host.FileInfo) host.Attributes) error {
	opened, content, err := h.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	_, err = h.WriteFile(ctx, to, content, host.WriteOptions{Attributes: attrs(opened), Exclusive: true})
	return err
}

// backupKeptError is the error of a failed write whose backup is kept.
type backupKeptError struct{ error }

// backupKept returns the [backupKeptError] in err, or nil if there is none.
func backupKept(err error) error {
	if kept, is := errors.AsType[backupKeptError](err); is {
		return kept
	}
	return nil
}

// removeBackup removes the backup of a write that failed. If removeBackup cannot verify that the file
// still has the content of the backup, for example after a lost connection, or cannot remove the
// backup, the error wraps a backupKeptError with the path of the backup.
func (f *File) removeBackup(ctx context.Context, h host.Host, backup string) error {
	if backup == "" {
		return nil
	}
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	kept := backupKeptError{fmt.Errorf("the previous content of %s on host %s is kept at %s", f.Path, h.Name(), host.QuotePath(backup))}
	_, is, err := host.Digest(ctx, h, string(f.Path))
	if err != nil {
		return kept
	}
	if _, was, err := host.Digest(ctx, h, backup); err != nil || is != was {
		return kept
	}
	if err := h.Remove(ctx, backup); err != nil {
		return fmt.Errorf("%w: %w", kept, err)
	}
	return nil
}
