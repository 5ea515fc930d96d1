package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Lstat implements [remotefs.Backend].
func (f *Files) Lstat(ctx context.Context, path string) (info host.FileInfo, err error) {
	err = f.withRetries(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		found := lstat(b, path)
		if err := b.Do(ctx); err != nil {
			return err
		}
		info, err = lstatInfo(ctx, c, path, found)
		return err
	})
	return info, err
}

// LstatAll implements [remotefs.Backend]. It does not read the targets of links.
func (f *Files) LstatAll(ctx context.Context, paths []string) (all []remotefs.Result, err error) {
	err = f.withRetries(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		replies := make([]*sftp.Reply[sftp.Attrs], len(paths))
		for i, path := range paths {
			replies[i] = b.Lstat(path)
		}
		if err := b.Do(ctx); err != nil {
			return err
		}
		all = make([]remotefs.Result, len(paths))
		for i, reply := range replies {
			all[i] = remotefs.Result{FileInfo: toInfo(reply.Value), Err: reply.Err}
		}
		return nil
	})
	return all, err
}

var errNoTarget = errors.New("the object is a symbolic link, but the server does not return its target")

// lstatReply is the pair of replies to lstat and readlink for a path. They are requested
// together because the type is not known yet.
type lstatReply struct {
	attrs  *sftp.Reply[sftp.Attrs]
	target *sftp.Reply[string]
}

func lstat(b *sftp.Batch, path string) lstatReply {
	return lstatReply{b.Lstat(path), b.Readlink(path)}
}

// lstatInfo returns the info of a reply. It repeats the requests if the type seems to have changed
// between the two replies. The number of attempts is limited, because there are links without a
// readable target, such as /proc/2/exe.
func lstatInfo(ctx context.Context, c *sftp.Client, path string, s lstatReply) (host.FileInfo, error) {
	for range remotefs.OpenAttempts {
		if s.attrs.Err != nil {
			return host.FileInfo{}, s.attrs.Err
		}
		info := toInfo(s.attrs.Value)
		if info.Type != host.TypeSymlink {
			return info, nil
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
		s = lstat(b, path)
		if err := b.Do(ctx); err != nil {
			return host.FileInfo{}, err
		}
	}
	return host.FileInfo{}, errNoTarget
}

// toInfo converts attributes.
func toInfo(a sftp.Attrs) host.FileInfo {
	return host.FileInfo{
		Type: host.StatType(a.Mode), Mode: mode(a), Size: int64(a.Size), //nolint:gosec // the size of a file fits
		UID: a.UID, GID: a.GID, ModTime: a.ModTime(),
	}
}

type (
	userID  uint32
	groupID uint32
)

// UserName implements [remotefs.Names] for hosts without a shell, with the server's
// extension for names.
func (f *Files) UserName(ctx context.Context, uid uint32) (string, error) {
	return f.ownerName(ctx, userID(uid), uid, func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups] {
		return b.UsersGroups([]uint32{uid}, nil)
	})
}

// GroupName implements [remotefs.Names].
func (f *Files) GroupName(ctx context.Context, gid uint32) (string, error) {
	return f.ownerName(ctx, groupID(gid), gid, func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups] {
		return b.UsersGroups(nil, []uint32{gid})
	})
}

// ownerName returns the name of a user or group, or the ID if it has none. A known name is
// not requested again.
func (f *Files) ownerName(ctx context.Context, key any, id uint32, request func(b *sftp.Batch) *sftp.Reply[sftp.UsersGroups]) (string, error) {
	if name, known := f.owners.Load(key); known {
		return name.(string), nil //nolint:forcetypeassert // nothing else is in it
	}
	name := ""
	err := f.withRetries(ctx, func(c *sftp.Client) error {
		found, err := request(c.Batch()).Do(ctx)
		if err == nil {
			name = cmp.Or(slices.Concat(found.Users, found.Groups)[0], host.FormatID(id))
			f.owners.Store(key, name)
		}
		return err
	})
	return name, err
}

func mode(a sftp.Attrs) host.Mode { return host.Mode(a.Mode) & host.ModeMask }

// typed returns the error of a reply, or a [*host.TypeError] unless the object has the
// type.
func typed(r *sftp.Reply[sftp.Attrs], want host.FileType) error {
	if r.Err != nil {
		return r.Err
	}
	return host.StatType(r.Value.Mode).Want(want)
}
