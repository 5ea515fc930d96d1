package account

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// user returns the user with this name.
func (s *hostAccounts) user(name string) (userEntry, bool) {
	return first(s.users, func(u userEntry) bool { return u.name == name })
}

func (s *hostAccounts) userByID(uid int64) (userEntry, bool) {
	return first(s.users, func(u userEntry) bool { return u.uid == uid })
}

// group returns the group with this name or GID.
func (s *hostAccounts) group(group string) (groupEntry, bool) {
	if gid, err := parseID(group); err == nil && digits(group) {
		return s.groupByID(gid)
	}
	return first(s.groups, func(g groupEntry) bool { return g.name == group })
}

func (s *hostAccounts) groupByID(gid int64) (groupEntry, bool) {
	return first(s.groups, func(g groupEntry) bool { return g.gid == gid })
}

func first[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}

// groupsOf returns the sorted names of the supplementary groups of a user, without the
// primary group: some tools also list users as members of their primary group.
func (s *hostAccounts) groupsOf(u userEntry) []string {
	var in []string
	for _, g := range s.groups {
		if g.gid != u.gid && slices.Contains(g.members, u.name) {
			in = append(in, address.Shown(g.name))
		}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

// primary returns the names of the users with this primary group.
func (s *hostAccounts) primary(gid int64) []string {
	var users []string
	for _, u := range s.users {
		if u.gid == gid {
			users = append(users, u.name)
		}
	}
	return users
}

// groupName returns the name of a group, or its GID if it has none.
func (s *hostAccounts) groupName(gid int64) string {
	if g, ok := s.groupByID(gid); ok {
		return address.Shown(g.name)
	}
	return strconv.FormatInt(gid, 10)
}

// password returns the password field of a user from /etc/shadow, or from /etc/passwd if
// /etc/shadow has no entry.
func (s *hostAccounts) password(u userEntry) string {
	if e, ok := s.shadow[u.name]; ok {
		return e.password
	}
	return u.password
}

// ownsHome reports whether the home directory of a user exists, is not /, and belongs to the user.
func (s *hostAccounts) ownsHome(u userEntry) bool {
	owner, there := s.homes[u.name]
	return there && owner == strconv.FormatInt(u.uid, 10) && u.home != "/"
}

// expires returns the expiry date in the format of the attribute, or the text in
// /etc/shadow if that is not a valid date.
func (s *hostAccounts) expires(u userEntry) string {
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
	lastDay     = 2932896 // 9999-12-31, in days since 1970-01-01
)

// isSystem reports whether id is outside of the range for regular accounts; kind is UID or GID.
func (s *hostAccounts) isSystem(id int64, kind string) bool {
	return id < cmp.Or(s.limits[kind+"_MIN"], 1000) || id > cmp.Or(s.limits[kind+"_MAX"], 60000)
}

// busybox reports whether the host has only busybox's tools for accounts.
func (s *hostAccounts) busybox() bool { return !s.tools["useradd"] && s.tools["busybox"] }

// checkManageable returns an error if the provider cannot manage accounts on the host.
func (s *hostAccounts) checkManageable() error {
	switch {
	case !s.root:
		return lifecycle.RootRequired(s.host, "accounts")
	case s.shadowUnreadable:
		return diag.AttributeErrorf("host", "on host %s, root cannot read /etc/shadow, which has the passwords and expiry dates: "+
			"check whether a container or a security module prevents it", s.host.Name())
	case !s.tools["useradd"] && !s.tools["busybox"]:
		return diag.AttributeErrorf("host", "host %s has neither useradd nor the adduser of busybox: install the package shadow "+
			"(passwd on Debian, shadow-utils on Fedora). Systems without /etc/shadow, such as macOS, are not supported", s.host.Name())
	}
	return nil
}

// requireTool returns an error about the attribute if the host lacks the program that
// changes it.
func (s *hostAccounts) requireTool(program, attribute string) error {
	if s.tools[program] {
		return nil
	}
	return diag.AttributeErrorf(attribute, "host %s has no %s, which is required to set %s; busybox has no equivalent. "+
		"Install the package shadow, which works together with busybox (apk add shadow)", s.host.Name(), program, attribute)
}

// notLocalError returns the error for an account that is not in the local file.
func (s *hostAccounts) notLocalError(kind, name string) error {
	file := "/etc/passwd"
	if kind == group {
		file = "/etc/group"
	} else {
		kind = "user"
	}
	return diag.AttributeErrorf("name", "the %s %s of host %s is not in %s: it is provided by another service, such as LDAP or systemd (see /etc/nsswitch.conf). "+
		"It can be referenced by its name, but must be managed in that service", kind, name, s.host.Name(), file)
}
