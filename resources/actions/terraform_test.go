package actions_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// requireTerraform skips the test if the command is OpenTofu, or Terraform before 1.14: they have no actions.
func requireTerraform(t *testing.T) {
	t.Helper()
	roottest.Require(t)
	if cli := acctest.NeedsCLI(t); !cli.HasQueries() {
		t.Skipf("%s has no actions; make matrix runs this test with Terraform", cli)
	}
}

// trigger returns a resource that triggers the action before or after the create of the resource.
func trigger(event, action string) string {
	return fmt.Sprintf("resource \"posix_file\" \"trigger\" {\n  path = %q\n  content = \"\"\n  lifecycle {\n"+
		"    action_trigger {\n      events = [%s]\n      actions = [action.%s]\n    }\n  }\n}\n", triggerPath, event, action)
}

const triggerPath = "/srv/trigger"

// TestActionsOfTerraform runs each action of the provider by a trigger and by hand.
func TestActionsOfTerraform(t *testing.T) {
	requireTerraform(t)
	w := acctest.NewServedWorkdir(t, "posix", newProvider)
	block := startHost(t, "web1")
	run(t, "sh", "-c", "mkdir -p /run/openrc && : >/run/openrc/softlevel && rc-service cron start")
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, newBoot), 0o755))
	for _, c := range []struct {
		name, config string
		// effect is a command whose output the action changes.
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
			w.Write("main.tf", block+trigger("after_create", c.name+".it")+"action \""+c.name+"\" \"it\" {\n"+c.config+"\n}\n")
			for _, args := range [][]string{{"apply"}, {"apply", "-invoke=action." + c.name + ".it"}} {
				before := effect()
				w.Do(nil, append(args, "-auto-approve", "-no-color")...)
				if after := effect(); after == before {
					t.Errorf("%s: %s prints %q before and after, want a change", args, c.effect, before)
				}
			}
			w.Do([]int{0}, "plan", "-detailed-exitcode")
			w.Do(nil, "destroy", "-auto-approve")
		})
	}
}
