package batch

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
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
// goroutines, one after the other; see [Coalescer].
type Helper struct {
	starter remote.Starter
	turn    chan struct{} // holds one element, which whoever uses the rest has taken

	process *shell.Process // nil when there is none
	said    *tail          // what it prints on stderr
	defined int            // how many of the definitions it has been told
	once    bool           // there is no other after it

	mu          sync.Mutex
	definitions []shell.Text
}

// NewHelper is a helper that is started by the first question.
func NewHelper(starter remote.Starter) *Helper {
	h := &Helper{starter: starter, turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-h.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { h.turn <- struct{}{} }()
	for try := 1; ; try++ {
		answers, err := h.ask(ctx, questions)
		if err == nil || ctx.Err() != nil || try == 2 || !repeatable(err, questions) {
			return answers, err
		}
	}
}

// repeatable says whether a batch may be asked again of another process: the one
// before may have been closed by whoever needed its place.
func repeatable(err error, questions []Question) bool {
	if !errors.Is(err, errGone) {
		return false
	}
	if _, unsent := errors.AsType[*shell.NotSentError](err); unsent {
		return true
	}
	for _, q := range questions {
		if q.Effect {
			return false
		}
	}
	return true
}

// CloseIdle ends the process if it is not at work, and says whether it did or
// there was none.
func (h *Helper) CloseIdle() bool {
	select {
	case <-h.turn:
	default:
		return false
	}
	defer func() { h.turn <- struct{}{} }()
	h.stop()
	return true
}

// Close ends the process, once it has answered what it was asked.
func (h *Helper) Close() {
	<-h.turn
	defer func() { h.turn <- struct{}{} }()
	h.stop()
}

// stop ends the process in peace: it ends with its input.
func (h *Helper) stop() {
	if h.process == nil {
		return
	}
	_ = h.process.Stdin().Close() // either of the two will do
	_ = h.process.Close()
	h.process = nil
}

// errGone says that the process went away by itself.
var errGone = errors.New("the host's shell went away in the middle of its work")

// maxAnswer bounds what a batch may be answered by.
const maxAnswer = 256 << 20

func (h *Helper) ask(ctx context.Context, questions []Question) ([]Answer, error) {
	p, err := h.running(ctx)
	if err != nil {
		return nil, err
	}
	token := rand.Text()
	frame, want, defined, err := h.frame(token, questions)
	if err != nil {
		return nil, &shell.NotSentError{Err: err}
	}
	stop := context.AfterFunc(ctx, p.Kill)
	blocks, err := exchange(p, frame, token)
	if !stop() {
		<-p.Ended()
		err = ctx.Err()
	}
	if err == nil && len(blocks) != want {
		err = fmt.Errorf("the host's shell answered with %d parts where %d were expected; it said: %s", len(blocks), want, h.said)
	}
	if err != nil {
		if ctx.Err() == nil {
			p.Kill()
		}
		h.process = nil
		return nil, err
	}
	h.defined = defined
	answers := make([]Answer, len(questions))
	for i, q := range questions {
		answers[i], blocks = blocks[:q.Blocks:q.Blocks], blocks[q.Blocks:]
	}
	return answers, nil
}

// running is the process, a new one if need be.
func (h *Helper) running(ctx context.Context) (*shell.Process, error) {
	if h.process != nil {
		select {
		case <-h.process.Ended():
			h.stop()
		default:
			return h.process, nil
		}
	}
	if h.once {
		return nil, &shell.NotSentError{Err: ErrSpent}
	}
	p, err := shell.Start(ctx, h.starter, serving)
	if err != nil {
		return nil, err
	}
	said := &tail{}
	go func() { _, _ = io.Copy(said, p.Stderr()) }() // it ends with the process
	h.process, h.defined, h.said = p, 0, said
	return p, nil
}

// frame is what the process reads for a batch, how many blocks it answers, and
// how many definitions it then knows.
func (h *Helper) frame(token string, questions []Question) (frame []byte, blocks, defined int, err error) {
	h.mu.Lock()
	texts := append([]shell.Text{shell.Call("px_begin", token)}, h.definitions[h.defined:]...)
	defined = len(h.definitions)
	h.mu.Unlock()
	for _, q := range questions {
		texts = append(texts, q.Text)
		blocks += q.Blocks
	}
	frame, err = shell.Join(append(texts, shell.Call("px_end"))...).Frame()
	return frame, blocks, defined, err
}

// exchange sends a batch and reads its blocks. Each ends with the token, which
// is random and new, and a sign that says whether it was the last.
func exchange(p *shell.Process, frame []byte, token string) ([]string, error) {
	if n, err := p.Stdin().Write(frame); err != nil {
		err = errors.Join(errGone, err)
		if n < len(frame) { // a part of a batch is never run
			err = &shell.NotSentError{Err: err}
		}
		return nil, err
	}
	var blocks []string
	var read bytes.Buffer
	end := []byte(token)
	buffer := make([]byte, 32<<10)
	for searched := 0; ; {
		n, err := p.Stdout().Read(buffer)
		read.Write(buffer[:n])
		for {
			unread := read.Bytes()
			i := bytes.Index(unread[searched:], end)
			if i < 0 || searched+i+len(end) == len(unread) { // the sign is still to come
				searched = max(0, len(unread)-len(end))
				break
			}
			block := string(unread[:searched+i])
			sign := unread[searched+i+len(end)]
			read.Next(searched + i + len(end) + 1)
			searched = 0
			if sign == '.' {
				return blocks, nil
			}
			blocks = append(blocks, block)
		}
		switch {
		case err != nil:
			return nil, errors.Join(errGone, err)
		case read.Len() > maxAnswer:
			return nil, errors.New("the host's shell answers without end")
		}
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-400):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?"))
}
