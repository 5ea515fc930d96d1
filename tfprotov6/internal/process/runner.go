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

// drainTime is how long a program's output is read after its end. Only children
// that it left behind write then.
const drainTime = time.Second

// program is the process, as go-plugin wants it.
type program struct {
	cmd            *exec.Cmd
	kill           context.CancelFunc
	stdout, stderr *os.File
	first          firstLine
	drained        chan struct{} // the output was read to its end
	exited         chan struct{} // the process is gone
	over           chan struct{} // both, and all that was opened for it is closed
	drain          sync.Once
}

var _ runner.Runner = (*program)(nil)

func newProgram(cmd *exec.Cmd, kill context.CancelFunc) *program {
	return &program{cmd: cmd, kill: kill, drained: make(chan struct{}), exited: make(chan struct{}), over: make(chan struct{})}
}

// Start is part of runner.Runner. The output goes through pipes of our own, so
// that reading them can be ended.
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
	_ = p.cmd.Wait() // how it ended is in the process's state
	close(p.exited)
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-p.drained:
	case <-late.C:
	}
	_ = p.stdout.Close() // nothing to lose: they were read
	_ = p.stderr.Close()
}

// Wait is part of runner.Runner. go-plugin calls it when the output was read to
// its end.
func (p *program) Wait(context.Context) error {
	p.drain.Do(func() { close(p.drained) })
	<-p.over
	return nil
}

// Kill is part of runner.Runner.
func (p *program) Kill(context.Context) error {
	p.kill()
	return nil
}

// Stdout is part of runner.Runner.
func (p *program) Stdout() io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(p.stdout, &p.first), p.stdout}
}

// Stderr is part of runner.Runner.
func (p *program) Stderr() io.ReadCloser { return p.stderr }

// Name is part of runner.Runner.
func (p *program) Name() string { return p.cmd.Path }

// ID is part of runner.Runner: empty for a process that never was.
func (p *program) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose is part of runner.Runner. What is wrong is said in start.go.
func (p *program) Diagnose(context.Context) string { return "" }

// PluginToHost is part of runner.Runner: both are on this machine.
func (p *program) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin is part of runner.Runner.
func (p *program) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// end says how the process ended, nothing while it has not.
func (p *program) end() string {
	select {
	case <-p.over:
		return fmt.Sprint(p.cmd.ProcessState)
	default:
		return ""
	}
}

// firstLine keeps the beginning of what is written, to the first line break.
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
		f.full = complete || len(f.text) >= longest
	}
	return len(p), nil
}

func (f *firstLine) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(bytes.TrimSpace(f.text))
}
