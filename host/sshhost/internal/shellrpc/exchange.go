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
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// exchange sends batches to a process, which replies to them in order, and reads the replies.
type exchange struct {
	*shell.Process
	stderr *host.Tail // end of the stderr of the process

	// Guarded by the lock of the session.
	defined int             // number of definitions sent to the process
	last    <-chan struct{} // closed when all batches sent so far have ended, with or without replies

	read bytes.Buffer // output that has not been parsed yet

	failing sync.Once
	failed  atomic.Bool // set before fail kills the process
	silent  atomic.Bool // set before the call of fail if the process printed nothing for too long

	mu      sync.Mutex
	pending int         // number of batches that wait for their replies
	silence *time.Timer // runs while batches are pending; restarted by each output
}

func newExchange(p *shell.Process) *exchange {
	t := &exchange{Process: p, stderr: &host.Tail{}}
	idle := make(chan struct{})
	close(idle)
	t.last = idle
	t.silence = time.AfterFunc(remote.ReplyTimeout, func() {
		t.silent.Store(true)
		t.fail()
	})
	t.silence.Stop()
	go func() { _, _ = io.Copy(t.stderr, p.Stderr()) }() // it ends with the process
	return t
}

// usable reports whether requests can be sent to the process.
func (t *exchange) usable() bool {
	select {
	case <-t.Ended():
		return false
	default:
		return !t.failed.Load()
	}
}

// fail kills the process; callers that wait for replies get an error.
func (t *exchange) fail() {
	t.failing.Do(func() {
		t.failed.Store(true)
		t.Kill()
		<-t.Ended()
	})
}

// failure returns the error of a batch that has no replies because the process was killed.
func (t *exchange) failure() error {
	if t.silent.Load() {
		return remote.ErrSilent
	}
	return errEnded
}

// expect adds n to the number of batches that wait for their replies.
func (t *exchange) expect(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending == 0 {
		t.silence.Reset(remote.ReplyTimeout)
	}
	if t.pending += n; t.pending == 0 {
		t.silence.Stop()
	}
}

func (t *exchange) write(frame []byte) error {
	n, err := t.Stdin().Write(frame)
	if err == nil {
		return nil
	}
	err = errors.Join(errGone, err)
	if t.silent.Load() {
		err = remote.ErrSilent
	}
	if n < len(frame) { // a partial batch is never run
		err = &shell.NotSentError{Err: err}
	}
	return err
}

// sent is a batch whose replies have not been read.
type sent struct {
	token    string
	requests []Request
	exchange *exchange
	before   <-chan struct{} // closed when all earlier batches have ended, with or without replies
	done     chan struct{}   // closed when this batch has ended, with or without replies
	stop     func() bool     // detaches the batch from its context
}

func newSent(requests []Request) *sent {
	return &sent{token: rand.Text(), requests: requests, done: make(chan struct{})}
}

// wait queues the batch for its replies. The caller holds the lock of the session.
func (s *sent) wait(ctx context.Context, t *exchange) {
	s.exchange, s.before = t, t.last
	s.stop = context.AfterFunc(ctx, t.fail)
	t.last = s.done
	t.expect(1)
}

// receive waits for the replies. After an error the process is killed.
func (s *sent) receive(ctx context.Context) ([]Reply, error) {
	<-s.before
	if s.exchange.failed.Load() {
		return nil, s.end(ctx, s.exchange.failure())
	}
	want, most := 0, maxSmall
	for _, q := range s.requests {
		want += q.Blocks
		most += q.Large
	}
	blocks, err := s.exchange.blocks(s.token, most)
	switch {
	case errors.Is(err, errGone) && s.exchange.failed.Load():
		err = s.exchange.failure()
	case err == nil && len(blocks) != want:
		err = fmt.Errorf("unexpected output from the host's shell: %d parts instead of %d; stderr: %s", len(blocks), want, s.exchange.stderr)
	}
	if err := s.end(ctx, err); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(s.requests))
	for i, q := range s.requests {
		replies[i], blocks = blocks[:q.Blocks:q.Blocks], blocks[q.Blocks:]
	}
	return replies, nil
}

// end ends a batch and returns its error, which is that of ctx if ctx has ended. After an error
// it kills the process.
func (s *sent) end(ctx context.Context, err error) error {
	defer close(s.done)
	s.exchange.expect(-1)
	if !s.stop() { // the process is being killed
		err = ctx.Err()
	}
	if err != nil {
		s.exchange.fail()
	}
	return err
}

// maxSmall limits the total size of the replies to those requests of a batch that are not large.
const maxSmall = 4 << 20

// largeBuffer is the capacity in bytes above which a buffer is not kept for the next batch.
const largeBuffer = 1 << 20

// blocks reads the blocks of the replies to a batch, at most the given number of bytes in
// total. Each block ends with the token of the batch, which is random, and a plus sign. The
// token and a period end the batch. A panic because of unexpected output is returned as an error.
func (t *exchange) blocks(token string, most int) (blocks []string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			blocks, err = nil, fmt.Errorf("provider bug: the output of the host's shell caused a panic: %v; please report this", fault)
		}
	}()
	end := []byte(token)
	buffer := make([]byte, 32<<10)
	total := 0
	for searched := 0; ; {
		for {
			unread := t.read.Bytes()
			i := bytes.Index(unread[searched:], end)
			if i < 0 || searched+i+len(end) == len(unread) { // the token or the sign after it is still missing
				searched = max(0, len(unread)-len(end))
				break
			}
			block := string(unread[:searched+i])
			sign := unread[searched+i+len(end)]
			t.read.Next(searched + i + len(end) + 1)
			searched = 0
			if sign == '.' {
				if t.read.Len() == 0 && t.read.Cap() > largeBuffer {
					t.read = bytes.Buffer{}
				}
				return blocks, nil
			}
			blocks = append(blocks, block)
		}
		n, err := t.Stdout().Read(buffer)
		if n > 0 {
			t.silence.Reset(remote.ReplyTimeout)
		}
		t.read.Write(buffer[:n])
		total += n
		switch {
		case n > 0:
		case err != nil:
			return nil, errors.Join(errGone, err)
		}
		if total > most {
			return nil, fmt.Errorf("the host's shell printed more than %d bytes in reply to a batch of requests", most)
		}
	}
}
