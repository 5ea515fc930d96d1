package runtime

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedLister is implemented by every list resource, which lists the existing objects of
// the managed resource type with the same name. The fields of the receiver are its
// configuration. Like the inputs of a resource, the receiver may have the methods of
// [Defaulter], [Constrainer], [InputValidator] and [Describer].
//
// Out is that of the managed resource, which must have the method of [Identifier], because
// clients identify the results by their identities.
type TypedLister[Out, Config any] interface {
	// List yields each object once, as soon as it is found. List ends when yield
	// returns false or ctx is done.
	//
	// An error ends the list; earlier results are kept. An error that has only
	// warnings (diag.AsWarning) does not, and may come with an object.
	List(ctx context.Context, cfg Config, req ListRequest) iter.Seq2[Listed[Out], error]
}

// ListRequest is the request of the client.
type ListRequest struct {
	// Limit is the largest number of objects that the client requests; zero means no limit. The runtime
	// ends the list at the limit; request no more objects than that from the service.
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
	// Complete reports whether Object is as Read would return it. If not, and the whole
	// object was requested, the runtime calls Read. An object that Read does not
	// find any more is left out; after any other error, unless ctx is done, the result
	// has a warning and no object.
	Complete bool
}

// listerPtr lets MakeLister construct receivers without reflection.
type listerPtr[Filter, Out, Config any] interface {
	*Filter
	TypedLister[Out, Config]
}

