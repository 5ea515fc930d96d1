package account

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// add makes the user, with all that the tool can give it at once.
func (u *User) add(ctx context.Context, s *system) error {
	if holder, taken := u.taken(s); taken {
		return u.idTaken(s, holder)
	}
	if s.busybox() {
		return u.addBusybox(ctx, s)
	}
	args := []string{"useradd"}
	option := func(name string, value *string) {
		if value != nil {
			args = append(args, name, *value)
		}
	}
	if on(u.System) {
		args = append(args, "-r")
	}
	if u.UID != nil {
		args = append(args, "-u", strconv.FormatInt(*u.UID, 10))
	}
	switch _, there := s.group(u.Name); {
	case u.Group != nil:
		args = append(args, "-g", *u.Group)
	case there:
		args = append(args, "-g", u.Name)
	default:
		args = append(args, "-U")
	}
	if len(u.Groups) > 0 {
		args = append(args, "-G", strings.Join(sorted(u.Groups), ","))
	}
	option("-c", u.Comment)
	option("-d", u.Home)
	option("-s", u.Shell)
	if u.Expires != nil {
		args = append(args, "-e", u.expiry())
	}
	if on(u.CreateHome) {
		args = append(args, "-m")
	} else {
		args = append(args, "-M")
	}
	return u.noGroup(s, s.program(ctx, append(args, u.Name)...))
}

// noGroup puts the remedy to the error of a tool that misses a group.
func (u *User) noGroup(s *system, err error) error {
	if !remotecmd.FailedWith(err, codeNoGroup) {
		return err
	}
	attribute := "groups"
	if u.Group != nil {
		if _, there := s.group(*u.Group); !there {
			attribute = "group"
		}
	}
	return diag.AttributeErrorf(attribute, "%w. "+createGroup, err)
}

// createGroup is what to do where a group is missing.
const createGroup = "Create the group first, for example with posix_group, and reference its name here"

// addBusybox makes the user where busybox is all that there is. Its other groups and
// what it lacks are settled afterwards.
func (u *User) addBusybox(ctx context.Context, s *system) error {
	if err := u.possible(s); err != nil {
		return err
	}
	args := []string{"adduser", "-D"}
	if on(u.System) {
		args = append(args, "-S")
	}
	if u.UID != nil {
		args = append(args, "-u", strconv.FormatInt(*u.UID, 10))
	}
	primary := u.Name
	if u.Group != nil {
		primary = *u.Group
		if g, there := s.group(primary); there {
			primary = g.name // it takes no numbers
		}
	} else if err := u.ownGroup(ctx, s); err != nil {
		return err
	}
	args = append(args, "-G", primary, "-g")
	if u.Comment != nil {
		args = append(args, *u.Comment)
	} else {
		args = append(args, "") // else it has an invented one
	}
	if u.Home != nil {
		args = append(args, "-h", *u.Home)
	}
	if u.Shell != nil {
		args = append(args, "-s", *u.Shell)
	}
	if !on(u.CreateHome) {
		args = append(args, "-H")
	}
	return s.program(ctx, append(args, u.Name)...)
}

// ownGroup makes the group of the user's name. Left to itself, busybox gives users
// of the system none.
func (u *User) ownGroup(ctx context.Context, s *system) error {
	if _, there := s.group(u.Name); there {
		return nil
	}
	args := []string{"addgroup"}
	if on(u.System) {
		args = append(args, "-S")
	}
	if _, taken := s.groupByID(deref(u.UID)); u.UID != nil && !taken {
		args = append(args, "-g", strconv.FormatInt(*u.UID, 10))
	}
	return s.program(ctx, append(args, u.Name)...)
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// possible says what busybox cannot do for a new user.
func (u *User) possible(s *system) error {
	if s.busybox() && u.Expires != nil && *u.Expires != never {
		return s.needs("usermod", "expires")
	}
	return nil
}

// modify makes the account as configured where it is not.
func (u *User) modify(ctx context.Context, s *system, list []difference) error {
	if len(list) == 0 {
		return nil
	}
	if s.busybox() {
		return u.modifyBusybox(ctx, s, list)
	}
	if differs(list, "home") && u.moves(s) {
		// Whoever moves a directory finds the one above it.
		if err := s.program(ctx, "mkdir", "-p", path.Dir(*u.Home)); err != nil {
			return diag.AttributeErrorf("home", "%w", err)
		}
	}
	args := []string{"usermod"}
	for _, d := range list {
		args = append(args, d.args...)
	}
	return u.noGroup(s, s.program(ctx, append(args, u.Name)...))
}

func (u *User) modifyBusybox(ctx context.Context, s *system, list []difference) error {
	for _, d := range list {
		if d.attribute != "groups" {
			return s.needs("usermod", d.attribute)
		}
	}
	user, _ := s.user(u.Name)
	has := u.groupsNow(s, user)
	for _, name := range sorted(u.Groups) {
		if slices.Contains(has, name) {
			continue
		}
		if err := s.program(ctx, "addgroup", u.Name, name); err != nil {
			return diag.AttributeErrorf("groups", "%w. "+createGroup, err)
		}
	}
	for _, name := range has {
		if !slices.Contains(u.Groups, name) {
			if err := s.program(ctx, "delgroup", u.Name, name); err != nil {
				return diag.AttributeErrorf("groups", "%w", err)
			}
		}
	}
	return nil
}

// homeScript makes the home directory $1 of the user $2: beside its place, so that
// nobody finds a part of it. The colon stands for the user's primary group.
const homeScript = `set -e
umask 022
above=$(dirname "$1")
mkdir -p "$above"
temp=$(mktemp -d "$above/.home.XXXXXX")
trap 'rm -rf "$temp"' EXIT
if [ -d /etc/skel ]; then cp -R -P /etc/skel/. "$temp/"; fi
mode=$(awk '$1 == "HOME_MODE" { print $2 }' /etc/login.defs 2>/dev/null || :)
chown -R -h "$2:" "$temp"
chmod "${mode:-0700}" "$temp"
if [ -e "$1" ] || [ -L "$1" ]; then
  echo "there is something at $1 already, which is no directory" >&2
  exit 1
fi
mv "$temp" "$1"
trap - EXIT
`

// makeHome makes the home directory of a user that exists.
func (u *User) makeHome(ctx context.Context, s *system, home string) error {
	if err := s.run(ctx, remotecmd.Shell(homeScript, home, u.Name)); err != nil {
		return diag.AttributeErrorf("create_home", "cannot create the home directory of %s: %w", u.Name, err)
	}
	return nil
}
