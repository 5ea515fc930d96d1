package shell

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// Process is a shell that has said that it is ready, and has become what its text made
// of it.
type Process struct {
	remote.Process
	starter        remote.Starter
	stdout, stderr *bufio.Reader

	said  string
	pid   string
	group bool // whether the process leads a group of its own

	ended chan struct{}
	exit  remote.Exit
	err   error
}

// Start runs a text, which calls px_ready, on a host. It returns when the text has done
// so; the streams are then what the text reads and writes afterwards. If the process
// ends before, the error is an [*EndedError]. input is sent with the text, which reads
// it first; after an error nobody knows what became of it.
func Start(ctx context.Context, starter remote.Starter, text Text, input ...byte) (*Process, error) {
	mark := rand.Text()
	frame, err := Join(readiness, Call("px_mark", mark), text).Frame()
	if err != nil {
		return nil, &NotSentError{err}
	}
	inner, err := starter.Start(ctx, boot)
	if err != nil {
		return nil, &NotSentError{err}
	}
	p := &Process{
		Process: inner, starter: starter,
		stdout: bufio.NewReaderSize(inner.Stdout(), 32<<10),
		stderr: bufio.NewReader(inner.Stderr()),
		ended:  make(chan struct{}),
	}
	go func() {
		defer close(p.ended)
		p.exit, p.err = inner.Wait()
	}()
	stop := context.AfterFunc(ctx, p.abandon)
	err = p.begin(append(frame, input...), mark)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		p.abandon()
		return nil, err
	}
	return p, nil
}

// abandon ends a process in an unknown state.
func (p *Process) abandon() {
	_ = p.Signal("KILL") // not all servers can
	_ = p.Close()        // nothing that it could lose is of use
}

// begin sends the text and reads both outputs up to where it is ready.
func (p *Process) begin(frame []byte, mark string) error {
	begun := make(chan struct{})
	var watch, all sync.WaitGroup
	watch.Go(func() { p.expire(begun) })
	var out, errOut remote.Tail
	var said string
	var sendErr, outErr, errErr error
	all.Go(func() { _, sendErr = p.Stdin().Write(frame) })
	skipTo := func(n *remote.Tail, r *bufio.Reader) (string, error) {
		rest, err := skip(n, r, mark)
		if errors.Is(err, errNoise) {
			p.abandon() // the other may wait for ever
		}
		return rest, err
	}
	all.Go(func() { said, outErr = skipTo(&out, p.stdout) })
	all.Go(func() { _, errErr = skipTo(&errOut, p.stderr) })
	all.Wait()
	close(begun)
	watch.Wait()
	if outErr == nil && errErr == nil {
		var group string
		p.pid, said, _ = strings.Cut(said, " ")
		group, p.said, _ = strings.Cut(said, " ")
		p.group = group == "own"
		return nil
	}
	switch {
	case errors.Is(outErr, errNoise), errors.Is(errErr, errNoise):
		return errNoise
	case !p.endsWithin(endTimeout):
		return errors.Join(sendErr, outErr, errErr)
	case p.err != nil:
		return p.err
	}
	return &EndedError{Exit: p.exit, Output: strings.TrimSpace(out.String() + "\n" + errOut.String())}
}

// expire stops waiting for outputs that outlive the process because something that it
// left behind holds them.
func (p *Process) expire(begun <-chan struct{}) {
	select {
	case <-begun:
		return
	case <-p.ended:
	}
	timer := time.NewTimer(endTimeout)
	defer timer.Stop()
	select {
	case <-begun:
	case <-timer.C:
		_ = p.Close() // it says no more
	}
}

// Said returns the arguments of px_ready.
func (p *Process) Said() string { return p.said }

// Stdout returns what the text writes after it is ready.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the same for standard error.
func (p *Process) Stderr() io.Reader { return p.stderr }

// Wait implements [remote.Process]. Any number of callers may wait.
func (p *Process) Wait() (remote.Exit, error) {
	<-p.ended
	return p.exit, p.err
}

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

func (p *Process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// NotSentError reports that a text did not reach the host: nothing of it was done.
type NotSentError struct{ Err error }

func (e *NotSentError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NotSentError) Unwrap() error { return e.Err }

// EndedError reports that a shell ended before its text was ready.
type EndedError struct {
	Exit   remote.Exit
	Output string // the end of what it printed
}

func (e *EndedError) Error() string {
	text := fmt.Sprintf("the host's shell ended with exit code %d before it did what it was asked for", e.Exit.Code)
	if e.Output == "" {
		return text
	}
	return text + "; it said: " + e.Output
}

var errNoise = errors.New("the host's login shell prints without end before it runs a command: its start-up files must be silent")

const (
	maxNoise = 1 << 20
	// endTimeout is how long the end of a process may follow that of its output.
	endTimeout = 2 * time.Second
)

// skip reads up to the line that begins with mark and returns the rest of it. What comes
// before is written to noise.
func skip(noise *remote.Tail, r *bufio.Reader, mark string) (string, error) {
	for total := 0; total < maxNoise; {
		part, err := r.ReadSlice('\n')
		if rest, ok := strings.CutPrefix(string(part), mark); ok && err == nil {
			return strings.TrimPrefix(strings.TrimSuffix(rest, "\n"), " "), nil
		}
		total += len(part)
		_, _ = noise.Write(part) // it never fails
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
	return "", errNoise
}
