package shellrpc

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Leftovers are the names in a directory that have the form of [host.TempPath]. A
// directory that is not there or can not be read has none.
func (c *Coalescer) Leftovers(ctx context.Context, dir string) ([]string, error) {
	answers, err := c.Ask(ctx, Question{Text: shell.Call("px_temps_in", strings.TrimSuffix(dir, "/")+"/"), Blocks: 2})
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

// Temps are the temporary files of one target that there are, by whoever made
// them. Where the directory can not be read, only the usual name is looked for.
func (c *Coalescer) Temps(ctx context.Context, target string) ([]string, error) {
	answers, err := c.Ask(ctx, TempsQuestion(target))
	if err != nil {
		return nil, err
	}
	return TempsAnswer(answers[0]), nil
}

// TempsQuestion is the question of [Coalescer.Temps], to be asked with others.
func TempsQuestion(target string) Question {
	return Question{Text: shell.Call("px_temps", host.TempPath(target, "")), Blocks: 1}
}

// TempsAnswer reads the answer to it.
func TempsAnswer(answer Answer) []string { return temps(answer[0]) }

// temps leaves out what the host's patterns find beside them.
func temps(block string) []string {
	var found []string
	for _, name := range ended(block) {
		if host.IsTempPath(name) {
			found = append(found, name)
		}
	}
	return found
}

// Clock is what the host's clock says, in whole seconds.
func (c *Coalescer) Clock(ctx context.Context) (time.Time, error) {
	answers, err := c.Ask(ctx, Question{Text: shell.Call("px_clock"), Blocks: 1})
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(answers[0][0]), 10, 64)
	if err != nil {
		return time.Time{}, errors.New("the host's date command does not tell the time")
	}
	return time.Unix(seconds, 0), nil
}
