package service_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/provider"
)

// testHost is a host with a running systemd, or its transcript.
type testHost struct {
	host.Host
	t *testing.T
}

// systemdHost returns a host with a running systemd. In the fast tier, the host replays the
// transcript of the test.
func systemdHost(t *testing.T, booted resourcetest.Booted, watch ...string) testHost {
	t.Helper()
	if booted.Root != nil && !transcript.Recording() {
		return testHost{booted, t}
	}
	h := transcript.Host(t, "testdata/"+t.Name()+".transcript", transcript.Options{
		Real: func() (host.Host, error) { return booted, nil },
		// Of the provider's scripts, only the one with daemon-reload changes the host.
		ReadOnly: func(args []string) bool { return args[0] == "/bin/sh" && !strings.Contains(args[2], "daemon-reload") },
		Watch:    watch,
		Versions: [][]string{{"systemctl", "--version"}},
		Host:     memory.Config{Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}}},
	})
	if _, err := host.MakeParents(t.Context(), h, "/etc/systemd/system/x", host.Attributes{}); err != nil {
		t.Fatal(err)
	}
	return testHost{h, t}
}

// boot returns a root with a running systemd, or the zero value in the fast tier.
func boot(t *testing.T) resourcetest.Booted {
	t.Helper()
	if tier.Pick(true, false, false) {
		return resourcetest.Booted{}
	}
	return resourcetest.Boot(t)
}

// TestSystemd runs all its subtests on one root with systemd, except in the fast tier.
func TestSystemd(t *testing.T) {
	booted := boot(t)
	t.Run("Errors", func(t *testing.T) { testSystemdErrors(t, booted) })
	t.Run("Triggers", func(t *testing.T) { testSystemdTriggers(t, booted) })
	t.Run("Found", func(t *testing.T) { testSystemdFound(t, booted) })
	t.Run("ImportedUnit", func(t *testing.T) { testSystemdImportedUnit(t, booted) })
	t.Run("RejectedDropIn", func(t *testing.T) { testSystemdRejectedDropIn(t, booted) })
	t.Run("Conformance", func(t *testing.T) { testSystemdConformance(t, booted) })
}

func (m testHost) provider() func() (provider.Interface, error) {
	return resourcetest.ProviderOn(types, func() (host.Host, error) { return m, nil })
}

// sh runs a script on the host and returns its trimmed output, even after an error.
func (m testHost) sh(script string) (string, error) {
	var out strings.Builder
	r, err := m.Run(context.Background(), host.Command{Args: []string{"sh", "-ec", script}, Stdout: &out, Stderr: &out})
	if err == nil && r.ExitCode != 0 {
		err = fmt.Errorf("exit code %d: %s", r.ExitCode, out.String())
	}
	return strings.TrimSpace(out.String()), err
}

