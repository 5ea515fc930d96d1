package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Scope is the environment of a type's methods: the host, and the facts that this run has
// recorded about it.
type Scope struct {
	Host host.Host

	hosts *Hosts
	key   Key // key of the object; empty for types without one
}

// Owned reports whether the state has the object whose create is planned: the create is then part of
// a replacement, and the existing object is that of the resource.
func (s *Scope) Owned() bool { return s.hosts.objects.inState.contains(s.Host, s.key) }

// Manages reports whether the object with this key is in the state and this process has read or planned it, or whether
// this process created the object. A process that applies a saved plan does not read or plan objects that the plan
// does not change.
func (s *Scope) Manages(key Key) bool {
	return s.hosts.objects.inState.contains(s.Host, key) || s.hosts.objects.created.contains(s.Host, key)
}

// MadeAsParent reports whether this run created the directory because another object needed it. It waits
// until no such directories are being created on the host.
func (s *Scope) MadeAsParent(dir Key) bool { return s.hosts.objects.parents.contains(s.Host, dir) }

// CreatedBelow returns the sorted paths of objects below a directory: those of the objects that this run
// created, and those of the parts of objects that this run created or updated.
func (s *Scope) CreatedBelow(dir Key) []Key {
	var keys []Key
	add := func(at Key) {
		if strings.HasPrefix(string(at), string(dir)+"/") {
			keys = append(keys, at)
		}
	}
	s.hosts.objects.created.each(s.Host, func(at Key, _ string) { add(at) })
	s.hosts.objects.parts.each(s.Host, func(_ Key, parts map[Key]bool) {
		for at := range parts {
			add(at)
		}
	})
	slices.Sort(keys)
	return slices.Compact(keys)
}

// RecordParts records that the created or updated object consists of the objects at these paths and the one at
// its own path. Other resources that are deleted in this run keep these parts. Deletes of these parts that are in
// progress have ended when RecordParts returns without an error.
func (s *Scope) RecordParts(ctx context.Context, paths []Key) error {
	parts := make(map[Key]bool, len(paths))
	for _, at := range paths {
		parts[at] = true
	}
	s.hosts.objects.parts.Set(s.Host.Name(), s.key, parts)
	for _, at := range paths {
		if err := s.withLockOf(ctx, at, func() error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// ForgetParts reverts [Scope.RecordParts] for an object that was not changed.
func (s *Scope) ForgetParts() { s.hosts.objects.parts.Delete(s.Host.Name(), s.key) }

// IsPart reports whether the object is a part of another object that this run has created or updated.
func (s *Scope) IsPart() bool { return s.hosts.objects.isPart(s.Host, s.key, s.key) }

// keepPart reports whether the object must not be deleted, because it is a part of another object: see
// [Scope.IsPart]. If so, keepPart warns.
func (s *Scope) keepPart(ctx context.Context) bool {
	if !s.IsPart() {
		return false
	}
	runtime.Warn(ctx, "", "Not deleted: another resource manages the object",
		fmt.Sprintf("%s on host %s is a part of a posix_tree that was created or changed in this apply. It is kept.", s.key, s.Host.Name()))
	return true
}

// UnlessCreated calls do, which removes the object with this key, unless a resource of this run has created
// that object or another resource has recorded it with [Scope.RecordParts]. created is whether a resource has done
// so. The key must not be that of the scope. No other operation of this process creates, changes or deletes the
// object while do runs.
func (s *Scope) UnlessCreated(ctx context.Context, key Key, do func() error) (created bool, err error) {
	err = s.withLockOf(ctx, key, func() error {
		created = s.hosts.objects.created.contains(s.Host, key) || s.hosts.objects.isPart(s.Host, key, s.key)
		if created {
			return nil
		}
		return do()
	})
	return created, err
}

// RemoveUnlessCreated is [Scope.UnlessCreated] for a file of an object whose key is not the path of the file. It
// warns if the file is kept.
func (s *Scope) RemoveUnlessCreated(ctx context.Context, file Key, remove func() error) error {
	created, err := s.UnlessCreated(ctx, file, remove)
	if created {
		runtime.Warn(ctx, "", "Not deleted: another resource manages the file",
			fmt.Sprintf("%s on host %s was created or adopted by another resource in this apply. It is kept.", file, s.Host.Name()))
	}
	return err
}

// Kinds of accounts.
const (
	AccountUser  = "user"
	AccountGroup = "group"
)

// anyAccount is the key for accounts with unknown names.
const anyAccount Key = "account:"

// PlanAccount records that an account is planned to be created in this run.
func (s *Scope) PlanAccount(kind, name string) {
	s.hosts.planned.Set(s.Host.Name(), NameKey(kind, name), struct{}{})
}

// PlanAnyAccount records that accounts with unknown names may be created in this run, for
// example by packages.
func (s *Scope) PlanAnyAccount() { s.hosts.planned.Set(s.Host.Name(), anyAccount, struct{}{}) }

// PlannedAccount reports whether an account that does not exist may be created in this
// run.
func (s *Scope) PlannedAccount(kind, name string) bool {
	planned := &s.hosts.planned
	return planned.contains(s.Host, NameKey(kind, name)) || planned.contains(s.Host, anyAccount)
}

// PlanUnit records that the configuration has a file of the systemd unit with this name, so this run may
// change the unit.
func (s *Scope) PlanUnit(name string) {
	s.hosts.planned.Set(s.Host.Name(), NameKey("unit", name), struct{}{})
}

// PlannedUnit reports whether this run may change the systemd unit with this name.
func (s *Scope) PlannedUnit(name string) bool {
	return s.hosts.planned.contains(s.Host, NameKey("unit", name))
}

// CheckPositive returns an error unless d is positive, for [runtime.Check].
func CheckPositive(d runtime.Duration) error {
	if d <= 0 {
		return errors.New("must be greater than zero")
	}
	return nil
}

// WithLock runs do while no other goroutine of this process runs a function under the
// same name on this host. Programs that change the accounts of a host, for example, do
// not wait for each other.
func (s *Scope) WithLock(ctx context.Context, name string, do func() error) error {
	unlock, err := s.hosts.locks.Lock(ctx, place{s.Host.Name(), Key(name)})
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// WithLockUncanceled is [Scope.WithLock] for operations that must not be interrupted:
// the context of do is canceled when the period grace has passed since ctx was canceled.
func (s *Scope) WithLockUncanceled(ctx context.Context, name string, grace time.Duration, do func(context.Context) error) error {
	return s.WithLock(ctx, name, func() error {
		ctx, cancel := graceperiod.With(ctx, grace)
		defer cancel()
		return do(ctx)
	})
}
