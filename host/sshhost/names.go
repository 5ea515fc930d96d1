package sshhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// afterwards is how long what follows an effect may take once a context has ended.
const afterwards = 10 * time.Second

var (
	_ host.Accounts = (*Host)(nil)
	_ sftpfs.Names  = unnamed{}
	_ sftpfs.Finder = finder{}
)

// unnamed leaves names to the host: who asks here has a session, and must not
// wait for that of the shell, which the server may have no place for beside it.
type unnamed struct{}

func (unnamed) UserName(context.Context, uint32) (string, error)  { return "", nil }
func (unnamed) GroupName(context.Context, uint32) (string, error) { return "", nil }

// label adds the names of owner and group to an info that has none, and takes from
// it what only some ways of asking tell.
func (h *Host) label(ctx context.Context, info *host.FileInfo) (err error) {
	if !h.bare() {
		asBySFTP(info)
	}
	if info.Owner == "" {
		if info.Owner, err = h.accounts.UserName(ctx, info.UID); err != nil {
			return h.labelBySFTP(ctx, info, err)
		}
	}
	if info.Group == "" {
		info.Group, err = h.accounts.GroupName(ctx, info.GID)
	}
	return err
}

// labelBySFTP is for hosts that have nothing but SFTP. Its answers are of the files
// that the server sees, where accounts may be missing that others of the host know.
func (h *Host) labelBySFTP(ctx context.Context, info *host.FileInfo, err error) error {
	if _, none := errors.AsType[*shell.EndedError](err); !none || h.bare() {
		return err
	}
	owner, group, bySFTP := h.transfer.OwnerNames(ctx, info.UID, info.GID)
	if errors.Is(bySFTP, errors.ErrUnsupported) {
		return fmt.Errorf("%w, and %w", bySFTP, &helplessError{err})
	}
	info.Owner, info.Group = owner, group
	return bySFTP
}

// foresee looks up the names that something is going to need.
func (h *Host) foresee(ctx context.Context, attrs host.Attributes) error {
	var info host.FileInfo
	if attrs.UID != nil {
		info.UID = *attrs.UID
	}
	if attrs.GID != nil {
		info.GID = *attrs.GID
	}
	return h.label(ctx, &info)
}

// finder finds temporary files by the shell, where that has a session of its own.
type finder struct{ *Host }

// Leftovers implements [sftpfs.Finder].
func (f finder) Leftovers(ctx context.Context, dir string) ([]string, error) {
	if !f.roomy() {
		return nil, errors.ErrUnsupported
	}
	names, err := f.batches.Leftovers(ctx, dir)
	if _, none := errors.AsType[*shell.EndedError](err); none {
		err = errors.ErrUnsupported
	}
	return names, err
}

// roomy says whether the shell that stays has a session beside that of files.
func (h *Host) roomy() bool { return h.conn.Limit() > 1 }

// LookupUser implements [host.Accounts].
func (h *Host) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	return lookUp(ctx, h, "look up user", nameOrID, h.accounts.LookupUser)
}

// LookupGroup implements [host.Accounts].
func (h *Host) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	return lookUp(ctx, h, "look up group", nameOrID, h.accounts.LookupGroup)
}

func lookUp[T any](ctx context.Context, h *Host, verb, nameOrID string, do func(context.Context, string) (T, error)) (found T, err error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return found, h.fail(verb, "", err)
	}
	defer done()
	return do(ctx, nameOrID)
}
