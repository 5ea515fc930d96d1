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

// running is a root whose first process was started.
type running struct {
	cmd      *exec.Cmd
	lifeline *os.File
}

// namespaces are those of a root. All that is in them ends with the first
// process, and that with this one.
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

// launch starts the first process of a root. Streams may be nil, or set those of
// the command.
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
	_ = told.Close() // it is the first process's
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: this system gives no namespaces: %w", errImpossible, err), lifeline.Close())
	}
	r := &running{cmd: cmd, lifeline: lifeline}
	if err := json.NewEncoder(lifeline).Encode(s); err != nil && !errors.Is(err, syscall.EPIPE) { // then it says itself why it ended
		r.kill()
		return nil, err
	}
	return r, nil
}

// wait waits until the root has ended.
func (r *running) wait() error {
	err := r.cmd.Wait()
	return errors.Join(err, r.lifeline.Close())
}

// kill ends all that is in the root.
func (r *running) kill() {
	_ = r.cmd.Process.Kill() // it may have ended
	_ = r.wait()             // it was killed
}

// identity has the files that say what a root is called, and how it finds others.
func identity(hostname string) []file {
	hosts := "127.0.0.1 localhost\n127.0.1.1 " + hostname + "\n::1 localhost\n"
	if machine, err := os.ReadFile("/etc/hosts"); err == nil {
		hosts += string(machine)
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

// inside says whether this process is in a root already.
func inside() bool {
	token := os.Getenv(envToken)
	mark, err := os.ReadFile(tokenFile)
	if token == "" || err != nil {
		return false
	}
	space, err := os.Readlink("/proc/self/ns/mnt")
	return err == nil && strings.TrimSpace(string(mark)) == token+"\n"+space
}
