package roottest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// maxWait is the maximum time until sshd listens, a killed root ends, or the journal is read.
const maxWait = 30 * time.Second

// started counts the roots of this process, for unique names.
var started atomic.Int64

// sshdRoot is a running root with its sshd.
type sshdRoot struct {
	*running
	stderr  *output
	systemd bool // sshd is a unit of systemd, and not the only program of the root
}

func start(tb testing.TB, o Options) (*Root, error) {
	tb.Helper()
	s, base, err := prepare(o.startedPackages())
	if err != nil {
		return nil, err
	}
	r := &Root{Hostname: fmt.Sprintf("host-%d", started.Add(1)), key: sshdtest.NewKey(tb)}
	hostKey := sshdtest.NewKey(tb)
	r.hostKey = hostKey.PublicKey()
	private, err := hostKey.PEM("")
	if err != nil {
		return nil, err
	}
	description := spec{
		Mount: s.mount(), Base: base,
		Hostname: r.Hostname,
		Files: append(identity(r.Hostname),
			file{Path: "/etc/ssh/ssh_host_ed25519_key", Content: string(private), Mode: 0o600},
			file{Path: "/root/.ssh/authorized_keys", Content: string(ssh.MarshalAuthorizedKey(r.key.PublicKey())), Mode: 0o600}),
		Dir: "/",
		Env: rootEnvironment(),
	}
	files := description.Files
	for range 20 {
		// A port below the ephemeral ports.
		r.port = 18000 + rand.IntN(12000)
		if o.Systemd {
			description.Systemd, description.Command, description.Env = true, []string{initProgram}, systemdEnvironment
			description.Files = slices.Concat(files, systemdFiles(r.port))
			if r.sshd, err = boot(description); err == nil || !strings.Contains(err.Error(), "Address already in use") {
				break
			}
			continue
		}
		description.Command = []string{
			"/usr/sbin/sshd", "-D", "-e",
			"-o", "ListenAddress=" + address + ":" + strconv.Itoa(r.port),
			"-o", "HostKey=/etc/ssh/ssh_host_ed25519_key", "-o", "LogLevel=VERBOSE",
		}
		if r.sshd, err = serve(description); err == nil || !strings.Contains(err.Error(), "Address already in use") {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	r.Dir = filepath.Join("/proc", strconv.Itoa(r.sshd.cmd.Process.Pid), "root")
	if o.Systemd {
		r.Dir = filepath.Join(r.Dir, mountedRoot(s.mount()))
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the log of %s:\n%s", r.Hostname, r.Log())
		}
		r.sshd.kill()
	})
	return r, nil
}

// rootEnvironment returns the environment of programs in a root. Of the environment of this
// process, it keeps only the proxy settings.
func rootEnvironment() []string {
	return environment(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !strings.HasSuffix(strings.ToLower(name), "_proxy") // apt needs the proxies
	}))
}

// launchSSHD starts a root with an sshd, and does not wait for it.
func launchSSHD(s spec) (sshdRoot, error) {
	stderr := &output{}
	r, err := launch(context.Background(), s, func(cmd *exec.Cmd) {
		cmd.Stderr = stderr
		cmd.WaitDelay = time.Second
	})
	return sshdRoot{running: r, stderr: stderr, systemd: s.Systemd}, err
}

// serve starts a root that runs sshd and waits until sshd listens.
func serve(s spec) (sshdRoot, error) {
	m, err := launchSSHD(s)
	if err != nil {
		return sshdRoot{}, err
	}
	for deadline := time.Now().Add(maxWait); ; time.Sleep(2 * time.Millisecond) {
		switch log := m.log(); {
		case strings.Contains(log, "Server listening on "):
			return m, nil
		case strings.Contains(log, "Cannot bind any address"), strings.HasPrefix(log, prefix):
			m.kill()
			return sshdRoot{}, fmt.Errorf("sshd of a root ended: %s", m.log())
		case time.Now().After(deadline):
			m.kill()
			return sshdRoot{}, fmt.Errorf("sshd of a root does not listen after %s: %s", maxWait, log)
		}
	}
}

