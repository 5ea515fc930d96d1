package account

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// UserLookup tells of a user of a host, by name or by number: also of one that
// another service knows, as LDAP. It takes no root; what only root is told is null
// then.
type UserLookup struct {
	// The host that the user is on: a name in the provider's `hosts`, an alias in the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset, it
	// is the provider's `default_host`, which is `local` by default.
	Host *string

	// The name of the user.
	Name *string

	// The number of the user.
	UID *int64
}

// UserFacts is what is known of a user.
type UserFacts struct {
	Host *string `tf:",computed"`
	Name *string `tf:",computed"`
	UID  *int64  `tf:",computed"`

	// The number of the primary group.
	GID int64

	// The name of the primary group, or its number where it has none.
	Group string

	// The names of the other groups that the user is in, sorted.
	Groups []string

	// The full name, or what else is said of the account (the GECOS field).
	Comment string

	// The path of the home directory.
	Home string

	// Whether the home directory is there, as far as the user whom the provider works
	// as can see it.
	HomeExists *bool

	// The program that runs when the user logs in; empty is the host's choice.
	Shell string

	// Whether the password is locked. Null where /etc/shadow cannot be read, or has
	// nothing of the user.
	Locked *bool

	// Whether there is a password. Null as `locked`.
	HasPassword *bool

	// The day from which on nobody can log in to the account, as `2030-12-31`, or
	// `never`. Null as `locked`.
	Expires *string

	// Whether the user is in /etc/passwd, and comes from no other service.
	Local bool
}

var (
	_ runtime.TypedDataSource[*UserFacts, *target.Hosts] = (*UserLookup)(nil)
	_ runtime.Constrainer                                = (*UserLookup)(nil)
)

// UserDataSource is the registration of the data source posix_user.
func UserDataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[UserLookup, *UserFacts, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*UserLookup) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.ExactlyOneOf("name", "uid"),
		runtime.Check("name", "", checkLookup),
		runtime.Range[int64]("uid", 0, maxID),
	}
}

// checkLookup accepts more names than can be managed: other services have users with
// domains in their names.
func checkLookup(name string) error {
	switch {
	case digits(name):
		return fmt.Errorf("%s is a number: write uid = %s", name, name)
	case name == "" || name[0] == '-' || name[0] == '+':
		return fmt.Errorf("no user is called %q", name)
	}
	return checkField(name)
}

// Read is part of [runtime.TypedDataSource].
func (l *UserLookup) Read(ctx context.Context, hosts *target.Hosts) (*UserFacts, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	key := ""
	if l.Name != nil {
		key = *l.Name
	} else if l.UID != nil {
		key = strconv.FormatInt(*l.UID, 10)
	}
	s, err := look(ctx, h, question{database: passwd, key: key})
	if err != nil {
		return nil, err
	}
	has, local := s.user(key)
	if l.UID != nil {
		has, local = s.userByID(*l.UID)
	}
	if local {
		return s.facts(has), nil
	}
	has, known := parseUser(s.nss)
	if !known {
		return nil, fmt.Errorf("%w: host %s knows no user %s, neither in /etc/passwd nor by getent", runtime.ErrNotFound, h.Name(), key)
	}
	return s.foreign(has), nil
}

// facts are those of a local user.
func (s *system) facts(has userEntry) *UserFacts {
	_, home := s.homes[has.name]
	out := &UserFacts{
		Host: new(s.host.Name()), Name: &has.name, UID: &has.uid, GID: has.gid, Group: s.groupName(has.gid), Groups: append([]string{}, s.groupsOf(has)...),
		Comment: has.comment, Home: has.home, HomeExists: &home, Shell: has.shell, Local: true,
	}
	if _, told := s.shadow[has.name]; told {
		hash, locked := bare(s.password(has))
		out.Locked, out.HasPassword, out.Expires = &locked, new(hash != "" && hash != noPassword), new(s.expires(has))
	}
	return out
}

// foreign are those of a user whom another service knows, whose groups it knows, too.
func (s *system) foreign(has userEntry) *UserFacts {
	out := s.facts(has)
	out.Local, out.HomeExists = false, nil
	for _, g := range s.nssGroups {
		switch {
		case g.gid == has.gid:
			out.Group = target.Shown(g.name)
		case !slices.Contains(out.Groups, target.Shown(g.name)):
			out.Groups = append(out.Groups, target.Shown(g.name))
		}
	}
	slices.Sort(out.Groups)
	return out
}
