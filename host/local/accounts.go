//go:build unix && !aix && !solaris

package local

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// LookupUser implements [host.Accounts].
func (h *Host) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	found, err := h.users.get(ctx, nameOrID)
	return found, h.fail("look up user "+strconv.Quote(nameOrID), "", err)
}

// LookupGroup implements [host.Accounts].
func (h *Host) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	found, err := h.groups.get(ctx, nameOrID)
	return found, h.fail("look up group "+strconv.Quote(nameOrID), "", err)
}

// ownerNames returns the names of a file's owner and group. It returns the ID instead of a name if the ID has
// no name or is also the name of another account, or if the lookup fails.
//
// It does not stop when ctx is done: returning an ID instead of a name because time ran out
// would look like a change of owner.
func (h *Host) ownerNames(ctx context.Context, uid, gid uint32) (owner, group string) {
	ctx = context.WithoutCancel(ctx)
	owner, group = host.FormatID(uid), host.FormatID(gid)
	if u, err := h.users.get(ctx, owner); err == nil && u.UID == uid && u.Name != "" {
		owner = u.Name
	}
	if g, err := h.groups.get(ctx, group); err == nil && g.GID == gid && g.Name != "" {
		group = g.Name
	}
	return owner, group
}

// findUser looks a user up by name first, then by UID, and returns nil if there is none.
// Package os/user reads all databases if it is linked with the C library, and only the
// local files otherwise; getent(1) then covers the rest.
func findUser(ctx context.Context, nameOrID string) (*host.User, error) {
	return findUserWith(ctx, nameOrID, func(nameOrID string) (*user.User, error) {
		entry, err := user.Lookup(nameOrID)
		if _, numeric := host.ParseID(nameOrID); err != nil && numeric {
			entry, err = user.LookupId(nameOrID)
		}
		return entry, err
	})
}

// findUserWith is findUser with a function that looks a user up with package os/user.
//
// Without the C library, that package builds the entry of the user of this process from the environment if the
// local file has none: its name is the variable USER, which may be the name of another user or of no user. Such an
// entry is used only if there is no getent.
func findUserWith(ctx context.Context, nameOrID string, lookUp func(nameOrID string) (*user.User, error)) (*host.User, error) {
	if nameOrID == "" {
		return nil, nil
	}
	entry, err := lookUp(nameOrID)
	use := err == nil
	if use && entry.Uid == strconv.Itoa(os.Getuid()) {
		if found := localUser(nameOrID); found != nil {
			return found, nil
		}
		_, missing := exec.LookPath("getent")
		use = missing != nil
	}
	if use {
		uid, okUID := host.ParseID(entry.Uid)
		gid, okGID := host.ParseID(entry.Gid)
		if okUID && okGID {
			return &host.User{Name: entry.Username, UID: uid, GID: gid, Home: entry.HomeDir}, nil
		}
	}
	fields, err := getent(ctx, "passwd", nameOrID)
	if err != nil {
		return nil, err
	}
	return parseUser(fields, nameOrID), nil
}

// passwdFile is the local file of users.
const passwdFile = "/etc/passwd"

// localUser returns the user with a name, or else with a UID, in the local file; nil if there is none or
// the file cannot be read.
func localUser(nameOrID string) (byID *host.User) {
	text, err := os.ReadFile(passwdFile)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		found := parseUser(strings.Split(strings.TrimSuffix(line, "\n"), ":"), nameOrID)
		switch {
		case found == nil:
		case found.Name == nameOrID:
			return found
		case byID == nil:
			byID = found
		}
	}
	return byID
}

// parseUser returns the user in the fields of a line, or nil if the line is invalid, a comment or an entry for NIS, or
// does not have the key as its name or UID.
func parseUser(fields []string, key string) *host.User {
	if len(fields) < 6 || fields[0] == "" || strings.ContainsAny(fields[0][:1], "+-#") {
		return nil
	}
	uid, okUID := host.ParseID(fields[2])
	gid, okGID := host.ParseID(fields[3])
	if !okUID || !okGID || !matches(key, fields[0], uid) {
		return nil
	}
	return &host.User{Name: fields[0], UID: uid, GID: gid, Home: fields[5]}
}

