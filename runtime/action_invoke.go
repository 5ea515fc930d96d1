package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/posixform/terraform-provider-posix/provider"
)

// InvokeAction is part of [provider.Interface]. What prevents the action is said
// at once; the action itself runs while its events are taken.
func (s *server) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	a := s.actions[req.ActionType]
	if a == nil {
		return provider.InvokeActionResponse{Diagnostics: unknownTypeOf("action", req.ActionType)}
	}
	c := &call{typeName: req.ActionType}
	var in inputs
	var cfg any
	ctx, leave := s.life.join(ctx)
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
		// Nothing of an action outlives its events, whoever ends them, and how.
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

// invocation is an action that runs, in a goroutine of its own: its messages may
// come from any goroutine, but who takes the events is called by one alone.
type invocation struct {
	messages chan string
	ended    chan struct{} // closed when Invoke has returned
	left     chan struct{} // closed when nobody takes messages any more
	once     sync.Once
	err      error // of Invoke, once it has ended
}

// run calls Invoke.
func (i *invocation) run(ctx context.Context, c *call, invoke func(context.Context) error) {
	defer close(i.ended)
	i.err = errors.New("provider bug: the method Invoke ended its goroutine instead of returning; please report this")
	i.err = c.guardPanic(ctx, "Invoke", func() error { return invoke(c.context(ctx)) })
}

// report hands a message on, and waits until it is taken: messages keep their
// order, and none is lost that was reported before Invoke returned.
func (i *invocation) report(message string) {
	if message == "" {
		return // the user would see an empty line
	}
	select {
	case <-i.left:
	case i.messages <- message:
	}
}

// leave says that nobody takes messages any more.
func (i *invocation) leave() { i.once.Do(func() { close(i.left) }) }

// follow hands messages on until Invoke has returned; it reports whether they
// were taken to the end.
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
