package faulttest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestKillCommand kills the provider while a command runs: first create, then update. The apply fails, and
// the next one runs the command again.
func TestKillCommand(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	program, dir := resourcetest.NewProgram(t), resourcetest.TempDir(t)
	pipe := filepath.Join(dir, "pipe")
	k := newInProcess(t, program, resourcetest.Expand(dir, `
variable "v" {
  type = number
}
resource "posix_command" "it" {
  working_directory = "DIR"
  triggers          = { v = var.v }
  create            = "echo create >>log; [ ! -p pipe ] || cat pipe"
  update            = "echo update >>log; [ ! -p pipe ] || cat pipe"
}
`))
	for i, want := range []string{"create create", "create create update update"} {
		v := i + 1
		resourcetest.Must(t, syscall.Mkfifo(pipe, 0o600))
		applied := make(chan error, 1)
		go func() { applied <- k.apply(t.Context(), v) }()
		opened := make(chan *os.File, 1)
		go func() {
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the command opens it
			if err != nil {
				t.Error(err)
			}
			opened <- w
		}()
		select {
		case err := <-applied:
			t.Fatalf("the apply ended before the provider was killed: %v", err)
		case w := <-opened:
			resourcetest.Must(t, resourcetest.Process(program).Kill())
			if err := <-applied; err == nil {
				t.Error("the apply of a killed provider succeeded")
			}
			resourcetest.Must(t, os.Remove(pipe), w.Close())
		}
		resourcetest.Must(t, k.apply(t.Context(), v), k.unchanged(t.Context(), v))
		log, err := os.ReadFile(filepath.Join(dir, "log"))
		resourcetest.Must(t, err)
		if ran := strings.Join(strings.Fields(string(log)), " "); ran != want {
			t.Errorf("commands that ran: %s, want %s", ran, want)
		}
	}
}
