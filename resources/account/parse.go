package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// system is what a host says of its accounts.
type system struct {
	host host.Host

	root   bool            // the provider works as root there
	tools  map[string]bool // those that the host has
	limits map[string]int64

	users  []userEntry
	groups []groupEntry
	shadow map[string]shadowEntry
	homes  map[string]string // users with a home directory that is there, with the owner's number where it was asked

	shadowed bool // /etc/shadow was read
	hidden   bool // it is there and cannot be read
	there    bool // there is something at the path that was asked about

	nss       string // what another service says of whom the files do not have
	nssGroups []groupEntry
}

// userEntry is a line of /etc/passwd.
type userEntry struct {
	name, password       string
	uid, gid             int64
	comment, home, shell string
}

// groupEntry is a line of /etc/group.
type groupEntry struct {
	name    string
	gid     int64
	members []string // sorted
}

// shadowEntry is what is of interest in a line of /etc/shadow.
type shadowEntry struct {
	password string // or a sign in its place
	expires  string // as the file has it
}

// parse reads what the script has printed. What comes before it is what somebody's
// shell says to everybody.
func parse(text string) (*system, error) {
	s := &system{tools: map[string]bool{}, limits: map[string]int64{}, shadow: map[string]shadowEntry{}, homes: map[string]string{}}
	begun, ended := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !begun:
			begun = line == "begin"
		case ended:
			return nil, fmt.Errorf("unexpected output after its end")
		case line == "end":
			ended = true
		default:
			s.line(line)
		}
	}
	if !ended {
		return nil, errCut
	}
	return s, nil
}

// line adds what a line says. One of the files that is no account, as the plus sign
// of the Network Information Service, says nothing: the tools leave it alone, too.
func (s *system) line(line string) {
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
		s.hidden = true
	case "there":
		s.there = true
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

// parseID reads the number of a user or a group.
func parseID(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > maxID {
		return 0, fmt.Errorf("a UID or GID must be from 0 to %d", int64(maxID))
	}
	return int64(n), nil
}
