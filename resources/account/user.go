package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// query returns the query for the user, with the hash if it is managed. A change of the lock requires the hash, because
// both are written together.
func (u *User) query(change bool) query {
	q := query{database: passwd, key: u.Name, hash: u.managesHash() || change && u.Locked != nil}
	if u.Home != nil {
		q.path = *u.Home
	}
	return q
}

// read returns the accounts for a change of the user, and an error if the provider cannot
// manage them.
func (u *User) read(ctx context.Context, h host.Host) (*hostAccounts, error) {
	s, err := read(ctx, h, u.query(true))
	if err != nil {
		return nil, err
	}
	return s, s.checkManageable()
}

// Place implements [lifecycle.Object].
func (u *User) Place() (*string, lifecycle.Key) { return u.Host, userKey(u.Name) }

// ValidateInputs implements [runtime.InputValidator].
func (u *User) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	u.Announce(ctx, scope)
	return nil
}

// Announce implements [lifecycle.Announcer]. It announces a user to be created, and the group of the
// same name if group is unset, to the plans of other resources.
func (u *User) Announce(ctx context.Context, scope *lifecycle.Scope) {
	switch {
	case !runtime.PlansCreate(ctx):
		return
	case u.Name == "": // unknown
		scope.PlanAnyAccount()
		return
	}
	scope.PlanAccount(lifecycle.AccountUser, u.Name)
	if u.Group == nil { // the host creates one with the same name
		scope.PlanAccount(lifecycle.AccountGroup, u.Name)
	}
}

// Preflight implements [lifecycle.Preflighter].
func (u *User) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	s, err := read(ctx, h, u.query(false))
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	if err := s.checkManageable(); err != nil {
		return err
	}
	has, there := s.user(u.Name)
	switch {
	case there && !scope.Owned():
		return u.checkAdoptable(s, has)
	case !there && s.nss != "":
		return s.notLocalError(passwd, u.Name)
	}
	if holder, taken := u.idHolder(s); taken && !scope.Manages(userKey(holder.name)) {
		return u.idTakenError(s, holder)
	}
	return u.checkSupported(s)
}

// checkAdoptable returns an error if a create would have to change an existing user.
func (u *User) checkAdoptable(s *hostAccounts, has userEntry) error {
	return conflictError(s, "user", u.Name, u.allDifferences(s, has))
}

// groupMade is the key in the private data that records that the create of the user made the group with
// the user's name, and that no other resource manages it. The tools may delete a group of this name with the
// user, even if the create of the user did not make it.
const groupMade = "group_made"

// Create implements [runtime.TypedResource].
func (u *User) Create(ctx context.Context, scope *lifecycle.Scope) (*UserOutput, error) {
	h := scope.Host
	var out *UserOutput
	err := withLock(ctx, scope, func(ctx context.Context) error {
		s, err := u.read(ctx, h)
		if err != nil {
			return err
		}
		has, there := s.user(u.Name)
		hadHome := false
		switch {
		case there:
			err = u.checkAdoptable(s, has)
		case s.nss != "":
			err = s.notLocalError(passwd, u.Name)
		default:
			if _, there := s.group(u.Name); !there && u.Group == nil {
				runtime.Private(ctx).Set(groupMade, []byte{'1'})
			}
			hadHome = isTrue(u.RemoveHome) && u.homeExists(ctx, s)
			if err = u.add(ctx, s); err == nil || s.addedDespite(ctx, u.query(false), err) {
				// The user is in the state even if the tool or the next step fails.
				out = &UserOutput{Host: new(h.Name()), Name: u.Name, CreateHome: u.CreateHome}
			} else {
				err = errors.Join(err, u.removeOwnGroup(ctx, s, err))
			}
			if err == nil {
				s, err = u.read(ctx, h)
			}
		}
		if err == nil {
			out, err = u.apply(ctx, s, u.hash())
		}
		switch {
		case err == nil || out == nil:
		case hadHome:
			if undoErr := u.undoCreate(ctx, scope); undoErr != nil {
				return fmt.Errorf("%w. The new user cannot be deleted: %w. Its home directory existed before: run untaint for this resource to keep the directory. "+
					"Otherwise, the next apply deletes the directory with the user", err, undoErr)
			}
			out = nil
			return fmt.Errorf("%w. The new user was deleted, but not the home directory, which existed before", err)
		}
		return err
	})
	return out, err
}

// homeExists reports whether the home directory of a new user exists, or may exist. If the host chooses the path,
// homeExists assumes the directory with the name of the user in /home.
func (u *User) homeExists(ctx context.Context, s *hostAccounts) bool {
	if u.Home != nil {
		return s.pathExists
	}
	_, err := s.host.Lstat(ctx, path.Join("/home", u.Name))
	return !errors.Is(err, fs.ErrNotExist)
}

