package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// Wrapper runs code, which all types of a provider share, before and after a method of a resource.
// The method gets a Scope, which the wrapper creates for each call, in place of the provider's
// configuration.
//
// Method calls the method. For Create, Read and Update, exists means that the method returned an
// object; for ModifyResourcePlan it is true, for the other methods false. A wrapper may
// omit the call, or return no error although the method has failed: a Read then keeps the
// prior object and its private data, and a Delete is successful. A Create or Update fails all the
// same: with the error of the method, or because there is no object.
//
// Config is the zero value if ModifyResourcePlan is called before the provider is configured.
type Wrapper[Config, Scope any] func(ctx context.Context, config Config, call ResourceCall, method func(context.Context, Scope) (exists bool, err error)) error

// ResourceCall is one call of a method of a resource.
type ResourceCall struct {
	Method ResourceMethod
	// Resource is the *In whose method is called.
	Resource any
	// Prior is the *In of the prior state, for Update and ModifyResourcePlan; else nil.
	Prior any
	// Outputs are the planned outputs, for PlanOutputs; else nil. A wrapper can set those
	// that all types have.
	Outputs *OutputPlan
}

// ResourceMethod is the name of a method that a [Wrapper] surrounds.
type ResourceMethod string

// The methods that a [Wrapper] surrounds. ValidateInputs, ModifyResourcePlan and PlanOutputs
// are wrapped even for types that do not have them.
const (
	MethodValidateInputs     ResourceMethod = "ValidateInputs"
	MethodModifyResourcePlan ResourceMethod = "ModifyResourcePlan"
	MethodPlanOutputs        ResourceMethod = "PlanOutputs"
	MethodCreate             ResourceMethod = "Create"
	MethodRead               ResourceMethod = "Read"
	MethodUpdate             ResourceMethod = "Update"
	MethodDelete             ResourceMethod = "Delete"
)

// MakeWrappedResource is [MakeResourceWith] for a type whose methods a wrapper runs.
// Identity and Import get the zero Scope; Locks and ImportByID are not supported.
func MakeWrappedResource[In, Out, Config, Scope any, P resourcePtr[In, Out, Scope]](w Wrapper[Config, Scope], construct func() P) ResourceRegistration {
	return ResourceRegistration{lazily(func() (*managed, error) {
		m, err := newManaged(wrapOps(newOps[In, Out, Scope](construct), w))
		return m, errors.Join(err, checkUnwrapped(reflect.TypeFor[P]()))
	})}
}

// checkUnwrapped returns an error for methods that need a Scope, but are not called by the
// wrapper, which creates the scopes.
func checkUnwrapped(pointer reflect.Type) error {
	var errs []error
	for _, name := range []string{"Locks", "ImportByID"} {
		if _, ok := pointer.MethodByName(name); ok {
			errs = append(errs, fmt.Errorf("method %s is not supported for a type whose methods a wrapper runs; "+
				"call runtime.Lock in the wrapper instead of Locks, and add the method Identity instead of ImportByID", name))
		}
	}
	return errors.Join(errs...)
}

