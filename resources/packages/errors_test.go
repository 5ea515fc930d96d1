package packages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// packageBlock returns a block of a posix_package with a name and the lines in more.
func packageBlock(name, more string) string {
	return fmt.Sprintf("resource \"posix_package\" %q {\n  name = %q\n  %s\n}\n", strings.Trim(strings.NewReplacer(".", "_", "+", "_", " ", "_", "*", "_", "@", "_", "/", "_", "=", "_", ":", "_").Replace(name), "-"), name, more)
}

// TestErrors checks which errors the plan returns, and which only the apply returns.
func TestErrors(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	useDnf(t)
	usePacman(t)
	for name, tt := range map[string]struct {
		before, after string // scripts that run on the host
		config        string
		planned       bool
		want          string
		nightly       bool // too slow for every run
	}{
		"option as name": {config: packageBlock("-oDebug=1", ""), planned: true, want: "use only the name"},
		"dash at end":    {config: packageBlock("curl-", ""), planned: true, want: "not end with a dash"},
		"pattern":        {config: packageBlock("cur*", ""), planned: true, want: "patterns, groups and files are not supported"},
		"group":          {config: packageBlock("@base", ""), planned: true, want: "patterns, groups and files are not supported"},
		"file":           {config: packageBlock("./curl.deb", ""), planned: true, want: "options, patterns"},
		"name=version":   {config: packageBlock("curl=8.0-1", ""), planned: true, want: "the attribute version"},
		"only a star":    {config: packageBlock("curl", `version = "*"`), planned: true, want: "leave version out"},
		"bad version":    {config: packageBlock("curl", `version = "latest stable"`), planned: true, want: "as the package manager prints it"},
		"bad manager":    {config: packageBlock("curl", `manager = "brew"`), planned: true, want: "manager"},
		"other version":  {before: aptInstallOf("curl"), after: "apt-get -q -y purge curl", config: packageBlock("curl", `version = "7*"`), planned: true, want: `is already installed on host local in version 8.0-1, which differs from the configuration. To manage it, import it (id "local:curl")`},
		"other hold":     {before: aptInstallOf("curl") + "; apt-mark hold curl", after: "apt-mark unhold curl; apt-get -q -y purge curl", config: packageBlock("curl", ""), planned: true, want: "in version 8.0-1, on hold, which differs from"},
		"no package":     {config: packageBlock("nosuch", ""), want: "apt on host local has no package nosuch; its index was just updated. Check the name, or add a repository"},
		"no update":      {config: packageBlock("nosuch", "update_cache = false"), want: "set update_cache = true"},
		"virtual":        {config: packageBlock("virt", ""), want: "virt is not a package of apt on host local, but is provided by prov. Use the name of a package that provides it"},
		"unavailable":    {config: packageBlock("nginx", `version = "1.25*"`), want: "has no version 1.25* of the package nginx. It has: 1.26.0-1, 1.24.0-2, 1.24.0-1."},
		"conflict":       {before: aptInstallOf("curl"), after: "apt-get -q -y purge curl", config: packageBlock("rival", ""), want: "would remove packages that conflict with it: curl. Nothing was changed"},
		"failed script":  {before: "touch /run/broken", after: "rm /run/broken; apt-get -q -y purge broken", config: packageBlock("broken", ""), want: "its own scripts fail"},

		"dnf no package":  {config: packageBlock("nosuch", `manager = "dnf"`), want: "dnf on host local has no package nosuch", nightly: true},
		"dnf virtual":     {config: packageBlock("virt", `manager = "dnf"`), want: "is provided by prov", nightly: true},
		"dnf unavailable": {config: packageBlock("nginx", "manager = \"dnf\"\nversion = \"2*\""), want: "It has: 1.26.0-1, 1.24.10-1, 1.24.9-1, 1.24.0-1."},
		"dnf conflict":    {before: "dnf -y -q install curl", after: "dnf -y -q remove curl", config: packageBlock("rival", `manager = "dnf"`), want: "conflicts with curl"},
		"dnf no hold":     {before: "sed -i s/1/0/ /etc/dnf/plugins/versionlock.conf", after: "sed -i s/0/1/ /etc/dnf/plugins/versionlock.conf; dnf -y -q remove curl", config: packageBlock("curl", "manager = \"dnf\"\nhold = true"), want: "cannot hold packages: dnf has no versionlock plugin", nightly: true},

		"pacman no package":  {config: packageBlock("nosuch", `manager = "pacman"`), want: "pacman on host local has no package nosuch"},
		"pacman virtual":     {config: packageBlock("virt", `manager = "pacman"`), want: "is provided by prov"},
		"pacman unavailable": {config: packageBlock("nginx", "manager = \"pacman\"\nversion = \"1.24*\""), want: "It has: 1.26.0-1."},
		"pacman conflict":    {before: "pacman --noconfirm -S curl", after: "pacman --noconfirm -R curl", config: packageBlock("rival", `manager = "pacman"`), want: "unresolvable package conflicts"},

		"apk not installed": {config: packageBlock("curl", `manager = "apk"`), want: "host local has no program apk"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.nightly {
				tier.Nightly(t)
			}
			if tt.before != "" {
				mustShell(t, tt.before)
			}
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, tt.planned, tt.want)
			if tt.after != "" {
				mustShell(t, tt.after)
			}
		})
	}
}

func aptInstallOf(name string) string { return strings.ReplaceAll(aptInstall, `"$1"`, name) }
