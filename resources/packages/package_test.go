package packages_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// prints returns a function that checks the output of a script.
func prints(want, script string) func() error {
	return func() error {
		got, err := shell(script)
		if err == nil && got != want {
			err = fmt.Errorf("%s prints %q, want %q", script, got, want)
		}
		return err
	}
}

const (
	debVersion = `dpkg-query -W -f '${db:Status-Abbrev}${Version}' nginx`
	aptInstall = `apt-get -q -y --allow-downgrades --allow-change-held-packages install "$1" >/dev/null`
)

// isInstalled returns a function that reports whether a package is installed; kind is the
// directory in /opt that has its files.
func isInstalled(kind, name string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Stat("/opt/" + kind + "/" + name + "/version")
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// TestLifeWithApt runs the example of the registry page.
func TestLifeWithApt(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_package/resource.tf"),
		Address:  "posix_package.nginx",
		ImportID: "nginx",
		Drifts: map[string]resourcetest.Drift{
			"removed":     {Make: do(`apt-get -q -y --allow-change-held-packages remove nginx`), Plan: "create", Check: prints("hi 1.24.0-2", debVersion)},
			"newer":       {Nightly: true, Make: do(aptInstall+"; apt-mark hold nginx", "nginx=1.26.0-1"), Plan: "update installed_version version", Check: prints("hi 1.24.0-2", debVersion)},
			"older":       {Nightly: true, Make: do(aptInstall+"; apt-mark hold nginx", "nginx=1.24.0-1")}, // still matches the prefix
			"hold lifted": {Nightly: true, Make: do(`apt-mark unhold nginx`), Plan: "update hold installed_version", Check: prints("nginx", "apt-mark showhold")},
			"held": {
				Make: do(`apt-mark hold postgresql`), Check: prints("nginx", "apt-mark showhold"),
				Others: resourcetest.Changes{"posix_package.postgresql": "update hold installed_version"},
			},
			"both": {Make: do(aptInstall, "nginx=1.26.0-1"), Plan: "update hold installed_version version", Check: prints("hi 1.24.0-2", debVersion)},
			"half installed": {
				Make: do(`sed -i '/^Package: nginx$/,/^$/s/^Status: .*/Status: hold ok half-configured/' /var/lib/dpkg/status`),
				Plan: "create", Check: prints("hi 1.24.0-2", debVersion),
			},
		},
		NotImported: []string{"purge", "version"},
		Exists:      isInstalled("deb", "nginx"),
	}.Run(t)
	resourcetest.Imports(t, "resources/posix_package", "posix_package.nginx", "nginx")
	if out := mustShell(t, `dpkg-query -W -f '${Package} ${db:Status-Status}' nginx postgresql 2>&1 || :`); strings.Contains(out, "config-files") {
		t.Errorf("the packages after the destroy are %s, want no configuration files", out)
	}
}

// setDistribution sets the ID in the root's /etc/os-release until the test ends.
func setDistribution(t *testing.T, id string) {
	t.Helper()
	mustShell(t, `cp -P /etc/os-release /tmp/os-release; rm /etc/os-release; echo "ID=$1" > /etc/os-release`, id)
	t.Cleanup(func() { mustShell(t, `rm /etc/os-release; cp -P /tmp/os-release /etc/os-release`) })
}

// TestLifeWithDnf uses dnf and rpm themselves, with a database of their own in the
// root.
func TestLifeWithDnf(t *testing.T) {
	roottest.Require(t)
	useDnf(t)
	setDistribution(t, "fedora")
	const version = `rpm -q nginx`
	for _, wanted := range tier.Pick(nil, []string{"1.24.*"}, []string{"1.24.*", "1.24.10-1"}) { // a version without a star is imported as configured
		life := resourcetest.Life{
			Provider: resourcetest.Provider(types),
			Config:   fmt.Sprintf("resource \"posix_package\" \"nginx\" {\n  name    = \"nginx\"\n  version = %q\n  hold    = true\n}\n", wanted),
			Address:  "posix_package.nginx",
			ImportID: "nginx",
			Exists:   isInstalled("rpm", "nginx"),
		}
		if wanted == "1.24.*" {
			life.NotImported = []string{"version"} // the state has the installed version
			life.Drifts = map[string]resourcetest.Drift{
				"removed":     {Nightly: true, Make: do(`dnf -y -q remove nginx`), Plan: "create", Check: prints("nginx-1.24.10-1.noarch", version)},
				"newer":       {Make: do(`dnf -q versionlock clear; dnf -y -q install nginx-1.26.0-1; dnf -q versionlock add nginx-1.26.0-1`), Plan: "update installed_version version", Check: prints("nginx-1.24.10-1.noarch", version)},
				"hold lifted": {Make: do(`dnf -q versionlock delete nginx`), Plan: "update hold installed_version", Check: prints("nginx-0:1.24.10-1.*", `grep nginx /etc/dnf/plugins/versionlock.list`)},
			}
		}
		life.Run(t)
		if left, err := shell(`grep nginx /etc/dnf/plugins/versionlock.list`); err == nil {
			t.Errorf("the destroy left the lock %s, want no lock", left)
		}
	}
}

// TestLifeWithPacman uses pacman itself, with one version in its repository.
func TestLifeWithPacman(t *testing.T) {
	roottest.Require(t)
	usePacman(t)
	setDistribution(t, "arch")
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   "resource \"posix_package\" \"nginx\" {\n  name    = \"nginx\"\n  version = \"1.26.0-1\"\n  hold    = true\n}\n",
		Address:  "posix_package.nginx",
		ImportID: "nginx",
		Drifts: map[string]resourcetest.Drift{
			"removed":     {Make: do(`pacman --noconfirm -R nginx`), Plan: "create", Check: prints("nginx 1.26.0-1", "pacman -Q nginx")},
			"older":       {Make: do(`pacman --noconfirm -U /srv/pac/nginx-1.24.0-1-any.pkg.tar.zst`), Plan: "update installed_version version", Check: prints("nginx 1.26.0-1", "pacman -Q nginx")},
			"hold lifted": {Make: do(`sed -i /^IgnorePkg/d /etc/pacman.conf`), Plan: "update hold installed_version", Check: prints("nginx", "pacman-conf IgnorePkg")},
		},
		Exists: isInstalled("pac", "nginx"),
	}.Run(t)
	if err := prints("", "pacman-conf IgnorePkg")(); err != nil {
		t.Errorf("after the destroy, %v", err)
	}
}

// TestImportIsNoChange checks that the plan of an import shows no change, even if a prefix of the
// version is configured.
func TestImportIsNoChange(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	mustShell(t, aptInstall, "nginx=1.24.0-1")
	t.Cleanup(func() { mustShell(t, "apt-get -q -y purge nginx") })
	const config = `
resource "posix_package" "nginx" {
  name    = "nginx"
  version = "1.24.*"
}
import {
  to = posix_package.nginx
  id = "nginx"
}
`
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_package.nginx": "import no-op"}}},
		}, {
			// An upgrade by hand within the configured prefix is not a change.
			PreConfig: func() { mustShell(t, aptInstall, "nginx=1.24.0-2") },
			Config:    config, PlanOnly: true,
		}, {
			Config: strings.ReplaceAll(config, `"1.24.*"`, `"1.24.0-1"`),
			Check:  func(*terraform.State) error { return prints("ii 1.24.0-1", debVersion)() },
		}, {
			Config:   strings.ReplaceAll(config, `version = "1.24.*"`, ""),
			PlanOnly: true,
		}},
	})
}
