package account_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/resources/account"
)

// step is an apply of a configuration.
type step struct {
	config string
	hand   string // script that changes the host before the apply
	plan   string // planned changes
	then   string // script that checks the host after the apply
	fails  string // words of the error of the apply
}

// walk runs the steps. In each configuration, the name of the resource is "it".
func walk(t *testing.T, kind string, steps ...step) {
	t.Helper()
	var all []resource.TestStep
	for i, s := range steps {
		made := resource.TestStep{Config: s.config}
		if s.fails != "" {
			made.ExpectError = resourcetest.WrappedText(s.fails)
		}
		if s.plan != "" {
			made.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{resourcetest.Changes{"posix_" + kind + ".it": s.plan}}
		}
		if s.hand != "" {
			made.PreConfig = func() { must(t, s.hand) }
		}
		if s.then != "" {
			made.Check = func(*terraform.State) error {
				if err := sh(s.then); err != nil {
					return fmt.Errorf("step %d: %w", i+1, err)
				}
				return nil
			}
		}
		all = append(all, made)
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: all})
}

type counted struct {
	host.Host
	calls *int
}

func (c counted) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	*c.calls++
	return c.Host.Run(ctx, cmd)
}

// TestRoundTrips checks that each read takes one round trip, and a create and a destroy at
// most three.
func TestRoundTrips(t *testing.T) {
	roottest.Require(t)
	calls := 0
	p := resourcetest.ProviderOn(types, func() (host.Host, error) {
		h, err := local.New()
		return counted{h, &calls}, err
	})
	wantCalls := func(what string, most int) {
		t.Helper()
		if calls == 0 || calls > most {
			t.Errorf("%s took %d calls, want 1 to %d", what, calls, most)
		}
		calls = 0
	}
	resourcetest.Query(t, p, "list \"posix_user\" \"all\" {\n  provider = posix\n  include_resource = true\n  config {\n    include_system = true\n  }\n}\n")
	wantCalls("list", 1)
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	scope := resourcetest.Scope(t, counted{h, &calls})
	user := &account.User{Name: "trip", PasswordHash: new(hashOne), Group: new("users"), Groups: []string{"games"}, CreateHome: new(true), RemoveHome: new(true)}
	out, err := user.Create(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	wantCalls("create with a password", 3) // two reads, and a script that runs useradd and chpasswd
	if _, err := user.Read(t.Context(), scope, out); err != nil {
		t.Error(err)
	}
	wantCalls("refresh", 1)
	if err := user.Delete(t.Context(), scope, out); err != nil {
		t.Error(err)
	}
	wantCalls("destroy", 3) // a read of the user, a list of the mount points below the home directory, and userdel
}

func TestHomes(t *testing.T) {
	roottest.Require(t)
	user := func(body string) string { return one("user", `name = "home1"; `+body) }
	walk(
		t, "user",
		step{config: user(``), then: "test -f /home/home1/.profile && echo mine >/home/home1/mine"},
		step{config: user(`home = "/srv/a/home1"; move_home = true`), plan: "update home move_home", then: "test -f /srv/a/home1/mine && test ! -e /home/home1"},
		step{config: user(`home = "/srv/b/home1"`), hand: "mkdir /srv/b", plan: "update home move_home", then: "test -f /srv/a/home1/mine && test -f /srv/b/home1/.profile && test ! -e /srv/b/home1/mine && test $(stat -c %U:%G:%a /srv/b/home1) = home1:home1:700"},
		step{config: user(`home = "/srv/a/home1"; move_home = true`), plan: "update home move_home", then: "test -f /srv/a/home1/mine && test -e /srv/b/home1"},
		step{config: user(`home = "/srv/a/home1"; create_home = false`), plan: "update create_home move_home", then: "test -f /srv/a/home1/mine"},
		step{config: user(`home = "/srv/a/home1"; create_home = false`), hand: "rm -r /srv/a/home1"},
		step{config: user(`home = "/srv/a/home1"; remove_home = true`), plan: "update create_home remove_home", then: "test -f /srv/a/home1/.profile"},
		step{config: "# nothing\n", then: "test ! -e /srv/a/home1 && test -e /srv/b/home1"},
	)
	// A home directory that belongs to another user is kept.
	walk(
		t, "user",
		step{config: user(``), then: "chown root /home/home1 && echo theirs >/home/home1/theirs"},
		step{config: user(`home = "/srv/c"; move_home = true`), plan: "update home move_home", then: "test -f /home/home1/theirs && test $(stat -c %U /srv/c) = home1 && rm -r /home/home1"},
	)
	walk(
		t, "user",
		step{config: user(`remove_home = true`), then: "chown root /home/home1"},
		step{config: "# nothing\n", then: "test -d /home/home1 && ! id home1 2>/dev/null && rm -r /home/home1"},
	)
}

// TestHomeLabel checks that restorecon, which sets SELinux labels, runs on the final path of a home directory that is
// created again.
func TestHomeLabel(t *testing.T) {
	roottest.Require(t)
	const tool = "/usr/local/sbin/restorecon"
	must(t, "mkdir -p /usr/local/sbin; printf '#!/bin/sh\\necho \"$@\" >>/run/labelled; exit 1\\n' >"+tool+"; chmod +x "+tool)
	defer must(t, "rm -f "+tool+" /run/labelled")
	user := one("user", `name = "label"`)
	walk(
		t, "user",
		step{config: user, hand: "rm -f /run/labelled"},
		step{config: user, hand: "rm -r /home/label; rm -f /run/labelled", plan: "update create_home", then: "grep -qx -e '-R /home/label' /run/labelled"},
	)
}

// TestGroupWithUserName checks that a group with the user's name that existed before the
// user is kept, although the tools delete it with the user, and that a group that was
// created with the user is deleted.
func TestGroupWithUserName(t *testing.T) {
	roottest.Require(t)
	const managed = "resource \"posix_group\" \"own\" {\n  name = \"twin\"\n  gid = 4242\n}\n"
	user := one("user", `name = "twin"; group = posix_group.own.name; create_home = false`)
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: managed + user, Check: func(*terraform.State) error { return sh("test $(id -g twin) = 4242") }},
		{Config: managed, Check: func(*terraform.State) error { return sh("! id twin 2>/dev/null; getent group twin | grep -q :4242:") }},
		{Config: managed, PlanOnly: true},
		{Config: managed + one("user", `name = "twin"; create_home = false`), Check: func(*terraform.State) error { return sh("test $(id -g twin) = 4242") }},
		{Config: managed, Check: func(*terraform.State) error { return sh("getent group twin | grep -q :4242:") }},
		{Config: "# nothing\n"},
		{Config: one("user", `name = "twin"; create_home = false`)},
		{Config: "# nothing\n", Check: func(*terraform.State) error { return sh("! getent group twin") }},
	}})
}

