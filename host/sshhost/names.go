package sshhost

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Accounts = (*Host)(nil)

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
