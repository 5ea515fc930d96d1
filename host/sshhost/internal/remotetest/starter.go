//go:build unix

package remotetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
)

var _ remote.Starter = (*Starter)(nil)

// Starter starts command lines with a shell of this host. Its zero value runs sh
// as the user of the test. Fields must be set before the first use.
type Starter struct {
	Shell []string // the login shell, which is called with -c and the line; nil is sh
	Noise string   // commands that the login shell runs before each line, like start-up files
	Env   []string // added to the environment of the test
	UID   uint32   // 0 keeps the UID of the test
	GID   uint32

	NoSignals bool // Signal is not supported
	NoSession bool // processes stay in the process group of the test
	Limit     int  // maximum number of concurrent processes; 0 for no limit

	// Lost, if set, is called before each start and can make it fail.
	Lost func() error

	starts, writes atomic.Int64
	slots          chan struct{}
	once           sync.Once
}

// Starts returns how many programs were started: each start costs a round trip.
func (s *Starter) Starts() int { return int(s.starts.Load()) }

// Writes returns the number of writes to the programs: each costs a round trip.
func (s *Starter) Writes() int { return int(s.writes.Load()) }

// Start implements [remote.Starter].
func (s *Starter) Start(ctx context.Context, line string) (remote.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Lost != nil {
		if err := s.Lost(); err != nil {
			return nil, err
		}
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.start(line, release)
	if err != nil {
		release()
		return nil, err
	}
	s.starts.Add(1)
	return p, nil
}

func (s *Starter) acquire(ctx context.Context) (release func(), err error) {
	if s.Limit == 0 {
		return func() {}, nil
	}
	s.once.Do(func() { s.slots = make(chan struct{}, s.Limit) })
	select {
	case s.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-s.slots }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Starter) start(line string, release func()) (*process, error) {
	shell := s.Shell
	if shell == nil {
		shell = []string{"sh"}
	}
	if s.Noise != "" {
		line = s.Noise + "\n" + line
	}
	args := slices.Concat(shell, []string{"-c", line})
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // the process outlives the call
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: !s.NoSession}
	if s.UID != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: s.UID, Gid: s.GID}
	}
	p := &process{starter: s, cmd: cmd, ended: make(chan struct{}), closed: make(chan struct{})}
	var theirs []*os.File
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			p.ours = append(p.ours, r, w) // both ends, until the process has been started
		}
		return r, w, err
	}
	in, stdin, err := pipe()
	stdout, out, err2 := pipe()
	stderr, errOut, err3 := pipe()
	theirs = append(theirs, in, out, errOut)
	if err := cmp.Or(err, err2, err3); err != nil {
		return nil, errors.Join(err, closeAll(p.ours))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errOut
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, closeAll(p.ours))
	}
	p.stdin, p.stdout, p.stderr = &counted{stdin, &s.writes}, stdout, stderr
	p.ours = []*os.File{stdin, stdout, stderr}
	go p.wait(release)
	return p, closeAll(theirs)
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// counted is a file that counts the writes to it.
type counted struct {
	*os.File
	n *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.n.Add(1)
	return c.File.Write(p)
}

// ReadFrom hides the method of the file, which would bypass the count.
func (c *counted) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c}, r)
}

type process struct {
	starter        *Starter
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr io.Reader
	ours           []*os.File
	ended, closed  chan struct{}
	closing        sync.Once
}

func (p *process) Stdin() io.WriteCloser { return p.stdin }
func (p *process) Stdout() io.Reader     { return p.stdout }
func (p *process) Stderr() io.Reader     { return p.stderr }

func (p *process) wait(release func()) {
	_ = p.cmd.Wait() // the outcome is in ProcessState
	release()
	close(p.ended)
}

// Wait implements [remote.Process].
func (p *process) Wait() (remote.Exit, error) {
	select {
	case <-p.ended:
	case <-p.closed:
		select {
		case <-p.ended:
		default:
			return remote.Exit{}, errors.New("the process was abandoned")
		}
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return remote.Exit{Code: status.ExitStatus()}, nil
	}
	return remote.Exit{Code: 128 + int(status.Signal()), Signal: signalNames[status.Signal()]}, nil
}

// Signal implements [remote.Process]. Like OpenSSH, it signals the process group; with
// NoSession, it signals only the process.
func (p *process) Signal(name string) error {
	if p.starter.NoSignals {
		return errors.New("this server does not support signals")
	}
	for signal, known := range signalNames {
		if known == name {
			if p.starter.NoSession {
				return p.cmd.Process.Signal(signal)
			}
			return syscall.Kill(-p.cmd.Process.Pid, signal)
		}
	}
	return errors.New("unknown signal " + name)
}

// Ping implements [remote.Process].
func (p *process) Ping() error { return nil }

// Close implements [remote.Process]. It does not kill a running program.
func (p *process) Close() error {
	p.closing.Do(func() {
		close(p.closed)
		_ = closeAll(p.ours) // the input may be closed already
	})
	return nil
}

