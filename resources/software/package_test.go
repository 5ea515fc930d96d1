package software_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// is is a check that a script prints something.
func is(want, script string) func() error {
	return func() error {
		got, err := shell(script)
		if err == nil && got != want {
			err = fmt.Errorf("%q, want %q", got, want)
		}
		return err
	}
}

const (
	debVersion = `dpkg-query -W -f '${db:Status-Abbrev}${Version}' nginx`
	aptInstall = `apt-get -q -y --allow-downgrades --allow-change-held-packages install "$1" >/dev/null`
)

// installedByApt is what Life asks.
func installedByApt(name string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Stat("/opt/" + name + "/version")
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// TestLifeWithApt lives the example of the registry page.
func TestLifeWithApt(t *testing.T) {
	useApt(t)
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_package/resource.tf"),
		Address:  "posix_package.nginx",
		ImportID: "nginx",
		Drifts: map[string]resourcetest.Drift{
			"removed":     {Make: do(`apt-get -q -y --allow-change-held-packages remove nginx`), Plan: "create", Check: is("hi 1.24.0-2", debVersion)},
			"newer":       {Make: do(aptInstall+"; apt-mark hold nginx", "nginx=1.26.0-1"), Plan: "update installed_version version", Check: is("hi 1.24.0-2", debVersion)},
			"older":       {Make: do(aptInstall+"; apt-mark hold nginx", "nginx=1.24.0-1")}, // it begins with what is wanted
			"hold lifted": {Make: do(`apt-mark unhold nginx`), Plan: "update hold installed_version", Check: is("nginx", "apt-mark showhold")},
			"held": {Make: do(`apt-mark hold postgresql`), Check: is("nginx", "apt-mark showhold"),
				Others: resourcetest.Changes{"posix_package.postgresql": "update hold installed_version"}},
			"both": {Make: do(aptInstall, "nginx=1.26.0-1"), Plan: "update hold installed_version version", Check: is("hi 1.24.0-2", debVersion)},
			"half installed": {
				Make: do(`sed -i '/^Package: nginx$/,/^$/s/^Status: .*/Status: hold ok half-configured/' /var/lib/dpkg/status`),
				Plan: "create", Check: is("hi 1.24.0-2", debVersion),
			},
		},
		NotImported: []string{"purge", "version"},
		Exists:      installedByApt("nginx"),
	}.Run(t)
	if out := mustShell(t, `dpkg-query -W -f '${Package} ${db:Status-Status}' nginx postgresql 2>&1 || :`); strings.Contains(out, "config-files") {
		t.Errorf("after the destruction: %s", out)
	}
}
