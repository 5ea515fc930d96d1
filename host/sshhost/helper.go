package sshhost

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// shellKeeper keeps the shell of a Helper open as one of the connection's sessions. It may
// be closed between two batches; the next batch then opens another one.
type shellKeeper struct{ conn *conn.Conn }

// Hold implements [shellrpc.Keeper].
func (k shellKeeper) Hold(ctx context.Context, open func(context.Context) (*shellrpc.Session, error)) (*shellrpc.Session, func(), error) {
	return retry(ctx, func() (*shellrpc.Session, func(), error) {
		return conn.Hold(ctx, k.conn, conn.Kind{Name: "shell"}, open)
	})
}
