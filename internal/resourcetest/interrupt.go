package resourcetest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Interrupt runs a command of OpenTofu or Terraform, interrupts it when started returns true, as Ctrl-C
// does, and returns its result. It fails the test if the command ends before the interrupt, is killed by
// a signal, or is still running one minute after the interrupt.
func Interrupt(t *testing.T, w *acctest.Workdir, started func() bool, args ...string) acctest.Result {
	t.Helper()
	cmd := w.Command(t.Context(), args...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	Must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !started() {
		select {
		case err := <-ended:
			t.Fatalf("%s ended before the interrupt: %v\n%s", args, err, &output)
		case <-time.After(20 * time.Millisecond):
		}
	}
	Must(t, cmd.Process.Signal(os.Interrupt))
	var err error
	select {
	case err = <-ended:
	case <-time.After(time.Minute):
		t.Fatalf("%s still runs one minute after the interrupt", args)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return acctest.Result{Code: exit.ExitCode(), Output: output.String()}
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", args, err, &output)
	}
	return acctest.Result{Output: output.String()}
}
