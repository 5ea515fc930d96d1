package shellrpc

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// RemoveOnly removes what is at a path if it is a regular file, or a symbolic link, as
// wanted, and reports whether it did. If not, it has done nothing, and does not say
// why. Asked again, because a connection broke, it has nothing left to do.
func (c *Coalescer) RemoveOnly(ctx context.Context, path string, want host.FileType) (removed bool, err error) {
	topic := removeTopics[want]
	if topic == nil {
		return false, nil
	}
	_, err = c.look(ctx, topic, path)
	if errors.Is(err, errStays) {
		return false, nil
	}
	return err == nil, err
}

var removeTopics = map[host.FileType]*topic{host.TypeRegular: removing("f"), host.TypeSymlink: removing("l")}

var errStays = errors.New("it was not removed")

// removing asks to remove what is of a kind.
func removing(kind string) *topic {
	return &topic{
		ask: func(paths []string) Question {
			return Question{Text: shell.Call("px_drop", append([]string{kind}, paths...)...), Blocks: 1}
		},
		read: func(paths []string, answer Answer) []found {
			removed := map[string]bool{}
			for _, path := range ended(answer[0]) {
				removed[path] = true
			}
			all := make([]found, len(paths))
			for i, path := range paths {
				if !removed[path] {
					all[i].err = errStays
				}
			}
			return all
		},
		alone: func(string) bool { return false },
	}
}
