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

// Process is a shell whose script is ready; the script may have replaced the shell with
// another program.
type Process struct {
	remote.Process
	starter        remote.Starter
	stdout, stderr *bufio.Reader

	said  string
	pid   string
	group bool // whether the process leads its own process group

	ended chan struct{}
	exit  remote.Exit
	err   error
}

// Start runs a script on a host and returns when the script calls px_ready; the streams are
// then those of the script. If the process ends before, the error is an [*EndedError].
// input is sent after the script, which reads it first. If Start fails, the effect of the
// script is unknown.
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

// abandon kills a process in an unknown state.
func (p *Process) abandon() {
	_ = p.Signal("KILL") // not supported by all servers
	_ = p.Close()        // no data can be lost
}

// begin sends the script and reads both outputs until it is ready.
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
			p.abandon() // the other stream might block forever
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

// expire closes outputs that a process left running keeps open.
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
		_ = p.Close() // no more output is expected
	}
}

// Said returns the arguments of px_ready.
func (p *Process) Said() string { return p.said }

// Stdout returns the script's standard output after px_ready.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr returns the script's standard error after px_ready.
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

// NotSentError means that a script did not reach the host, so it had no effect.
type NotSentError struct{ Err error }

func (e *NotSentError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NotSentError) Unwrap() error { return e.Err }

// EndedError means that a shell ended before its script was ready.
type EndedError struct {
	Exit   remote.Exit
	Output string // the last bytes of its output
}

func (e *EndedError) Error() string {
	text := fmt.Sprintf("the host's shell ended with exit code %d before it did what it was asked for", e.Exit.Code)
	if e.Output == "" {
		return text
	}
	return text + "; it said: " + e.Output
}

var errNoise = errors.New("the host's login shell prints too much output before it runs a command: its start-up files must print nothing")

const (
	maxNoise = 1 << 20
	// endTimeout is how long a process may take to exit after the end of its output.
	endTimeout = 2 * time.Second
)

// skip reads up to the line that begins with mark and returns the rest of that line.
// Earlier output is written to noise.
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
