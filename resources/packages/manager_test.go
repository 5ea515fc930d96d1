package packages_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// counting wraps the local host, and counts installations with apt, queries of dpkg, and other commands.
type counting struct {
	host.Host
	installs, queries, others atomic.Int32
}

func (c *counting) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	switch line := strings.Join(remotecmd.Program(cmd), " "); {
	case strings.Contains(line, "apt-get") && strings.Contains(line, " install "):
		c.installs.Add(1)
	case strings.Contains(line, "dpkg-query"):
		c.queries.Add(1)
	default:
		c.others.Add(1)
	}
	return c.Host.Run(ctx, cmd)
}

// TestManyAtOnce checks that many packages are installed, read and removed in few runs.
func TestManyAtOnce(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	h := newCounting(t)
	config := fmt.Sprintf("resource \"posix_package\" \"many\" {\n  count = %d\n  name  = \"bulk-${count.index + 1}\"\n}\n", bulk)
	var start time.Time
	step := func(what string, installs, queries int32) func() {
		return func() {
			t.Logf("%s in %v, with %d installations, %d queries and %d other calls", what, time.Since(start).Round(time.Millisecond), h.installs.Load(), h.queries.Load(), h.others.Load())
			if h.installs.Load() > installs || h.queries.Load() > queries {
				t.Errorf("%s: %d installations, %d queries, want at most %d and %d", what, h.installs.Load(), h.queries.Load(), installs, queries)
			}
			h.installs.Store(0)
			h.queries.Store(0)
			h.others.Store(0)
			start = time.Now()
		}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })),
		Steps: []resource.TestStep{
			{Config: config, PreConfig: step("nothing", 0, 0)},
			{Config: config, PreConfig: step("the creation", 12, 120), PlanOnly: true},
			{Config: config + "\n", PreConfig: step("a plan", 0, 60), PlanOnly: true},
		},
	})
	step("a plan and the destroy", 0, 120)()
	if left := mustShell(t, `ls -d /opt/deb/bulk-* 2>/dev/null || :`); left != "" {
		t.Errorf("the destroy left %s, want no files", left)
	}
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return &counting{Host: h}
}

// TestErrorsOfOne checks that the other packages are installed if the scripts of one package fail and
// a package that conflicts with an installed one makes the run for all packages fail.
func TestErrorsOfOne(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	mustShell(t, "touch /run/broken; apt-get -q -y install curl")
	t.Cleanup(func() { mustShell(t, "rm -f /run/broken; apt-get -q -y purge broken bulk-1 bulk-2 curl") })
	repaired := packageBlock("broken", "") + packageBlock("bulk-1", "") + packageBlock("bulk-2", "")
	config := repaired + packageBlock("nosuch", "") + packageBlock("rival", "")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config, ExpectError: resourcetest.WrappedText("that conflict with it: curl")},
			{PreConfig: func() {
				for name, want := range map[string]string{"bulk-1": "ii 1.0", "bulk-2": "ii 1.0", "broken": "iF 1.0"} {
					if got := mustShell(t, `dpkg-query -W -f '${db:Status-Abbrev}${Version}' "$1"`, name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				mustShell(t, "rm /run/broken")
			}, Config: repaired},
		},
	})
}

// TestConfigurationFiles checks that modified configuration files are kept unless purge is set, and
// that they do not prevent a package from being installed again.
func TestConfigurationFiles(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	t.Cleanup(func() { mustShell(t, "apt-get -q -y purge config") })
	config := func(more string) string { return packageBlock("config", more) }
	const changed = "echo changed > /etc/config.conf"
	kept := prints("changed", "cat /etc/config.conf")
	check := func(do func() error) func() {
		return func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
	}
	factories := acctest.Factories("posix", resourcetest.Provider(types))
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config(`version = "1.0"`)},
		{Config: config(`version = "2.0"`), PreConfig: check(do(changed))},
	}})
	check(kept)()
	check(prints("rc 2.0", `dpkg-query -W -f '${db:Status-Abbrev}${Version}' config`))()
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config("")},
		{Config: config("purge = true"), PreConfig: check(kept)},
	}})
	check(prints("gone", "[ -e /etc/config.conf ] || echo gone"))()
}

