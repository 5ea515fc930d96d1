package roottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstName is the name of a test binary that runs as the first process of a
// root. Lifeline is the pipe with its instructions, which closes when the
// process that started it ends.
const (
	firstName = "roottest-first"
	lifeline  = 3
)

// failed is the exit status of the first process if it could not create the
// root.
const failed = 125

// This is an init function because any test binary can be started as the first
// process, and must become it before anything else runs. The name and PID 1
// rule out an accident.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) > 0 && os.Args[0] == firstName && os.Getpid() == 1 {
		os.Exit(first())
	}
}

// first creates the root, runs the command, and reaps orphans until the command
// ends. Then everything in the root ends.
func first() int {
	told := os.NewFile(lifeline, "lifeline")
	unix.CloseOnExec(lifeline)
	var s spec
	decoder := json.NewDecoder(told)
	if err := decoder.Decode(&s); err != nil {
		return complain(fmt.Errorf("read the instructions: %w", err))
	}
	go func() {
		_, _ = io.Copy(io.Discard, told) // until it ends
		os.Exit(failed)
	}()
	if err := s.enter(); err != nil {
		return complain(err)
	}
	if err := restrict(); err != nil {
		return complain(err)
	}
	return s.run()
}

func complain(err error) int {
	say("%v", err)
	return failed
}

// run runs the command and returns its exit status.
func (s *spec) run() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	path := s.Command[0]
	if !filepath.IsAbs(path) {
		var err error
		if path, err = lookPath(path); err != nil {
			return complain(err)
		}
	}
	process, err := os.StartProcess(path, s.Command, &os.ProcAttr{
		Dir: s.Dir, Env: s.Env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		return complain(err)
	}
	go func() {
		for sig := range signals {
			_ = process.Signal(sig) // it may have ended
		}
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return complain(fmt.Errorf("wait for %s: %w", path, err))
		case pid != process.Pid: // an orphan, which the first process must reap
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// restrict drops the capabilities that namespaces do not restrict: to change
// the clock, load kernel modules and access I/O ports.
func restrict() error {
	for _, capability := range []uintptr{unix.CAP_SYS_TIME, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return fmt.Errorf("drop a capability: %w", err)
		}
	}
	return nil
}