// undoCreate deletes the user after a create that failed. It keeps the home directory, which the delete of the tainted
// user in the next apply would not.
func (u *User) undoCreate(ctx context.Context, scope *lifecycle.Scope) error {
	s, err := read(ctx, scope.Host, query{database: passwd, key: u.Name})
	if err != nil {
		return err
	}
	has, there := s.user(u.Name)
	if !there {
		return nil
	}
	made := *u
	made.RemoveHome = nil
	return made.remove(ctx, scope, s, has)
}

// apply changes the user to the configured state, and sets the hash unless it is nil. It
// returns the state of the user even after an error, if the user exists.
func (u *User) apply(ctx context.Context, s *hostAccounts, hash *string) (*UserOutput, error) {
	has, there := s.user(u.Name)
	if !there {
		return nil, u.removedError(s)
	}
	list := u.differences(s, has)
	err := u.change(ctx, s, has, list, hash)
	if err == nil && len(list) == 0 {
		return u.applied(ctx, s, has, hash), nil
	}
	// The output has the present state even after an error.
	now, readErr := u.read(ctx, s.host)
	if readErr != nil {
		return u.output(s, has), cmp.Or(err, readErr)
	}
	if has, there = now.user(u.Name); !there {
		return nil, cmp.Or(err, u.removedError(s))
	}
	if err != nil {
		return u.output(now, has), err
	}
	return u.applied(ctx, now, has, hash), nil
}

func (u *User) removedError(s *hostAccounts) error {
	return fmt.Errorf("the user %s was removed from host %s after the plan was made. Plan and apply again to create it", u.Name, s.host.Name())
}

// change makes the changes in list, creates a missing home directory if create_home is set, and sets the password.
func (u *User) change(ctx context.Context, s *hostAccounts, has userEntry, list []difference, hash *string) error {
	if holder, taken := u.idHolder(s); taken && differs(list, "uid") {
		return u.idTakenError(s, holder)
	}
	moved := u.movesHome(s)
	if err := u.modify(ctx, s, list); err != nil {
		return err
	}
	_, home := s.homes[u.Name]
	if differs(list, "home") {
		has.home, home = *u.Home, moved || s.pathExists
	}
	if isTrue(u.CreateHome) && !home {
		if err := s.runSteps(ctx, "", u.homeStep(has.home)); err != nil {
			return err
		}
	}
	return u.setPassword(ctx, s, s.password(has), hash)
}

// applied returns the output of a user that matches the configuration. It stores the digest of
// a write-only hash that was set, and deletes the digest if the hash is not write-only.
func (u *User) applied(ctx context.Context, s *hostAccounts, has userEntry, hash *string) *UserOutput {
	out := u.output(s, has)
	out.CreateHome, out.Locked, out.PasswordHash = u.CreateHome, u.Locked, u.PasswordHash
	switch {
	case !u.writeOnly():
		deleteDigest(ctx)
	case hash != nil:
		storeDigest(ctx, *hash)
		fallthrough
	default:
		out.PasswordHashWOIntact = new(true)
	}
	return out
}

// Read implements [runtime.TypedResource].
func (u *User) Read(ctx context.Context, scope *lifecycle.Scope, prior *UserOutput) (*UserOutput, error) {
	h := scope.Host
	s, err := read(ctx, h, u.query(false))
	if err != nil {
		return nil, err
	}
	has, there := s.user(u.Name)
	switch {
	case there:
	case s.nss != "":
		return nil, s.notLocalError(passwd, u.Name)
	default:
		return nil, fmt.Errorf("%w: the user %s is not in /etc/passwd of host %s", runtime.ErrNotFound, u.Name, h.Name())
	}
	if err := s.checkManageable(); err != nil {
		return nil, err // only root can read passwords and expiry dates
	}
	if scope.Manages(groupKey(u.Name)) {
		runtime.Private(ctx).Set(groupMade, nil) // the process that deletes the user may not have read the group
	}
	if prior.UID == nil {
		return userOutput(s, has), nil // during an import
	}
	out := u.output(s, has)
	if prior.PasswordHashWOIntact != nil {
		out.PasswordHashWOIntact = new(matchesDigest(ctx, u.managedPart(s.password(has))))
	}
	return out, nil
}

