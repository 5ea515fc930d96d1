//go:build unix && !aix && !solaris

package local

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// LookupUser implements [host.Accounts].
func (h *Host) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	if err := ctx.Err(); err != nil {
		return host.User{}, h.fail("look up user", "", err)
	}
	found, err := findUser(ctx, nameOrID)
	if err == nil && found == nil {
		uid, numeric := parseID(nameOrID)
		if numeric {
			return host.User{UID: uid}, nil
		}
		err = host.ErrUnknownUser
	}
	if err != nil {
		return host.User{}, h.fail("look up user "+strconv.Quote(nameOrID), "", err)
	}
	return *found, nil
}

// LookupGroup implements [host.Accounts].
func (h *Host) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	if err := ctx.Err(); err != nil {
		return host.Group{}, h.fail("look up group", "", err)
	}
	found, err := findGroup(ctx, nameOrID)
	if err == nil && found == nil {
		gid, numeric := parseID(nameOrID)
		if numeric {
			return host.Group{GID: gid}, nil
		}
		err = host.ErrUnknownGroup
	}
	if err != nil {
		return host.Group{}, h.fail("look up group "+strconv.Quote(nameOrID), "", err)
	}
	return *found, nil
}

// parseID reads a number as chown does. The highest means "none" to the system
// and is nobody's.
func parseID(s string) (uint32, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n != 1<<32-1
}

// findUser asks by name first and answers nil for nobody. Package os/user reads
// the whole database where it is linked with the C library, and only the local
// files otherwise: then getent(1) knows the rest.
func findUser(ctx context.Context, nameOrID string) (*host.User, error) {
	if nameOrID == "" {
		return nil, nil
	}
	entry, err := user.Lookup(nameOrID)
	if _, numeric := parseID(nameOrID); err != nil && numeric {
		entry, err = user.LookupId(nameOrID)
	}
	if err == nil {
		uid, okUID := parseID(entry.Uid)
		gid, okGID := parseID(entry.Gid)
		if okUID && okGID {
			return &host.User{Name: entry.Username, UID: uid, GID: gid, Home: entry.HomeDir}, nil
		}
	}
	fields, err := getent(ctx, "passwd", nameOrID)
	if err != nil || len(fields) < 6 {
		return nil, err
	}
	uid, okUID := parseID(fields[2])
	gid, okGID := parseID(fields[3])
	if !okUID || !okGID || !answers(nameOrID, fields[0], uid) {
		return nil, nil
	}
	return &host.User{Name: fields[0], UID: uid, GID: gid, Home: fields[5]}, nil
}

func findGroup(ctx context.Context, nameOrID string) (*host.Group, error) {
	if nameOrID == "" {
		return nil, nil
	}
	entry, err := user.LookupGroup(nameOrID)
	if _, numeric := parseID(nameOrID); err != nil && numeric {
		entry, err = user.LookupGroupId(nameOrID)
	}
	if err == nil {
		if gid, ok := parseID(entry.Gid); ok {
			return &host.Group{Name: entry.Name, GID: gid}, nil
		}
	}
	fields, err := getent(ctx, "group", nameOrID)
	if err != nil || len(fields) < 3 {
		return nil, err
	}
	gid, ok := parseID(fields[2])
	if !ok || !answers(nameOrID, fields[0], gid) {
		return nil, nil
	}
	return &host.Group{Name: fields[0], GID: gid}, nil
}

// answers reports whether an entry is that of the key. What getent takes for a
// number is more than we do, down to numbers that wrap round.
func answers(key, name string, id uint32) bool {
	n, numeric := parseID(key)
	return key == name || numeric && n == id
}

// getent asks all databases of the system, the network's among them. It answers
// nil where the tool does not exist or does not know the key.
func getent(ctx context.Context, database, key string) ([]string, error) {
	if strings.HasPrefix(key, "-") || strings.ContainsAny(key, ":\x00\n") {
		return nil, nil // no such name can be in it, and none may be an option
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "getent", database, key)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if exit, ran := errors.AsType[*exec.ExitError](err); ran && exit.ExitCode() != 2 {
			return nil, err // 2 is "not found"; anything else is no answer
		}
		return nil, nil
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return strings.Split(line, ":"), nil
}

// names caches the names of owners. A call asks for two a file, so thousands
// for few different ones. What is cached is dropped when the local files
// change, and after a minute for the databases that have no file.
type names struct {
	mu            sync.Mutex
	stamp         [2]fileStamp
	since         time.Time
	users, groups map[uint32]string
}

type fileStamp struct {
	modified time.Time
	size     int64
}

const namesAge = time.Minute

func (n *names) user(ctx context.Context, uid uint32) string {
	return n.lookup(uid, func() map[uint32]string { return n.users }, func(id string) string {
		if u, err := findUser(ctx, id); err == nil && u != nil && u.UID == uid {
			return u.Name
		}
		return id
	})
}

func (n *names) group(ctx context.Context, gid uint32) string {
	return n.lookup(gid, func() map[uint32]string { return n.groups }, func(id string) string {
		if g, err := findGroup(ctx, id); err == nil && g != nil && g.GID == gid {
			return g.Name
		}
		return id
	})
}

// lookup finds outside the lock: a database on the network can be slow.
func (n *names) lookup(id uint32, cache func() map[uint32]string, find func(string) string) string {
	n.mu.Lock()
	n.refresh()
	into := cache()
	name, ok := into[id]
	n.mu.Unlock()
	if ok {
		return name
	}
	name = find(strconv.FormatUint(uint64(id), 10))
	n.mu.Lock()
	into[id] = name // a cache that was dropped meanwhile takes it with it
	n.mu.Unlock()
	return name
}

func (n *names) refresh() {
	stamp := [2]fileStamp{stampOf("/etc/passwd"), stampOf("/etc/group")}
	if n.users != nil && stamp == n.stamp && time.Since(n.since) < namesAge {
		return
	}
	n.stamp, n.since = stamp, time.Now()
	n.users, n.groups = map[uint32]string{}, map[uint32]string{}
}

func stampOf(path string) fileStamp {
	stat, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{stat.ModTime(), stat.Size()}
}
