//go:build unix && !aix && !solaris

package local

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"time"

	"golang.org/x/sys/unix"
)

// maxPipe is the largest capacity of a pipe that Linux allows by default. With pages of 64 KiB, it is also the
// default capacity.
const maxPipe = 1 << 20

// output copies the output of a command to a writer. Package os/exec would close the pipe
// some time after the command has exited: output that a slow writer has not received by
// then would be lost, and the writer might still be in use.
type output struct {
	read, write *os.File // the two ends of the pipe
	to          io.Writer
	done        chan struct{} // closed when all is copied and err is set
	err         error
}

// connect sets the outputs of the command to new pipes, or to one pipe if both writers are
// the same. Files and nil writers are set without a pipe. It returns an output for each pipe.
func connect(cmd *exec.Cmd, stdout, stderr io.Writer) (outputs []*output, err error) {
	pipe := func(to io.Writer) (io.Writer, error) {
		if _, file := to.(*os.File); file || to == nil {
			return to, nil
		}
		o := &output{to: to, done: make(chan struct{})}
		if o.read, o.write, err = os.Pipe(); err != nil {
			return nil, err
		}
		outputs = append(outputs, o)
		return o.write, nil
	}
	if cmd.Stdout, err = pipe(stdout); err != nil {
		return nil, err
	}
	if stdout != nil && reflect.ValueOf(stdout).Comparable() && stdout == stderr {
		cmd.Stderr = cmd.Stdout
		return outputs, nil
	}
	if cmd.Stderr, err = pipe(stderr); err != nil {
		for _, o := range outputs {
			_ = errors.Join(o.read.Close(), o.write.Close())
		}
		return nil, err
	}
	return outputs, nil
}

// copy copies until the pipe ends. At the read deadline, it copies only the data that is
// already in the pipe.
func (o *output) copy() {
	defer close(o.done)
	defer func() { _ = o.read.Close() }() // if the writer fails, the command cannot write any more
	buffer := make([]byte, 64<<10)
	for {
		n, err := o.read.Read(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			o.err = o.rest(buffer)
			return
		}
		if n > 0 {
			if _, o.err = o.to.Write(buffer[:n]); o.err != nil {
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				o.err = err
			}
			return
		}
	}
}

// rest copies the data that is in the pipe, and does not wait for more. A process that goes on writing can
// add to it, up to about maxPipe in all.
func (o *output) rest(buffer []byte) error {
	_ = o.read.SetReadDeadline(time.Time{})
	raw, err := o.read.SyscallConn()
	if err != nil {
		return err
	}
	for left := maxPipe; left > 0; {
		n := 0
		_ = raw.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), buffer)
			return true
		})
		if n <= 0 {
			return nil
		}
		if _, err := o.to.Write(buffer[:n]); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// finish waits for the outputs of a command that has exited. Processes that it left running
// may keep the pipes open: after the delay, only data already in the pipes is read.
func finish(outputs []*output, delay time.Duration) error {
	timer := time.AfterFunc(delay, func() {
		for _, o := range outputs {
			_ = o.read.SetReadDeadline(time.Now())
		}
	})
	defer timer.Stop()
	var errs []error
	for _, o := range outputs {
		<-o.done
		errs = append(errs, o.err)
	}
	return errors.Join(errs...)
}
