package sshhost

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
)

// afterwards is how long the steps after a change may take once a context has ended.
const afterwards = 10 * time.Second

var (
	_ host.Accounts = (*Host)(nil)
	_ sftpfs.Names  = unnamed{}
)

// unnamed leaves the names of owners to [label].
type unnamed struct{}

func (unnamed) UserName(context.Context, uint32) (string, error)  { return "", nil }
func (unnamed) GroupName(context.Context, uint32) (string, error) { return "", nil }

// label adds the names of owner and group to info.
func label(ctx context.Context, names sftpfs.Names, info *host.FileInfo) (err error) {
	if info.Owner == "" {
		if info.Owner, err = names.UserName(ctx, info.UID); err != nil {
			return err
		}
	}
	if info.Group == "" {
		info.Group, err = names.GroupName(ctx, info.GID)
	}
	return err
}

// lookUpNames looks up the names of the owners in attrs.
func (m *mode) lookUpNames(ctx context.Context, attrs host.Attributes) error {
	var info host.FileInfo
	if attrs.UID != nil {
		info.UID = *attrs.UID
	}
	if attrs.GID != nil {
		info.GID = *attrs.GID
	}
	return label(ctx, m.names, &info)
}

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
