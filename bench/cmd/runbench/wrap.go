//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"
)

// An engine starts a provider by its file name. That is a link to this program, which
// starts the real provider and, after that has ended, appends its resource usage to a file,
// as a line of JSON.
const (
	// wrapEnv contains the command line of the real provider.
	wrapEnv = "RUNBENCH_PROVIDER"
	// usageEnv contains the path of the file for the usage.
	usageEnv = "RUNBENCH_USAGE"
)

// usage is the resource usage of one or several provider processes.
type usage struct {
	CPU time.Duration
	// PeakKB is the largest resident size in KiB.
	PeakKB int64
}

// wrap runs the provider to its end and returns its exit code.
func wrap(command string) int {
	// The provider is killed when the thread that started it ends, so an engine that kills
	// this process leaves no process behind.
	goruntime.LockOSThread()
	args := strings.Fields(command)
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...) //nolint:gosec // G702: running the command that it is given is what a wrapper does
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			fmt.Fprintln(os.Stderr, "start provider:", err)
			return 1
		}
	}
	if err := appendUsage(os.Getenv(usageEnv), cmd.ProcessState); err != nil {
		fmt.Fprintln(os.Stderr, "report provider usage:", err)
		return 1
	}
	return max(cmd.ProcessState.ExitCode(), 0)
}

func appendUsage(path string, state *os.ProcessState) (err error) {
	rusage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("no resource usage of %s", state)
	}
	line, err := json.Marshal(usage{CPU: state.UserTime() + state.SystemTime(), PeakKB: rusage.Maxrss})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(append(line, '\n'))
	return err
}

// readUsage adds up the processor times and returns the highest peak of all provider
// processes since the file was removed. A missing file means that no provider ran.
func readUsage(path string) (usage, error) {
	var total usage
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return total, nil
	}
	if err != nil {
		return total, err
	}
	for line := range strings.Lines(string(b)) {
		var u usage
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			return total, err
		}
		total.CPU += u.CPU
		total.PeakKB = max(total.PeakKB, u.PeakKB)
	}
	return total, os.Remove(path)
}
