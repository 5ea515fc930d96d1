package account

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Users lists the local users of a host, in the order of `/etc/passwd`.
//
// Users whose names `posix_user` does not accept are not listed. The provider must run
// as root on the host, as for the resource.
type Users struct {
	Filter
}

// Groups lists the local groups of a host, in the order of `/etc/group`. Groups whose
// names `posix_group` does not accept are not listed.
type Groups struct {
	Filter
}

// Filter has the criteria that are common to the lists of users and groups.
type Filter struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Regular expression (RE2 syntax) that must match the whole name, such as `web.*`. If
	// unset, all names match.
	NamePattern *string

	// Whether to include system accounts: users whose UID is outside of the range from
	// `UID_MIN` to `UID_MAX` in `/etc/login.defs`, and groups whose GID is outside of the
	// range from `GID_MIN` to `GID_MAX`. If the file does not set them, both ranges are 1000
	// to 60000. Defaults to `false`.
	IncludeSystem bool `tf:",optional"`
}

var (
	_ runtime.Constrainer = (*Users)(nil)
	_ runtime.Constrainer = (*Groups)(nil)
)

// UserLister returns the registration of the list resource of users.
func UserLister() runtime.ListRegistration {
	return runtime.MakeLister[Users, *UserOutput, *lifecycle.Hosts]()
}

// GroupLister returns the registration of the list resource of groups.
func GroupLister() runtime.ListRegistration {
	return runtime.MakeLister[Groups, *GroupOutput, *lifecycle.Hosts]()
}

// Constraints implements [runtime.Constrainer].
func (*Filter) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		address.NamePatternRule(),
	}
}

// read returns all accounts of the host, with the details of those in the database.
func (f *Filter) read(ctx context.Context, hosts *lifecycle.Hosts, database string) (*hostAccounts, error) {
	h, err := hosts.Find(f.Host)
	if err != nil {
		return nil, err
	}
	return read(ctx, h, query{database: database})
}

// filter returns a function that reports whether an account meets the criteria. It rejects
// names that the resource does not accept, because they cannot be imported.
func (f *Filter) filter(s *hostAccounts, kind string) func(name string, id int64) bool {
	matches := address.NamePattern(f.NamePattern)
	return func(name string, id int64) bool {
		return (f.IncludeSystem || !s.isSystem(id, kind)) && matches(name) && CheckName(name) == nil
	}
}

// List implements [runtime.TypedLister].
func (u *Users) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*UserOutput], error] {
	return func(yield func(runtime.Listed[*UserOutput], error) bool) {
		s, err := u.read(ctx, hosts, passwd)
		if err == nil {
			err = s.checkManageable()
		}
		if err != nil {
			yield(runtime.Listed[*UserOutput]{}, err)
			return
		}
		matches := u.filter(s, "UID")
		for _, has := range s.users {
			if !matches(has.name, has.uid) {
				continue
			}
			if !yield(runtime.Listed[*UserOutput]{DisplayName: displayName(s.host, has.name), Object: userOutput(s, has), Complete: true}, nil) {
				return
			}
		}
	}
}

// List implements [runtime.TypedLister].
func (g *Groups) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*GroupOutput], error] {
	return func(yield func(runtime.Listed[*GroupOutput], error) bool) {
		s, err := g.read(ctx, hosts, group)
		if err != nil {
			yield(runtime.Listed[*GroupOutput]{}, err)
			return
		}
		matches := g.filter(s, "GID")
		for _, has := range s.groups {
			if !matches(has.name, has.gid) {
				continue
			}
			if !yield(runtime.Listed[*GroupOutput]{DisplayName: displayName(s.host, has.name), Object: groupOutput(s, has), Complete: true}, nil) {
				return
			}
		}
	}
}

func displayName(h host.Host, name string) string { return name + " on " + h.Name() }
