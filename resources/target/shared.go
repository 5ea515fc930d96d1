package target

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// WarnShared says that a deletion has deleted nothing, because what stands at
// the path was created in the same run.
func WarnShared(ctx context.Context, h host.Host, path Path) {
	runtime.Warn(ctx, "", "Not deleted: it belongs to its replacement",
		fmt.Sprintf("%s on host %s was created again in this apply before the old object was deleted, and both have the same path. "+
			"It is kept. The cause is create_before_destroy, or a resource that was renamed without a moved block.", path, h.Name()))
}
