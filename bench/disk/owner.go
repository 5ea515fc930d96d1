//go:build unix

package disk

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"sync"
	"syscall"
)

// names caches the names of users and groups by ID.
type names struct{ users, groups sync.Map }

// Owner returns the names of the owner and the group of path. An ID without a name is an error.
func (f *Files) Owner(path string) (owner, group string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", "", fmt.Errorf("stat %s: the operating system does not return the owner", path)
	}
	owner, err = cached(&f.names.users, stat.Uid, func(id string) (string, error) {
		u, err := user.LookupId(id)
		if err != nil {
			return "", err
		}
		return u.Username, nil
	})
	if err != nil {
		return "", "", err
	}
	group, err = cached(&f.names.groups, stat.Gid, func(id string) (string, error) {
		g, err := user.LookupGroupId(id)
		if err != nil {
			return "", err
		}
		return g.Name, nil
	})
	return owner, group, err
}

func cached(known *sync.Map, id uint32, look func(string) (string, error)) (string, error) {
	if name, ok := known.Load(id); ok {
		if text, ok := name.(string); ok {
			return text, nil
		}
	}
	name, err := look(strconv.FormatUint(uint64(id), 10))
	if err == nil {
		known.Store(id, name)
	}
	return name, err
}
