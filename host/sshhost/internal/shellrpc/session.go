package shellrpc

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Asker answers questions: a [Helper], or what has helpers of one process each.
type Asker interface {
	// Ask is as that of a Helper.
	Ask(ctx context.Context, questions ...Question) ([]Answer, error)
	// Define is as that of a Helper, before the first question.
	Define(functions shell.Text)
}

var _ Asker = (*Helper)(nil)

// Session is a helper of one process, for whoever decides when there is another:
// when the process has gone, [Helper.Ask] fails with [ErrSpent].
type Session struct {
	*Helper
	process *shell.Process
}

// ErrSpent says that the process of a [Session] has gone, and that nothing was
// asked of it which must not be asked of another one.
var ErrSpent = errors.New("the host's shell has ended")

// Begin starts the process, which knows some definitions, and asks it something in
// the same breath, unless that has an effect: asked is nil then.
func Begin(ctx context.Context, starter remote.Starter, definitions []shell.Text, first ...Question) (s *Session, asked *Asked, err error) {
	s = &Session{Helper: NewHelper(starter)}
	s.definitions = definitions
	batch := newSent(first)
	is, err := s.start(ctx, batch)
	if err != nil {
		return nil, nil, err
	}
	s.process, s.once = s.talk.Process, true
	if is {
		asked = &Asked{batch}
	}
	return s, asked, nil
}

// Asked is what a session was asked when it began.
type Asked struct{ batch *sent }

// Answers waits for the answers, as [Helper.Ask] does.
func (a *Asked) Answers(ctx context.Context) ([]Answer, error) {
	answers, err := a.batch.receive(ctx)
	if ctx.Err() == nil && errors.Is(err, errGone) {
		err = &shell.NotSentError{Err: ErrSpent} // there was no effect
	}
	return answers, err
}

// Done is closed when the process has ended.
func (s *Session) Done() <-chan struct{} { return s.process.Ended() }

// Close ends the process at once, whatever it is asked.
func (s *Session) Close() error {
	_ = s.process.Stdin().Close() // it ends in peace where it is not at work
	return s.process.Close()
}
