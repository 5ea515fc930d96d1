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

// firstName is how a test binary is called that is to be the first process of a
// root, and lifeline the pipe that it is told on what to do. Its end is the end
// of who started it.
const (
	firstName = "roottest-first"
	lifeline  = 3
)

// failed is the status with which the first process says that there is no root.
const failed = 125

// It has to be here, as any test binary can be started as the first process, and
// has to become one before it does anything else. That this happens by accident
// takes both a name and a process number that nobody has.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) > 0 && os.Args[0] == firstName && os.Getpid() == 1 {
		os.Exit(first())
	}
}

// first makes the root, runs the command, and waits for all that it leaves
// behind until it ends. Then everything in the root ends.
func first() int {
	told := os.NewFile(lifeline, "lifeline")
	unix.CloseOnExec(lifeline)
	var s spec
	decoder := json.NewDecoder(told)
	if err := decoder.Decode(&s); err != nil {
		return complain(fmt.Errorf("nobody says what to do: %w", err))
	}
	go func() {
		_, _ = io.Copy(io.Discard, told) // until it ends, in whatever way
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

// run runs the command and says its status.
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
		case pid != process.Pid: // an orphan, which is the first process's to bury
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// restrict takes from all that runs in a root what no namespace keeps from the
// machine: its clock, its kernel's modules, its ports.
func restrict() error {
	for _, capability := range []uintptr{unix.CAP_SYS_TIME, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return fmt.Errorf("give up a capability: %w", err)
		}
	}
	return nil
}
