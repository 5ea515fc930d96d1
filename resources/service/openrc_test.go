package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/service"
)

// daemon is an OpenRC script of a service that logs its operations. Its status detects a
// crash, which OpenRC does not do with the start-stop-daemon of Debian.
const daemon = `#!/sbin/openrc-run
command=/usr/bin/sleep
command_args=infinity
command_background=yes
pidfile=/run/NAME.pid
retry=TERM/5
extra_started_commands=reload
start_pre() { echo start >>/run/NAME.log; }
stop_post() { echo stop >>/run/NAME.log; }
reload() { echo reload >>/run/NAME.log; }
status() {
  if ! service_started; then einfo 'status: stopped'; return 3; fi
  if kill -0 "$(cat $pidfile)" 2>/dev/null; then einfo 'status: started'; return 0; fi
  eerror 'status: crashed'
  return 32
}
`

// openRC makes the root look as if OpenRC had booted it, and installs init scripts by name. At
// the end of the test, it removes the scripts and the state of OpenRC.
func openRC(t *testing.T, scripts map[string]string) {
	t.Helper()
	must(t, "mkdir -p /run/openrc && : >/run/openrc/softlevel")
	for name, text := range scripts {
		path := filepath.Join("/etc/init.d", name)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "NAME", name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "rc-update --update")
	t.Cleanup(func() {
		for name := range scripts {
			_, _ = sh(fmt.Sprintf("set +e; rc-service %[1]s stop; rc-service %[1]s zap; rc-update -a del %[1]s; rm -f /etc/init.d/%[1]s /run/%[1]s.*", name))
		}
		must(t, "rm -rf /run/openrc")
	})
}

// log returns the operations of a daemon since the last call.
func log(t *testing.T, name string) string {
	t.Helper()
	return must(t, fmt.Sprintf("if [ -e /run/%[1]s.log ]; then tr '\\n' ' ' </run/%[1]s.log; rm /run/%[1]s.log; fi", name))
}

const (
	nginxStatus  = "rc-service nginx status | tr -d ' *'"
	nginxEnabled = "ls /etc/runlevels/*/nginx 2>/dev/null"
)

func lifeOfNginx(config string) resourcetest.Life {
	return resourcetest.Life{
		Provider: serve, Config: config, Address: "posix_service.nginx", ImportID: "nginx",
		Drifts: map[string]resourcetest.Drift{
			"stopped":          {Make: does("rc-service nginx stop"), Plan: "update running status", Check: prints(nginxStatus, "status:started")},
			"crashed":          {Make: does("kill $(cat /run/nginx.pid); while kill -0 $(cat /run/nginx.pid); do sleep 0.01; done 2>/dev/null"), Plan: "update running status", Check: prints(nginxStatus, "status:started")},
			"disabled":         {Make: does("rc-update del nginx default"), Plan: "update enabled status", Check: prints(nginxEnabled, "/etc/runlevels/default/nginx")},
			"both":             {Make: does("rc-update del nginx default; rc-service nginx stop"), Plan: "update enabled running status"},
			"another runlevel": {Make: does("rc-update add nginx boot"), Check: does("rc-update del nginx boot")},
		},
		Exists: func() (bool, error) {
			on, err := exists("/run/openrc/started/nginx")
			if err != nil || on {
				return on, err
			}
			return exists("/etc/runlevels/default/nginx")
		},
	}
}

// TestLifeOpenRC runs the first example of the documentation, and a service with all attributes that
// an import finds.
func TestLifeOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"nginx": daemon})
	must(t, "mkdir -p /etc/nginx/conf.d")
	t.Cleanup(func() { must(t, "rm -r /etc/nginx") })
	resourcetest.Imports(t, "resources/posix_service", "posix_service.nginx", "nginx")
	life := lifeOfNginx(resourcetest.ExampleFile(t, "resources/posix_service/resource.tf"))
	life.NotImported = []string{"triggers", "on_change"}
	life.Drifts["file"] = resourcetest.Drift{
		Make: does("echo other >/etc/nginx/conf.d/site.conf"), Others: resourcetest.Changes{"posix_file.site": "update content sha256"},
		Check: prints(nginxStatus, "status:started"),
	}
	life.Run(t)
	plain := lifeOfNginx("resource \"posix_service\" \"nginx\" {\n  name = \"nginx\"\n  enabled = true\n  running = true\n}\n")
	maps.DeleteFunc(plain.Drifts, func(name string, _ resourcetest.Drift) bool { return name != "both" }) // only the imports matter
	plain.Run(t)
}

