package shellrpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// talk is a process that answers batches, in the order in which they were sent.
type talk struct {
	*shell.Process
	said *remote.Tail // what it prints on stderr

	// Guarded by the helper's lock.
	defined int             // how many of the definitions it has been told
	last    <-chan struct{} // closed when all that was sent has been answered

	read bytes.Buffer // what came for answers that were not read yet

	failing sync.Once
	failed  atomic.Bool // nothing that it says is believed any more
}

func newTalk(p *shell.Process) *talk {
	t := &talk{Process: p, said: &remote.Tail{}}
	idle := make(chan struct{})
	close(idle)
	t.last = idle
	go func() { _, _ = io.Copy(t.said, p.Stderr()) }() // it ends with the process
	return t
}

// goes reports whether the process can be asked.
func (t *talk) goes() bool {
	select {
	case <-t.Ended():
		return false
	default:
		return !t.failed.Load()
	}
}

// fail ends the process, and with it whatever waits for an answer.
func (t *talk) fail() {
	t.failing.Do(func() {
		t.failed.Store(true)
		t.Kill()
		<-t.Ended()
	})
}

func (t *talk) write(frame []byte) error {
	n, err := t.Stdin().Write(frame)
	if err == nil {
		return nil
	}
	err = errors.Join(errGone, err)
	if n < len(frame) { // a part of a batch is never run
		err = &shell.NotSentError{Err: err}
	}
	return err
}

// sent is a batch that waits for its answer.
type sent struct {
	token     string
	questions []Question
	talk      *talk
	before    <-chan struct{} // closed when those that were sent before have been answered
	done      chan struct{}   // closed when this one has been
	stop      func() bool     // has the end of its context end nothing any more
}

func newSent(questions []Question) *sent {
	return &sent{token: rand.Text(), questions: questions, done: make(chan struct{})}
}

// wait queues the batch for an answer. The caller holds the helper's lock.
func (s *sent) wait(ctx context.Context, t *talk) {
	s.talk, s.before = t, t.last
	s.stop = context.AfterFunc(ctx, t.fail)
	t.last = s.done
}

// receive waits for the answer. An error ends the process.
func (s *sent) receive(ctx context.Context) ([]Answer, error) {
	<-s.before
	if s.talk.failed.Load() {
		return nil, s.end(ctx, errEnded)
	}
	want := 0
	for _, q := range s.questions {
		want += q.Blocks
	}
	blocks, err := s.talk.blocks(s.token)
	switch {
	case errors.Is(err, errGone) && s.talk.failed.Load():
		err = errEnded
	case err == nil && len(blocks) != want:
		err = fmt.Errorf("the host's shell answered with %d parts where %d were expected; it said: %s", len(blocks), want, s.talk.said)
	}
	if err := s.end(ctx, err); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(s.questions))
	for i, q := range s.questions {
		answers[i], blocks = blocks[:q.Blocks:q.Blocks], blocks[q.Blocks:]
	}
	return answers, nil
}

// end is the end of a batch, with an error or without.
func (s *sent) end(ctx context.Context, err error) error {
	defer close(s.done)
	if !s.stop() { // it is being ended
		err = ctx.Err()
	}
	if err != nil {
		s.talk.fail()
	}
	return err
}

// maxAnswer limits the size of an answer.
const maxAnswer = 256 << 20

// blocks reads the blocks of an answer. Each ends with its token, which is random and
// new, and a sign that reports whether it was the last.
func (t *talk) blocks(token string) ([]string, error) {
	var blocks []string
	end := []byte(token)
	buffer := make([]byte, 32<<10)
	for searched := 0; ; {
		for {
			unread := t.read.Bytes()
			i := bytes.Index(unread[searched:], end)
			if i < 0 || searched+i+len(end) == len(unread) { // the sign is still to come
				searched = max(0, len(unread)-len(end))
				break
			}
			block := string(unread[:searched+i])
			sign := unread[searched+i+len(end)]
			t.read.Next(searched + i + len(end) + 1)
			searched = 0
			if sign == '.' {
				return blocks, nil
			}
			blocks = append(blocks, block)
		}
		n, err := t.Stdout().Read(buffer)
		t.read.Write(buffer[:n])
		switch {
		case n > 0:
		case err != nil:
			return nil, errors.Join(errGone, err)
		}
		if t.read.Len() > maxAnswer {
			return nil, errors.New("the host's shell answers without end")
		}
	}
}
