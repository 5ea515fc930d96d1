package shell

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// Process is a shell whose script is ready; the script may have replaced the shell with
// another program.
type Process struct {
	remote.Process
	starter        remote.Starter
	stdout, stderr *bufio.Reader

	readyArgs string
	pid       string
	group     bool // whether the process leads its own process group

	ended chan struct{}
	exit  remote.Exit
	err   error
}

// Start runs a script on a host and returns when the script calls px_ready; the streams are
// then those of the script. If the process exits before that, the error is an [*EndedError]; if the
// script is not ready within [remote.ReplyTimeout], [remote.ErrSilent].
// The input is sent after the script; the script must read it before any other input. If Start fails,
// the effect of the script is unknown, unless the error is a [*NotSentError].
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
	ready := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.Signal("KILL") // not supported by all servers
		select {
		case <-ready: // the script may have begun, and Kill has its PID
		case <-time.After(endTimeout):
			_ = p.Close() // no data can be lost
		}
	})
	err = remote.WithinReplyTimeout(p.abandon, func() error { return p.begin(append(frame, input...), mark) })
	close(ready)
	if !stop() {
		if err == nil && !remote.IsUrgent(ctx) { // an urgent script kills another process
			p.Kill()
		}
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

// begin sends the script and reads both outputs until the script is ready.
func (p *Process) begin(frame []byte, mark string) error {
	begun := make(chan struct{})
	var watch, all sync.WaitGroup
	watch.Go(func() { p.expire(begun) })
	var out, errOut host.Tail
	var ready string
	var sendErr, outErr, errErr error
	all.Go(func() { _, sendErr = p.Stdin().Write(frame) })
	skipTo := func(n *host.Tail, r *bufio.Reader) (string, error) {
		rest, err := skip(n, r, mark)
		if errors.Is(err, errNoise) {
			p.abandon() // the other stream might block forever
		}
		return rest, err
	}
	all.Go(func() { ready, outErr = skipTo(&out, p.stdout) })
	all.Go(func() { _, errErr = skipTo(&errOut, p.stderr) })
	all.Wait()
	close(begun)
	watch.Wait()
	if outErr == nil && errErr == nil {
		var group string
		p.pid, ready, _ = strings.Cut(ready, " ")
		group, p.readyArgs, _ = strings.Cut(ready, " ")
		p.group = group == "own"
		return nil
	}
	switch {
	case errors.Is(outErr, errNoise), errors.Is(errErr, errNoise):
		return errNoise
	case !remote.ClosesWithin(p.ended, endTimeout):
		return errors.Join(sendErr, outErr, errErr)
	case p.err != nil:
		return p.err
	}
	return &EndedError{Exit: p.exit, Output: strings.TrimSpace(out.String() + "\n" + errOut.String())}
}

// expire closes the outputs if, after the shell has ended, another process keeps them open.
func (p *Process) expire(begun <-chan struct{}) {
	select {
	case <-begun:
		return
	case <-p.ended:
	}
	if !remote.ClosesWithin(begun, endTimeout) {
		_ = p.Close() // no more output is expected
	}
}

// ReadyArgs returns the arguments of px_ready, separated by spaces.
func (p *Process) ReadyArgs() string { return p.readyArgs }

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

// NotSentError means that a script did not reach the host completely, so it had no effect.
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
	text := fmt.Sprintf("the host's shell ended with exit code %d before it completed the request", e.Exit.Code)
	if e.Output == "" {
		return text
	}
	return text + "; output: " + e.Output
}

var errNoise = errors.New("the login shell printed more than 1 MiB before it ran the command: change the user's start-up files on the host, such as ~/.profile, so that they print nothing without a terminal")

const (
	maxNoise = 1 << 20
	// endTimeout is how long a process may take to exit after the end of its output, its output to end
	// after its exit, and a script to be ready after the end of its context.
	endTimeout = 2 * time.Second
)