// TestTriggersOpenRC checks which operations the triggers of a service cause.
func TestTriggersOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"counted": daemon})
	config := func(rest string) string {
		return "resource \"posix_service\" \"it\" {\n  name = \"counted\"\n" + rest + "\n}\n"
	}
	logs := func(rest, want string) resource.TestStep {
		return resource.TestStep{Config: config(rest), Check: func(*terraform.State) error {
			if got := log(t, "counted"); got != want {
				return fmt.Errorf("with %s: operations %q, want %q", rest, got, want)
			}
			return nil
		}}
	}
	stopped := logs(`triggers = { a = "9" }`, "")
	stopped.PreConfig = func() { must(t, "rc-service counted stop"); log(t, "counted") }
	drifted := logs("running = true\ntriggers = { a = \"10\" }", "start")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		logs("running = true\ntriggers = { a = \"1\" }", "start"),
		logs("running = true\ntriggers = { a = \"2\" }", "stop start"),
		logs("running = true\non_change = \"reload\"\ntriggers = { a = \"2\" }", ""),
		logs("running = true\non_change = \"reload\"\ntriggers = { a = \"3\" }", "reload"),
		logs("running = true\non_change = \"reload-or-restart\"\ntriggers = { a = \"4\" }", "reload"),
		logs("running = true", ""),
		logs("running = true\ntriggers = { a = \"5\" }", ""),
		logs("running = true\ntriggers = { a = \"5\", b = \"1\" }", "stop start"),
		logs("triggers = { a = \"6\" }", "stop start"), // running is not managed, and the service runs
		stopped, // running is not managed, and the service is stopped
		drifted, // a stopped service is only started
		logs("running = false\ntriggers = { a = \"11\" }", "stop"),
		logs("running = false\ntriggers = { a = \"12\" }", ""),
	}})
	// A create with triggers restarts a running service: the configuration that it has read is unknown.
	must(t, "rc-service counted start")
	log(t, "counted")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		logs(`triggers = { a = "1" }`, "stop start"),
	}})
	if got := must(t, "rc-service counted status"); !strings.Contains(got, "started") {
		t.Errorf("after the destroy, the service whose running is not managed is %s, want started", got)
	}
}

// TestRunlevels checks in which runlevels a service is enabled after changes of runlevel and enabled, and after drift.
func TestRunlevels(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"levels": daemon})
	config := func(rest string) string {
		return "resource \"posix_service\" \"it\" {\n  name = \"levels\"\n  enabled = true\n" + rest + "\n}\n"
	}
	in := func(want string) func(*terraform.State) error {
		return func(*terraform.State) error {
			return prints("cd /etc/runlevels; ls -d */levels 2>/dev/null | tr '\\n' ' '", want)()
		}
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config(`runlevel = "boot"`), Check: in("boot/levels")},
		{
			PreConfig: func() { must(t, "rc-update del levels boot; rc-update add levels nonetwork") },
			Config:    config(`runlevel = "boot"`), Check: in("boot/levels nonetwork/levels"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_service.it": "update enabled status"}}},
		},
		{Config: config(`runlevel = "sysinit"`), Check: in("nonetwork/levels sysinit/levels")},
		{Config: config(``), Check: in("nonetwork/levels sysinit/levels")},
		{Config: strings.Replace(config(``), "true", "false", 1), Check: in("")},
		{Config: config(``), Check: in("default/levels")},
		{Config: config(`runlevel = "missing"`), ExpectError: resourcetest.WrappedText("`missing' is not a valid runlevel")},
		{
			PreConfig: func() { resourcetest.Must(t, in("default/levels")(nil)) },
			Config:    config(`runlevel = "boot"`), Check: in("boot/levels"),
		},
	}})
	resourcetest.Must(t, in("")(nil))
}

func TestErrorsOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{
		"fails":   "#!/sbin/openrc-run\nstart() {\n  echo 'the port is taken' >&2\n  return 1\n}\n",
		"late":    strings.Replace(daemon, "infinity", "0.1", 1),
		"dies":    strings.NewReplacer("/usr/bin/sleep", "/usr/bin/false", "infinity", "").Replace(daemon),
		"counted": daemon,
	})
	config := func(name, rest string) string {
		return fmt.Sprintf("resource \"posix_service\" \"it\" {\n  name = %q\n%s\n}\n", name, rest)
	}
	for _, tt := range []struct {
		name, rest string
		planned    bool
		want       string
	}{
		{"fails", "running = true", false, "the service fails on host local does not start"},
		{"fails", "running = true", false, "the port is taken"},
		{"dies", "running = true", false, "the service dies on host local does not start: it is crashed"},
		{"late", "running = true", false, "the service late on host local does not start: it is crashed"},
		{"ghost", "running = true", false, "host local has no service ghost. Install it first, for example with posix_package or posix_systemd_unit"},
		{"counted", "masked = true", true, "OpenRC, which cannot mask a service: set enabled = false and running = false"},
		{"counted", "masked = true\nrunning = true", true, "a masked service cannot be started"},
		{"counted", "masked = true\nenabled = true", true, "a masked service cannot be enabled"},
		{"fstrim.timer", "enabled = true", true, "OpenRC, which only has services, and fstrim.timer is a systemd unit"},
		{"counted", `on_change = "explode"`, true, "on_change"},
		{"a b", "enabled = true", true, "ASCII letters and digits"},
		{"getty@", "enabled = true", true, "use the name of an instance, such as getty@tty1"},
		{"-x", "enabled = true", true, "must not start with a dot or a dash"},
		{".service", "enabled = true", true, "must not be empty"},
	} {
		resourcetest.Fails(t, serve, config(tt.name, tt.rest), tt.planned, tt.want)
	}
	// The same run may install a missing service: the plan continues.
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("ghost", "enabled = true"), PlanOnly: true, ExpectNonEmptyPlan: true},
	}})
	// A service that was enabled, but does not start, is in the state, and the next run starts it.
	mended := strings.ReplaceAll(daemon, "NAME", "fails")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("fails", "enabled = true\nrunning = true"), ExpectError: resourcetest.WrappedText("does not start")},
		{
			PreConfig: func() {
				if err := os.WriteFile("/etc/init.d/fails", []byte(mended), 0o755); err != nil {
					t.Fatal(err)
				}
			},
			Config: config("fails", "enabled = true\nrunning = true"),
			Check: func(*terraform.State) error {
				return prints("rc-service fails status | tr -d ' *'", "status:started")()
			},
		},
	}})
}

// TestOnDestroy checks both values of on_destroy.
func TestOnDestroy(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"kept": daemon})
	for how, want := range map[string]string{"leave": "status:started", "stop": "status:stopped"} {
		acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
			{Config: "resource \"posix_service\" \"it\" {\n  name = \"kept.service\"\n  running = true\n  enabled = true\n  on_destroy = \"" + how + "\"\n}\n"},
			{Config: "resource \"posix_service\" \"it\" {\n  name = \"kept\"\n  running = true\n  enabled = true\n  on_destroy = \"" + how + "\"\n}\n", PlanOnly: true},
		}})
		if err := prints("rc-service kept status | tr -d ' *'", want)(); err != nil {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// TestReplaced checks that a service and a unit are kept if they move to another resource in the same
// run, and if they are replaced with create_before_destroy.
func TestReplaced(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"taken": daemon})
	config := func(label, lifecycle string) string {
		return fmt.Sprintf("resource \"posix_service\" %[1]q {\n  name = \"taken\"\n  running = true\n%[2]s}\n"+
			"resource \"posix_systemd_unit\" %[1]q {\n  name = \"taken.service\"\n  content = \"[Unit]\\n\"\n  verify = false\n%[2]s}\n", label, lifecycle)
	}
	still := func(*terraform.State) error {
		return prints("rc-service taken status | tr -d ' *'; ls /etc/systemd/system/taken.service", "status:started\n/etc/systemd/system/taken.service")()
	}
	replaced := resource.TestStep{
		Config: config("two", "  lifecycle {\n    create_before_destroy = true\n  }\n"), Check: still, Taint: []string{"posix_service.two", "posix_systemd_unit.two"},
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("one", ""), Check: still},
		{Config: config("two", "  lifecycle {\n    create_before_destroy = true\n  }\n"), Check: still}, // renamed without a moved block
		replaced,
	}})
}

