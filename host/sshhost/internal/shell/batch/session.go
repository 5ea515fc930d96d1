package batch

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

// Begin starts the process, which knows some definitions.
func Begin(ctx context.Context, starter remote.Starter, definitions ...shell.Text) (*Session, error) {
	s := &Session{Helper: NewHelper(starter)}
	s.definitions = definitions
	t, err := s.running(ctx)
	if err != nil {
		return nil, err
	}
	s.process, s.once = t.Process, true
	return s, nil
}

// Done is closed when the process has ended.
func (s *Session) Done() <-chan struct{} { return s.process.Ended() }

// Close ends the process at once, whatever it is asked.
func (s *Session) Close() error {
	_ = s.process.Stdin().Close() // it ends in peace where it is not at work
	return s.process.Close()
}
