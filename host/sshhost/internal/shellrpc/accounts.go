package shellrpc

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ host.Accounts = (*Accounts)(nil)

// Accounts are the users and groups of a host. Its local files are read once, in one round
// trip; other accounts are looked up one by one in all databases of the host. Both are
// cached for a minute; unknown names are not cached.
type Accounts struct {
	host      string
	coalescer *Coalescer
	users     database[host.User]
	groups    database[host.Group]
	loading   chan struct{} // a mutex for loaded whose Lock can be cancelled
	loaded    time.Time
}

// NewAccounts returns the accounts of a host; hostName is its name in errors.
func NewAccounts(hostName string, coalescer *Coalescer) *Accounts {
	a := &Accounts{
		host: hostName, coalescer: coalescer, loading: make(chan struct{}, 1),
		users:  database[host.User]{name: "passwd", entry: userEntry, unnamed: func(id uint32) host.User { return host.User{UID: id} }},
		groups: database[host.Group]{name: "group", entry: groupEntry, unnamed: func(id uint32) host.Group { return host.Group{GID: id} }},
	}
	a.loading <- struct{}{}
	return a
}

const accountsAge = time.Minute

// LookupUser implements [host.Accounts].
func (a *Accounts) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	user, ok, err := find(ctx, a, &a.users, nameOrID)
	if err == nil && !ok {
		err = host.ErrUnknownUser
	}
	if err != nil {
		return host.User{}, &host.Error{Op: "look up user " + strconv.Quote(nameOrID), Host: a.host, Err: err}
	}
	return user, nil
}

// LookupGroup implements [host.Accounts].
func (a *Accounts) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	group, ok, err := find(ctx, a, &a.groups, nameOrID)
	if err == nil && !ok {
		err = host.ErrUnknownGroup
	}
	if err != nil {
		return host.Group{}, &host.Error{Op: "look up group " + strconv.Quote(nameOrID), Host: a.host, Err: err}
	}
	return group, nil
}

// UserName returns the name of a user, or the UID if it has none. A failed lookup is an
// error, because a UID instead of a name would look like a change of owner.
func (a *Accounts) UserName(ctx context.Context, uid uint32) (string, error) {
	number := strconv.FormatUint(uint64(uid), 10)
	user, ok, err := find(ctx, a, &a.users, number)
	if ok && user.Name != "" { // the name may look like the UID of another user
		return user.Name, nil
	}
	return number, err
}

// GroupName is UserName for groups.
func (a *Accounts) GroupName(ctx context.Context, gid uint32) (string, error) {
	number := strconv.FormatUint(uint64(gid), 10)
	group, ok, err := find(ctx, a, &a.groups, number)
	if ok && group.Name != "" {
		return group.Name, nil
	}
	return number, err
}

// find looks a key up in the cache, then on the host.
func find[T any](ctx context.Context, a *Accounts, d *database[T], key string) (T, bool, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, false, err
	}
	if key == "" || strings.HasPrefix(key, "-") || strings.ContainsAny(key, ":\x00\n") {
		return none, false, nil // no database can contain such a name, and it must not be taken for an option
	}
	if err := a.Load(ctx); err != nil {
		return none, false, err
	}
	if known, ok := d.get(key); ok {
		return known, true, nil
	}
	answers, err := a.coalescer.Ask(ctx, Question{Text: shell.Call("px_entries", d.name, key), Blocks: 1})
	if err != nil {
		return none, false, err
	}
	d.learn(answers[0][0], key)
	if known, ok := d.get(key); ok {
		return known, true, nil
	}
	if id, numeric := host.ParseID(key); numeric {
		return d.nameless(id), true, nil
	}
	return none, false, nil
}

// Load reads the host's local files of users and groups, unless that was done within the
// last minute.
func (a *Accounts) Load(ctx context.Context) error {
	select {
	case <-a.loading:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { a.loading <- struct{}{} }()
	if time.Since(a.loaded) < accountsAge {
		return nil
	}
	answers, err := a.coalescer.Ask(ctx, Question{Text: shell.Call("px_files"), Blocks: 2})
	if err != nil {
		return err
	}
	a.users.reset(answers[0][0])
	a.groups.reset(answers[0][1])
	a.loaded = time.Now()
	return nil
}