// TestAnotherExampleOpenRC runs the other example of the documentation.
func TestAnotherExampleOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"ssh": daemon, "cups": daemon})
	must(t, "rc-service cups start; rc-update add cups default")
	states := func(want string) error {
		return prints("for s in ssh cups; do rc-service $s status; ls -d /etc/runlevels/*/$s; done 2>/dev/null | tr -d ' *' | tr '\\n' ' '", want)()
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{{
		Config: resourcetest.ExampleFile(t, "resources/posix_service/resource_more.tf"),
		Check: func(*terraform.State) error {
			return states("status:started /etc/runlevels/default/ssh status:stopped")
		},
	}}})
	if err := states("status:started /etc/runlevels/default/ssh status:stopped"); err != nil {
		t.Errorf("after destroy: %v", err)
	}
}

// TestListOpenRC finds services with the examples of the documentation.
func TestListOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"nginx": daemon, "php8.2-fpm": daemon, "idle": daemon, "postgresql": daemon})
	must(t, "rc-service nginx start; rc-update add nginx default; rc-update add php8.2-fpm default; rc-service idle start; kill $(cat /run/idle.pid); while kill -0 $(cat /run/idle.pid); do sleep 0.01; done 2>/dev/null")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{{
		Config: resourcetest.ExampleFile(t, "data-sources/posix_services/data-source.tf"),
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("data.posix_services.down", "manager", "openrc"),
			resource.TestCheckTypeSetElemNestedAttrs("data.posix_services.down", "services.*", map[string]string{"name": "php8.2-fpm", "enabled": "true", "running": "false", "status": "stopped"}),
			resource.TestCheckResourceAttr("data.posix_services.databases", "services.#", "1"),
			resource.TestCheckResourceAttr("data.posix_services.databases", "services.0.name", "postgresql"),
		),
	}, {
		Config: "data \"posix_services\" \"it\" {\n  name_pattern = \"idle.service\"\n}\n",
		Check:  resource.TestCheckResourceAttr("data.posix_services.it", "services.0.status", "crashed"),
	}}})
	resourcetest.Fails(t, serve, "data \"posix_services\" \"it\" {\n  name_pattern = \"(\"\n}\n", true, "must be a regular expression, such as nginx|php.*")
	resourcetest.Fails(t, serve, "data \"posix_services\" \"it\" {\n  type = \"timer\"\n}\n", true, "only has services: leave type unset")
	found := resourcetest.Query(t, serve, resourcetest.ExampleFile(t, "list-resources/posix_service/list-resource.tfquery.hcl"))
	var names []string
	for _, f := range found["all"] {
		if name := f.Identity.GetAttr("name").AsString(); name == "nginx" || name == "idle" || name == "php8.2-fpm" || name == "postgresql" {
			names = append(names, f.Name)
		}
	}
	if diff := cmp.Diff([]string{"nginx on local", "php8.2-fpm on local"}, names); diff != "" {
		t.Errorf("services that are enabled or run (-want +got):\n%s", diff)
	}
	if len(found["web"]) != 2 || found["web"][0].Object.GetAttr("running").False() || found["web"][1].Object.GetAttr("running").True() {
		t.Errorf("results of the list web: %v, want 2 services, of which only the first runs", found["web"])
	}
}

