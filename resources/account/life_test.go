package account_test

import (
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

func TestLifeOfGroup(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_group", "posix_group.deploy", "deploy")
	resourcetest.Life{
		Provider: serve,
		Config:   resourcetest.ExampleFile(t, "resources/posix_group/resource.tf"),
		Address:  "posix_group.deploy",
		ImportID: "deploy",
		Drifts: map[string]resourcetest.Drift{
			"removed":        {Make: does("groupdel deploy"), Plan: "create", Check: does("getent group deploy | grep -qx deploy:x:2100:www-data")},
			"gid":            {Make: does("groupmod -g 2199 deploy"), Plan: "update gid", Check: does("getent group deploy | grep -q :2100:")},
			"member added":   {Make: does("gpasswd -a games deploy"), Plan: "update members", Check: does("getent group deploy | grep -q ':www-data$'")},
			"member removed": {Make: does("gpasswd -d www-data deploy"), Plan: "update members", Check: does("getent group deploy | grep -q ':www-data$'")},
		},
		Exists: exists("group", "deploy"),
	}.Run(t)
}

func TestLifeOfUser(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_user", "posix_user.alice", "alice")
	line := func(want string) func() error { return does("getent passwd alice | grep -q '" + want + "'") }
	resourcetest.Life{
		Provider: serve,
		Config:   resourcetest.ExampleFile(t, "resources/posix_user/resource.tf"),
		Address:  "posix_user.alice",
		ImportID: "alice",
		Drifts: map[string]resourcetest.Drift{
			"removed":       {Make: does("userdel -r alice"), Plan: "create", Check: does("id alice && test -f /home/alice/.profile")},
			"uid":           {Make: does("usermod -u 2999 alice"), Plan: "update uid", Check: line(":2001:")},
			"comment":       {Make: does("usermod -c Mallory alice"), Plan: "update comment", Check: line(":Alice Liddell:")},
			"home":          {Make: does("usermod -d /tmp alice"), Plan: "update home", Check: line(":/home/alice:")},
			"home removed":  {Make: does("rm -r /home/alice"), Plan: "update create_home", Check: does("test -f /home/alice/.profile && test $(stat -c %U:%a /home/alice/) = alice:700 && test $(stat -c %U /home/alice/.profile) = alice")},
			"shell":         {Make: does("usermod -s /bin/false alice"), Plan: "update shell", Check: line(":/bin/bash$")},
			"expires":       {Make: does("chage -E 2021-05-06 alice"), Plan: "update expires", Check: does("chage -l alice | grep 'Account expires.*Dec 31, 2040'")},
			"expiry gone":   {Make: does("chage -E -1 alice"), Plan: "update expires"},
			"group added":   {Make: does("usermod -aG games alice"), Plan: "update groups", Check: does("test \"$(id -Gn alice)\" = 'alice admins'")},
			"group removed": {Make: does("usermod -G '' alice"), Plan: "update groups"},
		},
		Exists: exists("passwd", "alice"),
	}.Run(t)
}

// TestExpiresInTimeZone checks that a date is stored unchanged on a host in a time zone east of UTC+12.
func TestExpiresInTimeZone(t *testing.T) {
	roottest.Require(t)
	const file, before = "/etc/localtime", "/etc/localtime.before"
	moved := os.Rename(file, before)
	zone := "TZif" + strings.Repeat("\x00", 35) + "\x01\x00\x00\x00\x04" + "\x00\x00\xb6\xd0\x00\x00" + "NZT\x00" // UTC+13
	resourcetest.Must(t, os.WriteFile(file, []byte(zone), 0o644))
	defer func() {
		resourcetest.Must(t, os.Remove(file))
		if moved == nil {
			resourcetest.Must(t, os.Rename(before, file))
		}
	}()
	must(t, `test "$(date +%z)" = +1300`)
	walk(
		t, "user",
		step{config: one("user", `name = "zone"; create_home = false; expires = "2030-12-31"`), then: "getent shadow zone | grep -q :22279:$"},
		step{config: one("user", `name = "zone"; create_home = false; expires = "2031-02-03"`), plan: "update expires", then: "getent shadow zone | grep -q :22313:$"},
	)
}
