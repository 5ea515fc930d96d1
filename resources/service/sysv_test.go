package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// initScript is an init script of a service that logs its operations.
const initScript = `#!/bin/sh
### BEGIN INIT INFO
# Provides:          NAME
# Required-Start:    $remote_fs
# Required-Stop:     $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: a test
### END INIT INFO
pid() { cat /run/NAME.pid 2>/dev/null; }
runs() { kill -0 "$(pid)" 2>/dev/null; }
case $1 in
start)
  runs && exit 0
  echo start >>/run/NAME.log
  start-stop-daemon --start --quiet --background --make-pidfile --pidfile /run/NAME.pid --exec /usr/bin/sleep -- infinity
  ;;
stop)
  echo stop >>/run/NAME.log
  start-stop-daemon --stop --quiet --oknodo --retry TERM/5 --remove-pidfile --pidfile /run/NAME.pid
  ;;
restart) "$0" stop; "$0" start ;;
reload | force-reload) echo reload >>/run/NAME.log ;;
status)
  if runs; then exit 0; fi
  [ -e /run/NAME.pid ] && exit 1
  exit 3
  ;;
*) echo "Usage: $0 {start|stop|restart|reload|force-reload|status}" >&2; exit 2 ;;
esac
`

// oldScript is an init script without the command status.
const oldScript = `#!/bin/sh
### BEGIN INIT INFO
# Provides:          NAME
# Required-Start:
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
### END INIT INFO
echo "$1" >>/run/NAME.log
`

// sysV makes the root look as if System V's init had booted it, by creating the pipe of that
// init, and installs init scripts by name. It removes the pipe and the scripts at the end of the test.
func sysV(t *testing.T, scripts map[string]string) {
	t.Helper()
	must(t, "mkfifo /run/initctl")
	t.Cleanup(func() {
		for name := range scripts {
			_, _ = sh(fmt.Sprintf("set +e; service %[1]s stop; rm -f /etc/init.d/%[1]s /run/%[1]s.* /etc/rc?.d/???%[1]s /etc/runlevels/*/%[1]s", name))
		}
		must(t, "rm /run/initctl")
	})
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join("/etc/init.d", name), []byte(strings.ReplaceAll(text, "NAME", name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLifeSysV checks the create, drift, import and destroy of a service with an init script.
func TestLifeSysV(t *testing.T) {
	roottest.Require(t)
	sysV(t, map[string]string{"legacy": initScript})
	const status, links = "service legacy status; echo $?", "ls /etc/rc3.d | grep legacy"
	resourcetest.Life{
		Provider: serve, Address: "posix_service.it", ImportID: "legacy",
		Config: "resource \"posix_service\" \"it\" {\n  name = \"legacy\"\n  enabled = true\n  running = true\n}\n",
		Drifts: map[string]resourcetest.Drift{
			"stopped":  {Make: does("service legacy stop"), Plan: "update running status", Check: prints(status, "0")},
			"crashed":  {Make: does("kill $(cat /run/legacy.pid); while kill -0 $(cat /run/legacy.pid); do sleep 0.01; done 2>/dev/null"), Plan: "update running status", Check: prints(status, "0")},
			"disabled": {Make: does("update-rc.d legacy disable"), Plan: "update enabled status", Check: prints(links, "S01legacy")},
			"removed":  {Make: does("update-rc.d legacy remove"), Plan: "update enabled status", Check: prints(links, "S01legacy")},
		},
		Exists: func() (bool, error) {
			on, err := exists("/run/legacy.pid")
			if err != nil || on {
				return on, err
			}
			return exists("/etc/rc3.d/S01legacy")
		},
	}.Run(t)
}

// TestSysV checks the operations that triggers cause, the links of a service, the list of services, and the errors.
func TestSysV(t *testing.T) {
	roottest.Require(t)
	sysV(t, map[string]string{"counted": initScript, "old": oldScript})
	config := func(rest string) string {
		return "resource \"posix_service\" \"it\" {\n" + rest + "\n}\n"
	}
	logs := func(rest, want string) resource.TestStep {
		return resource.TestStep{Config: config("name = \"counted\"\nrunning = true\n" + rest), Check: func(*terraform.State) error {
			if got := log(t, "counted"); got != want {
				return fmt.Errorf("with %s: operations %q, want %q", rest, got, want)
			}
			return nil
		}}
	}
	fails := func(rest, want string) resource.TestStep {
		return resource.TestStep{Config: config(rest), ExpectError: resourcetest.WrappedText(want)}
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		logs(`triggers = { a = "1" }`, "start"),
		logs(`triggers = { a = "2" }`, "stop start"),
		logs("on_change = \"reload-or-restart\"\ntriggers = { a = \"3\" }", "reload"),
		{Config: config("name = \"old\"\nenabled = true"), Check: func(*terraform.State) error { return prints("ls /etc/rc2.d | grep old", "S01old")() }},
		{Config: config("name = \"old\"\nenabled = false"), Check: func(*terraform.State) error { return prints("ls /etc/rc2.d | grep old", "K01old")() }},
		fails("name = \"old\"\nrunning = true", "has no working status command: leave running unset"),
		{Config: config("name = \"old\"\ntriggers = { a = \"1\" }")},
		fails("name = \"old\"\ntriggers = { a = \"2\" }", "leave triggers unset"),
		fails("name = \"counted\"\nmasked = true", "cannot be masked"),
		fails("name = \"counted\"\nrunlevel = \"3\"", "leave runlevel unset"),
		fails("name = \"counted.timer\"\nenabled = true", "which are only services"),
	}})
	if got := log(t, "old"); got != "" {
		t.Errorf("a script without status was called with %q, want no call", got)
	}
	must(t, "service counted start; rm -f /run/counted.log; update-rc.d old enable")
	var found []string
	for _, l := range resourcetest.Query(t, serve, "list \"posix_service\" \"all\" {\n  provider = posix\n  include_resource = true\n}\n")["all"] {
		name := l.Identity.GetAttr("name").AsString()
		if found = append(found, name); name == "old" && !l.Object.GetAttr("running").IsNull() {
			t.Errorf("%s is listed as %#v, want running to be null", name, l.Object)
		}
	}
	if !slices.Contains(found, "counted") || !slices.Contains(found, "old") {
		t.Errorf("the services %q are listed, want at least counted, which runs, and old, which is enabled", found)
	}
}