// skip reads up to the line that starts with mark and returns the rest of that line.
// Earlier output is written to noise; if there is too much of it, the error is errNoise.
func skip(noise *host.Tail, r *bufio.Reader, mark string) (string, error) {
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

// boot is the only command line that this package passes to a login shell. It starts a
// POSIX shell that leads a process group if possible, so that its child processes can be killed together.
// That shell reads a number and then a script of that many lines from its input, and runs it.
// The rest of the input is for the script: the built-in read does not consume more. It reads
// bytes (LC_ALL=C for that command), because in multibyte locales bash loses the byte 1 after an
// incomplete character.
//
// boot has no backslash before a quote or a backslash, no newline and no exclamation mark,
// because these are special inside quotes in fish or csh. $2 is "own" if the shell leads
// its process group. Variables start with px_ to avoid collisions.
const boot = `exec sh -c '` + bootGroup + `' sh '` + bootText + `'`

const bootGroup = `px_g=; ` +
	`{ read -r px_a px_a px_a px_a px_g px_a </proc/self/stat; } 2>/dev/null || px_g=$(ps -o pgid= -p $$ 2>/dev/null); ` +
	`case " $px_g " in ` +
	`"  ") ;; ` + // unknown: if the shell already leads its group, setsid would exit too early
	`*" $$ "*) set -- "$1" own ;; ` +
	`*) command -v setsid >/dev/null 2>&1 && exec setsid sh -c "$1" sh "$1" own ;; ` +
	`esac; ` +
	`eval "$1"`

const bootText = `px_o=$2; px_nl=$(printf "\012."); px_nl=${px_nl%.}; px_t=; IFS=; ` +
	`read -r px_n; ` +
	`while [ "$px_n" -gt 0 ]; do LC_ALL=C read -r px_l || exit 125; px_t=$px_t$px_l$px_nl; px_n=$((px_n-1)); done; ` +
	`unset IFS; ` +
	`eval "$px_t"`

// Frame returns the input for boot: the number of lines, and the lines. The error is that of an invalid
// value.
func (t Text) Frame() ([]byte, error) {
	if t.err != nil {
		return nil, t.err
	}
	lines := strconv.Itoa(strings.Count(t.text, "\n"))
	return []byte(lines + "\n" + t.text), nil
}

// readiness defines px_ready, with which a script reports on both outputs that its own
// output follows. px_ready ends the script if it cannot write. [Process.ReadyArgs] returns its arguments.
var readiness = Fixed(`px_mark() { px_m=$1; }
px_ready() {
  printf '\n%s\n' "$px_m" >&2 && printf '\n%s %s %s %s\n' "$px_m" "$$" "${px_o:--}" "$*" || exit 125
}`)

const (
	// signalTimeout is how long a process may take to end after a signal.
	signalTimeout = 500 * time.Millisecond
	// killTimeout is how long a second process may take to kill the first one: if the server allows a
	// single session, the second process needs a new connection.
	killTimeout = 15 * time.Second
)

var killing = Fixed(`px_kill() {
  if [ "$2" = own ]; then kill -KILL "-$1"; else px_tree "$1"; fi
}
px_tree() {
  set -- "$1" $(px_children "$1")
  kill -KILL "$1"
  shift
  for px_c do px_tree "$px_c"; done
}
px_children() {
  { ps -A -o pid= -o ppid= || ps -o pid,ppid; } | while read -r px_a px_b; do
    if [ "$px_b" = "$1" ]; then echo "$px_a"; fi
  done
}`)

// Kill kills the process and its child processes, unless the process has ended, and frees its
// resources. Besides sending a signal, it starts a second process on the host that kills them, because
// the server may not support signals (OpenSSH does not for root) or may signal only the process itself,
// and because the process may run as another user. Kill returns soon after killTimeout if the host does
// not respond.
func (p *Process) Kill() {
	defer func() { _ = p.Close() }() // no data can be lost
	select {
	case <-p.ended: // its PID may have been reused
		return
	default:
	}
	group := "own"
	if !p.group { // child processes are found through their parent, so the process must still run
		group = "shared"
		p.killFromOutside(group)
	}
	if p.Signal("KILL") == nil { // success does not prove that the signal was delivered
		remote.ClosesWithin(p.ended, signalTimeout)
	}
	if p.group {
		p.killFromOutside(group)
	}
	remote.ClosesWithin(p.ended, signalTimeout)
}

func (p *Process) killFromOutside(group string) {
	ctx, cancel := context.WithTimeout(remote.Urgent(context.Background()), killTimeout)
	defer cancel()
	text := Join(killing, Call("px_kill", p.pid, group), Fixed("px_ready"))
	if k, err := Start(ctx, p.starter, text); err == nil {
		_ = k.Close() // the second process is no longer needed
	}
}
