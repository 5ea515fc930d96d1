package sshhost

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var _ shellrpc.Asker = (*helpers)(nil)

// helpers answers questions by the shell of a host that is kept open. It may be closed
// between two batches; the next batch then opens another one.
type helpers struct {
	conn    *conn.Conn
	starter remote.Starter

	mu          sync.Mutex
	definitions []shell.Text
}

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
	var first *shellrpc.Asked // where the shell is opened for these questions
	s, release, err := retry(ctx, func() (*shellrpc.Session, func(), error) {
		return conn.Hold(ctx, h.conn, conn.Kind{Name: "shell"}, func(ctx context.Context) (s *shellrpc.Session, err error) {
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
	return shellrpc.Begin(ctx, h.starter, definitions, first...)
}
