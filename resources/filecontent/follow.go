package filecontent

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// maxLinks is the number of links that Linux follows in a path.
const maxLinks = 40

var errLoop = errors.New("too many levels of symbolic links")

// follow returns the path with all links resolved. Hosts do not follow a link at the
// end of a path, so each element is resolved here: ".." in a link's target is relative
// to the resolved directory.
func follow(ctx context.Context, h host.Host, name string) (string, error) {
	info, err := h.Lstat(ctx, name)
	if err != nil || info.Type != host.TypeSymlink {
		return name, err
	}
	at, rest, links := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		element := rest[0]
		rest = rest[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, element)
		info, err := h.Lstat(ctx, next)
		if err != nil {
			return name, err
		}
		if info.Type != host.TypeSymlink {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return name, &host.Error{Op: "follow", Host: h.Name(), Path: name, Err: errLoop}
		}
		if strings.HasPrefix(info.LinkTarget, "/") {
			at = "/"
		}
		rest = append(strings.Split(info.LinkTarget, "/"), rest...)
	}
	return at, nil
}
