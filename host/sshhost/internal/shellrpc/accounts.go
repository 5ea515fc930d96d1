package shellrpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ host.Accounts = (*Accounts)(nil)

// Accounts are the users and groups of a host. The local files of the host are read in one round
// trip; other accounts are looked up one by one in all databases of the host. Accounts and
// IDs without a name are cached until [Accounts.Forget], for at most a minute; unknown names are not cached.
type Accounts struct {
	host      string
	coalescer *Coalescer
	users     database[host.User]
	groups    database[host.Group]
	changes   atomic.Int64  // incremented by Forget
	loading   chan struct{} // a mutex for loaded and known whose Lock can be canceled
	loaded    time.Time
	known     int64 // value of changes at the start of the last load
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

// Forget makes the cached accounts obsolete. It must be called after an operation that may have changed
// accounts. Lookups that are in progress may still return the previous accounts.
func (a *Accounts) Forget() { a.changes.Add(1) }

// LookupUser implements [host.Accounts].
func (a *Accounts) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	return lookUp(ctx, a, &a.users, "user", host.ErrUnknownUser, nameOrID)
}

// LookupGroup implements [host.Accounts].
func (a *Accounts) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	return lookUp(ctx, a, &a.groups, "group", host.ErrUnknownGroup, nameOrID)
}

func lookUp[T any](ctx context.Context, a *Accounts, d *database[T], kind string, unknown error, nameOrID string) (T, error) {
	entry, ok, err := find(ctx, a, d, nameOrID)
	if err == nil && !ok {
		err = unknown
	}
	if err != nil {
		err = &host.Error{Op: "look up " + kind + " " + strconv.Quote(nameOrID), Host: a.host, Err: err}
	}
	return entry, err
}

// UserName returns the name of a user, or the UID if it has none. A failed lookup is an
// error, because a UID instead of a name would look like a change of owner.
func (a *Accounts) UserName(ctx context.Context, uid uint32) (string, error) {
	number := host.FormatID(uid)
	user, ok, err := find(ctx, a, &a.users, number)
	if ok && user.Name != "" { // the name may look like the UID of another user
		return user.Name, nil
	}
	return number, err
}

// GroupName is UserName for groups.
func (a *Accounts) GroupName(ctx context.Context, gid uint32) (string, error) {
	number := host.FormatID(gid)
	group, ok, err := find(ctx, a, &a.groups, number)
	if ok && group.Name != "" {
		return group.Name, nil
	}
	return number, err
}

// find looks a key up in the cache, then on the host, and reports whether it exists. An ID always
// does; its entry may have no name.
func find[T any](ctx context.Context, a *Accounts, d *database[T], key string) (T, bool, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, false, err
	}
	if key == "" || strings.HasPrefix(key, "-") || strings.ContainsAny(key, ":\x00\n") {
		return none, false, nil // no database can contain such a key, and a tool might parse it as an option
	}
	if err := a.Load(ctx); err != nil {
		return none, false, err
	}
	if known, ok := d.get(key); ok {
		return known, true, nil
	}
	replies, err := a.coalescer.Do(ctx, Request{Text: shell.Call("px_entries", d.name, key), Blocks: 1})
	if err != nil {
		return none, false, err
	}
	entry, ok := d.resolve(replies[0][0], key)
	return entry, ok, nil
}

// maxAccounts limits the total size of the host's local files of users and groups, in bytes.
const maxAccounts = 8 << 20

