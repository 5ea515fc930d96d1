package sshhost

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
)

var _ host.Digester = (*Host)(nil)

// Digest implements [host.Digester]. Concurrent calls are combined into one request to the
// shell. On a host without a shell or without a command for SHA-256, the content is read.
func (h *Host) Digest(ctx context.Context, path string) (host.FileInfo, [sha256.Size]byte, error) {
	done, err := h.begin(ctx, path)
	if err != nil {
		return host.FileInfo{}, [sha256.Size]byte{}, h.fail("read", path, err)
	}
	defer done()
	m := h.mode.Load()
	if m == nil || m.shell {
		var names sync.WaitGroup // Owner names are needed for the result; both lookups share one round trip.
		names.Go(func() { _ = h.accounts.Load(ctx) })
		defer names.Wait()
		info, sum, err := h.shellFiles.Digest(ctx, path)
		if err == nil {
			err = remotefs.Label(ctx, h.accounts, &info)
		}
		if m == nil || m.sftp {
			asOverSFTP(&info)
		}
		info.Path = path
		switch {
		case err == nil:
			return info, sum, nil
		case !errors.Is(err, errors.ErrUnsupported) && !h.withoutShell(ctx, err):
			return host.FileInfo{}, sum, h.fail("read", path, err)
		}
	}
	return host.Digest(ctx, onlyHost{h}, path)
}

// onlyHost hides the optional interfaces of the embedded host.
type onlyHost struct{ host.Host }

// asOverSFTP removes from info what SFTP does not report, so that the same file looks
// the same over SFTP and through the shell.
func asOverSFTP(info *host.FileInfo) {
	info.ModTime = time.Unix(info.ModTime.Unix(), 0)
	info.Device = 0
}
