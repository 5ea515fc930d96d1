package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedAction is implemented by every action: an operation with a lasting effect, but
// without an object in the state. The fields of the receiver are the configuration.
// Like the inputs of a resource, the receiver may have the methods of [Defaulter],
// [Constrainer], [InputValidator] and [Describer], and fields may be write-only.
type TypedAction[Config any] interface {
	// Invoke runs the action. Report shows a message to the user, unless the message is
	// empty; it may be called from several goroutines. After Invoke has returned, messages
	// may be dropped. Invoke must return when ctx is done.
	Invoke(ctx context.Context, cfg Config, report func(message string)) error
}

// ActionPlanner checks during plan whether an action can be invoked. PlanAction is called, after
// ValidateInputs, if the configuration is valid, the provider is configured, and all unknown values are in
// fields of type [Value]. It may return [Defer] only because of an unknown provider configuration.
type ActionPlanner[Config any] interface {
	PlanAction(ctx context.Context, cfg Config) error
}

// actionPtr lets MakeAction construct receivers without reflection.
type actionPtr[In, Config any] interface {
	*In
	TypedAction[Config]
}

// ActionRegistration registers an action type in a [Definition]. The zero value is
// not usable.
type ActionRegistration struct{ registration[action] }

// MakeAction registers the action type with the configuration In, a struct with the
// methods of [TypedAction] on its pointer. [New] returns an error for an invalid
// type.
func MakeAction[In, Config any, P actionPtr[In, Config]]() ActionRegistration {
	return MakeActionWith[In, Config](func() P { return new(In) })
}

// MakeActionWith is [MakeAction] with a constructor, for receivers with more than a
// configuration (unexported fields or fields tagged `tf:"-"`). The constructor is called for each
// receiver, possibly concurrently.
func MakeActionWith[In, Config any, P actionPtr[In, Config]](construct func() P) ActionRegistration {
	a := &action{invoke: func(ctx context.Context, in inputs, cfg any, report func(string)) error {
		return in.pointer.(P).Invoke(ctx, cfg.(Config), report) //nolint:forcetypeassert // made by construct; checked by New
	}}
	a.plan = func(context.Context, inputs, any) error { return nil }
	var err error
	a.configured, err = newConfigured[In, Config]("action", construct, formSpec{}, []optionalMethod{
		{"PlanAction", "ActionPlanner", signature([]reflect.Type{contextType, reflect.TypeFor[Config]()}, errorType), []string{"Plan", "ModifyPlan"}},
	}...)
	if err == nil {
		if _, ok := a.newInputs().pointer.(ActionPlanner[Config]); ok {
			a.plan = func(ctx context.Context, in inputs, cfg any) error {
				return in.pointer.(ActionPlanner[Config]).PlanAction(ctx, cfg.(Config)) //nolint:forcetypeassert // probed
			}
		}
	}
	return ActionRegistration{lazily(func() (*action, error) { return a, err })}
}

// action is a registered action type.
type action struct {
	configured
	invoke func(ctx context.Context, in inputs, cfg any, report func(string)) error
	plan   func(ctx context.Context, in inputs, cfg any) error // no-op if the type has no PlanAction
}

// ValidateActionConfig implements [provider.Interface].
func (s *server) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	a := s.actions[req.ActionType]
	if a == nil {
		return provider.ValidateActionConfigResponse{Diagnostics: unknownTypeOf("action", req.ActionType)}
	}
	c := &call{typeName: req.ActionType, form: a.form}
	return provider.ValidateActionConfigResponse{Diagnostics: a.check(ctx, c, a.given(req.Config), a.fresh)}
}

// PlanAction implements [provider.Interface]. An action has no plan; PlanAction returns
// the errors and warnings that are known before the action is invoked.
func (s *server) PlanAction(ctx context.Context, req provider.PlanActionRequest) (resp provider.PlanActionResponse) {
	a := s.actions[req.ActionType]
	if a == nil {
		resp.Diagnostics = unknownTypeOf("action", req.ActionType)
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.ActionType, form: a.form}
	err := c.guardPanic(ctx, "PlanAction", func() error { return s.planAction(ctx, c, a, req) })
	resp.Deferred, err = deferredBy(err, req.ClientCapabilities)
	resp.Diagnostics = c.diagnostics("Cannot plan "+req.ActionType, err)
	return resp
}