func TestUserChanges(t *testing.T) {
	roottest.Require(t)
	user := func(body string) string { return one("user", `name = "chg"; create_home = false; `+body) }
	walk(
		t, "user",
		step{config: user(`system = true; uid = 444; group = "users"; groups = ["games", "tty"]`), then: "test \"$(id chg)\" = 'uid=444(chg) gid=100(users) groups=100(users),5(tty),60(games)'"},
		step{config: user(`system = false; uid = 444; group = "users"; groups = ["games", "tty"]`)}, // no effect on an existing user
		step{config: user(`uid = 445; group = "60"; groups = []; comment = "A, é"; shell = "/bin/bash"; home = "/srv/x y"; expires = "2020-01-02"`), plan: "update comment expires group groups home shell system uid", then: "test \"$(getent passwd chg)\" = 'chg:x:445:60:A, é:/srv/x y:/bin/bash' && test \"$(id -G chg)\" = 60 && getent shadow chg | grep -q :18263:$"},
		step{config: user(`group = "60"; expires = "never"; comment = ""; shell = ""`), hand: "usermod -aG tty chg", plan: "update comment expires shell", then: "test \"$(getent passwd chg)\" = 'chg:x:445:60::/srv/x y:' && id -Gn chg | grep -q tty && getent shadow chg | grep -q :::$"},
		step{config: user(`group = "60"`), hand: "usermod -g users chg", plan: "update group", then: "test $(id -g chg) = 60"},
		step{config: user(`group = "games"`), plan: "update group"},
		// The primary group can also be a supplementary group. Some tools add it by themselves.
		step{config: user(`group = "games"; groups = ["games"]`), plan: "update groups"},
		step{config: user(`group = "games"; groups = ["games", "tty"]`), hand: "gpasswd -M chg games", plan: "update groups", then: "test \"$(id -Gn chg)\" = 'games tty'"},
		step{config: user(`group = "games"; groups = []`), plan: "update groups"},
		step{config: user(`group = "games"; groups = []`), hand: "gpasswd -M chg games"},
		step{config: user(`group = "users"; groups = []`), plan: "update group", then: "test \"$(id -Gn chg)\" = users"},
		step{config: user(`group = "games"`), plan: "update group", then: "test \"$(id -Gn chg)\" = games"},
		// Attributes that are not set are not changed.
		step{config: user(``), hand: "usermod -c Other -s /bin/sh -e 2031-01-01 -u 446 -g users -G games chg"},
		step{config: user(`locked = true`), hand: "printf '\\377\\376' >/tmp/bad && sed -i \"s/^chg:x:446:100:Other/chg:x:446:100:$(cat /tmp/bad)/\" /etc/passwd"},
		step{config: user(`comment = "good"; locked = true`), plan: "update comment", then: "getent passwd chg | grep -q :good:"},
		step{config: user(`uid = 446`)},
		step{config: strings.ReplaceAll(user(`uid = 446`), `"chg"`, `"chg2"`), plan: "delete create", then: "test $(id -u chg2) = 446 && ! id chg 2>/dev/null"},
	)
}

