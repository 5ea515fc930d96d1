package packages

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// coalescer answers concurrent requests in batches. A request is answered by a batch that
// starts after the request was made; requests made while a batch runs wait for the next one.
type coalescer[Request, Answer any] struct {
	// delay is how long a batch waits for more requests before it starts.
	delay time.Duration
	// answer returns the answers to all requests of a batch, in their order.
	answer func(ctx context.Context, requests []Request) ([]Answer, error)
	// completes is whether canceled callers wait for the end of their batch once it runs, because
	// answer makes changes, which continue for a grace period, and the state must have their results.
	completes bool

	mu      sync.Mutex
	next    *batch[Request, Answer] // batch that accepts requests, or nil
	running chan struct{}           // holds one element while a batch waits for delay or runs
}

func newCoalescer[Request, Answer any](delay time.Duration, answer func(context.Context, []Request) ([]Answer, error)) *coalescer[Request, Answer] {
	return &coalescer[Request, Answer]{delay: delay, answer: answer, running: make(chan struct{}, 1)}
}

// batch is a set of requests that are answered together.
type batch[Request, Answer any] struct {
	requests []Request
	started  bool          // whether the batch runs or has run; guarded by mu of the coalescer
	done     chan struct{} // closed when answers and err are set
	answers  []Answer
	err      error
}

// errRunnerCanceled is the error of a batch that fails after the caller that runs it was canceled.
// The other callers enqueue their requests again.
var errRunnerCanceled = errors.New("canceled, because another resource of the same batch was canceled")

// do returns the answer to a request. The first caller of a batch runs the batch.
func (c *coalescer[Request, Answer]) do(ctx context.Context, request Request) (Answer, error) {
	for {
		b, i := c.enqueue(request)
		if i == 0 {
			c.run(ctx, b)
		}
		var none Answer
		select {
		case <-b.done:
		case <-ctx.Done():
			if !c.completes || !c.hasStarted(b) {
				return none, context.Cause(ctx)
			}
			<-b.done
		}
		switch {
		case errors.Is(b.err, errRunnerCanceled) && ctx.Err() == nil:
		case ctx.Err() != nil && b.err != nil:
			return none, context.Cause(ctx)
		case b.err != nil:
			return none, b.err
		default:
			return b.answers[i], nil
		}
	}
}

// enqueue adds a request to the next batch, and returns the batch and the index of the request.
func (c *coalescer[Request, Answer]) enqueue(request Request) (b *batch[Request, Answer], i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = &batch[Request, Answer]{done: make(chan struct{})}
	}
	c.next.requests = append(c.next.requests, request)
	return c.next, len(c.next.requests) - 1
}

// run runs a batch once the previous one has ended.
func (c *coalescer[Request, Answer]) run(ctx context.Context, b *batch[Request, Answer]) {
	defer close(b.done)
	err := c.acquire(ctx)
	c.mu.Lock()
	c.next = nil
	b.started = err == nil
	requests := b.requests
	c.mu.Unlock()
	if err != nil {
		b.err = errRunnerCanceled
		return
	}
	defer func() { <-c.running }()
	if b.answers, b.err = c.answer(ctx, requests); b.err != nil && ctx.Err() != nil {
		b.err = errRunnerCanceled
	}
}

// hasStarted reports whether a batch runs or has run.
func (c *coalescer[Request, Answer]) hasStarted(b *batch[Request, Answer]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return b.started
}

// acquire waits until no batch is running, and then for the duration delay, so that more requests can join.
func (c *coalescer[Request, Answer]) acquire(ctx context.Context) error {
	select {
	case c.running <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := host.Sleep(ctx, c.delay)
	if err != nil {
		<-c.running
	}
	return err
}
