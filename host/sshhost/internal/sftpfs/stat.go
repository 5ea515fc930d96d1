package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Lstat implements [host.Files].
func (f *Files) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	var info host.FileInfo
	err := begin(ctx, path)
	if err == nil {
		err = f.again(ctx, func(c *sftp.Client) (err error) {
			info, err = f.lstat(ctx, c, path)
			return err
		})
	}
	if err != nil {
		return host.FileInfo{}, f.fail("stat", path, err)
	}
	return info, nil
}

func (f *Files) lstat(ctx context.Context, c *sftp.Client, path string) (host.FileInfo, error) {
	b := c.Batch()
	seen := look(b, path)
	if err := b.Do(ctx); err != nil {
		return host.FileInfo{}, err
	}
	return f.seen(ctx, c, path, seen)
}

// sight is what is at a path, and where that leads if it is a link: asked
// together, as one does not know which it is.
type sight struct {
	attrs  *sftp.Reply[sftp.Attrs]
	target *sftp.Reply[string]
}

func look(b *sftp.Batch, path string) sight {
	return sight{b.Lstat(path), b.Readlink(path)}
}

// seen is the info of a sight. What was a link in one answer and not in the
// other is looked at again.
func (f *Files) seen(ctx context.Context, c *sftp.Client, path string, s sight) (host.FileInfo, error) {
	for {
		if s.attrs.Err != nil {
			return host.FileInfo{}, s.attrs.Err
		}
		info, err := f.info(ctx, path, s.attrs.Value)
		if err != nil || info.Type != host.TypeSymlink {
			return info, err
		}
		if s.target.Err == nil {
			info.LinkTarget = s.target.Value
			return info, nil
		}
		var status *sftp.StatusError
		if !errors.Is(s.target.Err, fs.ErrNotExist) && (!errors.As(s.target.Err, &status) || status.Code != sftp.CodeBadMessage) {
			return host.FileInfo{}, s.target.Err
		}
		b := c.Batch()
		s = look(b, path)
		if err := b.Do(ctx); err != nil {
			return host.FileInfo{}, err
		}
	}
}

// info converts what the server says. Names of owners are looked up here and
// nowhere else.
func (f *Files) info(ctx context.Context, path string, a sftp.Attrs) (host.FileInfo, error) {
	owner, err := f.names.UserName(ctx, a.UID)
	if err != nil {
		return host.FileInfo{}, err
	}
	group, err := f.names.GroupName(ctx, a.GID)
	if err != nil {
		return host.FileInfo{}, err
	}
	return host.FileInfo{
		Path:    path,
		Type:    fileType(a),
		Mode:    mode(a),
		Size:    int64(a.Size), //nolint:gosec // a size that a file can have
		UID:     a.UID,
		GID:     a.GID,
		Owner:   owner,
		Group:   group,
		ModTime: a.ModTime(),
	}, nil
}

type (
	userID  uint32
	groupID uint32
)

// UserName implements [Names] for hosts without a shell: it returns what the server
// calls a user.
func (f *Files) UserName(ctx context.Context, uid uint32) (string, error) {
	return f.ownerName(ctx, userID(uid), uid, func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups] {
		return b.UsersGroups([]uint32{uid}, nil)
	})
}

// GroupName implements [Names].
func (f *Files) GroupName(ctx context.Context, gid uint32) (string, error) {
	return f.ownerName(ctx, groupID(gid), gid, func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups] {
		return b.UsersGroups(nil, []uint32{gid})
	})
}

// ownerName returns the name of a user or group, or the number if it has none. Names
// are asked for once.
func (f *Files) ownerName(ctx context.Context, key any, id uint32, ask func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups]) (string, error) {
	if name, known := f.owners.Load(key); known {
		return name.(string), nil //nolint:forcetypeassert // nothing else is in it
	}
	name := ""
	err := f.again(ctx, func(c *sftp.Client) error {
		found, err := ask(c.Batch()).Do(ctx)
		if err == nil {
			name = cmp.Or(slices.Concat(found.Users, found.Groups)[0], strconv.FormatUint(uint64(id), 10))
			f.owners.Store(key, name)
		}
		return err
	})
	return name, err
}

func mode(a sftp.Attrs) host.Mode { return host.Mode(a.Mode) & host.ModeMask }

func fileType(a sftp.Attrs) host.FileType {
	switch a.Type() {
	case sftp.ModeRegular:
		return host.TypeRegular
	case sftp.ModeDir:
		return host.TypeDirectory
	case sftp.ModeLink:
		return host.TypeSymlink
	case sftp.ModeFIFO:
		return host.TypeFIFO
	case sftp.ModeSocket:
		return host.TypeSocket
	case sftp.ModeBlock:
		return host.TypeBlockDevice
	case sftp.ModeChar:
		return host.TypeCharDevice
	}
	return host.TypeUnknown
}

func wantType(a sftp.Attrs, want host.FileType) error {
	if got := fileType(a); got != want {
		return &host.TypeError{Want: want, Got: got}
	}
	return nil
}

// typed is the error of a reply, or of the type of what it found.
func typed(r *sftp.Reply[sftp.Attrs], want host.FileType) error {
	if r.Err != nil {
		return r.Err
	}
	return wantType(r.Value, want)
}
