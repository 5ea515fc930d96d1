package account

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// add creates the user, with all attributes that the tools support and the password.
func (u *User) add(ctx context.Context, s *hostAccounts) error {
	if holder, taken := u.idHolder(s); taken {
		return u.idTakenError(s, holder)
	}
	if err := u.checkSupported(s); err != nil {
		return err
	}
	var steps []step
	if s.busybox() {
		steps = u.adduser(s)
	} else {
		steps = append(steps, u.useradd(s))
	}
	line, change := u.passwordLine(lockSign, u.hash()) // the tools lock a new user
	if change {
		steps = append(steps, step{args: chpasswd})
	}
	return s.runSteps(ctx, line, steps...)
}

// useradd returns the step that creates the user with the shadow suite.
func (u *User) useradd(s *hostAccounts) step {
	args := []string{"useradd"}
	option := func(name string, value *string) {
		if value != nil {
			args = append(args, name, *value)
		}
	}
	if isTrue(u.System) {
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
	if isTrue(u.CreateHome) {
		args = append(args, "-m")
	} else {
		args = append(args, "-M")
	}
	return step{append(args, u.Name), func(err error) error { return u.withGroupHint(s, err) }}
}

// withGroupHint adds the attribute and a remedy to err if a group is missing.
func (u *User) withGroupHint(s *hostAccounts, err error) error {
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

// createGroup is the remedy for a missing group.
const createGroup = "Create the group first, for example with posix_group, and reference its name here"

// adduser returns the steps that create the user with busybox.
func (u *User) adduser(s *hostAccounts) []step {
	var steps []step
	args := []string{"adduser", "-D"}
	if isTrue(u.System) {
		args = append(args, "-S")
	}
	if u.UID != nil {
		args = append(args, "-u", strconv.FormatInt(*u.UID, 10))
	}
	primary := u.Name
	if u.Group != nil {
		primary = *u.Group
		if g, there := s.group(primary); there {
			primary = g.name // busybox does not accept GIDs
		}
	} else if _, there := s.group(u.Name); !there {
		steps = append(steps, step{args: u.ownGroup(s)})
	}
	args = append(args, "-G", primary, "-g")
	if u.Comment != nil {
		args = append(args, *u.Comment)
	} else {
		args = append(args, "") // without it, busybox sets a default comment
	}
	if u.Home != nil {
		args = append(args, "-h", *u.Home)
	}
	if u.Shell != nil {
		args = append(args, "-s", *u.Shell)
	}
	if !isTrue(u.CreateHome) {
		args = append(args, "-H")
	}
	steps = append(steps, step{args: append(args, u.Name)})
	for _, name := range sorted(u.Groups) {
		if name != primary {
			steps = append(steps, u.joinStep(name))
		}
	}
	if isTrue(u.CreateHome) && u.Home != nil && !s.pathExists {
		steps = append(steps, u.homeStep(*u.Home)) // adduser does not create parents
	}
	return steps
}

// joinStep returns the step that adds the user to a group with busybox.
func (u *User) joinStep(name string) step {
	return step{[]string{"addgroup", u.Name, name}, hintIfMissing("groups", createGroup)}
}

// ownGroup returns the command of busybox that creates the group with the user's name, because
// adduser does not create it for system users.
func (u *User) ownGroup(s *hostAccounts) []string {
	args := []string{"addgroup"}
	if isTrue(u.System) {
		args = append(args, "-S")
	}
	if u.UID != nil {
		if _, taken := s.groupByID(*u.UID); !taken {
			args = append(args, "-g", strconv.FormatInt(*u.UID, 10))
		}
	}
	return append(args, u.Name)
}

// removeOwnGroup deletes the group that the command of ownGroup created, if err is that of busybox's adduser, which
// runs after that command. Otherwise the next create would find the group, and a delete of the user would keep it.
func (u *User) removeOwnGroup(ctx context.Context, s *hostAccounts, err error) error {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	if _, there := s.group(u.Name); !is || failed.Args[0] != "adduser" || there || u.Group != nil {
		return nil
	}
	return s.program(ctx, "delgroup", u.Name)
}

// checkSupported returns an error if the host has only busybox and a new user has an
// attribute that busybox does not support.
func (u *User) checkSupported(s *hostAccounts) error {
	if s.busybox() && u.Expires != nil && *u.Expires != never {
		return s.requireTool("usermod", "expires")
	}
	return nil
}

// modify changes the attributes in list.
func (u *User) modify(ctx context.Context, s *hostAccounts, list []difference) error {
	if len(list) == 0 {
		return nil
	}
	if s.busybox() {
		return u.modifyBusybox(ctx, s, list)
	}
	if differs(list, "home") && u.movesHome(s) {
		if err := u.checkMovable(ctx, s); err != nil {
			return err
		}
		if err := s.makeParents(ctx, *u.Home); err != nil {
			return diag.AttributeErrorf("home", "%w", err)
		}
	}
	args := []string{"usermod"}
	for _, d := range list {
		args = append(args, d.args...)
	}
	return u.withGroupHint(s, s.program(ctx, append(args, u.Name)...))
}

// parentsScript creates the directory $1 with its parents. All users can enter the created directories, even if the umask
// of root would prevent that.
const parentsScript = `umask 022
exec mkdir -p "$1"`

// makeParents creates the parent directories of a home directory, because usermod does not create them.
func (s *hostAccounts) makeParents(ctx context.Context, home string) error {
	dir := path.Dir(home)
	return s.retry(ctx, func() (string, error) {
		_, err := remotecmd.Shell(parentsScript, dir).Run(ctx, s.host)
		return "mkdir", remotecmd.OfProgram(err, []string{"mkdir", "-p", dir})
	})
}

// checkMovable returns an error if a file system is mounted below the home directory, or may be: to move
// the directory to another file system, usermod copies and then deletes its content.
func (u *User) checkMovable(ctx context.Context, s *hostAccounts) error {
	has, _ := s.user(u.Name)
	mounts, err := s.mountsBelow(ctx, has.home)
	if connection := lifecycle.ConnectionError(err); connection != nil {
		return connection
	}
	switch {
	case err != nil:
		return diag.AttributeErrorf("home", "the home directory %s on host %s is not moved, because it is unknown whether file systems are mounted below it: %w. "+
			"Move it by hand, or set move_home = false", host.QuotePath(has.home), s.host.Name(), err)
	case len(mounts) > 0:
		return diag.AttributeErrorf("home", "the home directory %s on host %s is not moved, because %s is a mount point, and its content might be deleted: "+
			"unmount it first, or set move_home = false", host.QuotePath(has.home), s.host.Name(), host.QuotePath(mounts[0]))
	}
	return nil
}

func (u *User) modifyBusybox(ctx context.Context, s *hostAccounts, list []difference) error {
	for _, d := range list {
		if d.attribute != "groups" {
			return s.requireTool("usermod", d.attribute)
		}
	}
	user, _ := s.user(u.Name)
	has := u.groupsNow(s, user)
	for _, name := range sorted(u.Groups) {
		if slices.Contains(has, name) {
			continue
		}
		if err := s.runSteps(ctx, "", u.joinStep(name)); err != nil {
			return err
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

// homeScript creates the home directory $1 of the user $2, if it is missing, with a temporary name,
// and then renames it, so that it is never incomplete. The colon after the user in the chown command stands for
// the user's primary group. A user who can write to the directory above can replace the temporary one,
// even with a link. The script therefore enters the directory and checks it before any change. With
// SELinux, the temporary directory does not have the type of home directories, without which sshd does
// not read the keys in it: restorecon sets the type after the rename.
const homeScript = `set -e
if [ -d "$1" ]; then exit; fi
umask 022
above=$(dirname "$1")
mkdir -p "$above"
within=$(cd -P "$above" && pwd -P)
temp=$(mktemp -d "$above/.home.XXXXXX")
trap 'rm -rf "$temp"' EXIT
cd -P "$temp"
if [ "$(pwd -P)" != "${within%/}/${temp##*/}" ] || [ ! -O . ] || [ -n "$(ls -A)" ]; then
  echo "another user has replaced $temp" >&2
  exit 1
fi
if [ -d /etc/skel ]; then cp -R -P /etc/skel/. .; fi
mode=$(awk '$1 == "HOME_MODE" { print $2 }' /etc/login.defs 2>/dev/null || :)
chmod "${mode:-0700}" .
chown -R -h "$2:" .
if [ -e "$1" ] || [ -L "$1" ]; then
  echo "$1 already exists and is not a directory" >&2
  exit 1
fi
mv "$temp" "$1"
trap - EXIT
if command -v restorecon >/dev/null 2>&1; then restorecon -R "$1" || :; fi
`

// homeStep returns the step that creates the home directory.
func (u *User) homeStep(home string) step {
	return step{remotecmd.Shell(homeScript, home, u.Name).Args, func(err error) error {
		return diag.AttributeErrorf("create_home", "cannot create the home directory of %s: %w", u.Name, err)
	}}
}