// Load reads the host's local files of users and groups, unless that was done within the
// last minute and since the last change.
func (a *Accounts) Load(ctx context.Context) error {
	changes := a.changes.Load() // later changes need not be known, so concurrent calls share a load
	select {
	case <-a.loading:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { a.loading <- struct{}{} }()
	if a.known >= changes && time.Since(a.loaded) < accountsAge {
		return nil
	}
	changes = a.changes.Load()
	replies, err := a.coalescer.Do(ctx, Request{Text: shell.Call("px_files"), Blocks: 2, Large: maxAccounts})
	if err != nil {
		return err
	}
	if err := errors.Join(a.users.reset(replies[0][0]), a.groups.reset(replies[0][1])); err != nil {
		return err
	}
	a.loaded, a.known = time.Now(), changes
	return nil
}

// database is the cache of users or of groups. If several entries have the same name or
// ID, the first one is used, as on the host.
type database[T any] struct {
	name string // name of the database for getent(1)
	// entry parses the fields of a line and returns the entry with its name and ID.
	entry   func(fields []string) (entry T, name string, id uint32, ok bool)
	unnamed func(id uint32) T

	mu     sync.Mutex
	byName map[string]T
	byID   map[uint32]T
}

// get returns the entry whose name is key, or else the entry whose ID is key.
func (d *database[T]) get(key string) (T, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cached(key)
}

// cached is get for a caller that holds the lock.
func (d *database[T]) cached(key string) (T, bool) {
	if entry, ok := d.byName[key]; ok {
		return entry, true
	}
	id, numeric := host.ParseID(key)
	if !numeric {
		var none T
		return none, false
	}
	entry, ok := d.byID[id]
	return entry, ok
}

// reset clears the cache and parses a file. A panic because of an unexpected line is an error: some
// callers of [Accounts.Load] run in goroutines of their own.
func (d *database[T]) reset(file string) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("provider bug: the host's file %s caused a panic: %v; please report this", d.name, fault)
		}
	}()
	d.byName, d.byID = map[string]T{}, map[uint32]T{}
	for line := range strings.Lines(file) {
		d.add(strings.Split(strings.TrimSuffix(line, "\n"), ":"), "")
	}
	return nil
}

// resolve adds the entries in the host's output for a key, and returns the entry of the key. It reports whether there
// is such an entry: for an ID without a name, it adds an entry without a name. All this is one step,
// because a concurrent load may reset the cache at any time.
func (d *database[T]) resolve(reply, key string) (T, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addAll(reply, key)
	entry, ok := d.cached(key)
	if id, numeric := host.ParseID(key); !ok && numeric {
		entry, ok = d.unnamed(id), true
		d.byID[id] = entry
	}
	return entry, ok
}

// addAll adds the entries in the host's output for a key. Entries that do not match the key are
// ignored: getent accepts more texts as IDs than chown, including numbers that overflow. The caller holds the lock.
func (d *database[T]) addAll(reply, key string) {
	if strings.HasPrefix(reply, "name: ") {
		for _, fields := range stanzas(reply) {
			d.add(fields, key)
		}
		return
	}
	for line := range strings.Lines(reply) {
		d.add(strings.Split(strings.TrimSuffix(line, "\n"), ":"), key)
	}
}

// add adds an entry if it matches the key; an empty key matches each entry. The caller holds the lock.
func (d *database[T]) add(fields []string, key string) {
	entry, name, id, ok := d.entry(fields)
	if !ok {
		return
	}
	if n, numeric := host.ParseID(key); key != "" && key != name && (!numeric || n != id) {
		return
	}
	if _, ok := d.byName[name]; !ok {
		d.byName[name] = entry
	}
	if _, ok := d.byID[id]; !ok {
		d.byID[id] = entry
	}
}

// isAccount reports whether the first field of a line is the name of an account: the line is not a comment or an entry
// for NIS.
func isAccount(name string) bool { return name != "" && !strings.ContainsAny(name[:1], "+-#") }

func userEntry(fields []string) (host.User, string, uint32, bool) {
	if len(fields) < 6 || !isAccount(fields[0]) {
		return host.User{}, "", 0, false
	}
	uid, okUID := host.ParseID(fields[2])
	gid, okGID := host.ParseID(fields[3])
	user := host.User{Name: fields[0], UID: uid, GID: gid, Home: fields[5]}
	return user, user.Name, uid, okUID && okGID
}

func groupEntry(fields []string) (host.Group, string, uint32, bool) {
	if len(fields) < 3 || !isAccount(fields[0]) {
		return host.Group{}, "", 0, false
	}
	gid, ok := host.ParseID(fields[2])
	return host.Group{Name: fields[0], GID: gid}, fields[0], gid, ok
}

// stanzas converts the output of dscacheutil, lines of "key: value", to the fields of the
// corresponding lines of the file.
func stanzas(text string) [][]string {
	var all [][]string
	for stanza := range strings.SplitSeq(text, "\n\n") {
		values := map[string]string{}
		for line := range strings.Lines(stanza) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			values[key] = value
		}
		if uid, isUser := values["uid"]; isUser {
			all = append(all, []string{values["name"], "", uid, values["gid"], "", values["dir"], ""})
		} else {
			all = append(all, []string{values["name"], "", values["gid"]})
		}
	}
	return all
}
