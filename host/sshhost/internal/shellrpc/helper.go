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

// Question is shell text for a [Helper], which prints its answer.
type Question struct {
	// Text calls px_b exactly Blocks times, each at the end of a block of what it
	// prints. Whatever it runs has no input.
	Text   shell.Text
	Blocks int
	// Effect reports that the text is not to be run twice.
	Effect bool
}

// Answer is the blocks that a question's text has printed.
type Answer []string

// Keeper keeps one session open between uses.
type Keeper interface {
	// Hold returns the session, which open opens if there is none. It is not closed
	// until release is called.
	Hold(ctx context.Context, open func(ctx context.Context) (*Session, error)) (s *Session, release func(), err error)
}

// Helper answers questions by a shell on a host. It is safe for concurrent use: a batch
// is sent while those before it are being answered. When one of them is ended before it
// is answered, so are those behind it, which are asked again in the next session if they
// have no effect. Questions with an effect must be alone: see [Coalescer].
type Helper struct {
	starter remote.Starter
	keeper  Keeper

	mu          sync.Mutex
	definitions []shell.Text
}

// NewHelper returns a helper whose sessions are in a keeper.
func NewHelper(starter remote.Starter, keeper Keeper) *Helper {
	return &Helper{starter: starter, keeper: keeper}
}

// Define makes functions known to all questions that follow, in this session and later
// ones.
func (h *Helper) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(h.definitions, functions)
}

// Session is a shell process that answers questions.
type Session struct {
	*talk
	lock chan struct{} // holds one element unless it is locked
}

// Done returns a channel that is closed when the process has ended.
func (s *Session) Done() <-chan struct{} { return s.Ended() }

// Close ends the process at once, whatever it was asked.
func (s *Session) Close() error {
	_ = s.Stdin().Close() // an idle process ends by itself then
	return s.talk.Close()
}

var (
	// errGone reports that the process ended by itself.
	errGone = errors.New("the host's shell ended unexpectedly")
	// errEnded reports that it was ended because of another batch.
	errEnded = fmt.Errorf("%w, because another batch was cancelled", errGone)
)

// attempts is how often a batch is asked whose process does not survive it.
const attempts = 2

// Ask asks questions in one batch and answers each. When ctx ends before they are
// answered, the process is killed with all that it started.
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

// repeatable reports whether a batch may be asked again in another session.
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

// start starts a process. It is asked the batch at once, before it says that it is
// ready, unless that has an effect, of which nobody would know whether it was had.
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
		case <-s.Ended(): // then the keeper has another one
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

// frame returns what a process reads for a batch, and how many definitions it then
// knows.
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
