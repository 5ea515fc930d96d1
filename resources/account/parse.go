package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// hostAccounts has the accounts of a host, or those that a query selects.
type hostAccounts struct {
	host host.Host

	root   bool            // the provider runs as root
	tools  map[string]bool // those that the host has
	limits map[string]int64

	users  []userEntry
	groups []groupEntry
	shadow map[string]shadowEntry
	homes  map[string]string // by user: UID of the owner of an existing home directory, if queried

	shadowed         bool // /etc/shadow was read
	shadowUnreadable bool // /etc/shadow exists and cannot be read
	pathExists       bool // the queried path exists

	nss       string // entry of another service for a queried account that the files do not have
	nssGroups []groupEntry
}

type userEntry struct {
	name, password       string
	uid, gid             int64
	comment, home, shell string
}

type groupEntry struct {
	name    string
	gid     int64
	members []string // sorted
}

// shadowEntry has the fields of a line of /etc/shadow that are used.
type shadowEntry struct {
	password string // or a placeholder
	expires  string // in the format of the file
}

// parse parses the output of the script. It skips lines before, which login shells may
// print.
func parse(text string) (*hostAccounts, error) {
	s := &hostAccounts{tools: map[string]bool{}, limits: map[string]int64{}, shadow: map[string]shadowEntry{}, homes: map[string]string{}}
	started, ended := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !started:
			started = line == "begin"
		case ended:
			return nil, fmt.Errorf("unexpected output after its end")
		case line == "end":
			ended = true
		default:
			s.line(line)
		}
	}
	if !ended {
		return nil, errIncomplete
	}
	return s, nil
}

// line parses a line. Lines of the account files that are not accounts, such as the plus
// sign of NIS, are skipped.
func (s *hostAccounts) line(line string) {
	about, rest, _ := strings.Cut(line, ":")
	switch about {
	case "me":
		s.root = rest == "0"
	case "tool":
		s.tools[rest] = true
	case "limit":
		name, value, _ := strings.Cut(rest, ":")
		if n, err := parseID(value); err == nil {
			s.limits[name] = n
		}
	case "passwd":
		if u, ok := parseUser(rest); ok {
			s.users = append(s.users, u)
		}
	case "group":
		if g, ok := parseGroup(rest); ok {
			s.groups = append(s.groups, g)
		}
	case "nssgroup":
		if g, ok := parseGroup(rest); ok {
			s.nssGroups = append(s.nssGroups, g)
		}
	case "shadow":
		if f := strings.Split(rest, ":"); len(f) == 3 {
			s.shadow[f[0]] = shadowEntry{password: f[1], expires: f[2]}
		}
	case "home":
		name, owner, _ := strings.Cut(rest, ":")
		s.homes[name] = owner
	case "nss":
		s.nss = rest
	case "shadowed":
		s.shadowed = true
	case "hidden":
		s.shadowUnreadable = true
	case "there":
		s.pathExists = true
	}
}

func parseUser(line string) (userEntry, bool) {
	f := strings.Split(line, ":")
	if len(f) < 7 || f[0] == "" || strings.ContainsAny(f[0][:1], "+-#") {
		return userEntry{}, false
	}
	uid, errUID := parseID(f[2])
	gid, errGID := parseID(f[3])
	return userEntry{
		name: f[0], password: f[1], uid: uid, gid: gid, comment: address.Shown(f[4]), home: address.Shown(f[5]), shell: address.Shown(strings.Join(f[6:], ":")),
	}, errUID == nil && errGID == nil
}

func parseGroup(line string) (groupEntry, bool) {
	f := strings.Split(line, ":")
	if len(f) < 4 || f[0] == "" || strings.ContainsAny(f[0][:1], "+-#") {
		return groupEntry{}, false
	}
	gid, err := parseID(f[2])
	g := groupEntry{name: f[0], gid: gid}
	for name := range strings.SplitSeq(f[3], ",") {
		if name = strings.TrimSpace(name); name != "" {
			g.members = append(g.members, address.Shown(name))
		}
	}
	slices.Sort(g.members)
	g.members = slices.Compact(g.members)
	return g, err == nil
}

// parseID parses a UID or GID.
func parseID(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > maxID {
		return 0, fmt.Errorf("a UID or GID must be from 0 to %d", int64(maxID))
	}
	return int64(n), nil
}
