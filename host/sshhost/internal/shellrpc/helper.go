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
	// Effect says that the text is not to be run twice.
	Effect bool
}

// Answer is the blocks that a question's text has printed.
type Answer []string

// Helper is a shell on a host that answers questions. It is safe for use by many
// goroutines at once: a batch is sent while those before it are being answered. When
// one of them is ended before it is answered, so are those behind it, which are
// asked again of the next process where that may be: who asks what has an effect
// sees to it that nothing else is under way. See [Coalescer].
type Helper struct {
	starter remote.Starter
	lock    chan struct{} // holds one element unless it is locked

	talk *talk // nil when there is no process
	once bool  // there is no other process after it

	mu          sync.Mutex
	definitions []shell.Text
}

// NewHelper is a helper that is started by the first question.
func NewHelper(starter remote.Starter) *Helper {
	h := &Helper{starter: starter, lock: make(chan struct{}, 1)}
	h.lock <- struct{}{}
	return h
}

// Define makes functions known to all questions that follow, also to those that
// another process of this helper will answer.
func (h *Helper) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(h.definitions, functions)
}

// Ask asks questions in one batch and answers each. When ctx ends before they
// are answered, the process is ended with all that it started, and a next one
// takes its place when there is a next question.
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

// attempts is how often a batch is asked that its process does not survive.
const attempts = 2

// repeatable says whether a batch may be asked again of another process: the one
// before may have been closed by whoever needed its place.
func repeatable(err error, questions []Question) bool {
	if !errors.Is(err, errGone) {
		return false
	}
	if _, unsent := errors.AsType[*shell.NotSentError](err); unsent {
		return true
	}
	return !effective(questions)
}

// effective says whether one of them has an effect.
func effective(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool { return q.Effect })
}

// CloseIdle ends the process if it is not at work, and says whether it did or
// there was none.
func (h *Helper) CloseIdle() bool {
	select {
	case <-h.lock:
	default:
		return false
	}
	defer func() { h.lock <- struct{}{} }()
	if h.talk != nil {
		select {
		case <-h.talk.last:
		default:
			return false
		}
	}
	h.stop()
	return true
}

// Close ends the process, once it has answered what it was asked.
func (h *Helper) Close() {
	<-h.lock
	defer func() { h.lock <- struct{}{} }()
	if h.talk != nil {
		<-h.talk.last
	}
	h.stop()
}

// stop ends the process in peace: it ends with its input. The caller holds
// the lock.
func (h *Helper) stop() {
	if h.talk == nil {
		return
	}
	_ = h.talk.Stdin().Close() // either of the two will do
	_ = h.talk.Process.Close()
	h.talk = nil
}

var (
	// errGone says that the process went away by itself.
	errGone = errors.New("the host's shell went away in the middle of its work")
	// errEnded says that it was ended because of another batch.
	errEnded = fmt.Errorf("%w, which another part of it had ended", errGone)
)

func (h *Helper) ask(ctx context.Context, questions []Question) ([]Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-h.lock:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s, err := h.send(ctx, questions)
	h.lock <- struct{}{}
	if err != nil {
		return nil, err
	}
	return s.receive(ctx)
}

// send sends a batch, to a new process if need be. The caller holds the lock.
func (h *Helper) send(ctx context.Context, questions []Question) (*sent, error) {
	s := newSent(questions)
	if h.talk == nil || !h.talk.goes() {
		if asked, err := h.start(ctx, s); asked || err != nil {
			return s, err
		}
	}
	t := h.talk
	frame, defined, err := h.frame(t.defined, s)
	if err != nil {
		return nil, err
	}
	s.wait(ctx, t)
	if err := t.write(frame); err != nil {
		return nil, s.end(ctx, err)
	}
	t.defined = defined
	return s, nil
}

// start starts a process. It is asked something at once, before it says that it is
// one, unless that has an effect, of which nobody would know whether it was had.
func (h *Helper) start(ctx context.Context, s *sent) (asked bool, err error) {
	h.stop()
	if h.once {
		return false, &shell.NotSentError{Err: ErrSpent}
	}
	asked = len(s.questions) > 0 && !effective(s.questions)
	var frame []byte
	defined := 0
	if asked {
		if frame, defined, err = h.frame(0, s); err != nil {
			return false, err
		}
	}
	p, err := shell.Start(ctx, h.starter, serving, frame...)
	if err != nil {
		return false, err
	}
	h.talk = newTalk(p)
	h.talk.defined = defined
	if asked {
		s.wait(ctx, h.talk)
	}
	return asked, nil
}

// frame is what a process reads for a batch, and how many definitions it then knows.
func (h *Helper) frame(known int, s *sent) (frame []byte, defined int, err error) {
	h.mu.Lock()
	texts := append([]shell.Text{shell.Call("px_begin", s.token)}, h.definitions[known:]...)
	defined = len(h.definitions)
	h.mu.Unlock()
	for _, q := range s.questions {
		texts = append(texts, q.Text)
	}
	if frame, err = shell.Join(append(texts, shell.Call("px_end"))...).Frame(); err != nil {
		err = &shell.NotSentError{Err: err}
	}
	return frame, defined, err
}
