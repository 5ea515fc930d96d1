//go:build linux

package local

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEnlargedPipe checks that all data in a pipe is copied at the deadline, even if the pipe has more than the
// default capacity. The write end stays open, as in a process that the command left running.
func TestEnlargedPipe(t *testing.T) {
	t.Parallel()
	const size = 300_000
	var got strings.Builder
	outputs, err := connect(&exec.Cmd{}, &got, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := outputs[0]
	defer o.write.Close()
	if _, err := unix.FcntlInt(o.write.Fd(), unix.F_SETPIPE_SZ, 1<<19); err != nil {
		t.Skipf("the pipe cannot be enlarged: %v", err)
	}
	if _, err := o.write.WriteString(strings.Repeat("x", size)); err != nil {
		t.Fatal(err)
	}
	if err := o.read.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	o.copy()
	if got.Len() != size || o.err != nil {
		t.Errorf("copied %d bytes (error %v), want %d", got.Len(), o.err, size)
	}
}