func TestGroupChanges(t *testing.T) {
	roottest.Require(t)
	group := func(body string) string { return one("group", `name = "chg"; `+body) }
	walk(
		t, "group",
		step{config: group(`system = true`), then: "test $(getent group chg | cut -d: -f3) -lt 1000"},
		step{config: group(`system = false`)}, // no effect on an existing group
		step{config: group(`gid = 4300; members = []`), plan: "update gid system"},
		step{config: group(`members = ["games", "daemon"]`), plan: "update members", then: "getent group chg | grep -qx chg:x:4300:daemon,games"},
		step{config: group(``), hand: "gpasswd -d games chg", then: "getent group chg | grep -qx chg:x:4300:daemon"},
		step{config: group(``), hand: "gpasswd -M games chg"},
	)
}

// TestMembershipOfOthers checks that the changes of a group and its member in the same
// apply do not revert each other, although the plan has the old membership of one of them.
func TestMembershipOfOthers(t *testing.T) {
	roottest.Require(t)
	config := func(members, comment string) string {
		return "resource \"posix_group\" \"it\" {\n  name = \"both\"\n" + members + "\n}\n" +
			"resource \"posix_user\" \"it\" {\n  name = \"mate\"\n  create_home = false\n  depends_on = [posix_group.it]\n" + comment + "\n}\n"
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("", "")},
		{Config: config("members = [\"mate\"]", "comment = \"Mate\""), Check: func(*terraform.State) error {
			return sh("getent group both | grep -q ':mate$' && getent passwd mate | grep -q :Mate:")
		}},
		{Config: config("members = [\"mate\"]", "comment = \"Mate\""), PlanOnly: true},
	}})
	config = func(gid, groups string) string {
		return "resource \"posix_group\" \"it\" {\n  name = \"both\"\n  depends_on = [posix_user.it]\n" + gid + "\n}\n" +
			"resource \"posix_user\" \"it\" {\n  name = \"mate\"\n  create_home = false\n" + groups + "\n}\n"
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config("", "")},
		{Config: config("gid = 4700", "groups = [\"both\"]"), Check: func(*terraform.State) error { return sh("getent group both | grep -qx both:x:4700:mate") }},
		{Config: config("gid = 4700", "groups = [\"both\"]"), PlanOnly: true},
	}})
}

