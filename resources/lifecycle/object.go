package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Object is implemented by resource types on hosts. Their outputs have the name of the host as
// host, which [Resource] plans.
type Object interface {
	// Place returns the host, nil for the default one, and the key of the object. The key
	// is empty if no other resource can manage the same object.
	Place() (hostName *string, key Key)
}

// Preflighter is implemented by resource types that can detect errors of a create during
// the plan. The check runs after ValidateInputs, with [Scope.Preflight].
type Preflighter interface {
	// Preflight runs during the plan of a create. Implementations call [Scope.Owned] to distinguish
	// a first create from a replacement.
	Preflight(ctx context.Context, scope *Scope) error
}

// Announcer is implemented by resource types whose objects other resources may depend on during the
// plan.
type Announcer interface {
	// Announce records what the planned apply provides, for example with [Scope.PlanAccount]. If some inputs
	// are unknown, their fields have the zero value. If all are known, ValidateInputs must call Announce.
	Announce(ctx context.Context, scope *Scope)
}

// Composite is implemented by resource types that call [Scope.RecordParts]. An object of a resource type that is not
// a Composite is not deleted if it is a part of an object that this run has created or updated. Delete of a Composite
// is called in that case too, and keeps the objects of other resources.
type Composite interface {
	// HasParts does nothing.
	HasParts()
}

type announcingObject interface {
	Object
	Announcer
}

// PlanUnknown calls Announce for a plan with unknown inputs; package runtime calls PlanUnknown. If the host is
// unknown, it is assumed to be the default host. An invalid host is not an error here: the plan with
// known inputs returns the error.
func (s *Hosts) PlanUnknown(ctx context.Context, resource any) {
	object, is := resource.(announcingObject)
	if s == nil || !is {
		return
	}
	name, _ := object.Place()
	if scope, err := s.Scope(name); err == nil {
		object.Announce(ctx, scope)
	}
}

// RootOnly is implemented by resource types that only root can manage.
type RootOnly interface {
	// RootOnly returns the plural name of the objects of the type, such as "packages".
	RootOnly() string
}

type objectPtr[In, Out any] interface {
	*In
	Object
	runtime.TypedResource[In, Out, *Scope]
}

// Resource returns the registration of a resource type whose objects are on hosts.
func Resource[In, Out any, P objectPtr[In, Out]]() runtime.ResourceRegistration {
	return ResourceWith[In, Out](func() P { return new(In) })
}

// ResourceWith is like [Resource] with a constructor, as in [runtime.MakeResourceWith].
func ResourceWith[In, Out any, P objectPtr[In, Out]](construct func() P) runtime.ResourceRegistration {
	return runtime.MakeWrappedResource[In, Out](wrap, construct)
}

// wrap is the [runtime.Wrapper] of all resource types.
func wrap(ctx context.Context, hosts *Hosts, call runtime.ResourceCall, method func(context.Context, *Scope) (exists bool, err error)) error {
	object := call.Resource.(Object) //nolint:forcetypeassert // Resource registers nothing else
	err := wrapObject(withLinks(ctx, object), hosts, object, call, method)
	if call.Method == runtime.MethodRead {
		err = keepUnread(ctx, object, err)
	}
	return explainLink(ctx, object, call.Method, err)
}

func wrapObject(ctx context.Context, hosts *Hosts, object Object, call runtime.ResourceCall, method func(context.Context, *Scope) (exists bool, err error)) error {
	name, key := object.Place()
	if hosts == nil { // the provider is not configured yet
		_, err := method(ctx, nil)
		return err
	}
	if hostIsUnknown(ctx, name, key) {
		switch call.Method {
		case runtime.MethodRead:
			return nil
		case runtime.MethodDelete:
			return notDeleted(key)
		}
	}
	scope, err := hosts.Scope(name)
	switch {
	case err == nil:
		scope.key = key
	case call.Method == runtime.MethodModifyResourcePlan:
		scope = nil // ValidateInputs returns the error
	default:
		return err
	}
	switch call.Method {
	case runtime.MethodValidateInputs:
		return scope.validate(ctx, object, method)
	case runtime.MethodModifyResourcePlan:
		hosts.recordPrior(call.Prior)
	case runtime.MethodPlanOutputs:
		call.Outputs.Set("host", scope.Host.Name())
	case runtime.MethodRead:
		return scope.read(ctx, method)
	case runtime.MethodCreate, runtime.MethodUpdate, runtime.MethodDelete:
		ctx = hostpath.WithRecorder(ctx, func(create func() []string) { hosts.objects.parents.create(scope.Host, create) })
		return scope.withObjectLock(ctx, func() error {
			if _, composite := object.(Composite); !composite && call.Method == runtime.MethodDelete && scope.keepPart(ctx) {
				return nil
			}
			return scope.change(ctx, call.Method, method)
		})
	}
	_, err = method(ctx, scope)
	return err
}

