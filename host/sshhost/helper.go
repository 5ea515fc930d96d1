package sshhost

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/link"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/batch"
)

var _ batch.Asker = (*helpers)(nil)

// helpers are where answers come from: one shell that stays, for all who ask. It
// may be closed between two batches, and the next batch has another one.
type helpers struct {
	link    *link.Link
	starter remote.Starter

	mu          sync.Mutex
	definitions []shell.Text
}

// Define implements [batch.Asker].
func (h *helpers) Define(functions shell.Text) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.definitions = append(slices.Clip(h.definitions), functions)
}

// Ask implements [batch.Asker].
func (h *helpers) Ask(ctx context.Context, questions ...batch.Question) ([]batch.Answer, error) {
	for try := 1; ; try++ {
		answers, err := h.ask(ctx, questions)
		if err == nil || try == 3 || ctx.Err() != nil || !errors.Is(err, batch.ErrSpent) {
			return answers, err
		}
	}
}

func (h *helpers) ask(ctx context.Context, questions []batch.Question) ([]batch.Answer, error) {
	s, release, err := again(ctx, func() (*batch.Session, func(), error) { return link.Hold(ctx, h.link, "shell", h.open) })
	if err != nil {
		return nil, &shell.NotSentError{Err: err}
	}
	defer release()
	return s.Ask(ctx, questions...)
}

func (h *helpers) open(ctx context.Context) (*batch.Session, error) {
	h.mu.Lock()
	definitions := h.definitions
	h.mu.Unlock()
	return batch.Begin(ctx, h.starter, definitions...)
}
