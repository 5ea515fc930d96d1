package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// user is the user of this name.
func (s *system) user(name string) (userEntry, bool) {
	return first(s.users, func(u userEntry) bool { return u.name == name })
}

func (s *system) userByID(uid int64) (userEntry, bool) {
	return first(s.users, func(u userEntry) bool { return u.uid == uid })
}

// group is the group of this name or number.
func (s *system) group(group string) (groupEntry, bool) {
	if gid, err := parseID(group); err == nil && digits(group) {
		return s.groupByID(gid)
	}
	return first(s.groups, func(g groupEntry) bool { return g.name == group })
}

func (s *system) groupByID(gid int64) (groupEntry, bool) {
	return first(s.groups, func(g groupEntry) bool { return g.gid == gid })
}

func first[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}

// groupsOf are the groups that a user is a member of, besides the primary one: some
// tools name its users as members, too, and others do not.
func (s *system) groupsOf(u userEntry) []string {
	var in []string
	for _, g := range s.groups {
		if g.gid != u.gid && slices.Contains(g.members, u.name) {
			in = append(in, address.Shown(g.name))
		}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

// primary are the users whose primary group it is.
func (s *system) primary(gid int64) []string {
	var users []string
	for _, u := range s.users {
		if u.gid == gid {
			users = append(users, u.name)
		}
	}
	return users
}

// groupName is the name of a group, or its number where it has none.
func (s *system) groupName(gid int64) string {
	if g, ok := s.groupByID(gid); ok {
		return address.Shown(g.name)
	}
	return strconv.FormatInt(gid, 10)
}

// password is the field of a user's password: of /etc/shadow, or of /etc/passwd
// where there is no other.
func (s *system) password(u userEntry) string {
	if e, ok := s.shadow[u.name]; ok {
		return e.password
	}
	return u.password
}

// ownsHome reports whether the home directory of a user is there, and is the user's.
func (s *system) ownsHome(u userEntry) bool {
	owner, there := s.homes[u.name]
	return there && owner == strconv.FormatInt(u.uid, 10) && u.home != "/"
}

// expires is when the account does, as the attribute has it.
func (s *system) expires(u userEntry) string {
	text := s.shadow[u.name].expires
	days, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "" || err == nil && days < 0:
		return never
	case err != nil || days > lastDay:
		return address.Shown(text)
	}
	return time.Unix(days*secondsADay, 0).UTC().Format(time.DateOnly)
}

const (
	secondsADay = 24 * 60 * 60
	lastDay     = 2932896 // 9999-12-31
)

// isSystem reports whether a number is of an account that no person has.
func (s *system) isSystem(id int64, kind string) bool {
	least, most := s.limits[kind+"_MIN"], s.limits[kind+"_MAX"]
	if least == 0 {
		least = 1000
	}
	if most == 0 {
		most = 60000
	}
	return id < least || id > most
}

// busybox reports whether its tools are all that there is.
func (s *system) busybox() bool { return !s.tools["useradd"] && s.tools["busybox"] }

// manageable says why accounts cannot be managed here, if so.
func (s *system) manageable() error {
	switch {
	case !s.root:
		return lifecycle.RootRequired(s.host, "accounts")
	case s.hidden:
		return diag.AttributeErrorf("host", "on host %s, root cannot read /etc/shadow, which has the passwords and expiry dates: "+
			"check whether a container or a security module prevents it", s.host.Name())
	case !s.tools["useradd"] && !s.tools["busybox"]:
		return diag.AttributeErrorf("host", "host %s has neither useradd nor the adduser of busybox: install the package shadow "+
			"(passwd on Debian, shadow-utils on Fedora). Systems without /etc/shadow, such as macOS, are not supported", s.host.Name())
	}
	return nil
}

// needs is the error about an attribute that only a tool which is missing can
// change; nil where it is there.
func (s *system) needs(program, attribute string) error {
	if s.tools[program] {
		return nil
	}
	return diag.AttributeErrorf(attribute, "host %s has no %s, which is required to change this; busybox has no equivalent. "+
		"Install the package shadow, which works together with busybox (apk add shadow)", s.host.Name(), program)
}

// elsewhere is the error about an account that another service knows.
func (s *system) elsewhere(kind, name string) error {
	file := "/etc/passwd"
	if kind == group {
		file = "/etc/group"
	} else {
		kind = "user"
	}
	return diag.AttributeErrorf("name", "the %s %s of host %s is not in %s: it is provided by another service, such as LDAP or systemd (see /etc/nsswitch.conf). "+
		"It can be referenced by its name, but must be managed in that service", kind, name, s.host.Name(), file)
}

// listed is some names for a message.
func listed(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
