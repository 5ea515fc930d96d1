package command

import (
	"context"
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

const (
	// outputDelay is how long to wait without progress after the command has exited, for
	// output from processes that it left running, and for an input that does not end. The host
	// must reply to a request in the middle of that time, as the connection may stall.
	outputDelay = 2 * time.Second
	// outputTime limits the wait for output in total, without the time that the host takes to reply:
	// data buffered in the connection may arrive slowly.
	outputTime = time.Minute
)

// follow copies a command's streams until it exits. If its input or a writer fails, the
// command is killed: truncated input must not look complete.
func follow(ctx context.Context, p *shell.Process, command host.Command) (host.Result, error) {
	own, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	killed := make(chan struct{})
	stop := context.AfterFunc(own, func() {
		defer close(killed)
		p.Kill()
	})
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		if err := feed(p.Stdin(), command.Stdin); err != nil {
			fail(&host.SourceError{Source: "standard input", Err: err})
		}
	}()
	out := copyOutputs(p, command, fail)
	exit, err := p.Wait()
	out.finish(own, p)
	if !stop() {
		<-killed
	}
	_ = p.Close() // remaining streams are held open by processes left running
	<-out.ended
	wait(ctx, fed, outputDelay)
	switch cause := context.Cause(own); {
	case ctx.Err() != nil:
		return host.Result{}, ctx.Err()
	case cause != nil:
		return host.Result{}, cause
	case err != nil:
		return host.Result{}, fmt.Errorf("the outcome of the command is unknown: %w", err)
	case out.lost != nil: // the exit status has arrived, but not all of the output before it
		return host.Result{}, fmt.Errorf("the output of the command is incomplete: %w", out.lost)
	}
	return host.Result{ExitCode: exit.Code, Signal: exit.Signal}, nil
}

// wait waits until ended is closed, limit has passed or ctx has ended, and reports whether limit has
// passed.
func wait(ctx context.Context, ended <-chan struct{}, limit time.Duration) bool {
	select {
	case <-ended:
	case <-time.After(limit):
		return true
	case <-ctx.Done():
	}
	return false
}

// feed copies the input of the command. It returns only errors of the source: a command may
// close its input at any time.
func feed(stdin io.WriteCloser, source io.Reader) error {
	defer func() { _ = stdin.Close() }() // the command may have ended already
	if source == nil {
		return nil
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := source.Read(buffer)
		if n > 0 {
			if _, err := stdin.Write(buffer[:n]); err != nil {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// outputs is the state of copying both output streams.
type outputs struct {
	ended   chan struct{}
	moved   atomic.Int64 // number of chunks whose copying has begun
	writing atomic.Int64 // number of writes in progress

	mu   sync.Mutex
	lost error // the connection broke before the end of an output; valid once ended is closed
}

// finish waits for the outputs to end, as long as data arrives, a write is in progress or the connection
// stalls, but not longer than outputTime plus the time that the host takes to reply.
func (o *outputs) finish(ctx context.Context, p remote.Process) {
	before, replied := o.moved.Load(), false
	for last := time.Now().Add(outputTime); wait(ctx, o.ended, outputDelay/2) && time.Now().Before(last); {
		now := o.moved.Load()
		switch {
		case now != before || o.writing.Load() > 0:
			before, replied = now, false
		case replied:
			return
		default:
			begun := time.Now()
			o.ping(ctx, p)
			last = last.Add(time.Since(begun))
			replied = true
		}
	}
}

// ping waits until the host replies, the outputs end, or ctx ends.
func (o *outputs) ping(ctx context.Context, p remote.Process) {
	replied := make(chan struct{})
	go func() { // ends at the latest with the connection
		defer close(replied)
		_ = p.Ping() // if the connection has broken, the outputs end with the error
	}()
	select {
	case <-replied:
	case <-o.ended:
	case <-ctx.Done():
	}
}

// copyOutputs starts to copy the outputs.
func copyOutputs(p *shell.Process, command host.Command, fail context.CancelCauseFunc) *outputs {
	stdout, stderr := command.Stdout, command.Stderr
	if same(stdout, stderr) && stdout != nil {
		one := &lockedWriter{w: stdout}
		stdout, stderr = one, one
	}
	o := &outputs{ended: make(chan struct{})}
	var both sync.WaitGroup
	copyTo := func(name string, w io.Writer, r io.Reader) {
		both.Go(func() {
			if w == nil {
				w = io.Discard
			}
			l := &outputWriter{outputs: o, w: w}
			_, err := io.Copy(l, r)
			switch {
			case l.err != nil:
				fail(&host.SourceError{Source: name, Err: l.err})
			case errors.Is(err, host.ErrLost):
				o.mu.Lock()
				o.lost = err
				o.mu.Unlock()
			}
		})
	}
	copyTo("standard output", stdout, p.Stdout())
	copyTo("standard error", stderr, p.Stderr())
	go func() {
		defer close(o.ended)
		both.Wait()
	}()
	return o
}

// outputWriter is a writer that counts its writes and keeps the error of the wrapped writer, to
// distinguish it from errors of the reader.
type outputWriter struct {
	outputs *outputs
	w       io.Writer
	err     error
}

func (l *outputWriter) Write(p []byte) (int, error) {
	l.outputs.moved.Add(1)
	l.outputs.writing.Add(1)
	defer l.outputs.writing.Add(-1)
	n, err := l.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	l.err = err
	return n, err
}

// lockedWriter serialises writes of both outputs.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// same reports whether two writers are equal. Writers of types that are not comparable are
// different.
func same(a, b io.Writer) bool {
	defer func() { _ = recover() }() // the type is not comparable
	return a == b
}