func (s *server) planAction(ctx context.Context, c *call, a *action, req provider.PlanActionRequest) error {
	in, known, err := a.decode(ctx, c, a.given(req.Config))
	if err != nil {
		return err
	}
	cfg, err := s.configFor(a.configType)
	if err != nil {
		if _, ok := errors.AsType[*deferral](err); ok && !req.ClientCapabilities.DeferralAllowed {
			return nil // ValidateInputs and PlanAction are not called; InvokeAction calls ValidateInputs
		}
		return err
	}
	if !known {
		return nil
	}
	checked := a.callValidate(ctx, c, in, cfg)
	if failed(checked) {
		return checked
	}
	err = c.guardPanic(ctx, "PlanAction", func() error { return a.plan(c.context(ctx), in, cfg) })
	if d, ok := errors.AsType[*deferral](err); ok && d.reason != provider.DeferredReasonProviderConfigUnknown {
		err = fmt.Errorf("provider bug: an action cannot be deferred with the reason %s, only with %s; please report this",
			d.reason, provider.DeferredReasonProviderConfigUnknown)
	}
	return errors.Join(checked, err)
}

// InvokeAction implements [provider.Interface]. Errors that occur before
// the start are in the response; the action runs while its events are read.
func (s *server) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	a := s.actions[req.ActionType]
	if a == nil {
		return provider.InvokeActionResponse{Diagnostics: unknownTypeOf("action", req.ActionType)}
	}
	c := &call{typeName: req.ActionType, form: a.form}
	var in inputs
	var cfg any
	ctx, leave := s.inProgress.join(ctx)
	err := c.guardPanic(ctx, "InvokeAction", func() (err error) {
		in, cfg, err = s.ready(ctx, c, &a.configured, req.Config)
		return err
	})
	if failed(err) {
		leave()
		return provider.InvokeActionResponse{Diagnostics: c.diagnostics("Cannot invoke "+req.ActionType, err)}
	}
	return provider.InvokeActionResponse{Events: func(yield func(provider.ActionEvent) bool) {
		defer leave()
		ctx, cancel := context.WithCancel(ctx)
		i := invocation{messages: make(chan string), ended: make(chan struct{}), left: make(chan struct{})}
		// Cancel the action and wait for its end, even if the caller stops reading or panics.
		defer func() {
			cancel()
			i.leave()
			<-i.ended
		}()
		go i.run(ctx, c, func(ctx context.Context) error { return a.invoke(ctx, in, cfg, i.report) })
		if i.follow(yield) {
			yield(provider.ActionCompleted{Diagnostics: c.diagnostics("Cannot invoke "+req.ActionType, errors.Join(err, i.err))})
		}
	}}
}

// invocation is a running action. It runs in a goroutine of its own, because its
// messages may come from any goroutine, but only one goroutine sends the events.
type invocation struct {
	messages chan string
	ended    chan struct{} // closed when Invoke has returned
	left     chan struct{} // closed when messages are no longer received
	once     sync.Once
	err      error // error of Invoke; it may be read once ended is closed
}

// run calls invoke, stores its error, or that of its panic, and then closes ended.
func (i *invocation) run(ctx context.Context, c *call, invoke func(context.Context) error) {
	defer close(i.ended)
	i.err = errors.New("provider bug: the method Invoke ended its goroutine instead of returning; please report this")
	i.err = c.guardPanic(ctx, "Invoke", func() error { return invoke(c.context(ctx)) })
}

// report sends a message and waits until it is received or leave is called. So messages keep
// their order, and those before the return of Invoke are not lost. An empty message is not sent.
func (i *invocation) report(message string) {
	if message == "" {
		return // clients would show an empty line
	}
	select {
	case <-i.left:
	case i.messages <- message:
	}
}

// leave ends the reception of messages, so that report no longer waits.
func (i *invocation) leave() { i.once.Do(func() { close(i.left) }) }

// follow passes messages to yield until Invoke has returned. It returns false if yield has
// returned false, which ends the iteration.
func (i *invocation) follow(yield func(provider.ActionEvent) bool) bool {
	for {
		select {
		case message := <-i.messages:
			if !yield(provider.ActionProgress{Message: message}) {
				return false
			}
		case <-i.ended:
			return true
		}
	}
}
