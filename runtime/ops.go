package runtime

import (
	"context"
	"fmt"
	"reflect"
)

// ops is a typed resource with its types erased. Its functions only assert types and call
// the methods of the resource.
type ops struct {
	inType     reflect.Type // struct
	outType    reflect.Type // the struct that Out points to
	outIsPtr   bool
	configType reflect.Type // type of the provider's Config

	methodConfig reflect.Type // type of the Config that the methods get: configType, or the Scope of a [Wrapper]
	planRequest  reflect.Type // ResourcePlanRequest with its type arguments

	newReceiver func() receiver
	newOut      func() reflect.Value // addressable struct

	// Optional methods, nil if the resource does not have them; with a [Wrapper], validate, modifyPlan
	// and planOutputs are never nil.
	validate    func(ctx context.Context, r receiver, cfg any) error
	equivalent  func(ctx context.Context, r receiver, field string, prior, current receiver) bool
	replaceOn   func(r receiver, field string, prior, current receiver) bool
	modifyPlan  func(ctx context.Context, r receiver, cfg any, prior receiver, priorOut, applied reflect.Value, resp *ResourcePlanResponse) error
	planOutputs func(ctx context.Context, r receiver, cfg any, plan *OutputPlan) error
	importByID  func(ctx context.Context, r receiver, cfg any, id string) (reflect.Value, error)
	locks       func(r receiver, cfg any) []string

	// modifiesPlan is set if the type has ModifyResourcePlan. For a type without it, modifyPlan
	// is not nil if there is a [Wrapper], which is called in any case.
	modifiesPlan bool
}

// receiver is a *In: methods are called on it, and inputs are decoded into it.
type receiver struct {
	value    reflect.Value // the struct, addressable
	resource operations
}

// fresh returns the struct of a new receiver.
func (o *ops) fresh() reflect.Value { return o.newReceiver().value }

// operations is TypedResource without its types. Out is passed as the addressable
// struct that it points to; an invalid Value is a nil Out.
type operations interface {
	create(ctx context.Context, cfg any) (reflect.Value, error)
	read(ctx context.Context, cfg any, prior reflect.Value) (reflect.Value, error)
	update(ctx context.Context, cfg any, prior receiver, outputs, observed reflect.Value) (reflect.Value, error)
	del(ctx context.Context, cfg any, prior reflect.Value) error
	// pointer returns the *In, for optional methods.
	pointer() any
}

type typed[In, Out, Config any, P resourcePtr[In, Out, Config]] struct{ p P }

