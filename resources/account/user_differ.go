package account

import (
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// difference is one attribute that is not as configured.
type difference struct {
	attribute string
	is        string   // in words; none for what is secret
	args      []string // what usermod is told; none where it does not change it
}

// String says so.
func (d difference) String() string {
	if d.is == "" {
		return d.attribute + " is another"
	}
	return d.attribute + " is " + d.is
}

// differences are what of the account is not as configured, but for the password
// and the home directory itself.
func (u *User) differences(s *system, has userEntry) []difference {
	var list []difference
	add := func(attribute, is string, args ...string) { list = append(list, difference{attribute, is, args}) }
	if u.UID != nil && *u.UID != has.uid {
		add("uid", strconv.FormatInt(has.uid, 10), "-u", strconv.FormatInt(*u.UID, 10))
	}
	if u.Group != nil && !u.inGroup(s, has) {
		add("group", s.groupName(has.gid), "-g", *u.Group)
	}
	// Another primary group may show a membership that was not told before.
	if groups := u.groupsNow(s, has); u.Groups != nil && (!sameSet(u.Groups, groups) || differs(list, "group")) {
		add("groups", quotedList(groups), "-G", strings.Join(sorted(u.Groups), ","))
	}
	if u.Comment != nil && *u.Comment != has.comment {
		add("comment", strconv.Quote(has.comment), "-c", *u.Comment)
	}
	if u.Home != nil && *u.Home != has.home {
		args := []string{"-d", *u.Home}
		if u.moves(s) {
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

// groupsNow are the other groups. The primary one is among them where configuration
// has it there, which means nothing more.
func (u *User) groupsNow(s *system, has userEntry) []string {
	groups := append([]string{}, s.groupsOf(has)...)
	if primary := s.groupName(has.gid); slices.Contains(u.Groups, primary) {
		groups = sorted(append(groups, primary))
	}
	return groups
}

// inGroup reports whether the primary group is the configured one.
func (u *User) inGroup(s *system, has userEntry) bool {
	if gid, err := parseID(*u.Group); err == nil && digits(*u.Group) {
		return gid == has.gid
	}
	g, there := s.group(*u.Group)
	return there && g.gid == has.gid
}

// moves reports whether the home directory moves with its path. One of somebody else
// stays: the home of some users is /bin or /, and the tools would move that.
func (u *User) moves(s *system) bool {
	has, _ := s.user(u.Name)
	return on(u.MoveHome) && !s.there && s.ownsHome(has)
}

// expiry is the date as the tools are told it.
func (u *User) expiry() string {
	if *u.Expires == never {
		return ""
	}
	return *u.Expires
}

// inTheWay are all differences of a user that is there before it is created.
func (u *User) inTheWay(s *system, has userEntry) []string {
	var words []string
	for _, d := range u.differences(s, has) {
		words = append(words, d.String())
	}
	if _, there := s.homes[u.Name]; on(u.CreateHome) && !there {
		words = append(words, "the home directory "+host.QuotePath(has.home)+" is missing")
	}
	field := s.password(has)
	if locked := u.isLocked(field); u.Locked != nil && locked != *u.Locked {
		words = append(words, "locked is "+strconv.FormatBool(locked))
	}
	if hash := u.hash(); hash != nil && u.managed(field) != *hash {
		words = append(words, difference{attribute: "the password"}.String())
	}
	return words
}

// taken is the other user that has the number, if any.
func (u *User) taken(s *system) (userEntry, bool) {
	if u.UID == nil {
		return userEntry{}, false
	}
	holder, taken := first(s.users, func(e userEntry) bool { return e.uid == *u.UID && e.name != u.Name })
	own, mine := s.user(u.Name)
	return holder, taken && !(mine && own.uid == *u.UID)
}

func (u *User) idTaken(s *system, holder userEntry) error {
	return diag.AttributeErrorf("uid", "UID %d belongs to the user %s on host %s. Choose another UID, or leave it out to use a free one",
		*u.UID, holder.name, s.host.Name())
}

// output is how the user is, in the spelling of the configuration. What was read of
// the password is told where it is managed.
func (u *User) output(s *system, has userEntry) *UserOutput {
	out := userOutput(s, has)
	if u.Group != nil && u.inGroup(s, has) {
		out.Group = u.Group
	}
	out.CreateHome = new(on(u.CreateHome) && *out.CreateHome)
	field := s.password(has)
	out.Locked = nil
	if u.Locked != nil {
		out.Locked = new(u.isLocked(field))
	}
	out.Groups = u.groupsNow(s, has)
	if u.PasswordHash != nil {
		out.PasswordHash = new(address.Shown(u.managed(field)))
	}
	return out
}

// userOutput is what an import finds of a user: that it is locked, if somebody has
// done that. Nobody has said yet that it is not to be.
func userOutput(s *system, has userEntry) *UserOutput {
	_, home := s.homes[has.name]
	out := &UserOutput{
		Host: new(s.host.Name()), Name: has.name, UID: &has.uid, Group: new(s.groupName(has.gid)), Groups: append([]string{}, s.groupsOf(has)...),
		Comment: &has.comment, Home: &has.home, CreateHome: &home, Shell: &has.shell, Expires: new(s.expires(has)),
	}
	if hash, locked := bare(s.password(has)); locked && hash != "" {
		out.Locked = &locked
	}
	return out
}

func on(flag *bool) bool { return flag != nil && *flag }

// differs reports whether an attribute is among the differences.
func differs(list []difference, attribute string) bool {
	return slices.ContainsFunc(list, func(d difference) bool { return d.attribute == attribute })
}
