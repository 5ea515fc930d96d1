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

func (f *File) keepsBackup() bool { return f.Backup != nil && *f.Backup }

// A backup is .NAME.backup-TIME~ beside the file. Programs that read all files of a
// directory, such as conf.d, skip names with a leading dot, a trailing tilde, or an
// unexpected extension.
const (
	backupTime  = "20060102T150405Z"
	backupName  = 160 // how many bytes of the file's name are in the name of a backup
	backupTries = 100
)

// backupPath returns the n-th possible path, from 0, of a backup made at a time.
func backupPath(file string, at time.Time, n int) string {
	dir, name := path.Split(file)
	if len(name) > backupName {
		sum := sha256.Sum256([]byte(name))
		cut := backupName
		for cut > backupName-utf8.UTFMax && !utf8.RuneStart(name[cut]) { // some file systems take only valid UTF-8
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

// keep makes a backup of the file and returns its path, or "" if there is no file.
func (f *File) keep(ctx context.Context, h host.Host) (string, error) {
	old, err := h.Lstat(ctx, string(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", f.notKept(h, err)
	case old.Type != host.TypeRegular:
		return "", &host.TypeError{Want: host.TypeRegular, Got: old.Type}
	}
	now := time.Now()
	for n := range backupTries {
		name := backupPath(string(f.Path), now, n)
		switch err := keepAs(ctx, h, old, name); {
		case err == nil:
			return name, nil
		case errors.Is(err, fs.ErrNotExist): // it was removed a moment ago
			return "", nil
		case !errors.Is(err, fs.ErrExist):
			return "", f.notKept(h, err)
		}
	}
	return "", f.notKept(h, fs.ErrExist)
}

func (f *File) notKept(h host.Host, err error) error {
	return fmt.Errorf("the content of %s on host %s was not replaced, since its backup failed: %w", f.Path, h.Name(), err)
}

const setID = host.ModeSetuid | host.ModeSetgid

// keepAs creates the backup as a hard link: it keeps mode and owner, so no other user can
// read it, and it has all writes through the old name until that is replaced. It is a copy
// if the host or the file system does not support hard links, or if the file is setuid or
// setgid.
func keepAs(ctx context.Context, h host.Host, old host.FileInfo, name string) error {
	if old.Mode&setID == 0 {
		if err := h.Link(ctx, old.Path, name); err == nil || errors.Is(err, fs.ErrExist) || ctx.Err() != nil {
			return err
		}
	}
	kept := host.Attributes{Mode: new(old.Mode &^ setID), UID: &old.UID, GID: &old.GID}
	err := copyTo(ctx, h, old.Path, name, kept)
	if errors.Is(err, fs.ErrPermission) { // the owner cannot be kept, so only this user may read it
		err = copyTo(ctx, h, old.Path, name, host.Attributes{Mode: new(old.Mode & 0o600)})
	}
	return err
}

func copyTo(ctx context.Context, h host.Host, from, to string, attrs host.Attributes) error {
	_, content, err := h.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	_, err = h.WriteFile(ctx, to, content, host.WriteOptions{Attributes: attrs, Exclusive: true})
	return err
}

// dropBackup removes the backup of a file that was not replaced. If that is uncertain, for
// example after a lost connection, the backup is kept.
func (f *File) dropBackup(ctx context.Context, h host.Host, backup string) error {
	if backup == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	stays := fmt.Errorf("the previous content of %s on host %s is kept at %s", f.Path, h.Name(), host.QuotePath(backup))
	_, is, err := host.Digest(ctx, h, string(f.Path))
	if err != nil {
		return stays
	}
	if _, was, err := host.Digest(ctx, h, backup); err != nil || is != was {
		return stays
	}
	if err := h.Remove(ctx, backup); err != nil {
		return fmt.Errorf("%w: %w", stays, err)
	}
	return nil
}
