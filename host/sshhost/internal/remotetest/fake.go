package remotetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var _ remote.Starter = (*Fake)(nil)

// Fake is a host whose shells run no scripts, for tests with the clock of testing/synctest: a
// [Starter] starts real processes. Fields must be set before the first use.
type Fake struct {
	// Hangs means that shells never become ready.
	Hangs bool
	// Ready has the arguments with which the first script of a shell calls px_ready.
	Ready string
	// Stops means that shells read nothing after the first script. Reply must then be nil.
	Stops bool
	// Reply is called with each later script, and prints its output. If it is nil, the shells read
	// their input and print nothing.
	Reply func(script string, out io.Writer)

	starts atomic.Int64
}

// Starts returns how many programs were started.
func (f *Fake) Starts() int { return int(f.starts.Load()) }

// Start implements [remote.Starter].
func (f *Fake) Start(context.Context, string) (remote.Process, error) {
	f.starts.Add(1)
	p := &fakeProcess{ended: make(chan struct{})}
	p.in, p.stdin = io.Pipe()
	p.stdout, p.out = io.Pipe()
	p.stderr, p.errOut = io.Pipe()
	go p.run(f)
	return p, nil
}

type fakeProcess struct {
	in, stdout, stderr *io.PipeReader
	stdin, out, errOut *io.PipeWriter

	ending sync.Once
	ended  chan struct{}
	err    error
}

var marking = regexp.MustCompile(`(?m)^px_mark '(.*)'$`)

func (p *fakeProcess) run(f *Fake) {
	r := bufio.NewReader(p.in)
	script, err := readFrame(r)
	mark := marking.FindStringSubmatch(script)
	if err == nil && len(mark) == 2 && !f.Hangs {
		_, _ = fmt.Fprintf(p.errOut, "\n%s\n", mark[1])
		_, _ = fmt.Fprintf(p.out, "\n%s 1 own %s\n", mark[1], f.Ready)
		for f.Reply != nil && err == nil {
			if script, err = readFrame(r); err == nil {
				f.Reply(script, p.out)
			}
		}
	}
	if f.Stops {
		<-p.ended
	}
	_, _ = io.Copy(io.Discard, r)
}

// readFrame reads a script: the number of its lines, and the lines.
func readFrame(r *bufio.Reader) (string, error) {
	var script strings.Builder
	for left := -1; left != 0; left-- {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		if left > 0 {
			script.WriteString(line)
			continue
		}
		n, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return "", err
		}
		left = n + 1
	}
	return script.String(), nil
}

func (p *fakeProcess) Stdin() io.WriteCloser { return p.stdin }
func (p *fakeProcess) Stdout() io.Reader     { return p.stdout }
func (p *fakeProcess) Stderr() io.Reader     { return p.stderr }

// Wait implements [remote.Process].
func (p *fakeProcess) Wait() (remote.Exit, error) {
	<-p.ended
	return remote.Exit{Code: 137, Signal: "KILL"}, p.err
}

// Signal implements [remote.Process]. Each signal ends the process.
func (p *fakeProcess) Signal(string) error {
	p.end(nil)
	return nil
}

// Ping implements [remote.Process].
func (p *fakeProcess) Ping() error { return nil }

// Close implements [remote.Process].
func (p *fakeProcess) Close() error {
	p.end(errors.New("the process was abandoned"))
	return nil
}

func (p *fakeProcess) end(err error) {
	p.ending.Do(func() {
		p.err = err
		_ = p.in.Close()  // closing a pipe never returns an error
		_ = p.out.Close() // the end of the output
		_ = p.errOut.Close()
		close(p.ended)
	})
}
