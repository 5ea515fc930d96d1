package sshhost

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/batch"
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
	if !h.roomy() {
		return host.Digest(ctx, onlyHost{h}, path)
	}
	seen, sum, err := h.batches.Digest(ctx, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return host.Digest(ctx, onlyHost{h}, path)
	case err != nil:
		return host.FileInfo{}, none, h.fail(verb, path, err)
	}
	info := infoOf(path, seen)
	if err := h.label(ctx, &info); err != nil {
		return host.FileInfo{}, none, h.fail(verb, path, err)
	}
	return info, sum, nil
}

// onlyHost is a host without its optional powers.
type onlyHost struct{ host.Host }

// infoOf is what a shell saw, as SFTP would show it: what is asked for in two ways
// must not seem to differ.
func infoOf(path string, seen batch.Info) host.FileInfo {
	return host.FileInfo{
		Path: path, Type: seen.Type, Mode: seen.Mode, Size: seen.Size, UID: seen.UID, GID: seen.GID,
		ModTime: time.Unix(seen.ModTime.Unix(), 0), LinkTarget: seen.LinkTarget,
	}
}