// wrapOps returns a copy of o whose methods w calls.
func wrapOps[Config, Scope any](o *ops, w Wrapper[Config, Scope]) *ops {
	wrapped := *o
	wrapped.configType = reflect.TypeFor[Config]()
	call := func(ctx context.Context, cfg any, call ResourceCall, method func(context.Context, Scope) (bool, error)) error {
		config, _ := cfg.(Config) // the zero value while the provider is not configured
		return w(ctx, config, call, method)
	}
	wrapped.newReceiver = func() receiver {
		r := o.newReceiver()
		r.resource = wrappedResource[Scope]{r.resource, call}
		return r
	}
	wrapped.validate = func(ctx context.Context, r receiver, cfg any) error {
		return call(ctx, cfg, ResourceCall{Method: MethodValidateInputs, Resource: r.resource.pointer()}, func(ctx context.Context, scope Scope) (bool, error) {
			if o.validate == nil {
				return false, nil
			}
			return false, o.validate(ctx, r, scope)
		})
	}
	wrapped.modifyPlan = func(ctx context.Context, r receiver, cfg any, prior receiver, priorOut, applied reflect.Value, resp *ResourcePlanResponse) error {
		of := ResourceCall{Method: MethodModifyResourcePlan, Resource: r.resource.pointer(), Prior: prior.resource.pointer()}
		return call(ctx, cfg, of, func(ctx context.Context, scope Scope) (bool, error) {
			if o.modifyPlan == nil {
				return true, nil
			}
			return true, o.modifyPlan(ctx, r, scope, prior, priorOut, applied, resp)
		})
	}
	wrapped.planOutputs = func(ctx context.Context, r receiver, cfg any, plan *OutputPlan) error {
		of := ResourceCall{Method: MethodPlanOutputs, Resource: r.resource.pointer(), Outputs: plan}
		return call(ctx, cfg, of, func(ctx context.Context, scope Scope) (bool, error) {
			if o.planOutputs == nil {
				return false, nil
			}
			return false, o.planOutputs(ctx, r, scope, plan)
		})
	}
	return &wrapped
}

// wrappedResource calls the methods of a resource through a [Wrapper].
type wrappedResource[Scope any] struct {
	operations
	call func(ctx context.Context, cfg any, call ResourceCall, method func(context.Context, Scope) (bool, error)) error
}

func (w wrappedResource[Scope]) create(ctx context.Context, cfg any) (reflect.Value, error) {
	of := ResourceCall{Method: MethodCreate, Resource: w.pointer()}
	return w.change(ctx, cfg, of, func(ctx context.Context, scope Scope) (reflect.Value, error) {
		return w.operations.create(ctx, scope)
	})
}

// change calls Create or Update through the wrapper. The object that the method has returned is
// kept if the wrapper then panics, or if it repeats the call and the second call fails without an object.
func (w wrappedResource[Scope]) change(ctx context.Context, cfg any, of ResourceCall, method func(context.Context, Scope) (reflect.Value, error)) (out reflect.Value, err error) {
	var failure error // of the last call
	err = callFrom(ctx).guardPanic(ctx, string(of.Method), func() error {
		err := w.call(ctx, cfg, of, func(ctx context.Context, scope Scope) (bool, error) {
			var now reflect.Value
			if now, failure = method(ctx, scope); now.IsValid() || !failed(failure) {
				out = now
			}
			return now.IsValid(), failure
		})
		return withFailure(err, failure)
	})
	return out, err
}

// withFailure returns err, the error of a wrapper, with the error of the method if the wrapper has
// ignored it.
func withFailure(err, failure error) error {
	if !failed(err) && failed(failure) {
		return errors.Join(err, failure)
	}
	return err
}

func (w wrappedResource[Scope]) read(ctx context.Context, cfg any, prior reflect.Value) (out reflect.Value, err error) {
	out = prior
	err = w.call(ctx, cfg, ResourceCall{Method: MethodRead, Resource: w.pointer()}, func(ctx context.Context, scope Scope) (_ bool, err error) {
		private := Private(ctx)
		before := *private
		private.changed = false // so that Set copies the data
		now, err := w.operations.read(ctx, scope, prior)
		if failed(err) {
			*private = before
		} else {
			out = now
		}
		return now.IsValid(), err
	})
	return out, err
}

func (w wrappedResource[Scope]) update(ctx context.Context, cfg any, prior receiver, outputs, observed reflect.Value) (reflect.Value, error) {
	of := ResourceCall{Method: MethodUpdate, Resource: w.pointer(), Prior: prior.resource.pointer()}
	return w.change(ctx, cfg, of, func(ctx context.Context, scope Scope) (reflect.Value, error) {
		return w.operations.update(ctx, scope, prior, outputs, observed)
	})
}

func (w wrappedResource[Scope]) del(ctx context.Context, cfg any, prior reflect.Value) error {
	return w.call(ctx, cfg, ResourceCall{Method: MethodDelete, Resource: w.pointer()}, func(ctx context.Context, scope Scope) (bool, error) {
		return false, w.operations.del(ctx, scope, prior)
	})
}
