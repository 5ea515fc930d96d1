package account

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// difference is an attribute that differs from the configuration.
type difference struct {
	attribute string
	is        string   // current value for messages; empty if it is secret
	args      []string // arguments of usermod
}

// String describes the difference for a message.
func (d difference) String() string {
	if d.is == "" {
		return d.attribute + " is different"
	}
	return d.attribute + " is " + d.is
}

// differences returns the attributes that differ, except for the password, its lock and the
// existence of the home directory.
func (u *User) differences(s *hostAccounts, has userEntry) []difference {
	var list []difference
	add := func(attribute, is string, args ...string) { list = append(list, difference{attribute, is, args}) }
	if u.UID != nil && *u.UID != has.uid {
		add("uid", strconv.FormatInt(has.uid, 10), "-u", strconv.FormatInt(*u.UID, 10))
	}
	if u.Group != nil && !u.inGroup(s, has) {
		add("group", s.groupName(has.gid), "-g", *u.Group)
	}
	// groupsOf leaves out the primary group. If that changes, the user may still be a listed member of the old one.
	if groups := u.groupsNow(s, has); u.Groups != nil && (!sameSet(u.Groups, groups) || differs(list, "group")) {
		add("groups", quotedList(groups), "-G", strings.Join(sorted(u.Groups), ","))
	}
	if u.Comment != nil && *u.Comment != has.comment {
		add("comment", strconv.Quote(has.comment), "-c", *u.Comment)
	}
	if u.Home != nil && *u.Home != has.home {
		args := []string{"-d", *u.Home}
		if u.movesHome(s) {
			args = append(args, "-m")
		}
		add("home", host.QuotePath(has.home), args...)
	}
	if u.Shell != nil && *u.Shell != has.shell {
		add("shell", host.QuotePath(has.shell), "-s", *u.Shell)
	}
	if is := s.expires(has); u.Expires != nil && *u.Expires != is {
		add("expires", is, "-e", u.expiry())
	}
	return list
}

// groupsNow returns the current supplementary groups. It adds the primary group if the
// configuration lists it as a supplementary group, which has no effect.
func (u *User) groupsNow(s *hostAccounts, has userEntry) []string {
	groups := append([]string{}, s.groupsOf(has)...)
	if primary := s.groupName(has.gid); slices.Contains(u.Groups, primary) {
		groups = sorted(append(groups, primary))
	}
	return groups
}

// inGroup reports whether the primary group of has is the configured one.
func (u *User) inGroup(s *hostAccounts, has userEntry) bool {
	if gid, err := parseID(*u.Group); err == nil && digits(*u.Group) {
		return gid == has.gid
	}
	g, there := s.group(*u.Group)
	return there && g.gid == has.gid
}

// movesHome reports whether to move the home directory: if move_home is set, nothing exists at
// the new path, and the user owns the directory, because the home directory of some users is /bin or /.
func (u *User) movesHome(s *hostAccounts) bool {
	has, _ := s.user(u.Name)
	return isTrue(u.MoveHome) && !s.pathExists && s.ownsHome(has)
}

// expiry returns the expiry date in the format of the tools, as a number of days, or "" for never. The tools interpret a
// date in the time zone of the host, and east of UTC+12 they store the day before.
func (u *User) expiry() string {
	if *u.Expires == never {
		return ""
	}
	day, err := time.Parse(time.DateOnly, *u.Expires)
	if err != nil {
		return *u.Expires // checkExpires has rejected it
	}
	return strconv.FormatInt(day.Unix()/secondsADay, 10)
}

// allDifferences describes all differences between a user that already exists and the configuration.
func (u *User) allDifferences(s *hostAccounts, has userEntry) []string {
	var all []string
	for _, d := range u.differences(s, has) {
		all = append(all, d.String())
	}
	if _, there := s.homes[u.Name]; isTrue(u.CreateHome) && !there {
		all = append(all, "the home directory "+host.QuotePath(has.home)+" is missing")
	}
	field := s.password(has)
	if locked := u.isLocked(field); u.Locked != nil && locked != *u.Locked {
		all = append(all, "locked is "+strconv.FormatBool(locked))
	}
	if hash := u.hash(); hash != nil && u.managedPart(field) != *hash {
		all = append(all, difference{attribute: "the password"}.String())
	}
	return all
}

// idHolder returns the other user with the configured UID, if any, unless this user has it too.
func (u *User) idHolder(s *hostAccounts) (userEntry, bool) {
	if u.UID == nil {
		return userEntry{}, false
	}
	holder, taken := first(s.users, func(e userEntry) bool { return e.uid == *u.UID && e.name != u.Name })
	own, mine := s.user(u.Name)
	return holder, taken && !(mine && own.uid == *u.UID)
}

func (u *User) idTakenError(s *hostAccounts, holder userEntry) error {
	return diag.AttributeErrorf("uid", "UID %d belongs to the user %s on host %s. Choose another UID, or leave uid out to use a free UID",
		*u.UID, holder.name, s.host.Name())
}

// output returns the output of a user, with the group as written in the configuration if it is the
// primary group, and the managed parts of the password.
func (u *User) output(s *hostAccounts, has userEntry) *UserOutput {
	out := userOutput(s, has)
	if u.Group != nil && u.inGroup(s, has) {
		out.Group = u.Group
	}
	out.CreateHome = new(isTrue(u.CreateHome) && *out.CreateHome)
	field := s.password(has)
	out.Locked = nil
	if u.Locked != nil {
		out.Locked = new(u.isLocked(field))
	}
	out.Groups = u.groupsNow(s, has)
	if u.PasswordHash != nil {
		out.PasswordHash = new(address.Shown(u.managedPart(field)))
	}
	return out
}

// userOutput returns the output for an import or a list. It sets Locked only if the password
// field has a lock and other text, because a new user without a password has a lock too.
func userOutput(s *hostAccounts, has userEntry) *UserOutput {
	_, home := s.homes[has.name]
	out := &UserOutput{
		Host: new(s.host.Name()), Name: has.name, UID: &has.uid, Group: new(s.groupName(has.gid)), Groups: append([]string{}, s.groupsOf(has)...),
		Comment: &has.comment, Home: &has.home, CreateHome: &home, Shell: &has.shell, Expires: new(s.expires(has)),
	}
	if hash, locked := splitLock(s.password(has)); locked && hash != "" {
		out.Locked = &locked
	}
	return out
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// differs reports whether list contains the attribute.
func differs(list []difference, attribute string) bool {
	return slices.ContainsFunc(list, func(d difference) bool { return d.attribute == attribute })
}
