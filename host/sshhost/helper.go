package sshhost

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var _ shellrpc.Asker = (*helpers)(nil)

// helpers are where answers come from: one shell that stays, for all who ask. It
// may be closed between two batches, and the next batch has another one.
type helpers struct {
	conn    *conn.Conn
	starter remote.Starter

	mu          sync.Mutex
	definitions []shell.Text
	none        *shell.EndedError // what a host said that has no shell; nil when that is not known
	asked       time.Time         // when it said so
}

// noneFor is how long a host that had no shell is taken for one that has none.
const noneFor = time.Minute

// Define implements [shellrpc.Asker].
func (h *helpers) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(slices.Clip(h.definitions), functions)
}

// Ask implements [shellrpc.Asker].
func (h *helpers) Ask(ctx context.Context, questions ...shellrpc.Question) ([]shellrpc.Answer, error) {
	for try := 1; ; try++ {
		answers, err := h.ask(ctx, questions)
		if err == nil || try == 3 || ctx.Err() != nil || !errors.Is(err, shellrpc.ErrSpent) {
			return answers, err
		}
	}
}

func (h *helpers) ask(ctx context.Context, questions []shellrpc.Question) ([]shellrpc.Answer, error) {
	h.mu.Lock()
	none := h.none
	if time.Since(h.asked) > noneFor {
		none = nil
	}
	h.mu.Unlock()
	if none != nil {
		return nil, none
	}
	var first *shellrpc.Asked // where the shell is opened for these questions
	s, release, err := again(ctx, func() (*shellrpc.Session, func(), error) {
		return conn.Hold(ctx, h.conn, "shell", func(ctx context.Context) (s *shellrpc.Session, err error) {
			s, first, err = h.open(ctx, questions)
			return s, err
		})
	})
	if err != nil {
		return nil, &shell.NotSentError{Err: err}
	}
	defer release()
	if first != nil {
		return first.Answers(ctx)
	}
	return s.Ask(ctx, questions...)
}

func (h *helpers) open(ctx context.Context, first []shellrpc.Question) (*shellrpc.Session, *shellrpc.Asked, error) {
	h.mu.Lock()
	definitions := h.definitions
	h.mu.Unlock()
	s, asked, err := shellrpc.Begin(ctx, h.starter, definitions, first...)
	if none, ended := errors.AsType[*shell.EndedError](err); ended {
		h.mu.Lock()
		h.none, h.asked = none, time.Now()
		h.mu.Unlock()
	}
	return s, asked, err
}