func (m testHost) must(script string) string {
	m.t.Helper()
	out, err := m.sh(script)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

func (m testHost) does(script string) func() error {
	return func() error {
		_, err := m.sh(script)
		return err
	}
}

func (m testHost) prints(script, want string) func() error {
	return func() error {
		got, err := m.sh(script + " || :")
		if err == nil && got != want {
			err = fmt.Errorf("%s prints %q, want %q", script, got, want)
		}
		return err
	}
}

// units installs units, and stops, disables and removes them at the end of the test.
func (m testHost) units(units map[string]string) {
	m.t.Helper()
	const dir = "/run/systemd/system/" // not /etc, where posix_systemd_unit writes its files
	var install, names strings.Builder
	for _, name := range slices.Sorted(maps.Keys(units)) {
		fmt.Fprintf(&install, "cat >%s%s <<'END'\n%sEND\n", dir, name, units[name])
		fmt.Fprintf(&names, " %s", name)
	}
	m.must("mkdir -p " + dir + "\n" + install.String() + "systemctl daemon-reload")
	m.t.Cleanup(func() {
		if _, err := m.sh(fmt.Sprintf("cd %s; systemctl stop %[2]s || :; systemctl disable --quiet %[2]s || :; rm %[2]s; systemctl daemon-reload; systemctl reset-failed", dir, names.String())); err != nil {
			m.t.Error(err)
		}
	})
}

// loops waits until the service posixform-loops has crashed and systemd waits to restart it.
const loops = "until systemctl show -p SubState posixform-loops | grep auto-restart; do sleep 0.1; done"

// counted is a service that logs its operations.
const counted = `[Service]
ExecStartPre=/bin/sh -c 'echo start >>/run/posixform.log'
ExecStart=/bin/sleep infinity
ExecReload=/bin/sh -c 'echo reload >>/run/posixform.log'
ExecStopPost=/bin/sh -c 'echo stop >>/run/posixform.log'
[Install]
WantedBy=multi-user.target
`

const withFunctions = "terraform {\n  required_providers {\n    posix = { source = \"posixform/posix\" }\n  }\n}\n"

// TestSystemdLife runs the example of a unit with a service.
func TestSystemdLife(t *testing.T) {
	t.Parallel()
	const unit = "/etc/systemd/system/worker.service"
	m := systemdHost(t, boot(t), unit)
	life := resourcetest.Life{
		Provider: m.provider(), Config: withFunctions + resourcetest.ExampleFile(t, "resources/posix_systemd_unit/resource_service.tf"),
		Address: "posix_service.worker", ImportID: "worker", WithHost: m.Name() + ":worker.service",
		NotImported: []string{"triggers"},
		Drifts: map[string]resourcetest.Drift{
			"stopped":  {Make: m.does("systemctl stop worker"), Plan: "update running status", Check: m.prints("systemctl is-active worker", "active")},
			"disabled": {Make: m.does("systemctl disable worker"), Plan: "update enabled status", Check: m.prints("systemctl is-enabled worker", "enabled")},
			"both":     {Make: m.does("systemctl disable --now worker"), Plan: "update enabled running status", Check: m.prints("systemctl is-active worker; systemctl is-enabled worker", "active\nenabled")},
			"the unit": {
				Make:   m.does("echo '# by hand' >>" + unit + "; touch -d '1 minute' " + unit),
				Others: resourcetest.Changes{"posix_systemd_unit.worker": "update content reload_needed"},
				Check:  m.prints("systemctl show -p NeedDaemonReload worker", "NeedDaemonReload=no"),
			},
			"the unit is read again": {
				Make:   m.does("touch -d '2 minutes' " + unit),
				Others: resourcetest.Changes{"posix_systemd_unit.worker": "update reload_needed"},
				Check:  m.prints("systemctl show -p NeedDaemonReload worker", "NeedDaemonReload=no"),
			},
		},
		Exists: func() (bool, error) {
			output, err := m.sh("systemctl is-active worker || systemctl cat worker 2>&1 || :")
			return !strings.Contains(output, "No files found"), err
		},
	}
	life.Run(t)
}

func testSystemdErrors(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	m := systemdHost(t, booted)
	const sleeps = "[Service]\nExecStart=/bin/sleep infinity\n"
	m.units(map[string]string{
		"posixform-dies.service":    "[Service]\nExecStart=/bin/sh -c 'echo the port is taken >&2; exit 3'\n",
		"posixform-late.service":    "[Service]\nExecStart=/bin/sh -c 'sleep 0.1; exit 4'\n",
		"posixform-notify.service":  "[Service]\nType=notify\nExecStart=/bin/sh -c 'echo no licence >&2; exit 5'\n",
		"posixform-loops.service":   "[Service]\nExecStart=/bin/false\nRestart=always\nRestartSec=1h\n",
		"posixform-once.service":    "[Service]\nType=oneshot\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n",
		"posixform-stays.service":   "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n",
		"posixform-static.service":  sleeps,
		"posixform-real.service":    sleeps + "[Install]\nWantedBy=multi-user.target\n",
		"posixform-also.service":    sleeps + "[Install]\nAlso=posixform-once.service\n",
		"posixform-masked.service":  sleeps + "[Install]\nWantedBy=multi-user.target\n",
		"posixform-at@.service":     sleeps + "[Install]\nWantedBy=multi-user.target\n",
		"posixform-refused.service": "[Service]\nRestart=always\n",
	})
	m.must("systemctl mask --runtime ssh.socket; ln -sf /run/systemd/system/posixform-real.service /run/systemd/system/posixform-alias.service; systemctl daemon-reload; systemctl start posixform-real posixform-static posixform-loops\n" + loops)
	t.Cleanup(func() {
		m.must("systemctl unmask --runtime ssh.socket; rm /run/systemd/system/posixform-alias.service")
	})
	config := func(name, rest string) string {
		return fmt.Sprintf("resource \"posix_service\" \"it\" {\n  name = %q\n%s\n}\n", name, rest)
	}
	for _, tt := range []struct {
		name, rest string
		planned    bool
		want       string
	}{
		{"dies", "running = true", false, "posixform-dies on host " + m.Name() + " does not start: it is failed (failed), with the result exit-code, status 3"},
		{"dies", "running = true", false, "the port is taken"},
		{"late", "running = true", false, "it is failed (failed), with the result exit-code, status 4"},
		{"notify", "running = true", false, "no licence"},
		{"loops", "running = true", false, "it is activating (auto-restart), with the result exit-code, status 1"},
		{"refused", "running = true", true, "cannot load the unit posixform-refused.service (bad-setting)"},
		{"once", "running = true", true, "is of type oneshot and exits when it has finished"},
		{"static", "enabled = true", true, "cannot be enabled: its unit file has no [Install] section"},
		{"also", "enabled = true", true, "only has Also= under [Install]"},
		{"alias", "enabled = true", true, `set name = "posixform-real"`},
		{"static", "triggers = { a = 1 }\non_change = \"reload\"", false, "cannot reload, since its unit has no ExecReload="},
		{"ghost", "running = true", false, "has no service posixform-ghost. Install it first"},
		{"static", "runlevel = \"boot\"", true, "which does not support runlevels"},
	} {
		resourcetest.Fails(t, m.provider(), config("posixform-"+tt.name, tt.rest), tt.planned, tt.want)
	}
	resourcetest.Fails(t, m.provider(), config("ssh.socket", "running = true"), true, "is masked and cannot be started: set masked = false")
	factories := acctest.Factories("posix", m.provider())
	is := func(name, value string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("posix_service.it", name, value)
	}
	for _, steps := range [][]resource.TestStep{
		{{Config: config("posixform-stays", "running = true"), Check: is("status", "active (exited)")}},
		{{Config: config("posixform-once", "enabled = true\nrunning = false"), Check: is("status", "inactive (dead)")}},
		{{Config: config("posixform-at@one", "enabled = true\nrunning = true"), Check: is("status", "active (running)")}},
		{{Config: config("systemd-tmpfiles-clean.timer", "running = true\non_destroy = \"leave\""), Check: is("status", "active (waiting)")}},
		{{Config: config("posixform-alias", "running = true\non_destroy = \"leave\""), Check: is("status", "active (running)")}},
		{{
			Config: config("posixform-loops", "running = false"), Check: resource.TestMatchResourceAttr("posix_service.it", "status", regexp.MustCompile("^(failed|inactive) ")),
			PreConfig: func() { m.must("systemctl restart posixform-loops\n" + loops) },
		}},
	} {
		acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: steps})
	}
}