// TestMarkedExplicit checks that an adopted package is marked as explicitly installed, so
// that it is not removed as a dependency that is no longer required, and that it is not
// removed while another package requires it.
func TestMarkedExplicit(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	useDnf(t)
	usePacman(t)
	for manager, tt := range map[string]struct{ before, asked, after, needs string }{
		"apt":    {"apt-get -q -y install app", "apt-mark showmanual curl", "apt-get -q -y purge app", "app"},
		"dnf":    {"dnf -y -q install app", "dnf -q repoquery --userinstalled --qf '%{name}' curl", "dnf -y -q remove app", "app"},
		"pacman": {"pacman --noconfirm -S app", "pacman -Qeq curl", "pacman --noconfirm -R app", "app"},
	} {
		t.Run(manager, func(t *testing.T) {
			mustShell(t, tt.before)
			if got, _ := shell(tt.asked); strings.HasPrefix(got, "curl") {
				t.Fatalf("curl is already marked before the test: %s, want no mark", got)
			}
			config := packageBlock("curl", fmt.Sprintf("manager = %q", manager))
			acctest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
				Steps: []resource.TestStep{
					{Config: config, Check: resourcetest.Check(prints("curl", tt.asked))},
					{Config: config, Destroy: true, ExpectError: resourcetest.WrappedText("cannot remove curl from host local: required by " + tt.needs + ". Remove those packages first")},
					{Config: config, PreConfig: func() { mustShell(t, tt.after) }, ConfigPlanChecks: resourcetest.Plans("posix_package.curl", "")},
				},
			})
		})
	}
}

// TestKilledManagers checks that packages can be installed after dpkg was killed while it configured
// a package, and while there is a lock like that of a killed pacman.
func TestKilledManagers(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	usePacman(t)
	mustShell(t, `>/run/slow
apt-get -q -y install slow >/dev/null 2>&1 &
until [ -e /run/slow-started ]; do sleep 0.1; done
for dir in /proc/[0-9]*; do
	case $(cat $dir/comm) in dpkg | apt-get) kill -KILL ${dir#/proc/} ;; esac
done
wait
rm /run/slow
touch /var/lib/pacman/db.lck`)
	t.Cleanup(func() { mustShell(t, "apt-get -q -y purge slow") })
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: packageBlock("bulk-4", ""), Check: resourcetest.Check(prints("ii", `dpkg-query -W -f '${db:Status-Abbrev}' slow`))},
			{Config: packageBlock("curl", `manager = "pacman"`)},
		},
	})
}

// TestKilledDnf kills dnf while it runs a script of a package, in an installation and in an upgrade. dnf
// needs no repair before the next change: the next apply succeeds. After the upgrade, the database has
// both versions: the provider uses the new one, whose files are installed, and a destroy removes both.
func TestKilledDnf(t *testing.T) {
	roottest.Require(t)
	useDnf(t)
	kill := func(pkg string) func() {
		return func() {
			mustShell(t, `>/run/slow-rpm
dnf -y -q install "$1" >/dev/null 2>&1 &
until [ -e /run/slow-rpm-started ]; do sleep 0.1; done
for dir in /proc/[0-9]*; do
	case $(cat $dir/comm) in dnf) kill -KILL ${dir#/proc/} ;; esac
done
wait
rm /run/slow-rpm /run/slow-rpm-started`, pkg)
		}
	}
	has := func(want string) resource.TestCheckFunc {
		return resourcetest.Check(prints(want, "rpm -q slow | sort; cat /opt/rpm/slow/version"))
	}
	slow := func(version string) string {
		return packageBlock("slow", fmt.Sprintf("manager = \"dnf\"\n  version = %q", version))
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{PreConfig: kill("slow-1.0"), Config: packageBlock("curl", `manager = "dnf"`), Check: has("slow-1.0-1.noarch\n1.0")},
			{Config: slow("1.0-1"), Check: has("slow-1.0-1.noarch\n1.0")},
			{PreConfig: kill("slow-2.0"), Config: slow("2.0-1"), Check: has("slow-1.0-1.noarch\nslow-2.0-1.noarch\n2.0")},
		},
		CheckDestroy: func(*terraform.State) error {
			return errors.Join(prints("package slow is not installed", "rpm -q slow || :")(), do("test ! -e /opt/rpm/slow/version")())
		},
	})
}

// TestRecommended checks that the destroy of server also removes server-mod, which requires server, and
// which apt installed as a recommendation of server.
func TestRecommended(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	const recommend = "/etc/apt/apt.conf.d/zz-recommend"
	mustShell(t, `echo 'APT::Install-Recommends "true";' >"$1"`, recommend)
	t.Cleanup(func() { mustShell(t, `rm "$1"`, recommend) })
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps:                    []resource.TestStep{{Config: packageBlock("server", ""), Check: resourcetest.Check(do("test -e /opt/deb/server-mod/version"))}},
	})
	if left := mustShell(t, `ls -d /opt/deb/server* 2>/dev/null || :`); left != "" {
		t.Errorf("the destroy left %s, want no files", left)
	}
}
