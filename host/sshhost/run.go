package sshhost

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Runner = (*Host)(nil)

// Run implements [host.Runner]. Each command has a session of its own.
func (h *Host) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	done, err := h.admission.enter(ctx)
	if err != nil {
		return host.Result{}, h.fail("run", cmd.Dir, &host.NotStartedError{Err: err})
	}
	defer done()
	return h.commands.Run(ctx, cmd)
}