// TestCreateBeforeDestroy checks that a replacement with create_before_destroy keeps the
// account, because the old and the new resource manage the same account.
func TestCreateBeforeDestroy(t *testing.T) {
	roottest.Require(t)
	for kind, database := range map[string]string{"user": "passwd", "group": "group"} {
		config := func(version string) string {
			return "resource \"terraform_data\" \"version\" {\n  input = \"" + version + "\"\n}\n" +
				"resource \"posix_" + kind + "\" \"it\" {\n  name = \"cbd\"\n  lifecycle {\n    create_before_destroy = true\n    replace_triggered_by = [terraform_data.version]\n  }\n}\n"
		}
		there := func(*terraform.State) error {
			if is, err := exists(database, "cbd")(); err != nil || !is {
				return errors.Join(err, fmt.Errorf("the %s cbd does not exist", kind))
			}
			return nil
		}
		acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
			{Config: config("one"), Check: there},
			{Config: config("two"), Check: there, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				resourcetest.Changes{"posix_" + kind + ".it": "create delete", "terraform_data.version": "update input output"},
			}}},
			{Config: config("two"), PlanOnly: true},
		}})
	}
}

// interruptingHost is the local host. It calls do before each program that follows the
// first run of after, and does not run the program if do returns an error.
type interruptingHost struct {
	host.Host
	after string
	do    func() error
}

func (b *interruptingHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if b.after == "" {
		if err := b.do(); err != nil {
			return host.Result{}, err
		}
	}
	result, err := b.Host.Run(ctx, cmd)
	if slices.Contains(cmd.Args, b.after) {
		b.after = ""
	}
	return result, err
}

// TestInterruptedCreate checks that an interrupted create is completed, that a created account is in
// the state even if it cannot be read, and that a create after the loss of that state adopts the account.
func TestInterruptedCreate(t *testing.T) {
	roottest.Require(t)
	t.Cleanup(func() { must(t, "userdel off || :; groupdel off || :") })
	create := func(after string, do func() error) (*account.UserOutput, *account.GroupOutput, error) {
		h, err := local.New()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		scope := resourcetest.Scope(t, &interruptingHost{Host: h, after: after, do: func() error { cancel(); return do() }})
		if after == "useradd" {
			out, err := (&account.User{Name: "off", PasswordHash: new(hashOne), CreateHome: new(false)}).Create(ctx, scope)
			return out, nil, err
		}
		out, err := (&account.Group{Name: "off", Members: []string{"games"}}).Create(ctx, scope)
		return nil, out, err
	}
	interrupted, cut := func() error { return nil }, func() error { return host.ErrUnreachable }
	if user, _, err := create("useradd", interrupted); err != nil || user == nil || user.UID == nil {
		t.Errorf("an interrupted create returned a user: %t, and the error %v, want a user with a UID", user != nil, err)
	}
	if err := sh("getent shadow off | grep -qF '$6$'; userdel off"); err != nil {
		t.Error(err)
	}
	if user, _, err := create("useradd", cut); !errors.Is(err, host.ErrUnreachable) || user == nil || user.Name != "off" {
		t.Errorf("a create that loses the host after useradd returned a user: %t, and the error %v, want the user named off and %v", user != nil, err, host.ErrUnreachable)
	}
	if user, _, err := create("useradd", interrupted); err != nil || user == nil || user.UID == nil {
		t.Errorf("the next create returned a user: %t, and the error %v, want a user with a UID", user != nil, err)
	}
	must(t, "userdel off")
	if _, group, err := create("groupadd", interrupted); err != nil || group == nil || len(group.Members) != 1 {
		t.Errorf("an interrupted create returned a group: %t, and the error %v, want a group with a member", group != nil, err)
	}
	must(t, "groupdel off")
	if _, group, err := create("groupadd", cut); !errors.Is(err, host.ErrUnreachable) || group == nil || group.Name != "off" {
		t.Errorf("a create that loses the host after groupadd returned a group: %t, and the error %v, want the group named off and %v", group != nil, err, host.ErrUnreachable)
	}
	if _, group, err := create("groupadd", interrupted); err != nil || group == nil || len(group.Members) != 1 {
		t.Errorf("the next create returned a group: %t, and the error %v, want a group with a member", group != nil, err)
	}
}

