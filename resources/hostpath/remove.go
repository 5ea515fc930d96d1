package hostpath

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// Remove removes what is managed at a path, if it is of this kind, and what a killed
// writer of it may have left. That it is gone already is no error.
func Remove(ctx context.Context, h host.Host, at address.Path, kind host.FileType) error {
	err := host.RemoveOnly(ctx, h, string(at), kind)
	if errors.Is(err, fs.ErrNotExist) {
		err = h.RemoveTemp(ctx, string(at))
	}
	return Explain(h, at, kind, err)
}
