package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// drainTime limits the time to read the output of a program after its end. After the
// end, only its child processes can still write.
const drainTime = time.Second

// program implements runner.Runner of go-plugin.
type program struct {
	cmd            *exec.Cmd
	kill           context.CancelFunc
	stdout, stderr *os.File
	first          firstLine
	drained        chan struct{} // closed when the output has been read to its end
	exited         chan struct{} // closed when the process has ended
	over           chan struct{} // closed after exited, when the pipes are closed
	drain          sync.Once
}

var _ runner.Runner = (*program)(nil)

func newProgram(cmd *exec.Cmd, kill context.CancelFunc) *program {
	return &program{cmd: cmd, kill: kill, drained: make(chan struct{}), exited: make(chan struct{}), over: make(chan struct{})}
}

// Start implements runner.Runner. The output goes through pipes that this
// package can close.
func (p *program) Start(context.Context) (err error) {
	var out, errs *os.File
	if p.stdout, out, err = os.Pipe(); err != nil {
		return err
	}
	if p.stderr, errs, err = os.Pipe(); err != nil {
		return errors.Join(err, p.stdout.Close(), out.Close())
	}
	p.cmd.Stdout, p.cmd.Stderr = out, errs
	err = p.cmd.Start()
	closed := errors.Join(out.Close(), errs.Close())
	if err != nil {
		return errors.Join(err, p.stdout.Close(), p.stderr.Close())
	}
	go p.wait()
	return closed
}

func (p *program) wait() {
	defer close(p.over)
	_ = p.cmd.Wait() // the result is in ProcessState
	close(p.exited)
	select {
	case <-p.drained:
	case <-time.After(drainTime):
	}
	_ = p.stdout.Close() // already read, or drainTime has passed
	_ = p.stderr.Close()
}

// Wait implements runner.Runner. go-plugin calls Wait after reading the output to its
// end.
func (p *program) Wait(context.Context) error {
	p.drain.Do(func() { close(p.drained) })
	<-p.over
	return nil
}

// Kill implements runner.Runner.
func (p *program) Kill(context.Context) error {
	p.kill()
	return nil
}

// Stdout implements runner.Runner.
func (p *program) Stdout() io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(p.stdout, &p.first), p.stdout}
}

// Stderr implements runner.Runner.
func (p *program) Stderr() io.ReadCloser { return p.stderr }

// Name implements runner.Runner.
func (p *program) Name() string { return p.cmd.Path }

// ID implements runner.Runner. It is empty for a process that did not start.
func (p *program) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose implements runner.Runner. Errors are explained by Process.explain.
func (p *program) Diagnose(context.Context) string { return "" }

// PluginToHost implements runner.Runner. Both sides are on the same host.
func (p *program) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements runner.Runner.
func (p *program) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// end returns how the process ended, or "" if over is not closed yet.
func (p *program) end() string {
	select {
	case <-p.over:
		return fmt.Sprint(p.cmd.ProcessState)
	default:
		return ""
	}
}

// firstLine keeps the first line of the written data.
type firstLine struct {
	mu   sync.Mutex
	text []byte
	full bool
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.full {
		line, _, complete := bytes.Cut(p, []byte("\n"))
		f.text = append(f.text, line...)
		f.full = complete || len(f.text) >= maxLine
	}
	return len(p), nil
}

func (f *firstLine) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(bytes.TrimSpace(f.text))
}
