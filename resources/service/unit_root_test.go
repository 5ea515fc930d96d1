package service_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

const appUnit = "/etc/systemd/system/app.service"

// TestLifeUnit runs the example of the documentation without a running systemd, as in an image
// build.
func TestLifeUnit(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_systemd_unit", "posix_systemd_unit.app", "app.service")
	config := resourcetest.ExampleFile(t, "resources/posix_systemd_unit/resource.tf")
	const dropIn = "/etc/systemd/system/cron.service.d/10-limits.conf"
	for address, life := range map[string]struct{ path, id, name string }{
		"posix_systemd_unit.app":         {appUnit, "app.service", "app.service"},
		"posix_systemd_unit.cron_limits": {dropIn, "cron.service/10-limits", "cron.service"},
	} {
		stat := "stat -c '%a %U:%G' " + life.path
		twice := life.path == dropIn // the drifts of both resources are the same
		drifts := map[string]resourcetest.Drift{
			"content":  {Nightly: twice, Make: does("echo '# a remark' >>" + life.path), Plan: "update content", Check: prints("grep -c remark "+life.path, "0")},
			"not text": {Nightly: twice, Make: does(`printf '\377' >>` + life.path), Plan: "update content"},
			"mode":     {Nightly: twice, Make: does("chmod 600 " + life.path), Plan: "update mode", Check: prints(stat, "644 root:root")},
			"owner":    {Nightly: twice, Make: does("chown 33 " + life.path), Plan: "update owner", Check: prints(stat, "644 root:root")},
			"group":    {Nightly: twice, Make: does("chgrp 33 " + life.path), Plan: "update group", Check: prints(stat, "644 root:root")},
			"removed":  {Make: does("rm " + life.path), Plan: "create"},
		}
		resourcetest.Life{
			Provider: serve, Config: config, Address: address, ImportID: life.id, Drifts: drifts,
			Exists: func() (bool, error) { return exists(life.path) },
		}.Run(t)
	}
	if left, err := exists("/etc/systemd/system/cron.service.d"); err != nil || left {
		t.Errorf("the directory of the drop-in exists after the destroy: %t, %v; want false", left, err)
	}
}

func unitOf(name, content, rest string) string {
	return fmt.Sprintf("resource \"posix_systemd_unit\" \"it\" {\n  name = %q\n  content = %q\n%s\n}\n", name, content, rest)
}

// TestImportedUnitDrift checks that the owner and the group of an imported unit are corrected although
// they are not configured.
func TestImportedUnitDrift(t *testing.T) {
	roottest.Require(t)
	const text = "[Service]\nExecStart=/bin/true\n"
	must(t, "mkdir -p /etc/systemd/system; printf '"+strings.ReplaceAll(text, "\n", `\n`)+"' >"+appUnit+"; chown 33:33 "+appUnit)
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{
			Config: unitOf("app.service", text, "") + "import {\n  to = posix_systemd_unit.it\n  id = \"app.service\"\n}\n",
			Check:  func(*terraform.State) error { return prints("stat -c '%a %u:%g' "+appUnit, "644 0:0")() },
		},
	}})
}

// TestUnitErrors checks the errors for units that are invalid, already exist or are masked, and that no file is left.
func TestUnitErrors(t *testing.T) {
	roottest.Require(t)
	const good = "[Service]\nExecStart=/bin/true\n"
	must(t, `mkdir -p /etc/systemd/system
mkdir /etc/systemd/system/masked.service.d
ln -s /dev/null /etc/systemd/system/masked.service
ln -s /dev/null /etc/systemd/system/masked.service.d/10-off.conf
echo other >/etc/systemd/system/taken.service`)
	t.Cleanup(func() { must(t, "rm -r /etc/systemd/system/masked.service* /etc/systemd/system/taken.service") })
	for _, tt := range []struct{ name, content, rest, want string }{
		{"app", good, "", "such as app.service, must end with its type"},
		{".service", good, "", "nothing before its suffix"},
		{"a/b.service", good, "", "ASCII letters and digits"},
		{"app.service", good, `drop_in = "10-x.conf"`, "use the name without .conf: 10-x"},
		{"app.service", good, `drop_in = ""`, "leave it unset for the unit file itself"},
		{"app.service", good, `drop_in = "../x"`, "must not start with a dot or a dash"},
		{"app.service", "ExecStart=/bin/true\n", "", "line 1 is not in a section"},
		{"app.service", "[Service]\nExecStart\n", "", "line 2 is neither a section nor a setting"},
		{"app.service", "[Service\nExecStart=/bin/true\n", "", "line 1: a section must be a name in brackets"},
		{"app.service", "", "", "at least one section"},
		{"taken.service", good, "", `import it (id "local:taken.service")`},
		{"app.service", "[Service]\nRestart=always\n", "", "Service has no ExecStart="},
		{"app.timer", "[Timer]\nOnCalendar=sometimes\n", "", "Failed to parse calendar specification, ignoring: sometimes"},
		{"cron.service", "[Service]\nExecStart=/bin/true\n", `drop_in = "10-more"`, "more than one ExecStart="},
	} {
		resourcetest.Fails(t, serve, unitOf(tt.name, tt.content, tt.rest), true, tt.want)
	}
	resourcetest.Fails(t, serve, unitOf("masked.service", good, ""), false, "the unit masked.service is masked")
	resourcetest.Fails(t, serve, unitOf("masked.service", good, `drop_in = "10-off"`), false, "systemd reads no drop-in of masked.service with this name")
	if left := must(t, "ls /etc/systemd/system/app* /etc/systemd/system/cron.service.d 2>/dev/null || :"); left != "" {
		t.Errorf("the files after the errors are %s, want none", left)
	}
}

