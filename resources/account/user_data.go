package account

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// UserLookup reads a user of a host by name or UID, including users that are not
// in `/etc/passwd`, such as those from LDAP.
//
// The provider does not have to run as root. Without root, attributes that only root can
// read are null.
type UserLookup struct {
	// Host to read the user from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Name of the user.
	Name *string

	// UID of the user.
	UID *int64
}

// UserFacts are the properties of a user.
type UserFacts struct {
	Host *string `tf:",computed"`
	Name *string `tf:",computed"`
	UID  *int64  `tf:",computed"`

	// GID of the primary group.
	GID int64

	// Name of the primary group, or its GID if no name is found. For users in
	// `/etc/passwd`, only `/etc/group` is read.
	Group string

	// Names of the supplementary groups, sorted. For users in `/etc/passwd`, only groups
	// in `/etc/group` are listed.
	Groups []string

	// Full name of the user, or another comment (the GECOS field).
	Comment string

	// Path of the home directory.
	Home string

	// Whether the home directory exists and the user the provider runs as on the host
	// can see it. Null for users that are not in `/etc/passwd`.
	HomeExists *bool

	// Login shell. An empty string means the default of the host.
	Shell string

	// Whether the password is locked. Null if `/etc/shadow` cannot be read or has no
	// entry for the user.
	Locked *bool

	// Whether the user has a password. Null if `/etc/shadow` cannot be read or has no
	// entry for the user.
	HasPassword *bool

	// Date from which the account is disabled, such as `2030-12-31`, or `never`. Null if
	// `/etc/shadow` cannot be read or has no entry for the user.
	Expires *string

	// Whether the user is in `/etc/passwd`.
	Local bool
}

var _ runtime.Constrainer = (*UserLookup)(nil)

// UserDataSource returns the registration of the data source posix_user.
func UserDataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[UserLookup, *UserFacts, *lifecycle.Hosts]()
}

// Constraints implements [runtime.Constrainer].
func (*UserLookup) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.ExactlyOneOf("name", "uid"),
		runtime.Check("name", "", checkLookup),
		runtime.Range[int64]("uid", 0, maxID),
	}
}

// checkLookup returns an error if name cannot be the name of a user. It accepts more names
// than CheckName, because names of users from directory services may have
// domains.
func checkLookup(name string) error {
	switch {
	case digits(name):
		return fmt.Errorf("%s is a UID: use uid = %s", name, name)
	case name == "" || name[0] == '-' || name[0] == '+':
		return fmt.Errorf("%q is not a valid user name. The name must not be empty or start with - or +", name)
	}
	return checkField(name)
}

// Read implements [runtime.TypedDataSource].
func (l *UserLookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*UserFacts, error) {
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
	s, err := read(ctx, h, query{database: passwd, key: key})
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
		return nil, fmt.Errorf("%w: host %s has no user %s, neither in /etc/passwd nor in the output of getent", runtime.ErrNotFound, h.Name(), key)
	}
	return s.nonLocalFacts(has), nil
}

// facts returns the properties of a local user.
func (s *hostAccounts) facts(has userEntry) *UserFacts {
	_, home := s.homes[has.name]
	out := &UserFacts{
		Host: new(s.host.Name()), Name: &has.name, UID: &has.uid, GID: has.gid, Group: s.groupName(has.gid), Groups: append([]string{}, s.groupsOf(has)...),
		Comment: has.comment, Home: has.home, HomeExists: &home, Shell: has.shell, Local: true,
	}
	if _, told := s.shadow[has.name]; told {
		hash, locked := splitLock(s.password(has))
		out.Locked, out.HasPassword, out.Expires = &locked, new(hash != "" && hash != noPassword), new(s.expires(has))
	}
	return out
}

// nonLocalFacts returns the properties of a user that is not in /etc/passwd, with the groups
// that the host reports for it.
func (s *hostAccounts) nonLocalFacts(has userEntry) *UserFacts {
	out := s.facts(has)
	out.Local, out.HomeExists = false, nil
	for _, g := range s.nssGroups {
		switch {
		case g.gid == has.gid:
			out.Group = address.Shown(g.name)
		case !slices.Contains(out.Groups, address.Shown(g.name)):
			out.Groups = append(out.Groups, address.Shown(g.name))
		}
	}
	slices.Sort(out.Groups)
	return out
}