func TestRestartOpenRC(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"nginx": daemon, "plain": strings.ReplaceAll(daemon, "extra_started_commands=reload\n", ""), "fails": "#!/sbin/openrc-run\nstart() { return 1; }\n"})
	must(t, "rc-service nginx start; rc-service plain start")
	log(t, "nginx")
	log(t, "plain")
	action := func(names, mode string) string {
		return "action \"posix_service_restart\" \"web\" {\n  config {\n    names = [" + names + "]\n    mode = \"" + mode + "\"\n  }\n}\n"
	}
	for _, tt := range []struct{ config, nginx, plain, failed, planned string }{
		{config: resourcetest.ExampleFile(t, "actions/posix_service_restart/action.tf"), nginx: "reload"},
		{config: action(`"nginx", "plain.service"`, "restart"), nginx: "stop start", plain: "stop start"},
		{config: action(`"plain"`, "reload-or-restart"), plain: "stop start"},
		{config: action(`"nginx"`, "reload"), nginx: "reload"},
		{config: action(`"fails"`, "try-restart")},
		{config: action(`"fails", "nginx"`, "restart"), failed: "the service fails on host local does not restart"},
		{config: action(`"fails", "nginx"`, "restart"), failed: "Services after this one that were not changed: 1"},
		{config: action(`"ghost"`, "restart"), failed: "host local has no service ghost", planned: "Unless the same apply installs it, the action will fail"},
	} {
		got := resourcetest.Invoke(t, serve, tt.config)["web"]
		nginx, plain := log(t, "nginx"), log(t, "plain")
		if nginx != tt.nginx || plain != tt.plain {
			t.Errorf("%s: operations %q and %q, want %q and %q (%+v)", tt.config, nginx, plain, tt.nginx, tt.plain, got)
		}
		if (tt.failed == "") != (got.Failed == "") || !strings.Contains(got.Failed, tt.failed) || (tt.planned == "") != (got.Planned == "") || !strings.Contains(got.Planned, tt.planned) {
			t.Errorf("%s: the result is %+v, want the error %q, and the warning %q of the plan", tt.config, got, tt.failed, tt.planned)
		}
		if got.Failed == "" && len(got.Progress) == 0 {
			t.Errorf("%s: no progress messages, want at least one", tt.config)
		}
	}
}

// TestRestartInterrupted checks that a restart is completed when the run is interrupted, and that the
// next service is not restarted.
func TestRestartInterrupted(t *testing.T) {
	roottest.Require(t)
	openRC(t, map[string]string{"nginx": strings.ReplaceAll(daemon, "start_pre() {", "start_pre() { sleep 1;"), "plain": daemon})
	must(t, "rc-service nginx start; rc-service plain start")
	log(t, "nginx")
	log(t, "plain")
	h, err := local.New()
	resourcetest.Must(t, err)
	hosts, err := lifecycle.NewHosts(h)
	resourcetest.Must(t, err)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if text, _ := os.ReadFile("/run/nginx.log"); strings.Contains(string(text), "stop") {
				interrupt()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var progress []string
	r := service.Restart{Names: []service.Name{"nginx", "plain"}, Mode: "restart"}
	err = r.Invoke(ctx, hosts, func(message string) { progress = append(progress, message) })
	if want := "the restart of the service nginx on host local was completed"; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "Services after this one that were not changed: 1") {
		t.Errorf("the error is %v, want %q and one service that was not changed; the progress messages are %q", err, want, progress)
	}
	if nginx, plain := log(t, "nginx"), log(t, "plain"); nginx != "stop start" || plain != "" {
		t.Errorf("operations %q and %q, want the operations of one restart of nginx", nginx, plain)
	}
	resourcetest.Must(t, prints(nginxStatus, "status:started")())
}

// TestRestartUnreachable checks that the apply tries again to reach a host that could not be
// reached during the plan.
func TestRestartUnreachable(t *testing.T) {
	t.Parallel()
	got := resourcetest.Invoke(t, serve, `provider "posix" {
  ssh_config = "none"
  hosts = {
    down = {
      address         = "127.0.0.1"
      port            = 1
      password        = "none"
      connect_retries = 0
    }
  }
}
action "posix_service_restart" "it" {
  config {
    host  = "down"
    names = ["nginx", "cron"]
  }
}
`)["it"]
	if strings.Count(got.Planned, "Unless the same apply creates the host") != 1 || !strings.Contains(got.Failed, "connection refused") {
		t.Errorf("the result is %+v, want one warning about the host, and a refused connection", got)
	}
}