// testSystemdTriggers checks which operations the triggers of a service cause, that changed units are reloaded
// before a restart, that an apply waits for a starting service, and that a starting service does not count as drift.
func testSystemdTriggers(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	m := systemdHost(t, booted)
	m.units(map[string]string{
		"posixform-counted.service": counted,
		"posixform-slow.service":    "[Service]\nType=notify\nNotifyAccess=all\nExecStart=/bin/sh -c 'sleep 3; systemd-notify --ready; exec sleep infinity'\n",
	})
	m.must("rm -f /run/posixform.log")
	config := func(rest string) string {
		return "resource \"posix_service\" \"it\" {\n  name = \"posixform-counted\"\n" + rest + "\n}\n"
	}
	log := func() string {
		return m.must("if [ -e /run/posixform.log ]; then tr '\\n' ' ' </run/posixform.log; rm /run/posixform.log; fi")
	}
	logs := func(rest, want string) resource.TestStep {
		return resource.TestStep{Config: config(rest), Check: func(*terraform.State) error {
			if got := log(); got != want {
				return fmt.Errorf("with %s: operations %q, want %q", rest, got, want)
			}
			return nil
		}}
	}
	outdated := logs("running = true\ntriggers = { a = \"5\" }", "stop start")
	outdated.PreConfig = func() {
		m.must("touch -d '1 minute' /run/systemd/system/posixform-counted.service; systemctl show -p NeedDaemonReload posixform-counted | grep yes")
	}
	reads := logs("running = true\ntriggers = { a = \"5\" }", "")
	reads.Check = func(*terraform.State) error {
		return m.prints("systemctl show -p NeedDaemonReload posixform-counted", "NeedDaemonReload=no")()
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", m.provider()), Steps: []resource.TestStep{
		logs("enabled = true\nrunning = true\ntriggers = { a = \"1\" }", "start"),
		logs("enabled = true\nrunning = true\ntriggers = { a = \"2\" }", "stop start"),
		logs("running = true\non_change = \"reload\"\ntriggers = { a = \"3\" }", "reload"),
		logs("running = true\non_change = \"reload-or-restart\"\ntriggers = { a = \"4\" }", "reload"),
		outdated, reads,
		logs("running = false\ntriggers = { a = \"6\" }", "stop"),
		logs("running = false\ntriggers = { a = \"7\" }", ""),
	}})
	slow := "resource \"posix_service\" \"slow\" {\n  name = \"posixform-slow\"\n  running = true\n}\n"
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", m.provider()), Steps: []resource.TestStep{{
		PreConfig: func() { m.must("systemctl start --no-block posixform-slow") },
		Config:    slow, Check: resource.TestCheckResourceAttr("posix_service.slow", "status", "active (running)"),
	}, {
		PreConfig:        func() { m.must("systemctl restart --no-block posixform-slow; sleep 1") },
		Config:           slow,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{}}}, // the job is in progress
	}}})
}

