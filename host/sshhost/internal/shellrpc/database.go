package shellrpc

import (
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

// database is the cache of users or of groups. If several entries have the same name or
// ID, the first one counts, as on the host.
type database[T any] struct {
	name string // for getent(1)
	// entry parses the fields of a line and returns the entry with its name and ID.
	entry   func(fields []string) (entry T, name string, id uint32, ok bool)
	unnamed func(id uint32) T

	mu     sync.Mutex
	byName map[string]T
	byID   map[uint32]T
}

// get returns the entry with a name, or else with an ID.
func (d *database[T]) get(key string) (T, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if entry, ok := d.byName[key]; ok {
		return entry, true
	}
	id, numeric := host.ParseID(key)
	entry, ok := d.byID[id]
	return entry, ok && numeric
}

// reset clears the cache and parses a file.
func (d *database[T]) reset(file string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byName, d.byID = map[string]T{}, map[uint32]T{}
	for line := range strings.Lines(file) {
		d.add(strings.Split(strings.TrimSuffix(line, "\n"), ":"), "")
	}
}

// learn parses the host's answer for a key. Entries that do not match the key are ignored:
// getent accepts more texts as IDs than chown, including numbers that overflow.
func (d *database[T]) learn(answer, key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.HasPrefix(answer, "name: ") {
		for _, fields := range stanzas(answer) {
			d.add(fields, key)
		}
		return
	}
	for line := range strings.Lines(answer) {
		d.add(strings.Split(strings.TrimSuffix(line, "\n"), ":"), key)
	}
}

// add adds an entry if it matches the key. The caller holds the lock.
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

// nameless records that an ID has no name.
func (d *database[T]) nameless(id uint32) T {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := d.unnamed(id)
	d.byID[id] = entry
	return entry
}

func userEntry(fields []string) (host.User, string, uint32, bool) {
	if len(fields) < 6 || fields[0] == "" {
		return host.User{}, "", 0, false
	}
	uid, okUID := host.ParseID(fields[2])
	gid, okGID := host.ParseID(fields[3])
	user := host.User{Name: fields[0], UID: uid, GID: gid, Home: fields[5]}
	return user, user.Name, uid, okUID && okGID
}

func groupEntry(fields []string) (host.Group, string, uint32, bool) {
	if len(fields) < 3 || fields[0] == "" {
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