func TestBusyUser(t *testing.T) {
	roottest.Require(t)
	var running *exec.Cmd
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: one("user", `name = "busy2"`)},
		{
			PreConfig: func() {
				running = exec.Command("setpriv", "--reuid=busy2", "--clear-groups", "sh", "-c", "echo; exec sleep 60")
				out, err := running.StdoutPipe()
				resourcetest.Must(t, err, running.Start())
				_, err = out.Read(make([]byte, 1)) // wait until the process runs as the user
				resourcetest.Must(t, err)
			},
			Config: "# nothing\n", ExpectError: resourcetest.WrappedText("user busy2 is currently used by process"),
		},
		{Config: one("user", `name = "busy2"; uid = 4567`), ExpectError: resourcetest.WrappedText("pkill -KILL -u NAME), and apply again")},
		{PreConfig: func() { _ = running.Process.Kill(); _ = running.Wait() }, Config: "# nothing\n"},
	}})
}

func TestPrimaryGroup(t *testing.T) {
	roottest.Require(t)
	walk(
		t, "group",
		step{config: one("group", `name = "prim"`), then: "useradd -M -g prim member1"},
		step{config: "# nothing\n", fails: "it is the primary group of member1. Change the primary group of these users first"},
		step{config: "# nothing\n", hand: "userdel member1", then: "! getent group prim"},
	)
}

// TestLocked checks that a change waits for another program that briefly locks the files.
func TestLocked(t *testing.T) {
	roottest.Require(t)
	const lock = "sh -c 'echo $$ >/etc/group.lock; exec sleep 1.5' & sleep 0.3; { sleep 1.4; rm /etc/group.lock; } >/dev/null 2>&1 &"
	walk(
		t, "group",
		step{config: one("group", `name = "lck"`), hand: lock, then: "getent group lck"},
	)
}

func TestLockedForLong(t *testing.T) {
	tier.Nightly(t)
	roottest.Require(t)
	begun := time.Now()
	walk(
		t, "group",
		step{config: one("group", `name = "lck"`), hand: "sh -c 'echo $$ >/etc/group.lock; exec sleep 60' >/dev/null 2>&1 & until [ -s /etc/group.lock ]; do sleep 0.01; done", fails: "another program holds the lock of this file"},
	)
	must(t, "rm /etc/group.lock")
	if took := time.Since(begun); took > 50*time.Second {
		t.Errorf("the apply took %s, want at most 50s", took)
	}
}

// unprivilegedHost is the local host, but its programs run as an unprivileged user.
type unprivilegedHost struct{ host.Host }

func (n unprivilegedHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	cmd.Args = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, cmd.Args...)
	return n.Host.Run(ctx, cmd)
}

func TestWithoutRoot(t *testing.T) {
	roottest.Require(t)
	unprivileged := resourcetest.ProviderOn(types, func() (host.Host, error) {
		h, err := local.New()
		return unprivilegedHost{h}, err
	})
	resourcetest.Fails(t, unprivileged, one("user", `name = "x1"`), true, "accounts can only be managed by root: run Terraform as root")
	resourcetest.Fails(t, unprivileged, one("group", `name = "x1"`), true, "accounts can only be managed by root")
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", unprivileged), Steps: []resource.TestStep{{
		Config: "data \"posix_user\" \"it\" {\n  name = \"root\"\n}\n",
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("data.posix_user.it", "uid", "0"),
			resource.TestCheckNoResourceAttr("data.posix_user.it", "locked"),
			resource.TestCheckNoResourceAttr("data.posix_user.it", "has_password"),
		),
	}}})
}

func TestWithoutTools(t *testing.T) {
	roottest.Require(t)
	must(t, "mkdir /hidden; mv /usr/sbin/useradd /usr/sbin/groupadd /hidden")
	t.Cleanup(func() { must(t, "mv /hidden/* /usr/sbin") })
	resourcetest.Fails(t, serve, one("user", `name = "x1"`), true, "has neither useradd nor the adduser of busybox: install the package shadow")
}
