package packages_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// recordApt returns a recorded host with apt and the repository of useApt.
func recordApt(t *testing.T) resourcetest.Recorded {
	t.Helper()
	if transcript.Recording() {
		useApt(t)
	}
	return resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool {
			return args[0] == "/bin/sh" || args[0] == "apt-cache" || slices.Contains(args, "showmanual") || slices.Contains(args, "-s")
		},
		Omit: func(line string) bool { // lines of other packages
			name, _, several := strings.Cut(line, "\t")
			return name != "nginx" && (several || !strings.Contains(line, " ") && line != "amd64" && line != "arm64")
		},
		Watch:    []string{"/etc/apt/sources.list.d"},
		Versions: [][]string{{"apt-get", "--version"}},
	})
}

// TestRecordedPackage installs, changes, repairs, imports and removes a package.
func TestRecordedPackage(t *testing.T) {
	h := recordApt(t)
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(want string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("test \"$(" + debVersion + ")\" = '" + want + "'"))
	}
	plans := func(what string) resource.ConfigPlanChecks { return resourcetest.Plans("posix_package.nginx", what) }
	second := packageBlock("nginx", "version = \"1.26.0-1\"\n  hold = true\n  purge = true")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: packageBlock("nginx=1", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("the attribute version")},
			{Config: packageBlock("nginx", "version = \"1.25*\"\n  update_cache = false"), ExpectError: resourcetest.WrappedText("has no version 1.25* of the package nginx. It has: 1.26.0-1, 1.24.0-2, 1.24.0-1.")},
			{Config: packageBlock("nginx", `version = "1.24.*"`), Check: has("ii 1.24.0-2")},
			{Config: second, ConfigPlanChecks: plans("update hold installed_version purge version"), Check: has("hi 1.26.0-1")},
			{Config: second, PreConfig: by("apt-mark unhold nginx"), ConfigPlanChecks: plans("update hold installed_version"), Check: has("hi 1.26.0-1")},
			{Config: second, PreConfig: by("apt-get -q -y --allow-downgrades --allow-change-held-packages install nginx=1.24.0-1"), ConfigPlanChecks: plans("update hold installed_version version"), Check: has("hi 1.26.0-1")},
			{Config: second, PreConfig: by("apt-get -q -y --allow-change-held-packages remove nginx"), ConfigPlanChecks: plans("create"), Check: has("hi 1.26.0-1")},
			{
				ResourceName: "posix_package.nginx", ImportState: true, ImportStateId: "nginx",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"purge", "version"},
			},
		},
		CheckDestroy: func(*terraform.State) error { return h.Does("test ! -e /opt/deb/nginx")() },
	})
}

// TestRecordedRepository adds, changes, repairs, imports and removes a repository.
func TestRecordedRepository(t *testing.T) {
	const file = "/etc/apt/sources.list.d/it.sources"
	h := recordApt(t)
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(line string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -x '" + line + "' " + file))
	}
	plans := func(what string) resource.ConfigPlanChecks {
		return resourcetest.Plans("posix_package_repository.it", what)
	}
	config := func(uris, more string) string {
		return repositoryBlock("uris = [" + uris + "]\nsuites = [\"./\"]\ntrusted = true\n" + more)
	}
	first, second := config(`"file:/srv/apt"`, ""), config(`"file:/srv/apt", "file:///srv/./apt"`, "options = { Languages = \"none\" }")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: repositoryBlock(`suites = ["./"]`), PlanOnly: true, ExpectError: resourcetest.WrappedText("apt requires an address")},
			{Config: config(`"file:/nowhere"`, ""), ExpectError: resourcetest.WrappedText("was reverted")},
			{Config: first, Check: has("URIs: file:/srv/apt")},
			{Config: second, ConfigPlanChecks: plans("update content options uris"), Check: has("Languages: none")},
			{Config: second, PreConfig: by("sed -i 's,^URIs:.*,URIs: file:/elsewhere,' " + file), ConfigPlanChecks: plans("update content uris"), Check: has("URIs: file:/srv/apt file:///srv/./apt")},
			{Config: second, PreConfig: by("rm " + file), ConfigPlanChecks: plans("create"), Check: has("Languages: none")},
			{
				ResourceName: "posix_package_repository.it", ImportState: true, ImportStateId: "it",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
		},
		CheckDestroy: func(*terraform.State) error { return h.Does("test ! -e " + file)() },
	})
}
