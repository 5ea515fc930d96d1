package shellrpc

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Leftovers returns the names in a directory that have the form of [host.TempPath]. A
// directory that does not exist or cannot be read has none.
func (c *Coalescer) Leftovers(ctx context.Context, dir string) ([]string, error) {
	answers, err := c.Ask(ctx, Question{Text: shell.Call("px_temps", strings.TrimSuffix(dir, "/")+"/"), Blocks: 2})
	if err != nil {
		return nil, err
	}
	if said := answers[0][0]; said != "" {
		err := shell.Reason(said)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, found := range temps(answers[0][1]) {
		names = append(names, path.Base(found))
	}
	return names, nil
}

// temps filters other names that match the host's glob pattern.
func temps(block string) []string {
	var found []string
	for _, name := range ended(block) {
		if host.IsTempPath(name) {
			found = append(found, name)
		}
	}
	return found
}