// TestAcceptedUnits applies units that must be accepted, such as units with warnings, unverified units and templates.
func TestAcceptedUnits(t *testing.T) {
	roottest.Require(t)
	for name, config := range map[string]string{
		"missing dependencies":    unitOf("app.service", "[Unit]\nWants=later.service\nRequires=later.service\n[Service]\nExecStart=/opt/app/bin/app\n", ""),
		"unknown setting":         unitOf("app.service", "[Service]\nExecStart=/bin/true\nColour=blue\n", ""),
		"verify is false":         unitOf("app.service", "[Service]\nRestart=always\n", "verify = false"),
		"a template":              unitOf("app@.service", "[Service]\nExecStart=/bin/echo %i\n", ""),
		"drop-in of missing unit": unitOf("later.service", "[Service]\nMemoryMax=1G\n", `drop_in = "limits"`),
		"continued line, comment": unitOf("app.service", "# a\n\n[Service]\nExecStart=/bin/echo a \\\n# b\n  b\n; c\nX-Mine=1\n", ""),
		"prefix drop-in":          unitOf("app-.service", "[Service]\nMemoryMax=1G\n", `drop_in = "limits"`),
		"from the function":       withFunctions + resourcetest.ExampleFile(t, "functions/systemd_unit/function.tf"),
	} {
		t.Run(name, func(t *testing.T) {
			acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{{Config: config}}})
		})
	}
	output := resourcetest.ExampleFile(t, "resources/posix_systemd_unit/resource_service.tf")
	if !strings.Contains(output, "provider::posix::systemd_unit") {
		t.Error("the example does not use provider::posix::systemd_unit")
	}
}

// TestUnitNotVerified applies content that systemd rejects, with verify = false, to a unit whose
// state has the default, verify = true, and to a unit that is imported.
func TestUnitNotVerified(t *testing.T) {
	roottest.Require(t)
	const refused = "[Service]\nRestart=always\n"
	unverified := unitOf("app.service", refused, "verify = false")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: unitOf("app.service", "[Service]\nExecStart=/bin/true\n", "")},
		{Config: unitOf("app.service", refused, ""), ExpectError: resourcetest.WrappedText("Service has no ExecStart=")},
		{Config: unverified, ConfigPlanChecks: resourcetest.Plans("posix_systemd_unit.it", "update content verify")},
		{Config: unitOf("app.service", refused, ""), ExpectError: resourcetest.WrappedText("set verify = false")},
	}})
	resourcetest.Must(t, os.WriteFile(appUnit, []byte(refused), 0o600))
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{
			Config: unverified + "import {\n  to = posix_systemd_unit.it\n  id = \"app.service\"\n}\n",
			Check:  func(*terraform.State) error { return prints("stat -c %a "+appUnit, "644")() },
		},
	}})
}

// TestWithoutRunningSystemd enables and masks services while systemd is not running.
func TestWithoutRunningSystemd(t *testing.T) {
	roottest.Require(t)
	const links = "cd /etc/systemd/system; ls -l cron.service multi-user.target.wants/cron.service 2>/dev/null | sed 's/.* -> //'"
	config := func(name, rest string) string {
		return fmt.Sprintf("resource \"posix_service\" \"cron\" {\n  name = %q\n%s\n}\n", name, rest)
	}
	must(t, "systemctl disable cron")
	const unit = "/lib/systemd/system/cron.service"
	resourcetest.Life{
		Provider: serve, Config: config("cron", "enabled = true\nrunning = false"), Address: "posix_service.cron", ImportID: "cron.service",
		Drifts: map[string]resourcetest.Drift{
			"disabled": {Make: does("systemctl disable cron"), Plan: "update enabled status", Check: prints(links, unit)},
		},
		Exists: func() (bool, error) { return exists("/etc/systemd/system/multi-user.target.wants/cron.service") },
	}.Run(t)
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("cron", "masked = true"), Check: func(*terraform.State) error { return prints(links, "/dev/null")() }},
		{Config: config("cron", "enabled = true\nmasked = true"), PlanOnly: true, ExpectError: resourcetest.WrappedText("a masked service cannot be enabled")},
		{Config: config("cron", "enabled = true\nmasked = false"), Check: func(*terraform.State) error { return prints(links, unit)() }},
		{Config: config("cron", "enabled = false\nmasked = false"), Check: func(*terraform.State) error { return prints(links, "")() }},
		{Config: config("cron", "masked = true\nrunning = false"), Check: func(*terraform.State) error { return prints(links, "/dev/null")() }},
	}})
	if err := prints(links, "")(); err != nil {
		t.Errorf("after the destroy of a masked service, %v", err)
	}
	must(t, "systemctl mask cron")
	resourcetest.Fails(t, serve, config("cron", "enabled = true"), true, "is masked and cannot be enabled: set masked = false")
	must(t, "systemctl unmask cron")
	for _, tt := range []struct{ name, rest, want string }{
		{"cron", "running = true", "systemd does not run on host local, so cron.service cannot be started"},
		{"systemd-journald", "enabled = true", "cannot be enabled: its unit file has no [Install] section"},
		{"cron", "runlevel = \"boot\"", "which does not support runlevels"},
	} {
		resourcetest.Fails(t, serve, config(tt.name, tt.rest), true, tt.want)
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{{
		Config: "data \"posix_services\" \"it\" {\n  name_pattern = \"cron|getty@?|systemd-journald\"\n}\n",
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("data.posix_services.it", "manager", "systemd"),
			resource.TestCheckResourceAttr("data.posix_services.it", "services.#", "2"),
			resource.TestCheckResourceAttr("data.posix_services.it", "services.1.unit_file_state", "static"),
			resource.TestCheckNoResourceAttr("data.posix_services.it", "services.1.status"),
		),
	}}})
}
