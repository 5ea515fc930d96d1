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

// Accounts are the users and groups of a host. What is in its files is read once, in
// one round trip; anything else is looked up by itself, in all databases that the host
// has. Both are forgotten after a minute; that a name is unknown is not remembered.
type Accounts struct {
	host      string
	coalescer *Coalescer
	users     database[host.User]
	groups    database[host.Group]
	loading   chan struct{} // holds one element unless loaded is locked
	loaded    time.Time
}

// NewAccounts returns the accounts of the host that errors name hostName.
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

// UserName returns the name of a user, or the UID if it has none. A UID in a name's
// place would look like a change of owner, so failing to ask is an error.
func (a *Accounts) UserName(ctx context.Context, uid uint32) (string, error) {
	number := strconv.FormatUint(uint64(uid), 10)
	user, ok, err := find(ctx, a, &a.users, number)
	if ok && user.Name != "" { // which may be the number: of another user, whose name it is
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

// find looks a key up in what is known, and asks the host if it is not there.
func find[T any](ctx context.Context, a *Accounts, d *database[T], key string) (T, bool, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, false, err
	}
	if key == "" || strings.HasPrefix(key, "-") || strings.ContainsAny(key, ":\x00\n") {
		return none, false, nil // no such name can be in a database, and none may be an option
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
	if id, numeric := parseID(key); numeric {
		return d.nameless(id), true, nil
	}
	return none, false, nil
}

// Load reads the users and groups in the files of the host, unless that was done
// within the last minute.
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
