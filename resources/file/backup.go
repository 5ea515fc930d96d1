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

// A backup is .NAME.backup-TIME~ beside the file. Programs that read all files of
// a directory, as many do with their conf.d, pass over names with a dot before
// them or a tilde after them, or those that do not end as they expect.
const (
	backupTime  = "20060102T150405Z"
	backupName  = 160 // bytes of the file's name that a backup's repeats
	backupTries = 100
)

// backupPath is the n-th name, from 0, for what is kept of a file at a time.
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

// keep gives what is at the path another name, and says which; empty where there
// is nothing.
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
		case errors.Is(err, fs.ErrNotExist): // it went a moment ago
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

// keepAs makes name a second name of the old file: it has the mode and owner that
// it had, so nobody reads it who could not, and what is written to it through the
// first name until it is replaced is in it too. Where the host or the file system
// refuses that, and for what must not stay executable with the rights of another,
// it is a copy.
func keepAs(ctx context.Context, h host.Host, old host.FileInfo, name string) error {
	if old.Mode&setID == 0 {
		if err := h.Link(ctx, old.Path, name); err == nil || errors.Is(err, fs.ErrExist) || ctx.Err() != nil {
			return err
		}
	}
	kept := host.Attributes{Mode: new(old.Mode &^ setID), UID: &old.UID, GID: &old.GID}
	err := copyTo(ctx, h, old.Path, name, kept)
	if errors.Is(err, fs.ErrPermission) { // the owner cannot be kept: then it is for nobody else
		err = copyTo(ctx, h, old.Path, name, host.Attributes{Mode: new(old.Mode & 0o600)})
	}
	return err
}

func copyTo(ctx context.Context, h host.Host, from, to string, attrs host.Attributes) error {
	_, content, err := h.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // nothing was written to it
	_, err = h.WriteFile(ctx, to, content, host.WriteOptions{Attributes: attrs, Exclusive: true})
	return err
}

// dropBackup removes the backup of a file that was not replaced. While that is
// not certain, as when the connection was lost, it stays.
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
