package shellrpc

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// RemoveOnly removes the object at path if it is of the wanted type, a regular file or a
// symbolic link, and reports whether it did. If not, nothing was removed and the reason is
// unknown. It is safe to repeat after a broken connection.
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

var errStays = errors.New("the file was not removed")

// removing returns the topic that removes objects of a type.
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
