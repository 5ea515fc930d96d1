package perlfs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Session is a Perl process that replies to requests in order. It is safe for concurrent use.
type Session struct {
	process *shell.Process
	stderr  host.Tail // stderr of the process
	done    chan struct{}
	begun   time.Time     // a time after the start of the process
	digests bool          // whether it can calculate digests
	sending chan struct{} // a mutex for its input, for which a caller can wait until its context ends

	mu      sync.Mutex
	waiting []chan<- []string // one for each outstanding reply, in order
	ended   bool
	exited  bool // the process has exited; false if only the connection has ended
}

// errMissing means that the host has no usable Perl.
var errMissing = errors.New("the host has no usable Perl")

// ErrEnded means that the process ended before it replied: the outcome is unknown.
var ErrEnded = remote.Lost("the host's Perl process ended before it replied")

// start starts a process and waits until it is running. The error is errMissing if the process ends
// before that, or is not running within [remote.ReplyTimeout] after its shell was ready.
func start(ctx context.Context, starter remote.Starter) (*Session, error) {
	p, err := shell.Start(ctx, starter, shell.Join(shell.Call("set --", program), startScript))
	if _, ended := errors.AsType[*shell.EndedError](err); ended {
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	runs := make(chan []string, 1)
	s := &Session{process: p, done: make(chan struct{}), sending: make(chan struct{}, 1), waiting: []chan<- []string{runs}}
	go func() { _, _ = io.Copy(&s.stderr, p.Stderr()) }() // it ends with the process
	go s.receive()
	select {
	case can, does := <-runs:
		s.begun = time.Now()
		if does {
			s.digests = can[0] == "digest"
			return s, nil
		}
	case <-time.After(remote.ReplyTimeout):
		_ = s.Close() // no request was sent
		return nil, errMissing
	case <-ctx.Done():
		_ = s.Close() // no request was sent
		return nil, ctx.Err()
	}
	if _, err := p.Wait(); err != nil { // its output has ended
		return nil, err
	}
	return nil, errMissing
}

// Done implements conn.Session.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close implements conn.Session. The process exits at the end of its input, after the
// request that it has begun.
func (s *Session) Close() error {
	_ = s.process.Stdin().Close() // requests that got a reply are not affected
	return s.process.Close()
}

const (
	// valid is the time after sending within which a change must begin. If the connection
	// stalls, the request may arrive much later, when another process has changed the file
	// again. A request that waits for earlier slow ones may expire too: the other backend
	// then does the operation.
	valid = 3 * time.Second
	// expiry is the time after which a request has certainly expired. The clock of the
	// process counts seconds.
	expiry = valid + 2*time.Second
)

// call sends a request and waits for the reply. If the error matches [ErrEnded], the outcome
// is unknown, but the request has no effect after call returns. If the error is that of ctx,
// the request may still have an effect within the time expiry. If it is [remote.ErrSilent],
// the request may have an effect at any time. If it is errRefused, nothing was sent.
func (s *Session) call(ctx context.Context, function string, arguments ...string) ([]string, error) {
	reply := make(chan []string, 1)
	sent := time.Now()
	expires := strconv.FormatInt(int64(sent.Add(valid).Sub(s.begun)/time.Second), 10)
	err := s.send(ctx, encode(append([]string{function, expires}, arguments...)), reply)
	if err == nil {
		select {
		case <-time.After(remote.ReplyTimeout):
			_ = s.Close() // it would not reply to later requests either
			return nil, remote.ErrSilent
		case list, replied := <-reply:
			if replied {
				return list, nil
			}
			err = ErrEnded
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if errors.Is(err, ErrEnded) && !s.hasExited() {
		if host.Sleep(ctx, time.Until(sent.Add(expiry))) != nil {
			return nil, ctx.Err()
		}
	}
	return nil, err
}

func (s *Session) hasExited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exited
}

// send sends a request. An incomplete one ends the process without an effect. The error is
// errRefused if the process has ended.
func (s *Session) send(ctx context.Context, frame []byte, reply chan<- []string) error {
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	ended := s.ended
	if !ended {
		s.waiting = append(s.waiting, reply)
	}
	s.mu.Unlock()
	if ended {
		return errRefused
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // unblocks the write
	defer stop()
	_, _ = s.process.Stdin().Write(frame) // if that fails, the output ends as well
	return nil
}

// receive passes replies to the waiting callers until the output ends or has an invalid reply, and then ends
// the session.
func (s *Session) receive() {
	r := bufio.NewReader(s.process.Stdout())
	for {
		list, err := decode(r)
		if err == nil && s.pass(list) {
			continue
		}
		_ = s.process.Stdin().Close() // makes the process exit
		exited := false
		if _, err := io.CopyN(io.Discard, r, maxReply); errors.Is(err, io.EOF) {
			_, lost := s.process.Wait()
			exited = lost == nil
		}
		s.mu.Lock()
		s.ended, s.exited = true, exited
		for _, reply := range s.waiting {
			close(reply)
		}
		s.waiting = nil
		s.mu.Unlock()
		close(s.done)
		_ = s.process.Close() // its remaining output is not used
		return
	}
}

// pass passes a reply to the oldest waiting request, and reports whether there is one.
func (s *Session) pass(list []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return false
	}
	s.waiting[0] <- list
	s.waiting = s.waiting[1:]
	return true
}

// encode returns a list in the format that the program reads.
func encode(list []string) []byte {
	frame := []byte{0, 0, 0, 0}
	for _, text := range list {
		frame = binary.BigEndian.AppendUint32(frame, uint32(len(text))) //nolint:gosec // maxContent and paths are smaller
		frame = append(frame, text...)
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4)) //nolint:gosec // see above
	return frame
}

// maxReply limits the size of a reply.
const maxReply = maxContent + 64<<10

var errIncomplete = errors.New("incomplete reply")

// decode reads a list in the format that the program prints. A panic because of an unexpected reply
// is returned as an error.
func decode(r io.Reader) (list []string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			list, err = nil, fmt.Errorf("provider bug: a reply of the host's Perl process caused a panic: %v; please report this", fault)
		}
	}()
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxReply {
		return nil, fmt.Errorf("a reply of %d bytes exceeds the limit of %d", n, maxReply)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	for len(data) > 0 {
		if len(data) < 4 {
			return nil, errIncomplete
		}
		n, rest := int(binary.BigEndian.Uint32(data)), data[4:]
		if n < 0 || n > len(rest) {
			return nil, errIncomplete
		}
		list, data = append(list, string(rest[:n])), rest[n:]
	}
	if len(list) == 0 {
		return nil, errIncomplete
	}
	return list, nil
}
