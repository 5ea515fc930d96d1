package shellrpc

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// window is how long questions are gathered for a batch: each costs the host a few
	// processes, however many questions it is of.
	window = 1500 * time.Microsecond
	// maxFlights is how many batches are under way at a time. Who asks again as soon as
	// there is an answer must not wait for what others have asked meanwhile: all who ask
	// would then come to wait at the same time, and to work at the same time.
	maxFlights = 8
	// maxQuestions and maxBytes bound a batch: a host has a limit for a command's
	// arguments, and a batch is over when its last question is.
	maxQuestions = 250
	maxBytes     = 64 << 10
	// solitude is how long a batch goes on for which nobody waits. To end it costs
	// the shell and all that it started, and mostly it is over sooner.
	solitude = time.Second
	// maxRounds is how often it is tried to see something that keeps changing.
	maxRounds = 8
)

// Coalescer answers questions that are asked at about the same time by one batch. It is
// safe for concurrent use. When a caller's context ends, it goes away and the others
// get their answers; a batch that nobody waits for is ended.
type Coalescer struct {
	helper  *Helper
	flights chan struct{} // holds one element for each batch under way

	mu      sync.Mutex
	waiting []*asked
	working bool // a goroutine takes from waiting until that is empty
}

// NewCoalescer returns a coalescer over helper, which others may ask as well.
func NewCoalescer(helper *Helper) *Coalescer {
	return &Coalescer{helper: helper, flights: make(chan struct{}, maxFlights)}
}

// asked is one question and its answer.
type asked struct {
	question Question // unless topic is set
	topic    *topic
	subject  string

	done   chan struct{} // closed once the rest holds
	answer Answer
	found  found

	flight *flight // which it is a part of; nil before. Guarded by the coalescer's lock
	left   bool    // nobody waits for it. Guarded as well
}

func (a *asked) size() int {
	frame, _ := a.question.Text.Frame() // an error comes back when it is asked
	return len(frame) + len(a.subject)
}

// flight is a batch that was sent.
type flight struct {
	waited int // how many of it callers wait for
	cancel context.CancelFunc
}

// Ask asks questions and waits for all their answers. They need not be answered by one
// batch, and others' may come between.
func (c *Coalescer) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	all := make([]*asked, len(questions))
	for i, q := range questions {
		all[i] = &asked{question: q, done: make(chan struct{})}
	}
	if err := c.wait(ctx, all); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(all))
	for i, a := range all {
		if a.found.err != nil {
			return nil, a.found.err
		}
		answers[i] = a.answer
	}
	return answers, nil
}

// look asks about a path.
func (c *Coalescer) look(ctx context.Context, topic *topic, path string) (found, error) {
	a := &asked{topic: topic, subject: path, done: make(chan struct{})}
	if err := c.wait(ctx, []*asked{a}); err != nil {
		return found{}, err
	}
	return a.found, a.found.err
}

// Stat returns what is at a path, without following a link. Only the host's own word
// makes an error match [fs.ErrNotExist].
func (c *Coalescer) Stat(ctx context.Context, path string) (Info, error) {
	f, err := c.look(ctx, infoTopic, path)
	return f.info, err
}

// Digest returns the SHA-256 of a regular file, with the info of the same file.
func (c *Coalescer) Digest(ctx context.Context, path string) (Info, [32]byte, error) {
	f, err := c.look(ctx, digestTopic, path)
	return f.info, f.sum, err
}

// wait queues questions and waits for them.
func (c *Coalescer) wait(ctx context.Context, all []*asked) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, all...)
	if !c.working {
		c.working = true
		go c.work() //nolint:gosec // it serves other callers too, and ends the batch when all have left
	}
	c.mu.Unlock()
	for _, a := range all {
		select {
		case <-a.done:
		case <-ctx.Done():
			c.leave(all)
			return ctx.Err()
		}
	}
	return nil
}

// leave records that nobody waits for these any more.
func (c *Coalescer) leave(all []*asked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range all {
		if a.left {
			continue
		}
		a.left = true
		if f := a.flight; f != nil {
			if f.waited--; f.waited == 0 {
				time.AfterFunc(solitude, f.cancel)
			}
		}
	}
}

// work sends what is waiting until nothing is. A batch with an effect is sent alone:
// what ends another batch must not end it.
func (c *Coalescer) work() {
	for {
		time.Sleep(window)
		room := 0
		enter := func(alone func() bool) {
			for ; room == 0 || room < maxFlights && alone(); room++ {
				c.flights <- struct{}{}
			}
		}
		enter(c.effective) // before it is taken, so that others can join
		ctx, cancel := context.WithCancel(context.Background())
		batch, effect := c.take(cancel)
		enter(func() bool { return effect })
		go func() {
			defer cancel()
			c.answer(ctx, batch)
			for range room {
				<-c.flights
			}
		}()
		if len(batch) == 0 {
			return
		}
	}
}

// effective reports whether a question that has an effect is waiting.
func (c *Coalescer) effective() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.waiting, func(a *asked) bool { return a.question.Effect })
}

// take takes a batch from the queue, and reports whether a question of it has an
// effect. It returns nil when the queue is empty, and the work over.
func (c *Coalescer) take(cancel context.CancelFunc) (batch []*asked, effect bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &flight{cancel: cancel}
	for size := 0; len(c.waiting) > 0 && len(batch) < maxQuestions; c.waiting = c.waiting[1:] {
		next := c.waiting[0]
		if next.left {
			continue
		}
		if size += next.size(); size > maxBytes && len(batch) > 0 {
			break
		}
		next.flight = f
		f.waited++
		batch = append(batch, next)
		effect = effect || next.question.Effect
	}
	c.working = len(batch) > 0
	return batch, effect
}

// answer asks the helper, and once more what was not clear at first.
func (c *Coalescer) answer(ctx context.Context, batch []*asked) {
	left := plan(batch)
	for round := 1; len(left) > 0; round++ {
		questions := make([]Question, len(left))
		for i, part := range left {
			questions[i] = part.question()
		}
		answers, err := c.helper.Ask(ctx, questions...)
		var next []*part
		for i, part := range left {
			if err != nil {
				part.fail(err)
				continue
			}
			next = append(next, part.read(answers[i], round == maxRounds)...)
		}
		left = next
	}
	for _, a := range batch {
		close(a.done)
	}
}

// Stated is what is at one of several paths, or why that is not known.
type Stated struct {
	Info
	Err error
}

// Stats is [Coalescer.Stat] of several paths.
func (c *Coalescer) Stats(ctx context.Context, paths ...string) ([]Stated, error) {
	all := make([]*asked, len(paths))
	for i, path := range paths {
		all[i] = &asked{topic: infoTopic, subject: path, done: make(chan struct{})}
	}
	if err := c.wait(ctx, all); err != nil {
		return nil, err
	}
	stated := make([]Stated, len(paths))
	for i, a := range all {
		stated[i] = Stated{a.found.info, a.found.err}
	}
	return stated, nil
}
