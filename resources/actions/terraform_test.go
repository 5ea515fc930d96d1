package actions_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// terraform returns a directory for the Terraform under test with the complete provider. It
// skips the test if that command is OpenTofu, which has no actions.
func terraform(t *testing.T) *acctest.Workdir {
	t.Helper()
	roottest.Require(t)
	if cli := acctest.Engine(t); cli.Kind != tfcli.Terraform {
		t.Skipf("%s has no actions; make matrix runs this test with Terraform", cli)
	}
	return acctest.NewServedWorkdir(t, "posix", func() (provider.Interface, error) { return resources.New("test") })
}

// trigger is a resource whose create runs the action.
func trigger(action string) string {
	return fmt.Sprintf("resource \"posix_file\" \"trigger\" {\n  path = \"/srv/trigger\"\n  content = \"\"\n  lifecycle {\n"+
		"    action_trigger {\n      events = [after_create]\n      actions = [action.%s]\n    }\n  }\n}\n", action)
}

// TestActionsOfTerraform runs each action of the provider by a trigger and by hand.
func TestActionsOfTerraform(t *testing.T) {
	w := terraform(t)
	block := startHost(t, "web1")
	run(t, "sh", "-c", "mkdir -p /run/openrc && : >/run/openrc/softlevel && rc-service cron start")
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, newBoot), 0o755))
	for _, c := range []struct {
		name, config string
		// effect is the output of a command that the action changes.
		effect string
	}{
		{"posix_command", `config {
			command = "date +%s%N >/run/commanded"
		}`, "cat /run/commanded"},
		{"posix_service_restart", `config {
			names = ["cron"]
		}`, "cat /run/crond.pid"},
		{"posix_reboot", `config {
			host     = "web1"
			interval = "100ms"
			timeout  = "60s"
		}`, "cat " + running},
		{"posix_wait", `config {
			host     = "web1"
			interval = "100ms"
			timeout  = "60s"
			command  = "echo >>/run/waited"
		}`, "cat /run/waited"},
	} {
		t.Run(c.name, func(t *testing.T) {
			effect := func() string {
				out, _ := exec.CommandContext(t.Context(), "sh", "-c", c.effect).CombinedOutput()
				return string(out)
			}
			w.Write("main.tf", block+trigger(c.name+".it")+"action \""+c.name+"\" \"it\" {\n"+c.config+"\n}\n")
			for _, args := range [][]string{{"apply"}, {"apply", "-invoke=action." + c.name + ".it"}} {
				before := effect()
				w.Do(nil, append(args, "-auto-approve", "-no-color")...)
				if after := effect(); after == before {
					t.Errorf("%s: %s prints %q before and after", args, c.effect, before)
				}
			}
			w.Do([]int{0}, "plan", "-detailed-exitcode")
			w.Do(nil, "destroy", "-auto-approve")
		})
	}
}

// TestInterruptedActionsOfTerraform interrupts Terraform while an action waits, and checks
// that Terraform reports an error and that the command of the action is killed.
func TestInterruptedActionsOfTerraform(t *testing.T) {
	w := terraform(t)
	block := startHost(t, "web1")
	const started = "/run/started"
	// The host does not become reachable.
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, "touch "+started+"; sleep 20"), 0o755))
	for name, config := range map[string]string{
		"posix_command": `command = "touch /run/started; exec sleep 4321"`,
		"posix_wait":    "command = \"touch /run/started; exit 1\"\n",
		"posix_reboot":  "host = \"web1\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Must(t, os.RemoveAll(started))
			w.Write("main.tf", block+"action \""+name+"\" \"it\" {\n  config {\n"+config+"\n  }\n}\n")
			cmd := w.Command(t.Context(), "apply", "-invoke=action."+name+".it", "-auto-approve", "-no-color")
			var output strings.Builder
			cmd.Stdout, cmd.Stderr = &output, &output
			resourcetest.Must(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
				select {
				case err := <-ended:
					t.Fatalf("Terraform ended before the action started: %v\n%s", err, &output)
				case <-time.After(20 * time.Millisecond):
				}
			}
			resourcetest.Must(t, cmd.Process.Signal(syscall.SIGINT))
			err := <-ended
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
				t.Errorf("%v, want exit code 1:\n%s", err, &output)
			}
			if !strings.Contains(output.String(), "interrupted") {
				t.Errorf("the output does not say that the action was interrupted:\n%s", &output)
			}
			if left := processes(t, "sleep 4321"); left != "" {
				t.Errorf("still running: %s", left)
			}
		})
	}
	listens(t)
}

// processes returns the PIDs of the processes with a command line.
func processes(t *testing.T, line string) (found string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	resourcetest.Must(t, err)
	for _, file := range all {
		text, _ := os.ReadFile(file)
		if strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " ")) == line {
			found += filepath.Base(filepath.Dir(file)) + " "
		}
	}
	return found
}
