package sshhost

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Digester = (*Host)(nil)

// Digest implements [host.Digester]. Those that are asked for at about the same
// time are one question to the shell that stays; where that has no place or no
// tools, the content is read.
func (h *Host) Digest(ctx context.Context, path string) (host.FileInfo, [sha256.Size]byte, error) {
	const verb = "read"
	none := [sha256.Size]byte{}
	done, err := h.begin(ctx, path)
	if err != nil {
		return host.FileInfo{}, none, h.fail(verb, path, err)
	}
	defer done()
	if h.bare() {
		return h.shell.Digest(ctx, path)
	}
	if !h.roomy() {
		return host.Digest(ctx, onlyHost{h}, path)
	}
	defer h.nameAhead(ctx)()
	info, sum, err := h.shell.Digest(ctx, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported), noShell(err) && ctx.Err() == nil && !errors.Is(err, host.ErrUnreachable):
		return host.Digest(ctx, onlyHost{h}, path)
	case err != nil:
		return host.FileInfo{}, none, err
	}
	asBySFTP(&info)
	return info, sum, nil
}

// onlyHost is a host without its optional powers.
type onlyHost struct{ host.Host }

// asBySFTP leaves what SFTP tells of what a shell saw: what is asked for in two ways
// must not seem to differ.
func asBySFTP(info *host.FileInfo) {
	info.ModTime = time.Unix(info.ModTime.Unix(), 0)
	info.Device = 0
}
