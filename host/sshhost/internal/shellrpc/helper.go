package shellrpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Request is a script for a [Helper]. Its output is the reply.
type Request struct {
	// Text calls px_b exactly Blocks times, each time to end a block of output. Commands in
	// it have no input.
	Text   shell.Text
	Blocks int
	// Large is the maximum size of the output in bytes, for a script whose output may have more
	// than some KiB.
	Large int
	// Effect means that the script must not be run twice.
	Effect bool
}

// Reply is the output of a request, in blocks.
type Reply []string

// Keeper keeps one session open between uses.
type Keeper interface {
	// Hold returns the session and calls open if there is none. The session is not closed
	// until release is called. The error may be that of open.
	Hold(ctx context.Context, open func(ctx context.Context) (*Session, error)) (s *Session, release func(), err error)
}

// Helper executes requests with a shell on a host. It is safe for concurrent use: a batch is
// sent while earlier ones are being executed. If a batch is canceled, the others in
// progress end too; they are repeated in the next session if they have no effect. A batch with an effect must
// not be in progress together with another batch: see [Coalescer].
type Helper struct {
	starter remote.Starter
	keeper  Keeper

	mu          sync.Mutex
	definitions []shell.Text
}

// NewHelper returns a helper whose session is kept by keeper.
func NewHelper(starter remote.Starter, keeper Keeper) *Helper {
	return &Helper{starter: starter, keeper: keeper}
}

// Define makes functions available to all later requests, in this session and in later
// ones.
func (h *Helper) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(h.definitions, functions)
}

// Session is a shell process that executes requests.
type Session struct {
	*exchange
	lock chan struct{} // a mutex whose Lock can be canceled
}

// Done returns a channel that is closed when the process has ended.
func (s *Session) Done() <-chan struct{} { return s.Ended() }

// Close closes the input of the process and abandons it, even if it has unfinished requests.
func (s *Session) Close() error {
	_ = s.Stdin().Close() // an idle process exits at the end of its input
	return s.exchange.Close()
}

var (
	// errGone means that the process ended unexpectedly.
	errGone = remote.Lost("the host's shell ended unexpectedly")
	// errEnded means that the process was killed because another batch was canceled or failed.
	errEnded = fmt.Errorf("%w: the shell also ran another operation, which was canceled or failed", errGone)
)

// attempts limits how often a batch is sent if its process ends unexpectedly for a reason other than
// another batch.
const attempts = 2

// Do sends requests in one batch and returns their replies. If ctx ends before the replies
// arrive, or the process prints nothing for [remote.ReplyTimeout], the process and its child processes
// are killed. If the process ends unexpectedly, a batch that cannot have had an effect is sent to another
// process: each time if another batch ended the process, otherwise only once.
func (h *Helper) Do(ctx context.Context, requests ...Request) ([]Reply, error) {
	for try := 1; ; {
		replies, err := h.do(ctx, requests)
		if err == nil || ctx.Err() != nil || try == attempts || !repeatable(err, requests) {
			return replies, err
		}
		if !errors.Is(err, errEnded) {
			try++
		}
	}
}

// repeatable reports whether a batch may be repeated in another session.
func repeatable(err error, requests []Request) bool {
	_, unsent := errors.AsType[*shell.NotSentError](err)
	return errors.Is(err, errGone) && (unsent || !effective(requests))
}

// effective reports whether one of the requests has an effect.
func effective(requests []Request) bool {
	return slices.ContainsFunc(requests, func(q Request) bool { return q.Effect })
}

func (h *Helper) do(ctx context.Context, requests []Request) ([]Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	batch, isSent := newSent(requests), false
	s, release, err := h.keeper.Hold(ctx, func(ctx context.Context) (s *Session, err error) {
		s, isSent, err = h.start(ctx, batch)
		return s, err
	})
	if err != nil {
		return nil, &shell.NotSentError{Err: err}
	}
	defer release()
	if !isSent {
		if err := h.send(ctx, s, batch); err != nil {
			return nil, err
		}
	}
	return batch.receive(ctx)
}

// start starts a process, and reports whether it has sent the batch. It sends a batch without
// an effect at once, before the process is ready; for one with an effect, it would be unknown
// whether it ran.
func (h *Helper) start(ctx context.Context, batch *sent) (s *Session, isSent bool, err error) {
	isSent = !effective(batch.requests)
	var frame []byte
	defined := 0
	if isSent {
		if frame, defined, err = h.frame(0, batch); err != nil {
			return nil, false, err
		}
	}
	p, err := shell.Start(ctx, h.starter, helperScript, frame...)
	if err != nil {
		return nil, false, err
	}
	s = &Session{exchange: newExchange(p), lock: make(chan struct{}, 1)}
	s.defined = defined
	if isSent {
		batch.wait(ctx, s.exchange)
	}
	s.lock <- struct{}{}
	return s, isSent, nil
}

// send sends a batch to the process of s. If the process cannot be used, send waits until it has ended,
// and returns a [*shell.NotSentError].
func (h *Helper) send(ctx context.Context, s *Session, batch *sent) error {
	select {
	case <-s.lock:
		defer func() { s.lock <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !s.usable() {
		select {
		case <-s.Ended(): // the keeper then opens another session
		case <-ctx.Done():
			return ctx.Err()
		}
		return &shell.NotSentError{Err: s.failure()}
	}
	frame, defined, err := h.frame(s.defined, batch)
	if err != nil {
		return err
	}
	batch.wait(ctx, s.exchange)
	if err := s.write(frame); err != nil {
		return batch.end(ctx, err)
	}
	s.defined = defined
	return nil
}

// frame returns the input for a batch, and the number of definitions that the process has
// afterwards.
func (h *Helper) frame(known int, batch *sent) (frame []byte, defined int, err error) {
	h.mu.Lock()
	texts := append([]shell.Text{shell.Call("px_begin", batch.token)}, h.definitions[known:]...)
	defined = len(h.definitions)
	h.mu.Unlock()
	for _, q := range batch.requests {
		texts = append(texts, q.Text)
	}
	if frame, err = shell.Join(append(texts, shell.Call("px_end"))...).Frame(); err != nil {
		err = &shell.NotSentError{Err: err}
	}
	return frame, defined, err
}