// Update implements [runtime.TypedResource].
func (u *User) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[User, *UserOutput]) (*UserOutput, error) {
	h := scope.Host
	hash := u.hash()
	unlocks := isTrue(prior.Observed.Locked) && u.Locked == nil // a managed password is not locked
	keepsHash := u.PasswordHashWO != nil && isTrue(prior.Observed.PasswordHashWOIntact) && !runtime.Changed(prior.Inputs.PasswordHashWOVersion, u.PasswordHashWOVersion)
	if keepsHash {
		hash = nil // a write-only hash that is unchanged since the last apply is set only if its version changes
	}
	// If the plan does not change the groups, the user keeps the present ones, because another resource
	// may change them in the same apply. It also keeps a primary group that the plan does not change: if none
	// is configured, that of the state is planned.
	group, groups := u.Group, u.Groups
	keepsGroup := group != nil && !runtime.Changed(prior.Observed.Group, group)
	keeps := sameSet(groups, prior.Observed.Groups)
	var out *UserOutput
	err := withLock(ctx, scope, func(ctx context.Context) error {
		s, err := u.read(ctx, h)
		if err == nil {
			err = u.checkShown(ctx, s, prior.Observed, hash)
		}
		if err != nil {
			return err
		}
		if has, there := s.user(u.Name); there {
			if keepsGroup && !u.inGroup(s, has) {
				u.Group = nil
			}
			if keeps {
				u.Groups = u.groupsNow(s, has)
			}
		}
		if unlocks && keepsHash {
			if hash, err = u.hashWithoutLock(ctx, s); err != nil {
				return err
			}
		}
		out, err = u.apply(ctx, s, hash)
		return err
	})
	switch {
	case err == nil:
		out.Group, out.Groups = group, groups
	case out != nil && keepsHash:
		// Without this value, the next update would set the configured hash, although its version has not changed.
		out.PasswordHashWOIntact = prior.Observed.PasswordHashWOIntact
		if unlocks {
			out.Locked = prior.Observed.Locked // a lock that is not managed would count as a change of the password
		}
	}
	return out, err
}

// checkShown returns an error if an update to the configured state would replace a value that its plan
// has not shown. Groups are not compared, because another resource may change them in the same apply.
func (u *User) checkShown(ctx context.Context, s *hostAccounts, shown *UserOutput, hash *string) error {
	has, there := s.user(u.Name)
	if !there {
		return nil // apply returns the error
	}
	now := u.output(s, has)
	// Whether locked is configured determines which part of the password field is the hash.
	sameHash := (u.Locked == nil) == (shown.Locked == nil)
	writtenSince := u.PasswordHashWO != nil && hash != nil && isTrue(shown.PasswordHashWOIntact) && u.managedPart(s.password(has)) != *hash &&
		!matchesDigest(ctx, u.managedPart(s.password(has)))
	for _, it := range []struct {
		attribute string
		changed   bool
	}{
		{"uid", changedSince(now.UID, shown.UID, u.UID)},
		{"comment", changedSince(now.Comment, shown.Comment, u.Comment)},
		{"home", changedSince(now.Home, shown.Home, u.Home)},
		{"shell", changedSince(now.Shell, shown.Shell, u.Shell)},
		{"expires", changedSince(now.Expires, shown.Expires, u.Expires)},
		{"locked", changedSince(now.Locked, shown.Locked, u.Locked)},
		{"password_hash", sameHash && changedSince(now.PasswordHash, shown.PasswordHash, u.PasswordHash)},
		{"password_hash_wo", sameHash && writtenSince},
	} {
		if it.changed {
			return lifecycle.PartChangedAfterPlan(it.attribute, s.host, fmt.Sprintf("%s of the user %s", it.attribute, u.Name))
		}
	}
	return nil
}

// hashWithoutLock returns the present hash of the user, or nil if the user does not exist. It returns an error
// if the hash is not the one that was last set.
func (u *User) hashWithoutLock(ctx context.Context, s *hostAccounts) (*string, error) {
	has, there := s.user(u.Name)
	if !there {
		return nil, nil //nolint:nilnil // apply returns the error
	}
	hash, _ := splitLock(s.password(has))
	if !matchesDigest(ctx, hash) {
		return nil, lifecycle.PartChangedAfterPlan("password_hash_wo", s.host, "password_hash_wo of the user "+u.Name)
	}
	return &hash, nil
}

// changedSince reports whether the present value of a configured attribute differs from both the
// value that the plan has shown and the wanted value.
func changedSince[T comparable](now, shown, wanted *T) bool {
	return now != nil && shown != nil && wanted != nil && *now != *shown && *now != *wanted
}

// Delete implements [runtime.TypedResource].
func (u *User) Delete(ctx context.Context, scope *lifecycle.Scope, _ *UserOutput) error {
	h := scope.Host
	return withLock(ctx, scope, func(ctx context.Context) error {
		s, err := read(ctx, h, query{database: passwd, key: u.Name})
		if err != nil {
			return err
		}
		has, there := s.user(u.Name)
		if !there {
			return nil
		}
		if err := s.checkManageable(); err != nil {
			return err
		}
		return u.remove(ctx, scope, s, has)
	})
}