// run runs a program in the running root.
func (m sshdRoot) run(ctx context.Context, args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("no command to run")
	}
	nsenter, err := lookPath("nsenter")
	if err != nil {
		return "", err
	}
	pid, err := m.pid()
	if err != nil {
		return "", err
	}
	enter := []string{"--target", strconv.Itoa(pid), "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--"}
	cmd := exec.CommandContext(ctx, nsenter, append(enter, args...)...)
	cmd.Env = rootEnvironment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s%s", err, out, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// pid returns the PID of the first process in the namespaces of the root.
func (m sshdRoot) pid() (int, error) {
	if m.systemd {
		return bootedProcess(m.cmd.Process.Pid)
	}
	return m.cmd.Process.Pid, nil
}

func (m sshdRoot) log() string {
	if m.systemd {
		return m.journal()
	}
	return m.stderr.String()
}

// output is the output of a program, safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// running is a root with a running first process.
type running struct {
	cmd      *exec.Cmd
	lifeline *os.File
}

// namespaces returns the attributes of the first process of a root. All
// processes in its namespaces end with it, and it ends with this process.
func namespaces(privateNet bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
	}
	if privateNet {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	return attr
}

// launch starts the first process of a root. If streams is not nil, launch calls it to
// set the streams of the command.
func launch(ctx context.Context, s spec, streams func(*exec.Cmd)) (*running, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	reader, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{firstName}
	cmd.ExtraFiles = []*os.File{reader}
	cmd.SysProcAttr = namespaces(s.PrivateNet)
	if s.Systemd {
		cmd.SysProcAttr.Pdeathsig = 0 // when the lifeline closes, the process removes its cgroup and ends
	}
	if streams != nil {
		streams(cmd)
	}
	err = cmd.Start()
	_ = reader.Close() // the first process has its own copy
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: this host does not allow namespaces: %w", errImpossible, err), lifeline.Close())
	}
	r := &running{cmd: cmd, lifeline: lifeline}
	if err := json.NewEncoder(lifeline).Encode(s); err != nil && !errors.Is(err, syscall.EPIPE) { // EPIPE: the process has ended and printed the error
		r.kill()
		return nil, err
	}
	return r, nil
}

// wait waits for the end of the root.
func (r *running) wait() error {
	err := r.cmd.Wait()
	return errors.Join(err, r.lifeline.Close())
}

// kill kills all processes of the root.
func (r *running) kill() {
	if r.cmd.SysProcAttr.Pdeathsig == 0 {
		_ = r.lifeline.Close() // the process then ends
		defer time.AfterFunc(maxWait, func() { _ = r.cmd.Process.Kill() }).Stop()
	} else {
		_ = r.cmd.Process.Kill() // the process may have ended
	}
	_ = r.wait() // killed
}

// identity returns the files for the hostname and for name resolution.
func identity(hostname string) []file {
	hosts := "127.0.0.1 localhost\n127.0.1.1 " + hostname + "\n::1 localhost\n"
	if content, err := os.ReadFile("/etc/hosts"); err == nil {
		hosts += string(content)
	}
	files := []file{
		{Path: "/etc/hostname", Content: hostname + "\n", Mode: 0o644},
		{Path: "/etc/hosts", Content: hosts, Mode: 0o644},
	}
	if resolver, err := os.ReadFile("/etc/resolv.conf"); err == nil {
		files = append(files, file{Path: "/etc/resolv.conf", Content: string(resolver), Mode: 0o644})
	}
	return files
}

// inside reports whether this process runs in a root.
func inside() bool {
	token := os.Getenv(envToken)
	mark, err := os.ReadFile(tokenFile)
	if token == "" || err != nil {
		return false
	}
	space, err := os.Readlink("/proc/self/ns/mnt")
	return err == nil && strings.TrimSpace(string(mark)) == token+"\n"+space
}