// signalNames maps signals to the names that SSH defines.
var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "ABRT", syscall.SIGALRM: "ALRM", syscall.SIGFPE: "FPE", syscall.SIGHUP: "HUP",
	syscall.SIGILL: "ILL", syscall.SIGINT: "INT", syscall.SIGKILL: "KILL", syscall.SIGPIPE: "PIPE",
	syscall.SIGQUIT: "QUIT", syscall.SIGSEGV: "SEGV", syscall.SIGTERM: "TERM",
	syscall.SIGUSR1: "USR1", syscall.SIGUSR2: "USR2",
}

// WaitGone waits until no process has text in its arguments. It fails the test after a
// minute.
func WaitGone(tb testing.TB, text string) {
	tb.Helper()
	for end := time.Now().Add(time.Minute); strings.Contains(Arguments(tb), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("a process with %s in its arguments is still running", text)
		}
	}
}

// Arguments returns the command lines of all processes of this host, one per line.
func Arguments(tb testing.TB) string {
	tb.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		tb.Error(err)
	}
	if len(files) == 0 { // not Linux
		out, err := exec.CommandContext(tb.Context(), "ps", "-A", "-o", "args=").Output()
		if err != nil {
			tb.Error(err)
		}
		return string(out)
	}
	var all strings.Builder
	for _, file := range files {
		text, _ := os.ReadFile(file) // the process may have ended
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// Keeper keeps one session open. Once that session has ended, Hold opens another one.
type Keeper[S interface {
	Done() <-chan struct{}
	Close() error
}] struct {
	mu      sync.Mutex
	session S
	open    bool
}

// Hold returns the session and calls open if there is none. The error is that of open.
func (k *Keeper[S]) Hold(ctx context.Context, open func(ctx context.Context) (S, error)) (session S, release func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open {
		select {
		case <-k.session.Done():
			k.open = false
		default:
		}
	}
	if !k.open {
		if k.session, err = open(ctx); err != nil {
			return k.session, nil, err
		}
		k.open = true
	}
	return k.session, func() {}, nil
}

// Close closes the session, if there is one.
func (k *Keeper[S]) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open {
		_ = k.session.Close() // its error does not matter
		k.open = false
	}
}

// Variant is a kind of host, with a certain shell and certain tools.
type Variant struct {
	Name    string
	Program string // required program
	// New returns a host of this kind. If the program is missing, the test is skipped or fails: see [Need].
	New func(tb testing.TB) *Starter
}

// Variants returns the kinds of hosts that shell scripts should be tested on: with
// different programs as sh, and one with the tools of busybox only.
func Variants() []Variant {
	return append([]Variant{{Name: "busybox only", Program: "busybox", New: Busybox}}, withShells("dash", "bash", "busybox")...)
}

// RareVariants returns the kinds of hosts with mksh and ksh as sh, for scripts that use shell features in
// which these shells differ from the others.
func RareVariants() []Variant { return withShells("mksh", "ksh") }

// OnEach runs a test on a host of each kind.
func OnEach(t *testing.T, kinds []Variant, test func(t *testing.T, s *Starter)) {
	t.Helper()
	for _, v := range kinds {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			test(t, v.New(t))
		})
	}
}

func withShells(shells ...string) []Variant {
	var variants []Variant
	for _, shell := range shells {
		variants = append(variants, Variant{Name: shell, Program: shell, New: func(tb testing.TB) *Starter {
			tb.Helper()
			dir := tb.TempDir()
			link(tb, Need(tb, shell), filepath.Join(dir, "sh"))
			return &Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}}
		}})
	}
	return variants
}

// Busybox returns a host that has only the tools of busybox.
func Busybox(tb testing.TB) *Starter {
	tb.Helper()
	busybox := Need(tb, "busybox")
	dir := tb.TempDir()
	if out, err := exec.CommandContext(tb.Context(), busybox, "--install", "-s", dir).CombinedOutput(); err != nil {
		tb.Fatalf("busybox --install: %v: %s", err, out)
	}
	return &Starter{Shell: []string{filepath.Join(dir, "sh")}, Env: []string{"PATH=" + dir}}
}

// Need returns the path of a program. If the program is missing, the test is skipped;
// in CI, the test fails if the program is dash, bash, busybox or sudo.
func Need(tb testing.TB, program string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	switch program {
	case "dash", "bash", "busybox", "sudo":
		if os.Getenv("CI") != "" {
			tb.Fatalf("%s is missing: install the package %s", program, program)
		}
	}
	tb.Skipf("%s is missing: install the package %s to run this test", program, program)
	return ""
}

func link(tb testing.TB, target, path string) {
	tb.Helper()
	if err := os.Symlink(target, path); err != nil {
		tb.Fatal(err)
	}
}

// WriteProgram writes a program that can be executed at once. A process forked by another
// goroutine could inherit the file open for writing, and the kernel refuses to execute such
// a file (ETXTBSY); so no process is forked during the write.
func WriteProgram(tb testing.TB, path, text string) {
	tb.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		tb.Fatal(err)
	}
}

// TrustedDirs returns the [remotefs.TrustedDirs] of a host on which operations are done as the user of the test.
func TrustedDirs() *remotefs.TrustedDirs {
	if os.Geteuid() != 0 {
		return nil
	}
	return &remotefs.TrustedDirs{}
}
