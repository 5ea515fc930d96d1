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

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// talk is the conversation with a process that answers batches in order.
type talk struct {
	*shell.Process
	said *host.Tail // its stderr

	// Guarded by the helper's lock.
	defined int             // number of definitions sent to it
	last    <-chan struct{} // closed when all batches sent so far have been answered

	read bytes.Buffer // output of answers that were not parsed yet

	failing sync.Once
	failed  atomic.Bool // its output is not trusted any more
}

func newTalk(p *shell.Process) *talk {
	t := &talk{Process: p, said: &host.Tail{}}
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

// fail kills the process; callers that wait for an answer get an error.
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
	if n < len(frame) { // a partial batch is never run
		err = &shell.NotSentError{Err: err}
	}
	return err
}

// sent is a batch that waits for its answer.
type sent struct {
	token     string
	questions []Question
	talk      *talk
	before    <-chan struct{} // closed when all earlier batches have been answered
	done      chan struct{}   // closed when this batch has been answered
	stop      func() bool     // detaches it from its context
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

// receive waits for the answer. After an error the process is killed.
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
		err = fmt.Errorf("unexpected output from the host's shell: %d parts instead of %d; stderr: %s", len(blocks), want, s.talk.said)
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

// end ends a batch with or without an error.
func (s *sent) end(ctx context.Context, err error) error {
	defer close(s.done)
	if !s.stop() { // it is being killed
		err = ctx.Err()
	}
	if err != nil {
		s.talk.fail()
	}
	return err
}

// maxAnswer limits the size of an answer.
const maxAnswer = 256 << 20

// blocks reads the blocks of an answer. Each ends with a token, which is random for each
// batch, and a character that marks the last one.
func (t *talk) blocks(token string) ([]string, error) {
	var blocks []string
	end := []byte(token)
	buffer := make([]byte, 32<<10)
	for searched := 0; ; {
		for {
			unread := t.read.Bytes()
			i := bytes.Index(unread[searched:], end)
			if i < 0 || searched+i+len(end) == len(unread) { // the character is still to come
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
			return nil, errors.New("the output of the host's shell exceeds the limit")
		}
	}
}
