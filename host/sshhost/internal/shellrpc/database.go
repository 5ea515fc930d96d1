package shellrpc

import (
	"strconv"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

// database is what is known of users or of groups. If two entries have the same name or
// ID, the first counts, as it does to the host.
type database[T any] struct {
	name string // as getent(1) has it
	// entry reads the fields of a line of the file of that name, the name and the
	// number being among them.
	entry   func(fields []string) (entry T, name string, id uint32, ok bool)
	unnamed func(id uint32) T

	mu     sync.Mutex
	byName map[string]T
	byID   map[uint32]T
}

// get finds an entry by name, or by ID if none has that name.
func (d *database[T]) get(key string) (T, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if entry, ok := d.byName[key]; ok {
		return entry, true
	}
	id, numeric := parseID(key)
	entry, ok := d.byID[id]
	return entry, ok && numeric
}

// reset forgets everything and reads a file.
func (d *database[T]) reset(file string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byName, d.byID = map[string]T{}, map[uint32]T{}
	for line := range strings.Lines(file) {
		d.add(strings.Split(strings.TrimSuffix(line, "\n"), ":"), "")
	}
}

// learn reads what the host answered to a key. Entries that do not match the key are
// left out: getent accepts more as an ID than we do, even numbers that wrap.
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

// add adds an entry if it answers the key. The lock is held.
func (d *database[T]) add(fields []string, key string) {
	entry, name, id, ok := d.entry(fields)
	if !ok {
		return
	}
	if n, numeric := parseID(key); key != "" && key != name && (!numeric || n != id) {
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
	uid, okUID := parseID(fields[2])
	gid, okGID := parseID(fields[3])
	user := host.User{Name: fields[0], UID: uid, GID: gid, Home: fields[5]}
	return user, user.Name, uid, okUID && okGID
}

func groupEntry(fields []string) (host.Group, string, uint32, bool) {
	if len(fields) < 3 || fields[0] == "" {
		return host.Group{}, "", 0, false
	}
	gid, ok := parseID(fields[2])
	return host.Group{Name: fields[0], GID: gid}, fields[0], gid, ok
}

// stanzas converts what dscacheutil prints, which is lines of a key and a value, to the
// fields that a line of the file would have.
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

// parseID parses an ID as chown(1) does. The highest means "none" to the system and is
// nobody's.
func parseID(s string) (uint32, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n != 1<<32-1
}
