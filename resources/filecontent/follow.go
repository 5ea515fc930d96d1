package filecontent

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// maxLinks is how many links Linux follows on the way to a file.
const maxLinks = 40

var errLoop = errors.New("too many levels of symbolic links")

// follow is where the links at a path lead. Hosts do not follow a link at the end
// of a path, so each name on the way is looked at: ".." in the text of a link
// means the directory above the one in which it really is.
func follow(ctx context.Context, h host.Host, name string) (string, error) {
	info, err := h.Lstat(ctx, name)
	if err != nil || info.Type != host.TypeSymlink {
		return name, err // which is nearly always so
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
