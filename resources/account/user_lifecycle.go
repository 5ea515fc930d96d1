package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// question is what is asked about the user; to change a lock takes the hash as well,
// which is written with it.
func (u *User) question(change bool) question {
	q := question{database: passwd, key: u.Name, hash: u.wantsHash() || change && u.Locked != nil}
	if u.Home != nil {
		q.path = *u.Home
	}
	return q
}

// look looks at the user, to change something.
func (u *User) look(ctx context.Context, h host.Host) (*system, error) {
	s, err := look(ctx, h, u.question(true))
	if err != nil {
		return nil, err
	}
	return s, s.manageable()
}

// Place is part of [lifecycle.Object].
func (u *User) Place() (*string, lifecycle.Key) { return u.Host, userPlace(u.Name) }

// ValidateInputs is part of [runtime.InputValidator].
func (u *User) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if runtime.PlansCreate(ctx) {
		scope.PlanAccount(lifecycle.AccountUser, u.Name)
		if u.Group == nil { // the host creates one with the same name
			scope.PlanAccount(lifecycle.AccountGroup, u.Name)
		}
	}
	return nil
}

// Preflight is part of [lifecycle.Preflighter].
func (u *User) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	s, err := look(ctx, h, u.question(false))
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	if err := s.manageable(); err != nil {
		return err
	}
	has, there := s.user(u.Name)
	switch {
	case there && !scope.Owned():
		return u.adoptable(s, has)
	case !there && s.nss != "":
		return s.elsewhere(passwd, u.Name)
	}
	if holder, taken := u.taken(s); taken && !scope.Manages(userPlace(holder.name)) {
		return u.idTaken(s, holder)
	}
	return u.possible(s)
}

// adoptable refuses a user that a create must leave alone.
func (u *User) adoptable(s *system, has userEntry) error {
	return conflict(s, "user", u.Name, u.inTheWay(s, has))
}

// groupKept is where private data says that the group of the user's name was there
// before the user: the tools delete it with the user, as if it were the user's own.
const groupKept = "group_kept"

// Create is part of [runtime.TypedResource].
func (u *User) Create(ctx context.Context, scope *lifecycle.Scope) (*UserOutput, error) {
	h := scope.Host
	var out *UserOutput
	err := alone(ctx, scope, func(ctx context.Context) error {
		s, err := u.look(ctx, h)
		if err != nil {
			return err
		}
		has, there := s.user(u.Name)
		switch {
		case there:
			err = u.adoptable(s, has)
		case s.nss != "":
			err = s.elsewhere(passwd, u.Name)
		default:
			if _, there := s.group(u.Name); there { // busybox deletes it even if it is not the primary one
				runtime.Private(ctx).Set(groupKept, []byte{'1'})
			}
			if err = u.add(ctx, s); err == nil {
				// From here on there is a user, whatever comes next.
				out = &UserOutput{Host: new(h.Name()), Name: u.Name, CreateHome: u.CreateHome}
				s, err = u.look(ctx, h)
			}
		}
		if err != nil {
			return err
		}
		out, err = u.settle(ctx, s, u.hash())
		return err
	})
	return out, err
}

// settle makes the user as configured where it is not, with this hash unless it is
// nil, and says how it is then.
func (u *User) settle(ctx context.Context, s *system, hash *string) (*UserOutput, error) {
	has, there := s.user(u.Name)
	if !there {
		return nil, fmt.Errorf("the user %s was removed from host %s after the plan was made. Plan and apply again to create it", u.Name, s.host.Name())
	}
	list := u.differences(s, has)
	err := u.change(ctx, s, has, list, hash)
	if err == nil && len(list) == 0 {
		return u.made(ctx, s, has, hash), nil
	}
	// Also after an error it is said what there is now.
	now, errLook := u.look(ctx, s.host)
	if errLook != nil {
		if err == nil {
			err = errLook
		}
		return u.output(s, has), err
	}
	if has, there = now.user(u.Name); !there {
		return nil, err
	}
	if err != nil {
		return u.output(now, has), err
	}
	return u.made(ctx, now, has, hash), nil
}

// change makes all changes.
func (u *User) change(ctx context.Context, s *system, has userEntry, list []difference, hash *string) error {
	if holder, taken := u.taken(s); taken && differs(list, "uid") {
		return u.idTaken(s, holder)
	}
	moved := u.moves(s)
	if err := u.modify(ctx, s, list); err != nil {
		return err
	}
	_, home := s.homes[u.Name]
	if differs(list, "home") {
		has.home, home = *u.Home, moved || s.there
	}
	if on(u.CreateHome) && !home {
		if err := u.makeHome(ctx, s, has.home); err != nil {
			return err
		}
	}
	return u.setPassword(ctx, s, s.password(has), hash)
}

