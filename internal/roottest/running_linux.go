package roottest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

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

// launch starts the first process of a root. Streams may be nil, or set the
// streams of the command.
func launch(ctx context.Context, s spec, streams func(*exec.Cmd)) (*running, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{firstName}
	cmd.ExtraFiles = []*os.File{told}
	cmd.SysProcAttr = namespaces(s.PrivateNet)
	if streams != nil {
		streams(cmd)
	}
	err = cmd.Start()
	_ = told.Close() // of the first process
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: this system does not allow namespaces: %w", errImpossible, err), lifeline.Close())
	}
	r := &running{cmd: cmd, lifeline: lifeline}
	if err := json.NewEncoder(lifeline).Encode(s); err != nil && !errors.Is(err, syscall.EPIPE) { // it has printed the error
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
	_ = r.cmd.Process.Kill() // it may have ended
	_ = r.wait()             // killed
}

// identity returns the files with the hostname and name resolution.
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
