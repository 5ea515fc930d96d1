package conn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// ProxyCommand is a command line whose process is the connection to a host: its standard input and
// output carry the data, as with ssh.
type ProxyCommand struct {
	// Command is the command line for the user's shell. Tokens such as %h are not replaced.
	Command string
	// Where names the configuration of the command in messages, which do not contain the command.
	Where string
	// Env is the environment of the process. SHELL in it is the user's shell.
	Env []string
}

const (
	// proxyGrace is the time that the process has to exit after a hangup signal, or after it closes
	// its standard input or output.
	proxyGrace = time.Second

	// Exit codes of a shell that cannot run a program.
	exitNotExecutable = 126
	exitNotFound      = 127
)

// proxy is the process of a [ProxyCommand] as a network connection.
type proxy struct {
	command *ProxyCommand
	process *exec.Cmd
	in      *os.File // standard input of the process
	out     *os.File // standard output
	stderr  host.Tail
	end     func()        // ends the process and waits for it, once
	exited  chan struct{} // closed when the process has exited
}

// start starts the process. The error matches [ErrRefused] if the shell does not exist or is not executable, or if
// ProxyCommand is not supported on this operating system.
func (c *ProxyCommand) start() (*proxy, error) {
	p := &proxy{command: c, exited: make(chan struct{})}
	shell := "/bin/sh"
	for _, variable := range c.Env {
		if value, is := strings.CutPrefix(variable, "SHELL="); is && value != "" {
			shell = value
		}
	}
	p.process = exec.Command(shell, "-c", "exec "+c.Command) //nolint:noctx // the operator's command line; the process runs as long as the connection
	p.process.Env, p.process.Stderr, p.process.WaitDelay = c.Env, &p.stderr, proxyGrace/2
	if err := newSession(p.process); err != nil {
		return nil, refusedError{err}
	}
	theirIn, in, errIn := os.Pipe()
	out, theirOut, errOut := os.Pipe()
	theirs := func() { closeAll(theirIn, theirOut) }
	defer theirs()
	if err := errors.Join(errIn, errOut); err != nil {
		closeAll(in, out)
		return nil, err
	}
	p.in, p.out, p.process.Stdin, p.process.Stdout = in, out, theirIn, theirOut
	if err := p.process.Start(); err != nil {
		closeAll(in, out)
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
		err = fmt.Errorf("cannot start the shell of the ProxyCommand of %s: %w", c.Where, err)
		if missing {
			err = refusedError{err}
		}
		return nil, err
	}
	go func() {
		_ = p.process.Wait() // the state of the process has the result
		close(p.exited)
	}()
	p.end = sync.OnceFunc(func() {
		closeAll(p.in, p.out)
		if isClosed(p.exited) { // its PID may have been reused
			return
		}
		hangUp(p.process.Process)
		if !remote.ClosesWithin(p.exited, proxyGrace) {
			kill(p.process.Process)
		}
		<-p.exited
	})
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Read implements [net.Conn]. If the process closes its output, the error has the exit status of the process,
// if it exits soon.
func (p *proxy) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if errors.Is(err, io.EOF) {
		err = p.ended()
	}
	return n, closedError(err)
}

// Write implements [net.Conn].
func (p *proxy) Write(b []byte) (int, error) {
	n, err := p.in.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		err = p.ended()
	}
	return n, closedError(err)
}

// closedError returns err, or [net.ErrClosed] if the connection was closed on this side.
func closedError(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return net.ErrClosed
	}
	return err
}

// Close implements [net.Conn]. It ends the process.
func (p *proxy) Close() error {
	p.end()
	return nil
}

// ended returns the error of a process that has closed its standard input or output, with the exit
// status if it exits within proxyGrace. The error matches [io.EOF] unless the shell could not run the program.
func (p *proxy) ended() error {
	how, cause := "closed the connection", io.EOF
	if remote.ClosesWithin(p.exited, proxyGrace) {
		how = "ended with " + p.process.ProcessState.String()
		if code := p.process.ProcessState.ExitCode(); code == exitNotExecutable || code == exitNotFound {
			cause = errNoProxyProgram
		}
	}
	return &explainedError{fmt.Sprintf("the ProxyCommand of %s %s%s", p.command.Where, how, p.wrote()), cause}
}

var errNoProxyProgram = errors.New("the program cannot be run")

// explain adds the standard error of the process to an error of a connection attempt.
func (p *proxy) explain(err error) error {
	if wrote := p.wrote(); wrote != "" && !strings.Contains(err.Error(), wrote) {
		return &explainedError{fmt.Sprintf("%s; the ProxyCommand of %s is running%s", err, p.command.Where, wrote), err}
	}
	return err
}

// wrote returns the last text that the process wrote to its standard error, as the end of a
// message, or an empty string.
func (p *proxy) wrote() string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(p.stderr.String(), "\uFFFD"))
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return ""
	}
	return ", and wrote: " + text
}

// Addresses and deadlines of [net.Conn].
func (p *proxy) LocalAddr() net.Addr  { return proxyAddr{} }
func (p *proxy) RemoteAddr() net.Addr { return proxyAddr{} }
func (p *proxy) SetDeadline(t time.Time) error {
	return errors.Join(p.in.SetDeadline(t), p.out.SetDeadline(t))
}
func (p *proxy) SetReadDeadline(t time.Time) error  { return p.out.SetReadDeadline(t) }
func (p *proxy) SetWriteDeadline(t time.Time) error { return p.in.SetWriteDeadline(t) }

// proxyAddr is the address of both ends of a [proxy].
type proxyAddr struct{}

func (proxyAddr) Network() string { return "ProxyCommand" }
func (proxyAddr) String() string  { return "ProxyCommand" }
