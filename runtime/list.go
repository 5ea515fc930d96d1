package runtime

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedLister is what every list resource does: it finds existing objects of the
// managed resource type of the same name. The receiver's fields are what is
// searched for. Like the inputs of a resource they may have the methods of
// [Defaulter], [Constrainer], [InputValidator] and [Describer].
//
// Out is that of the managed resource, which needs an [Identifier]: clients tell
// what was found by its identity.
type TypedLister[Out, Config any] interface {
	// List yields each object that it finds, once, as soon as it has found it.
	// It ends when yield returns false or ctx is done.
	//
	// An error ends the search; what was found before it stays. One that holds
	// nothing but warnings (diag.AsWarning) does not, and may come with an
	// object.
	List(ctx context.Context, cfg Config, req ListRequest) iter.Seq2[Listed[Out], error]
}

// ListRequest is what the client wants to know.
type ListRequest struct {
	// Limit is how many objects are wanted; zero is no bound. It is there to ask
	// for no more than that: the search ends at the limit by itself.
	Limit int64
	// IncludeObject says that the whole objects are wanted, not only what tells
	// them apart.
	IncludeObject bool
}

// Listed is an object that was found.
type Listed[Out any] struct {
	// DisplayName is what people call the object. When empty, its identity is
	// shown.
	DisplayName string
	// Object has at least what Identity and Read of the managed resource start
	// from.
	Object Out
	// Complete says that Object is as Read would return it. If it is not, and
	// the whole object is wanted, Read completes it; an object that Read does
	// not find any more is left out.
	Complete bool
}

// listerPtr lets MakeLister construct receivers without reflection.
type listerPtr[Filter, Out, Config any] interface {
	*Filter
	TypedLister[Out, Config]
}

// ListRegistration is a list resource type ready to be part of a [Definition]. The
// zero value is not usable.
type ListRegistration struct{ registration[lister] }

// MakeLister registers the list resource whose configuration is Filter, which
// must be a struct with the methods of [TypedLister] on its pointer. Its name in
// the [Definition] is that of the managed resource whose objects it finds.
// Mistakes are reported by [New].
func MakeLister[Filter, Out, Config any, P listerPtr[Filter, Out, Config]]() ListRegistration {
	return MakeListerWith[Filter, Out, Config](func() P { return new(Filter) })
}

// MakeListerWith is [MakeLister] with a constructor, for receivers that carry
// more than a configuration (fields tagged `tf:"-"`). It runs each time a
// receiver is needed, perhaps concurrently.
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
	return ListRegistration{later(func() (*lister, error) { return l, err })}
}

// findings is what List returns, with its types erased: each Out is the struct
// that it points to, invalid where it is nil.
type findings = iter.Seq2[Listed[reflect.Value], error]

// lister is a registered list resource type.
type lister struct {
	configured
	outType reflect.Type
	list    func(ctx context.Context, in inputs, cfg any, req ListRequest) findings
	found   *managed // the type of what it finds; set by New
}

// refuseWriteOnly refuses write-only attributes, whose values no client would
// keep to itself here.
func (l *lister) refuseWriteOnly() error {
	var errs []error
	for _, a := range l.ins {
		if a.writeOnly() || a.node.secrets {
			errs = append(errs, fmt.Errorf("%s: the configuration of a list resource cannot be writeonly; tag it sensitive", a.in.goStr()))
		}
	}
	return errors.Join(errs...)
}

// attach gives the list resource the managed resource type whose objects it
// finds.
func (l *lister) attach(m *managed) error {
	switch {
	case m == nil:
		return errors.New("there is no managed resource of the same name, whose objects it could find")
	case m.identity == nil:
		return errors.New("the managed resource of the same name has no identity, by which clients tell its objects apart; give it the method Identity")
	case l.outType != reflect.PointerTo(m.outType):
		return fmt.Errorf("it finds objects of the type %s, but those of the managed resource of the same name are of the type %s", l.outType, reflect.PointerTo(m.outType))
	}
	l.found = m
	return nil
}

// ValidateListResourceConfig is part of [provider.Interface]. The limit and
// whether objects are wanted are for the client alone to judge.
func (s *server) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	l := s.lists[req.TypeName]
	if l == nil {
		return provider.ValidateListResourceConfigResponse{Diagnostics: unknownTypeOf("list resource", req.TypeName)}
	}
	c := &call{typeName: req.TypeName}
	return provider.ValidateListResourceConfigResponse{Diagnostics: l.check(ctx, c, l.given(req.Config), l.fresh)}
}