// testSystemdFound checks the data source and the list resource of services, and the action that restarts them.
func testSystemdFound(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	m := systemdHost(t, booted)
	m.units(map[string]string{
		"posixform-counted.service": counted,
		"posixform-idle.service":    "[Unit]\nDescription=Does nothing\n[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n",
		"posixform-at@.service":     "[Service]\nExecStart=/bin/sleep infinity\n",
		"posixform-dies.service":    "[Service]\nExecStart=/bin/false\n",
		"posixform-timer.timer":     "[Timer]\nOnBootSec=1y\nUnit=posixform-dies.service\n",
		"posixform-loops.service":   "[Service]\nExecStart=/bin/false\nExecReload=/bin/true\nRestart=always\nRestartSec=1h\n",
	})
	m.must("systemctl start posixform-loops\n" + loops)
	m.must("systemctl start posixform-counted posixform-at@one posixform-timer.timer; systemctl enable posixform-idle; rm -f /run/posixform.log")
	list := func(rest string) string {
		return "data \"posix_services\" \"it\" {\n  name_pattern = \"posixform-.*\"\n" + rest + "\n}\n"
	}
	has := func(n int, attrs map[string]string) resource.TestCheckFunc {
		return resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("data.posix_services.it", "services.#", fmt.Sprint(n)),
			resource.TestCheckTypeSetElemNestedAttrs("data.posix_services.it", "services.*", attrs))
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", m.provider()), Steps: []resource.TestStep{
		{Config: list(""), Check: has(5, map[string]string{"name": "posixform-idle", "enabled": "true", "running": "false", "masked": "false", "unit_file_state": "enabled"})},
		{Config: list("enabled = true"), Check: has(1, map[string]string{"name": "posixform-idle"})},
		{Config: list("running = true"), Check: has(2, map[string]string{"name": "posixform-at@one", "status": "active (running)", "enabled": "false"})},
		{Config: list("type = \"timer\""), Check: has(1, map[string]string{"name": "posixform-timer.timer", "status": "active (waiting)"})},
	}})
	found := resourcetest.Query(t, m.provider(), `
list "posix_service" "it" {
  provider         = posix
  include_resource = true
  config {
    name_pattern = "posixform-.*"
  }
}
`)["it"]
	var names []string
	for _, f := range found {
		names = append(names, fmt.Sprintf("%s enabled=%t running=%t", f.Identity.GetAttr("name").AsString(), f.Object.GetAttr("enabled").True(), f.Object.GetAttr("running").True()))
	}
	if diff := cmp.Diff([]string{
		"posixform-at@one enabled=false running=true", "posixform-counted enabled=false running=true", "posixform-idle enabled=true running=false",
	}, names); diff != "" {
		t.Errorf("listed services (-want +got):\n%s", diff)
	}
	action := func(name, mode string) string {
		return "action \"posix_service_restart\" \"it\" {\n  config {\n    names = [\"posixform-" + name + "\"]\n    mode = \"" + mode + "\"\n  }\n}\n"
	}
	for _, tt := range []struct{ name, mode, log, planned, failed string }{
		{name: "counted", mode: "restart", log: "stop start"},
		{name: "counted", mode: "reload", log: "reload"},
		{name: "counted", mode: "reload-or-restart", log: "reload"},
		{name: "idle", mode: "try-restart"},
		{name: "idle", mode: "reload", planned: `set mode = "reload-or-restart"`},
		{name: "idle", mode: "restart"},
		{name: "dies", mode: "restart", failed: "posixform-dies on host " + m.Name() + " does not restart: it is failed (failed)"},
		{name: "loops", mode: "restart", failed: "does not restart: it is activating (auto-restart)"},
		{name: "loops", mode: "reload-or-restart", failed: "does not restart: it is activating (auto-restart)"},
		{name: "loops", mode: "reload", failed: "is activating (auto-restart), so it cannot reload: fix the cause of its restarts"},
		{name: "ghost", mode: "restart", planned: "has no service posixform-ghost", failed: "has no service posixform-ghost"},
	} {
		got := resourcetest.Invoke(t, m.provider(), action(tt.name, tt.mode))["it"]
		log := m.must("if [ -e /run/posixform.log ]; then tr '\\n' ' ' </run/posixform.log; rm /run/posixform.log; fi")
		if log != tt.log || !strings.Contains(got.Failed, tt.failed) || !strings.Contains(got.Planned, tt.planned) ||
			(tt.failed == "") != (got.Failed == "") || (tt.planned == "") != (got.Planned == "") {
			t.Errorf("%s %s: operations %q, result %+v; want %+v", tt.mode, tt.name, log, got, tt)
		}
	}
}

