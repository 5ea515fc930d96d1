package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/posixform/terraform-provider-posix/provider"
)

// InvokeAction implements [provider.Interface]. It returns errors before the start at
// once; the action runs while its events are read.
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
		// The action ends with its events, however they end.
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
// messages may come from any goroutine, but the events are sent from one.
type invocation struct {
	messages chan string
	ended    chan struct{} // closed when Invoke has returned
	left     chan struct{} // closed when messages are no longer received
	once     sync.Once
	err      error // of Invoke, once it has ended
}

// run calls Invoke.
func (i *invocation) run(ctx context.Context, c *call, invoke func(context.Context) error) {
	defer close(i.ended)
	i.err = errors.New("provider bug: the method Invoke ended its goroutine instead of returning; please report this")
	i.err = c.guardPanic(ctx, "Invoke", func() error { return invoke(c.context(ctx)) })
}

// report sends a message and waits until it is received, so that messages keep their order
// and all messages before the return of Invoke are delivered.
func (i *invocation) report(message string) {
	if message == "" {
		return // an empty message would show as an empty line
	}
	select {
	case <-i.left:
	case i.messages <- message:
	}
}

// leave marks that messages are no longer received.
func (i *invocation) leave() { i.once.Do(func() { close(i.left) }) }

// follow sends messages until Invoke has returned. It reports whether all were
// received.
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
