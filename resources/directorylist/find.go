package directorylist

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// maxObjects limits the objects below a directory, because all of them are held in
// memory.
const maxObjects = 200_000

// query is the configuration that the data source and the list resources share.
type query struct {
	path      string
	recursive bool
	pattern   *string
	types     []host.FileType // nil for all
}

// constraints returns the constraints of the attributes of a query.
func constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("path", "", address.CheckDirectory),
		runtime.Check("pattern", "", func(text string) error {
			_, err := glob.Parse(text)
			return err
		}),
	}
}

// find returns the matching objects below the directory, sorted by path, with relative
// paths, and the number of matching objects that are left out because Terraform's strings
// cannot contain their paths or targets.
func (q *query) find(ctx context.Context, h host.Host) (found []host.TreeEntry, unnameable int, err error) {
	var pattern *glob.Pattern
	if q.pattern != nil {
		p, err := glob.Parse(*q.pattern)
		if err != nil {
			return nil, 0, diag.AttributeErrorf("pattern", "%w", err)
		}
		pattern = &p
	}
	depth := 1
	if q.recursive {
		depth = 0
	}
	all, err := host.ReadTree(ctx, h, q.path, host.TreeQuery{All: true, Depth: depth, Limit: maxObjects})
	if err != nil {
		return nil, 0, q.explain(h, err)
	}
	for _, e := range all {
		switch {
		case e.Path == ".", !q.matchesType(e.Type), pattern != nil && !pattern.Match(e.Path, e.Type == host.TypeDirectory):
		case !address.IsText(path.Join(q.path, e.Path)) || e.Type == host.TypeSymlink && !address.IsText(e.LinkTarget):
			unnameable++
		default:
			found = append(found, e)
		}
	}
	return found, unnameable, nil
}

func (q *query) matchesType(t host.FileType) bool {
	return q.types == nil || slices.Contains(q.types, t)
}

func (q *query) explain(h host.Host, err error) error {
	at := host.QuotePath(q.path)
	wrong, is := errors.AsType[*host.TypeError](err)
	switch {
	case is && wrong.Got == host.TypeSymlink:
		return diag.AttributeErrorf("path", "%s on host %s is a symbolic link, which is not followed. Use the path of its target", at, h.Name())
	case is:
		return diag.AttributeErrorf("path", "%s on host %s is a %s, not a directory", at, h.Name(), wrong.Got)
	case errors.Is(err, fs.ErrNotExist):
		return diag.AttributeErrorf("path", "%s does not exist on host %s: %w", at, h.Name(), err)
	case errors.Is(err, host.ErrTreeTooLarge):
		return diag.AttributeErrorf("path", "%w. %s", err, q.narrower())
	case errors.Is(err, host.ErrTooMany):
		return diag.AttributeErrorf("path", "%s on host %s has more than %d objects below it. %s", at, h.Name(), maxObjects, q.narrower())
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w. The user the provider runs as on host %s needs permission to list the directory", err, h.Name())
	}
	return err
}

// narrower returns advice on how to get fewer results.
func (q *query) narrower() string {
	if q.recursive {
		return "Use one of its subdirectories, or leave out recursive"
	}
	return "Use one of its subdirectories"
}

// Reasons why objects are left out.
const (
	notText       = "their names, or the targets of links, are not UTF-8 in normalisation form C (NFC), which Terraform requires for strings. Rename them to list them."
	notManageable = "their names have the form of a temporary file's name, .NAME.posix-tmp, which is reserved, or their paths are too long. Rename or move them to list them."
)

// warnOmitted warns about objects that were left out for a reason.
func warnOmitted(ctx context.Context, h host.Host, in string, n int, reason string) {
	if n > 0 {
		runtime.Warn(ctx, "", "Objects were left out", fmt.Sprintf("%s in %s on host %s: %s", diag.Count(n, "object"), host.QuotePath(in), h.Name(), reason))
	}
}