func newOps[In, Out, Config any, P resourcePtr[In, Out, Config]](construct func() P) *ops {
	o := &ops{
		inType:       reflect.TypeFor[In](),
		configType:   reflect.TypeFor[Config](),
		outType:      reflect.TypeFor[Out](),
		methodConfig: reflect.TypeFor[Config](),
	}
	if o.outType.Kind() == reflect.Pointer {
		o.outType, o.outIsPtr = o.outType.Elem(), true
	}
	o.planRequest = reflect.TypeFor[ResourcePlanRequest[In, Out, Config]]()
	o.newReceiver = func() receiver {
		p := construct()
		return receiver{value: reflect.ValueOf(p).Elem(), resource: typed[In, Out, Config, P]{p}}
	}
	o.newOut = func() reflect.Value { return reflect.New(o.outType).Elem() }

	var probe any = construct()
	if _, ok := probe.(InputValidator[Config]); ok {
		o.validate = func(ctx context.Context, r receiver, cfg any) error {
			return r.resource.pointer().(InputValidator[Config]).ValidateInputs(ctx, cfg.(Config)) //nolint:forcetypeassert // probed
		}
	}
	if _, ok := probe.(InputEquivalencer[In]); ok {
		o.equivalent = func(_ context.Context, r receiver, field string, prior, current receiver) bool {
			return r.resource.pointer().(InputEquivalencer[In]).EquivalentInput(field, deref[In](prior), deref[In](current)) //nolint:forcetypeassert // probed
		}
	}
	if _, ok := probe.(ContextInputEquivalencer[In]); ok {
		o.equivalent = func(ctx context.Context, r receiver, field string, prior, current receiver) bool {
			return r.resource.pointer().(ContextInputEquivalencer[In]). //nolint:forcetypeassert // probed
											EquivalentInputContext(ctx, field, deref[In](prior), deref[In](current))
		}
	}
	if _, ok := probe.(Replacer[In]); ok {
		o.replaceOn = func(r receiver, field string, prior, current receiver) bool {
			return r.resource.pointer().(Replacer[In]).ReplaceOn(field, deref[In](prior), deref[In](current)) //nolint:forcetypeassert // probed
		}
	}
	if _, ok := probe.(ResourcePlanModifier[In, Out, Config]); ok {
		o.modifiesPlan = true
		o.modifyPlan = func(ctx context.Context, r receiver, cfg any, prior receiver, priorOut, applied reflect.Value, resp *ResourcePlanResponse) error {
			config, _ := cfg.(Config) // the zero value while the provider is not configured
			req := ResourcePlanRequest[In, Out, Config]{
				ctx: ctx, Config: config, PriorInputs: deref[In](prior), CurrentInputs: deref[In](r),
				PriorOutputs: outOf[Out](priorOut), AppliedOutputs: outOf[Out](applied), HasPriorState: true,
			}
			return r.resource.pointer().(ResourcePlanModifier[In, Out, Config]).ModifyResourcePlan(req, resp) //nolint:forcetypeassert // probed
		}
	}
	if _, ok := probe.(OutputPlanner[Config]); ok {
		o.planOutputs = func(ctx context.Context, r receiver, cfg any, plan *OutputPlan) error {
			return r.resource.pointer().(OutputPlanner[Config]).PlanOutputs(ctx, cfg.(Config), plan) //nolint:forcetypeassert // probed
		}
	}
	if _, ok := probe.(IDImporter[Out, Config]); ok {
		o.importByID = func(ctx context.Context, r receiver, cfg any, id string) (reflect.Value, error) {
			out, err := r.resource.pointer().(IDImporter[Out, Config]).ImportByID(ctx, cfg.(Config), id) //nolint:forcetypeassert // probed
			return outValue(out), err
		}
	}
	if _, ok := probe.(Locker[Config]); ok {
		o.locks = func(r receiver, cfg any) []string {
			return r.resource.pointer().(Locker[Config]).Locks(cfg.(Config)) //nolint:forcetypeassert // probed
		}
	}
	return o
}

func deref[In any](r receiver) In {
	return *r.value.Addr().Interface().(*In) //nolint:forcetypeassert // receivers are made by newReceiver
}

func (t typed[In, Out, Config, P]) pointer() any { return t.p }

func (t typed[In, Out, Config, P]) create(ctx context.Context, cfg any) (reflect.Value, error) {
	out, err := t.p.Create(ctx, cfg.(Config)) //nolint:forcetypeassert // checked by New
	return outValue(out), err
}

func (t typed[In, Out, Config, P]) read(ctx context.Context, cfg any, prior reflect.Value) (reflect.Value, error) {
	out, err := t.p.Read(ctx, cfg.(Config), outOf[Out](prior)) //nolint:forcetypeassert // checked by New
	return outValue(out), err
}

func (t typed[In, Out, Config, P]) update(ctx context.Context, cfg any, prior receiver, outputs, observed reflect.Value) (reflect.Value, error) {
	p := Prior[In, Out]{Inputs: deref[In](prior), Outputs: outOf[Out](outputs), Observed: outOf[Out](observed)}
	out, err := t.p.Update(ctx, cfg.(Config), p) //nolint:forcetypeassert // checked by New
	return outValue(out), err
}

func (t typed[In, Out, Config, P]) del(ctx context.Context, cfg any, prior reflect.Value) error {
	return t.p.Delete(ctx, cfg.(Config), outOf[Out](prior)) //nolint:forcetypeassert // checked by New
}

// outOf returns the Out for an addressable struct.
func outOf[Out any](v reflect.Value) Out {
	out, _ := reflect.TypeAssert[Out](v.Addr())
	return out
}

// outValue returns the struct of an Out, or an invalid Value for nil.
func outValue[Out any](out Out) reflect.Value {
	v := reflect.ValueOf(out)
	if !v.IsValid() || v.IsNil() {
		return reflect.Value{}
	}
	return v.Elem()
}

// checkTypes returns an error for type arguments that the rest of the package does not
// support.
func (o *ops) checkTypes() error {
	if o.inType.Kind() != reflect.Struct {
		return fmt.Errorf("the inputs must be a struct, not %s", o.inType)
	}
	if !o.outIsPtr || o.outType.Kind() != reflect.Struct {
		return fmt.Errorf("the outputs must be a pointer to a struct, not %s", o.outType)
	}
	return nil
}