func findGroup(ctx context.Context, nameOrID string) (*host.Group, error) {
	if nameOrID == "" {
		return nil, nil
	}
	entry, err := user.LookupGroup(nameOrID)
	if _, numeric := host.ParseID(nameOrID); err != nil && numeric {
		entry, err = user.LookupGroupId(nameOrID)
	}
	if err == nil {
		if gid, ok := host.ParseID(entry.Gid); ok {
			return &host.Group{Name: entry.Name, GID: gid}, nil
		}
	}
	fields, err := getent(ctx, "group", nameOrID)
	if err != nil || len(fields) < 3 {
		return nil, err
	}
	gid, ok := host.ParseID(fields[2])
	if !ok || !matches(nameOrID, fields[0], gid) {
		return nil, nil
	}
	return &host.Group{Name: fields[0], GID: gid}, nil
}

// matches reports whether an entry has the key as its name or ID. getent accepts more texts
// as numbers than chown, including numbers that overflow.
func matches(key, name string, id uint32) bool {
	n, numeric := host.ParseID(key)
	return key == name || numeric && n == id
}

// getentTimeout limits the duration of a lookup in directory services.
const getentTimeout = 10 * time.Second

var errNoReply = fmt.Errorf("getent did not reply within %s: a directory service such as LDAP may be unreachable", getentTimeout)

// getent queries all databases of the host, including directory services, and returns the
// fields of the entry. It returns nil if the key cannot be a name, the command cannot be used on
// this host, or there is no entry. Any other failure is an error: an account that is not found
// would look like a deleted one.
func getent(ctx context.Context, database, key string) ([]string, error) {
	if strings.HasPrefix(key, "-") || strings.ContainsAny(key, ":\x00\n") {
		return nil, nil // no database can contain such a name, and getent must not parse the name as an option
	}
	limited, cancel := context.WithTimeout(ctx, getentTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(limited, "getent", database, key)
	cmd.Env, cmd.Stdout = environment(os.Environ(), nil), &out
	err := cmd.Run()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, errNoReply
	case isNoEntry(err):
		return nil, nil
	default:
		return nil, err
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return strings.Split(line, ":"), nil
}

// isNoEntry reports whether getent found no entry, or cannot be used on this host. Other errors, such
// as too many open files or processes, can be temporary.
func isNoEntry(err error) bool {
	if exit, ran := errors.AsType[*exec.ExitError](err); ran {
		return exit.ExitCode() == 2
	}
	return slices.ContainsFunc([]error{exec.ErrNotFound, exec.ErrDot, fs.ErrNotExist, fs.ErrPermission}, func(cause error) bool { return errors.Is(err, cause) })
}

// accounts caches lookups in a user or group database: each file needs two, and most files
// have the same owners. All entries are dropped when the local file changes, or else after a
// minute. Unknown names are not cached, because the account may be created soon, and neither are
// failed lookups. A lookup without a reply is repeated only after getentTimeout, or once the
// entries are dropped, so that reading a tree of files does not wait once for each file.
type accounts[T any] struct {
	file    string
	find    func(ctx context.Context, nameOrID string) (*T, error) // returns nil if there is none
	unnamed func(id uint32) T                                      // returns the account of an ID without an entry
	unknown error

	mu    sync.Mutex
	stamp fileStamp
	since time.Time
	found map[string]T
	late  map[string]time.Time // when the lookup of a key had no reply
}

const accountsAge = time.Minute

// get looks up a name or an ID. The error is a.unknown for an unknown name, and errNoReply if the
// lookup has no reply. get does not hold the lock during the lookup: a directory service can
// be slow.
func (a *accounts[T]) get(ctx context.Context, key string) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	stamp := stampOf(a.file)
	a.mu.Lock()
	if a.found == nil || stamp != a.stamp || time.Since(a.since) > accountsAge {
		a.found, a.late, a.stamp, a.since = map[string]T{}, map[string]time.Time{}, stamp, time.Now()
	}
	into := a.found
	entry, ok := into[key]
	late := time.Since(a.late[key]) < getentTimeout
	a.mu.Unlock()
	switch {
	case ok:
		return entry, nil
	case late:
		return entry, errNoReply
	}
	found, err := a.find(ctx, key)
	id, numeric := host.ParseID(key)
	switch {
	case found != nil:
		entry = *found
	case numeric && err == nil:
		entry = a.unnamed(id)
	case errors.Is(err, errNoReply):
		a.mu.Lock()
		defer a.mu.Unlock()
		a.late[key] = time.Now()
		return entry, err
	default:
		return entry, cmp.Or(err, a.unknown)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	into[key] = entry // if the cache was reset in the meantime, the old map is discarded with this entry
	return entry, nil
}

type fileStamp struct {
	modified unix.Timespec
	size     int64
}

func stampOf(path string) fileStamp {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return fileStamp{}
	}
	return fileStamp{stat.Mtim, stat.Size}
}
