package packages

import (
	"context"
	"errors"
	"sync"
	"time"
)

// gather answers what is asked at the same time together. A question is answered by
// a round that begins after it was asked; while one is running, questions wait for
// the next.
type gather[Q, A any] struct {
	// patience is how long a round waits for more questions before it begins.
	patience time.Duration
	// answer answers all questions of a round, in their order.
	answer func(ctx context.Context, asked []Q) ([]A, error)

	mu   sync.Mutex
	next *round[Q, A]  // the one that can be joined; nil where none is
	turn chan struct{} // has room for the round that is running
}

func newGather[Q, A any](patience time.Duration, answer func(context.Context, []Q) ([]A, error)) *gather[Q, A] {
	return &gather[Q, A]{patience: patience, answer: answer, turn: make(chan struct{}, 1)}
}

// round is a set of questions that are answered together.
type round[Q, A any] struct {
	asked   []Q
	done    chan struct{} // closed when the rest is set
	answers []A
	err     error
}

// errLeft says that whoever had the round run was canceled; the others ask again.
var errLeft = errors.New("canceled with another resource")

// ask is the answer to a question.
func (g *gather[Q, A]) ask(ctx context.Context, question Q) (A, error) {
	for {
		r, i, leads := g.join(question)
		if leads {
			g.lead(ctx, r)
		}
		var none A
		select {
		case <-r.done:
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
		switch {
		case errors.Is(r.err, errLeft) && ctx.Err() == nil:
		case ctx.Err() != nil && r.err != nil:
			return none, context.Cause(ctx)
		case r.err != nil:
			return none, r.err
		default:
			return r.answers[i], nil
		}
	}
}

func (g *gather[Q, A]) join(question Q) (r *round[Q, A], i int, leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if leads = g.next == nil; leads {
		g.next = &round[Q, A]{done: make(chan struct{})}
	}
	r = g.next
	r.asked = append(r.asked, question)
	return r, len(r.asked) - 1, leads
}

// lead runs a round when it is its turn.
func (g *gather[Q, A]) lead(ctx context.Context, r *round[Q, A]) {
	defer close(r.done)
	err := g.await(ctx)
	g.mu.Lock()
	g.next = nil
	asked := r.asked
	g.mu.Unlock()
	if err != nil {
		r.err = errLeft
		return
	}
	defer func() { <-g.turn }()
	if r.answers, r.err = g.answer(ctx, asked); r.err != nil && ctx.Err() != nil {
		r.err = errLeft
	}
}

// await waits for the turn, and then for others to join.
func (g *gather[Q, A]) await(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-time.After(g.patience):
		return nil
	case <-ctx.Done():
		<-g.turn
		return ctx.Err()
	}
}
