package actions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// slowService is an OpenRC script whose start takes some time.
const slowService = "#!/sbin/openrc-run\nstart() {\n  >/run/started\n  sleep 2\n  >/run/restarted\n}\n"

// TestInterruptedActionsOfTerraform interrupts Terraform in the middle of each action, which is run by
// hand or by a trigger. Terraform fails with the error of the action. When Terraform ends, the
// provider has ended. The commands on the host then end, too; only a restart is completed.
func TestInterruptedActionsOfTerraform(t *testing.T) {
	requireTerraform(t)
	block := startHost(t, "web1")
	resourcetest.Must(t,
		// The host is not reachable for a while.
		os.WriteFile(program, fmt.Appendf(nil, restartFormat, ">/run/started; sleep 4"), 0o755),
		os.WriteFile("/etc/init.d/slow", []byte(slowService), 0o755),
	)
	run(t, "sh", "-c", "mkdir -p /run/openrc && : >/run/openrc/softlevel && rc-update --update")
	provided := resourcetest.NewProgram(t)
	w := acctest.NewWorkdir(t, provided)
	const endless = `command = ">/run/started; exec sleep 4321"` + "\n"
	tests := []struct {
		name, action, config string
		want                 string // text in the error
	}{
		{"a local command", "posix_command", endless, "was interrupted, and killed"},
		{"a command over SSH", "posix_command", endless + `host = "web1"`, "was interrupted, and killed"},
		// The interrupt follows the second attempt, which has no progress message: a message that comes after the
		// interrupt crashes Terraform 1.15 and 1.16.
		{"a wait", "posix_wait", "interval = \"100ms\"\n" + `command = "test -e /run/waited && >/run/started; >/run/waited; exit 1"`, "interrupted after"},
		{"the command of a wait", "posix_wait", endless + `host = "web1"`, "interrupted after"},
		{"a restart", "posix_service_restart", `names = ["slow"]`, "was completed, but the provider did not check whether the service runs"},
		{"a reboot", "posix_reboot", "host = \"web1\"\ninterval = \"100ms\"", "interrupted"},
		{"the condition of a reboot", "posix_reboot", strings.Replace(endless, "command", "only_if", 1) + `host = "web1"`, "cannot determine whether to reboot host web1"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.action] = true
		for _, by := range []string{"-invoke", "before_create", "after_create"} {
			t.Run(tt.name+"/"+by, func(t *testing.T) {
				const started = "/run/started"
				resourcetest.Must(t, os.RemoveAll(started), os.RemoveAll("/run/restarted"), os.RemoveAll("/run/waited"))
				config := fmt.Sprintf("action %q \"it\" {\n  config {\n%s\n  }\n}\n", tt.action, tt.config)
				args := []string{"apply", "-auto-approve", "-no-color"}
				if by == "-invoke" {
					args = append(args, "-invoke=action."+tt.action+".it")
				} else {
					config += trigger(by, tt.action+".it")
				}
				w.Write("main.tf", block+config)
				result := resourcetest.Interrupt(t, w, func() bool {
					_, err := os.Stat(started)
					return err == nil
				}, args...)
				if running := resourcetest.Running(provided); running != nil {
					t.Errorf("the provider still runs: %s", running)
				}
				for _, line := range []string{"sleep 4321", "sleep 2"} {
					left := processes(t, line)
					for end := time.Now().Add(10 * time.Second); left != "" && time.Now().Before(end); left = processes(t, line) {
						time.Sleep(20 * time.Millisecond) // the processes on the host may end later than Terraform
					}
					if left != "" {
						t.Errorf("%s still runs: %s", line, left)
					}
				}
				if result.Code != 1 || !resourcetest.WrappedText(tt.want).MatchString(result.Output) {
					t.Errorf("exit code %d, want 1 and the error %q:\n%s", result.Code, tt.want, result.Output)
				}
				if _, err := os.Stat(triggerPath); (err == nil) != (by == "after_create") {
					t.Errorf("%s exists: %t, want %t", triggerPath, err == nil, by == "after_create")
				}
				if _, err := os.Stat("/run/restarted"); err != nil && tt.action == "posix_service_restart" {
					t.Errorf("the restart was not completed: %v", err)
				}
				listens(t)
				w.Do(nil, "destroy", "-auto-approve", "-no-color")
			})
		}
	}
	p, err := newProvider()
	resourcetest.Must(t, err)
	for action := range p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Actions {
		if !tested[action] {
			t.Errorf("%s is not tested", action)
		}
	}
}

// processes returns the PIDs of the processes with this command line.
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
