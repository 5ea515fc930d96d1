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

// Question is a script for a [Helper], which prints the answer.
type Question struct {
	// Text calls px_b exactly Blocks times, each time to end a block of output. Commands in
	// it have no input.
	Text   shell.Text
	Blocks int
	// Effect reports that the script must not be run twice.
	Effect bool
}

// Answer is the output of a question, in blocks.
type Answer []string

// Keeper keeps one session open between uses.
type Keeper interface {
	// Hold returns the session and calls open if there is none. It is not closed until
	// release is called.
	Hold(ctx context.Context, open func(ctx context.Context) (*Session, error)) (s *Session, release func(), err error)
}

// Helper answers questions with a shell on a host. It is safe for concurrent use: a batch
// is sent while earlier ones are being answered. If a batch is cancelled, those behind it
// end as well; they are repeated in the next session if they have no effect. Questions with
// an effect must be sent alone: see [Coalescer].
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

// Define makes functions available to all later questions, in this session and in later
// ones.
func (h *Helper) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(h.definitions, functions)
}

// Session is a shell process that answers questions.
type Session struct {
	*talk
	lock chan struct{} // a mutex whose Lock can be cancelled
}

// Done returns a channel that is closed when the process has ended.
func (s *Session) Done() <-chan struct{} { return s.Ended() }

// Close kills the process, even if it has questions.
func (s *Session) Close() error {
	_ = s.Stdin().Close() // an idle process exits at the end of its input
	return s.talk.Close()
}

var (
	// errGone means that the process ended unexpectedly.
	errGone = errors.New("the host's shell ended unexpectedly")
	// errEnded means that the process was killed because another batch was cancelled.
	errEnded = fmt.Errorf("%w, because another batch was cancelled", errGone)
)

// attempts limits how often a batch is asked whose process ends unexpectedly.
const attempts = 2

// Ask asks questions in one batch and returns their answers. If ctx ends before they are
// answered, the process and its child processes are killed.
func (h *Helper) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	for try := 1; ; {
		answers, err := h.ask(ctx, questions)
		if err == nil || ctx.Err() != nil || try == attempts || !repeatable(err, questions) {
			return answers, err
		}
		if !errors.Is(err, errEnded) {
			try++
		}
	}
}

// repeatable reports whether a batch may be repeated in another session.
func repeatable(err error, questions []Question) bool {
	_, unsent := errors.AsType[*shell.NotSentError](err)
	return errors.Is(err, errGone) && (unsent || !effective(questions))
}

// effective reports whether one of the questions has an effect.
func effective(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool { return q.Effect })
}

func (h *Helper) ask(ctx context.Context, questions []Question) ([]Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	batch, asked := newSent(questions), false
	s, release, err := h.keeper.Hold(ctx, func(ctx context.Context) (s *Session, err error) {
		s, asked, err = h.start(ctx, batch)
		return s, err
	})
	if err != nil {
		return nil, &shell.NotSentError{Err: err}
	}
	defer release()
	if !asked {
		if err := h.send(ctx, s, batch); err != nil {
			return nil, err
		}
	}
	return batch.receive(ctx)
}

// start starts a process. A batch without an effect is sent right away, before the process
// is ready; for one with an effect, it would be unknown whether it ran.
func (h *Helper) start(ctx context.Context, batch *sent) (s *Session, asked bool, err error) {
	asked = !effective(batch.questions)
	var frame []byte
	defined := 0
	if asked {
		if frame, defined, err = h.frame(0, batch); err != nil {
			return nil, false, err
		}
	}
	p, err := shell.Start(ctx, h.starter, serving, frame...)
	if err != nil {
		return nil, false, err
	}
	s = &Session{talk: newTalk(p), lock: make(chan struct{}, 1)}
	s.defined = defined
	if asked {
		batch.wait(ctx, s.talk)
	}
	s.lock <- struct{}{}
	return s, asked, nil
}

// send sends a batch.
func (h *Helper) send(ctx context.Context, s *Session, batch *sent) error {
	select {
	case <-s.lock:
		defer func() { s.lock <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !s.goes() {
		select {
		case <-s.Ended(): // the keeper then opens another session
		case <-ctx.Done():
			return ctx.Err()
		}
		return &shell.NotSentError{Err: errEnded}
	}
	frame, defined, err := h.frame(s.defined, batch)
	if err != nil {
		return err
	}
	batch.wait(ctx, s.talk)
	if err := s.write(frame); err != nil {
		return batch.end(ctx, err)
	}
	s.defined = defined
	return nil
}

// frame returns the input for a batch, and the number of definitions that the process knows
// afterwards.
func (h *Helper) frame(known int, batch *sent) (frame []byte, defined int, err error) {
	h.mu.Lock()
	texts := append([]shell.Text{shell.Call("px_begin", batch.token)}, h.definitions[known:]...)
	defined = len(h.definitions)
	h.mu.Unlock()
	for _, q := range batch.questions {
		texts = append(texts, q.Text)
	}
	if frame, err = shell.Join(append(texts, shell.Call("px_end"))...).Frame(); err != nil {
		err = &shell.NotSentError{Err: err}
	}
	return frame, defined, err
}
