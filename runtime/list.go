package runtime

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedLister is implemented by every list resource: it lists existing objects of
// the managed resource type with the same name. The fields of the receiver are its
// configuration. Like the inputs of a resource they may have the methods of
// [Defaulter], [Constrainer], [InputValidator] and [Describer].
//
// Out is that of the managed resource, which needs an [Identifier]: clients identify
// the results by their identities.
type TypedLister[Out, Config any] interface {
	// List yields each object once, as soon as it is found. It ends when yield
	// returns false or ctx is done.
	//
	// An error ends the list; earlier results are kept. An error that has only
	// warnings (diag.AsWarning) does not, and may come with an object.
	List(ctx context.Context, cfg Config, req ListRequest) iter.Seq2[Listed[Out], error]
}

// ListRequest is the request of the client.
type ListRequest struct {
	// Limit is the number of objects that the client wants; zero is no limit. The runtime
	// ends the list at the limit; request no more objects than that.
	Limit int64
	// IncludeObject requests whole objects, not only their identities.
	IncludeObject bool
}

// Listed is one result of a list.
type Listed[Out any] struct {
	// DisplayName is the name of the object for users. If empty, its identity is
	// shown.
	DisplayName string
	// Object has at least the outputs that Identity and Read of the managed resource
	// need.
	Object Out
	// Complete: Object is as Read would return it. If it is not, and the whole
	// object was requested, the runtime calls Read; an object that Read does not
	// find any more is left out.
	Complete bool
}

// listerPtr lets MakeLister construct receivers without reflection.
type listerPtr[Filter, Out, Config any] interface {
	*Filter
	TypedLister[Out, Config]
}

// ListRegistration is a compiled list resource type for a [Definition]. The zero
// value is not usable.
type ListRegistration struct{ registration[lister] }

// MakeLister registers the list resource type with the configuration Filter, a
// struct with the methods of [TypedLister] on its pointer. Its name in the
// [Definition] is that of the managed resource type. [New] returns an error for an
// invalid type.
func MakeLister[Filter, Out, Config any, P listerPtr[Filter, Out, Config]]() ListRegistration {
	return MakeListerWith[Filter, Out, Config](func() P { return new(Filter) })
}

// MakeListerWith is [MakeLister] with a constructor, for receivers with more than a
// configuration (fields tagged `tf:"-"`). The constructor is called for each
// receiver, possibly concurrently.
func MakeListerWith[Filter, Out, Config any, P listerPtr[Filter, Out, Config]](construct func() P) ListRegistration {
	l := &lister{outType: reflect.TypeFor[Out](), list: func(ctx context.Context, in inputs, cfg any, req ListRequest) findings {
		found := in.pointer.(P).List(ctx, cfg.(Config), req) //nolint:forcetypeassert // made by construct; checked by New
		if found == nil {
			return nil
		}
		return func(yield func(Listed[reflect.Value], error) bool) {
			for it, err := range found {
				if !yield(Listed[reflect.Value]{it.DisplayName, outValue(it.Object), it.Complete}, err) {
					return
				}
			}
		}
	}}
	var err error
	l.configured, err = newConfigured[Filter, Config]("list resource", construct, formSpec{})
	if err == nil {
		err = l.refuseWriteOnly()
	}
	return ListRegistration{lazily(func() (*lister, error) { return l, err })}
}

// findings is the result of List with its types erased: each Out is the struct that
// it points to, invalid if it is nil.
type findings = iter.Seq2[Listed[reflect.Value], error]

// lister is a registered list resource type.
type lister struct {
	configured
	outType reflect.Type
	list    func(ctx context.Context, in inputs, cfg any, req ListRequest) findings
	found   *managed // the managed resource type of the results; set by New
}

// refuseWriteOnly returns an error for write-only attributes, because clients do not
// protect their values here.
func (l *lister) refuseWriteOnly() error {
	var errs []error
	for _, a := range l.ins {
		if a.writeOnly() || a.node.secrets {
			errs = append(errs, fmt.Errorf("%s: the configuration of a list resource cannot be writeonly; tag it sensitive", a.in.goStr()))
		}
	}
	return errors.Join(errs...)
}

// attach sets the managed resource type of the results.
func (l *lister) attach(m *managed) error {
	switch {
	case m == nil:
		return errors.New("there is no managed resource with the same name")
	case m.identity == nil:
		return errors.New("the managed resource with the same name has no identity, which clients need; add the method Identity")
	case l.outType != reflect.PointerTo(m.outType):
		return fmt.Errorf("it lists objects of the type %s, but those of the managed resource with the same name are of the type %s", l.outType, reflect.PointerTo(m.outType))
	}
	l.found = m
	return nil
}

// ValidateListResourceConfig implements [provider.Interface]. The client validates the
// limit and whether objects are included.
func (s *server) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	l := s.lists[req.TypeName]
	if l == nil {
		return provider.ValidateListResourceConfigResponse{Diagnostics: unknownTypeOf("list resource", req.TypeName)}
	}
	c := &call{typeName: req.TypeName}
	return provider.ValidateListResourceConfigResponse{Diagnostics: l.check(ctx, c, l.given(req.Config), l.fresh)}
}