// made is the output of a user that is as configured. What is secret of it is
// remembered by its trace.
func (u *User) made(ctx context.Context, s *system, has userEntry, hash *string) *UserOutput {
	out := u.output(s, has)
	out.CreateHome, out.Locked, out.PasswordHash = u.CreateHome, u.Locked, u.PasswordHash
	switch {
	case !u.secret():
		forgetTrace(ctx)
	case hash != nil:
		rememberTrace(ctx, *hash)
		fallthrough
	default:
		out.PasswordHashWOIntact = new(true)
	}
	return out
}

// Read is part of [runtime.TypedResource].
func (u *User) Read(ctx context.Context, scope *lifecycle.Scope, prior *UserOutput) (*UserOutput, error) {
	h := scope.Host
	s, err := look(ctx, h, u.question(false))
	if err != nil {
		return nil, err
	}
	has, there := s.user(u.Name)
	switch {
	case there:
	case s.nss != "":
		return nil, s.elsewhere(passwd, u.Name)
	default:
		return nil, fmt.Errorf("%w: the user %s is not in /etc/passwd of host %s", runtime.ErrNotFound, u.Name, h.Name())
	}
	if err := s.manageable(); err != nil {
		return nil, err // passwords and expiry dates are for root alone
	}
	if prior.UID == nil {
		return userOutput(s, has), nil // imported
	}
	out := u.output(s, has)
	if prior.PasswordHashWOIntact != nil {
		out.PasswordHashWOIntact = new(reveals(ctx, u.managed(s.password(has))))
	}
	return out, nil
}

// Update is part of [runtime.TypedResource].
func (u *User) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[User, *UserOutput]) (*UserOutput, error) {
	h := scope.Host
	hash := u.hash()
	if u.PasswordHashWO != nil && on(prior.Observed.PasswordHashWOIntact) && !runtime.Changed(prior.Inputs.PasswordHashWOVersion, u.PasswordHashWOVersion) {
		hash = nil // whatever it is now, it is not to be set yet
	}
	// Groups that are planned to stay are left alone: they may be the business of
	// others, who change them in the same run.
	groups := u.Groups
	if sameSet(groups, prior.Observed.Groups) && !runtime.Changed(prior.Observed.Group, u.Group) {
		u.Groups = nil
	}
	var out *UserOutput
	err := alone(ctx, scope, func(ctx context.Context) error {
		s, err := u.look(ctx, h)
		if err == nil {
			out, err = u.settle(ctx, s, hash)
		}
		return err
	})
	if err == nil {
		out.Groups = groups
	}
	return out, err
}

// Delete is part of [runtime.TypedResource].
func (u *User) Delete(ctx context.Context, scope *lifecycle.Scope, _ *UserOutput) error {
	h := scope.Host
	return alone(ctx, scope, func(ctx context.Context) error {
		s, err := look(ctx, h, question{database: passwd, key: u.Name})
		if err != nil {
			return err
		}
		has, there := s.user(u.Name)
		if !there {
			return nil
		}
		if err := s.manageable(); err != nil {
			return err
		}
		return u.remove(ctx, s, has)
	})
}

// remove deletes the user, with the home directory where that is wanted and is the
// user's: busybox would delete whatever is at the path.
func (u *User) remove(ctx context.Context, s *system, has userEntry) error {
	args := []string{"userdel"}
	if s.busybox() {
		args = []string{"deluser"}
	}
	switch _, there := s.homes[u.Name]; {
	case !on(u.RemoveHome) || !there:
	case !s.ownsHome(has):
		u.warnHome(ctx, s, has, "it belongs to another user")
	case s.busybox():
		args = append(args, "--remove-home")
	default:
		args = append(args, "-r")
	}
	err := s.program(ctx, append(args, u.Name)...)
	if remotecmd.FailedWith(err, codeHome) {
		u.warnHome(ctx, s, has, err.Error()) // the user is gone, it says
		err = nil
	}
	if err != nil {
		return err
	}
	return u.restoreGroup(ctx, s)
}

func (u *User) warnHome(ctx context.Context, s *system, has userEntry, why string) {
	runtime.Warn(ctx, "remove_home", "Home directory not deleted",
		fmt.Sprintf("The user %s was deleted on host %s, but its home directory %s was not: %s", u.Name, s.host.Name(), host.QuotePath(has.home), why))
}

// restoreGroup makes the group of the user's name again where the tool has deleted
// it with the user, and it was not the user's own.
func (u *User) restoreGroup(ctx context.Context, s *system) error {
	had, there := s.group(u.Name)
	if !there || had.name != u.Name || runtime.Private(ctx).Get(groupKept) == nil {
		return nil
	}
	g := &Group{Name: had.name, GID: &had.gid}
	now, err := g.look(ctx, s.host)
	if err != nil {
		return err
	}
	if _, there := now.group(g.Name); there {
		return nil
	}
	if err := g.add(ctx, now); err != nil {
		return err
	}
	// Busybox deletes it with members in it, too.
	g.Members = slices.DeleteFunc(slices.Clone(had.members), func(name string) bool { return name == u.Name })
	if len(g.Members) == 0 {
		return nil
	}
	return g.setMembers(ctx, now, nil)
}