// testSystemdImportedUnit checks that the import of a unit whose file changed after systemd loaded it reloads the unit.
func testSystemdImportedUnit(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	const path = "/etc/systemd/system/posixform-imported.service"
	m := systemdHost(t, booted, path)
	const text = "[Service]\nExecStart=/bin/sleep infinity\n"
	m.must("cat >" + path + " <<'END'\n" + text + "END\nsystemctl daemon-reload; systemctl start posixform-imported; touch -d '1 minute' " + path)
	t.Cleanup(func() { m.must("systemctl stop posixform-imported; systemctl reset-failed") })
	config := fmt.Sprintf("resource \"posix_systemd_unit\" \"it\" {\n  name = \"posixform-imported.service\"\n  content = %q\n}\n", text)
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", m.provider()), Steps: []resource.TestStep{{
		Config:           config + "import {\n  to = posix_systemd_unit.it\n  id = \"posixform-imported.service\"\n}\n",
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_systemd_unit.it": "import update reload_needed"}}},
		Check: func(*terraform.State) error {
			return m.prints("systemctl show -p NeedDaemonReload posixform-imported", "NeedDaemonReload=no")()
		},
	}}})
}

// testSystemdRejectedDropIn checks that a drop-in that prevents systemd from loading its unit has no drift, although
// systemd always reports that such a unit must be reloaded.
func testSystemdRejectedDropIn(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	m := systemdHost(t, booted, "/etc/systemd/system/posixform-bad.service.d")
	m.units(map[string]string{"posixform-bad.service": "[Service]\nExecStart=/bin/sleep infinity\n"})
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", m.provider()), Steps: []resource.TestStep{{
		Config: unitOf("posixform-bad.service", "[Service]\nExecStart=/bin/true\n", "drop_in = \"10-more\"\nverify = false"),
		Check: func(*terraform.State) error {
			return m.prints("systemctl show -p LoadState -p NeedDaemonReload posixform-bad", "LoadState=bad-setting\nNeedDaemonReload=yes")()
		},
	}}})
}