// remove deletes the user, and the home directory if removesHome returns true. It creates the group
// with the user's name again if the tool deleted it, unless the create of the user made the group and no other
// resource manages it.
func (u *User) remove(ctx context.Context, scope *lifecycle.Scope, s *hostAccounts, has userEntry) error {
	args := []string{"userdel"}
	if s.busybox() {
		args = []string{"deluser"}
	}
	removes, err := u.removesHome(ctx, s, has)
	switch {
	case err != nil:
		return err
	case !removes:
	case s.busybox():
		args = append(args, "--remove-home")
	default:
		args = append(args, "-r")
	}
	err = s.program(ctx, append(args, u.Name)...)
	if remotecmd.FailedWith(err, codeHome) {
		u.warnHome(ctx, s, has, err.Error()+". Delete the directory by hand") // only the home directory was not deleted
		err = nil
	}
	if err != nil {
		return err
	}
	if runtime.Private(ctx).Get(groupMade) != nil && !scope.Manages(groupKey(u.Name)) {
		return nil
	}
	return u.restoreGroup(ctx, s)
}

// removesHome reports whether to delete the home directory: if remove_home is set, the user owns the directory, no other
// user has a home directory there or below it, and no other file system is mounted below it. The tools of busybox
// would delete any directory, and all tools would delete the content of mounted file systems. removesHome warns if
// remove_home is set and the directory is kept.
func (u *User) removesHome(ctx context.Context, s *hostAccounts, has userEntry) (bool, error) {
	if _, there := s.homes[u.Name]; !isTrue(u.RemoveHome) || !there {
		return false, nil
	}
	if !s.ownsHome(has) {
		u.warnHome(ctx, s, has, "it does not belong to the user, or is the root directory")
		return false, nil
	}
	if other, found := first(s.users, func(e userEntry) bool {
		return e.name != has.name && host.IsWithin(path.Clean(e.home), path.Clean(has.home))
	}); found {
		u.warnHome(ctx, s, has, "the home directory of the user "+other.name+" is the same or below it")
		return false, nil
	}
	mounts, err := s.mountsBelow(ctx, has.home)
	if connection := lifecycle.ConnectionError(err); connection != nil {
		return false, connection
	}
	switch {
	case err != nil:
		u.warnHome(ctx, s, has, fmt.Sprintf("it is unknown whether file systems are mounted below it: %v. Delete the directory by hand", err))
	case len(mounts) > 0:
		u.warnHome(ctx, s, has, host.QuotePath(mounts[0])+" is a mount point. Unmount the file system, and delete the directory by hand")
	default:
		return true, nil
	}
	return false, nil
}

// mountsBelow returns the mount points below a home directory, without the directory itself.
func (s *hostAccounts) mountsBelow(ctx context.Context, home string) ([]string, error) {
	mounts, err := mounttable.Below(ctx, s.host, home)
	return slices.DeleteFunc(mounts, func(mount string) bool { return mount == path.Clean(home) }), err
}

func (u *User) warnHome(ctx context.Context, s *hostAccounts, has userEntry, why string) {
	runtime.Warn(ctx, "remove_home", "Home directory not deleted",
		fmt.Sprintf("The user %s was deleted on host %s, but its home directory %s was not: %s", u.Name, s.host.Name(), host.QuotePath(has.home), why))
}

// restoreGroup creates the group with the user's name again if the tool deleted it with the
// user: busybox does so even if the group is not the primary group. The error has the GID and the members of
// the group, because nothing else records them: the next apply finds neither the user nor the group.
func (u *User) restoreGroup(ctx context.Context, s *hostAccounts) error {
	had, there := s.group(u.Name)
	if !there || had.name != u.Name {
		return nil
	}
	// busybox also deletes groups with members.
	members := slices.DeleteFunc(slices.Clone(had.members), func(name string) bool { return name == u.Name })
	if err := restoreGroup(ctx, s.host, had, members); err != nil {
		return fmt.Errorf("the user %s was deleted on host %s, but the group of the same name, which should be kept, may be missing now: %w. "+
			"Check whether the group exists; if not, create it by hand with the GID %d and the members: %s", u.Name, s.host.Name(), err, had.gid, cmp.Or(strings.Join(members, ", "), "none"))
	}
	return nil
}

// restoreGroup creates a group with members, unless it exists.
func restoreGroup(ctx context.Context, h host.Host, had groupEntry, members []string) error {
	g := &Group{Name: had.name, GID: &had.gid}
	now, err := g.read(ctx, h)
	if err != nil {
		return err
	}
	if _, there := now.group(g.Name); there {
		return nil
	}
	if err := g.add(ctx, now); err != nil || len(members) == 0 {
		return err
	}
	g.Members = members
	return g.setMembers(ctx, now, nil)
}