// ListRegistration registers a list resource type in a [Definition]. The zero
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
// configuration (unexported fields or fields tagged `tf:"-"`). The constructor is called for each
// receiver, possibly concurrently.
func MakeListerWith[Filter, Out, Config any, P listerPtr[Filter, Out, Config]](construct func() P) ListRegistration {
	l := &lister{outType: reflect.TypeFor[Out](), list: func(ctx context.Context, in inputs, cfg any, req ListRequest) listResults {
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
	if l.form != nil { // even with other mistakes
		err = errors.Join(err, l.withoutWriteOnlyInputs("the configuration of a list resource cannot be writeonly; tag it sensitive"))
	}
	return ListRegistration{lazily(func() (*lister, error) { return l, err })}
}

// listResults is the result of List with its types erased: each Object is the struct that
// the Out points to, or an invalid Value if the Out is nil.
type listResults = iter.Seq2[Listed[reflect.Value], error]

// lister is a registered list resource type.
type lister struct {
	configured
	outType reflect.Type
	list    func(ctx context.Context, in inputs, cfg any, req ListRequest) listResults
	found   *managed // the managed resource type of the results; set by New
}

// attach sets the managed resource type of the results.
func (l *lister) attach(m *managed) error {
	switch {
	case m == nil:
		return errors.New("there is no managed resource with the same name")
	case m.identity == nil:
		return errors.New("the managed resource with the same name has no identity, which clients need; add the method Identity")
	case l.outType != reflect.PointerTo(m.outType):
		return fmt.Errorf("the list resource returns objects of the type %s, but the outputs of the managed resource with the same name have the type %s", l.outType, reflect.PointerTo(m.outType))
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
	c := &call{typeName: req.TypeName, form: l.form}
	return provider.ValidateListResourceConfigResponse{Diagnostics: l.check(ctx, c, l.given(req.Config), l.fresh)}
}

// ListResource implements [provider.Interface]. Errors that occur before
// the start are in the response; the list runs while its results are read.
func (s *server) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	l := s.lists[req.TypeName]
	if l == nil {
		return provider.ListResourceResponse{Diagnostics: unknownTypeOf("list resource", req.TypeName)}
	}
	q := &listCall{
		l: l, c: &call{typeName: req.TypeName, form: l.form},
		wants: ListRequest{Limit: max(req.Limit, 0), IncludeObject: req.IncludeResourceObject},
	}
	ctx, leave := s.inProgress.join(ctx)
	if err := q.c.guardPanic(ctx, "ListResource", func() error { return s.startList(ctx, q, req.Config) }); failed(err) {
		leave()
		return provider.ListResourceResponse{Diagnostics: q.c.diagnostics("Cannot list "+req.TypeName, err)}
	}
	return provider.ListResourceResponse{Results: func(yield func(provider.ListResult) bool) {
		defer leave()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		q.run(ctx, yield, cancel)
	}}
}

// startList prepares the call of List.
func (s *server) startList(ctx context.Context, q *listCall, config cty.Value) (err error) {
	if q.foundCfg, err = s.configFor(q.l.found.configType); err != nil {
		return err
	}
	q.in, q.cfg, err = s.ready(ctx, q.c, &q.l.configured, config)
	if !failed(err) {
		q.warn(err)
	}
	return err
}

// listCall is one call of ListResource.
type listCall struct {
	l     *lister
	c     *call
	wants ListRequest

	in       inputs
	cfg      any // for List
	foundCfg any // for the managed resource

	sent int64
}

// warn keeps warnings for the next result, or for the end of the list: in a result of their
// own they would make clients silently drop later errors.
func (q *listCall) warn(err error) { q.c.addDiagnostics(diag.FromError(q.summary(), err)) }

func (q *listCall) summary() string { return "Cannot list " + q.l.typeName }

// run sends results until there are no more, List fails, ctx is done, the consumer stops,
// or the limit is reached. cancel cancels ctx.
func (q *listCall) run(ctx context.Context, yield func(provider.ListResult) bool, cancel func()) {
	left, err := q.follow(ctx, yield, cancel)
	if left {
		return
	}
	if !failed(err) && q.wantsMore() && ctx.Err() != nil {
		err = errors.Join(err, fmt.Errorf("the list was stopped before it was complete: %w", context.Cause(ctx)))
	}
	if diags := q.c.diagnostics(q.summary(), err); len(diags) > 0 {
		yield(provider.ListResult{Diagnostics: diags})
	}
}

// wantsMore reports whether more results are possible within the limit.
func (q *listCall) wantsMore() bool { return q.wants.Limit == 0 || q.sent < q.wants.Limit }

// follow passes the results of List to yield. A panic of List is an error; a panic of
// yield is not recovered. left reports whether yield has returned false.
func (q *listCall) follow(ctx context.Context, yield func(provider.ListResult) bool, cancel func()) (left bool, err error) {
	taking := false
	defer func() {
		if taking {
			return
		}
		if r := recover(); r != nil {
			err = errors.Join(err, q.c.panicError(ctx, "List", r))
		}
	}()
	found := q.l.list(q.c.context(ctx), q.in, q.cfg, q.wants)
	if found == nil {
		return false, errors.New("provider bug: the method List returned nil instead of an iterator; please report this")
	}
	for it, failure := range found {
		if failed(failure) {
			cancel() // List may wait for goroutines that it started
			return false, failure
		}
		q.warn(failure)
		if ctx.Err() != nil {
			return false, nil
		}
		var result provider.ListResult
		var exists bool
		c := &call{typeName: q.l.found.typeName, form: q.l.found.form, pathless: true, imports: true}
		err := c.guardPanic(ctx, "ListResource", func() (err error) {
			result, exists, err = q.result(ctx, c, it, failure != nil)
			return err
		})
		if err != nil {
			cancel()
			return false, c.diagnostics(q.summary(), err)
		}
		if !exists {
			continue
		}
		taking = true
		left = !yield(result)
		taking = false
		if q.sent++; left || !q.wantsMore() {
			cancel()
			return left, nil
		}
	}
	return false, nil
}

// result returns the result for one object; exists is false if there is no result. The call c is
// that of the managed resource type.
func (q *listCall) result(ctx context.Context, c *call, it Listed[reflect.Value], warned bool) (result provider.ListResult, exists bool, err error) {
	m := q.l.found
	switch {
	case !it.Object.IsValid() && warned:
		return result, false, nil // a warning without an object
	case !it.Object.IsValid():
		return result, false, errors.New("provider bug: the method List yielded neither an object nor an error; please report this")
	}
	r := m.newReceiver()
	if err := m.copyShared(it.Object, r); err != nil {
		return result, false, err
	}
	out, whole := it.Object, it.Complete
	var warnings error // returned by Read
	if q.wants.IncludeObject && !whole {
		read, failure := m.callRead(ctx, c, r, q.foundCfg, out)
		switch {
		case !failed(failure):
			out, whole, warnings = read, true, failure
		case absent(failure):
			q.c.addPlaced(c.placed(diag.FromError("Cannot read "+m.typeName, warningsOf(failure))))
			return result, false, nil
		case ctx.Err() != nil:
			return result, false, nil //nolint:nilerr // reported once, at the end of the list
		default:
			// An object that cannot be read does not end the list.
			warnings = diag.AsWarning(failure)
		}
	}
	if result.Identity, err = m.callIdentity(ctx, c, r, q.foundCfg, out, cty.NilVal); err != nil {
		return result, false, err
	}
	if q.wants.IncludeObject && whole {
		if result.ResourceObject, err = m.importedState(r, out); err != nil {
			return result, false, err
		}
	}
	result.DisplayName = it.DisplayName
	if result.DisplayName == "" {
		result.DisplayName = displayName(result.Identity)
	}
	q.c.addPlaced(c.diagnostics(fmt.Sprintf("Cannot read %s %s", m.typeName, result.DisplayName), warnings))
	result.Diagnostics = q.c.take()
	return result, true, nil
}

// displayName returns the name of an object to which List gives none: the value of the
// identity's only attribute if that is a string, otherwise the attributes with their names.
func displayName(id cty.Value) string {
	if attrs := id.AsValueMap(); len(attrs) == 1 {
		for _, v := range attrs {
			if usable(v) && v.Type() == cty.String {
				return v.AsString()
			}
		}
	}
	return identityText(id)
}