// validate runs the type's own checks and, while a create is planned, its preflight.
func (s *Scope) validate(ctx context.Context, object Object, method func(context.Context, *Scope) (bool, error)) error {
	if _, err := method(ctx, s); err != nil || !runtime.PlansCreate(ctx) {
		return err
	}
	check := func() error { return nil }
	preflighter, checks := object.(Preflighter)
	if checks {
		check = func() error { return preflighter.Preflight(ctx, s) }
	}
	if rootOnly, ok := object.(RootOnly); ok {
		return s.PreflightAsRoot(ctx, rootOnly.RootOnly(), check)
	}
	if !checks {
		return nil
	}
	return s.Preflight(ctx, check)
}

// read calls method and records whether the object exists. If there is an object of another
// type in its place, the managed object counts as deleted: the next plan creates it. On a host
// that is skipped, the object stays as it is in the state, and an import fails.
func (s *Scope) read(ctx context.Context, method func(context.Context, *Scope) (bool, error)) error {
	inState := !runtime.Imports(ctx)
	var err error
	if !inState || !s.skipped() {
		_, err = method(ctx, s)
	}
	if inState && s.skips(ctx, err) {
		err = nil
	}
	if isWrongType(err) {
		warnWrongType(ctx, err, "Managed object was replaced", "The managed object therefore counts as deleted.")
		err = fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	switch {
	case s.key == "":
	case errors.Is(err, runtime.ErrNotFound):
		s.hosts.objects.recordMissing(s.Host, s.key)
	case err == nil:
		s.hosts.objects.recordExisting(s.Host, s.key)
	}
	return err
}

// withObjectLock runs do while no other operation of this process changes the object.
func (s *Scope) withObjectLock(ctx context.Context, do func() error) error {
	if s.key == "" {
		return do()
	}
	return s.withLockOf(ctx, s.key, do)
}

// withLockOf is withObjectLock for the object with this key.
func (s *Scope) withLockOf(ctx context.Context, key Key, do func() error) error {
	return s.WithLock(ctx, "object "+string(key), do)
}

// change creates, updates or deletes the object, and records the result. It keeps an object that
// this run created instead of deleting it, and returns an error for a second create with the same path.
func (s *Scope) change(ctx context.Context, operation runtime.ResourceMethod, method func(context.Context, *Scope) (bool, error)) error {
	if operation == runtime.MethodDelete && s.key != "" && s.hosts.objects.created.contains(s.Host, s.key) {
		s.warnNotDeleted(ctx)
		return nil
	}
	if operation == runtime.MethodCreate && isPath(s.key) {
		if other, twice := s.hosts.objects.created.Get(s.Host.Name(), s.key); twice {
			return s.createdTwice(other, runtime.TypeName(ctx))
		}
	}
	exists, err := method(ctx, s)
	if operation == runtime.MethodDelete && isWrongType(err) {
		warnWrongType(ctx, err, "Not deleted: another object is in its place", "It is kept, and the resource is removed from the state.")
		err = nil
	}
	switch {
	case operation == runtime.MethodUpdate:
		if err == nil {
			recordHost(ctx)
		}
	case s.key == "":
	case operation == runtime.MethodCreate:
		if exists {
			s.hosts.objects.created.Set(s.Host.Name(), s.key, runtime.TypeName(ctx))
		}
	case err == nil || errors.Is(err, runtime.ErrNotFound): // deleted
		s.hosts.objects.recordMissing(s.Host, s.key)
	}
	return err
}

// recordPrior records the object of a prior state, given as its inputs.
func (s *Hosts) recordPrior(prior any) {
	name, key := prior.(Object).Place() //nolint:forcetypeassert // it has the type of the resource
	if name == nil || key == "" {       // the object was moved and nothing has been applied since, or it has no key
		return
	}
	if h, err := s.Find(name); err == nil {
		s.objects.recordExisting(h, key)
	}
}

// createdTwice returns the error of a create of an object that a resource of the type other has
// created in the same run.
func (s *Scope) createdTwice(other, typeName string) error {
	second := "another " + typeName
	if other != typeName {
		second = "this " + typeName
	}
	return fmt.Errorf("%s on host %s was already created in this apply, by a %s: that resource and %s in the configuration manage the same object. "+
		"Remove one of them, or change what it manages", s.key, s.Host.Name(), other, second)
}

// warnNotDeleted warns that nothing was deleted, because the existing object was created in the
// same run.
func (s *Scope) warnNotDeleted(ctx context.Context) {
	runtime.Warn(ctx, "", "Not deleted: the replacement manages the object",
		fmt.Sprintf("%s on host %s was created again in this apply before the old object was deleted, and both are the same object. "+
			"It is kept. The cause is create_before_destroy, or a resource that was renamed without a moved block.", s.key, s.Host.Name()))
}
