package packages_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestReplacedByItself checks that a replacement with create_before_destroy keeps the
// object on the host, because the old and the new resource manage the same object.
func TestReplacedByItself(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	for kind, tt := range map[string]struct{ more, there string }{
		"posix_package":            {"", "/opt/deb/bulk-3/version"},
		"posix_package_repository": {fmt.Sprintf("  uris = [\"file:%s\"]\n  suites = [\"./\"]\n  trusted = true\n", aptRepo), "/etc/apt/sources.list.d/bulk-3.sources"},
	} {
		t.Run(kind, func(t *testing.T) {
			config := func(version string) string {
				return fmt.Sprintf("resource \"terraform_data\" \"version\" {\n  input = %q\n}\nresource %q \"it\" {\n  name = \"bulk-3\"\n%s"+
					"  lifecycle {\n    create_before_destroy = true\n    replace_triggered_by = [terraform_data.version]\n  }\n}\n", version, kind, tt.more)
			}
			there := func(*terraform.State) error { _, err := shell(`test -e "$1"`, tt.there); return err }
			acctest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
				Steps: []resource.TestStep{
					{Config: config("one"), Check: there},
					{Config: config("two"), Check: there, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						resourcetest.Changes{kind + ".it": "create delete", "terraform_data.version": "update input output"},
					}}},
				},
			})
			if left, _ := exists(tt.there)(); left {
				t.Errorf("%s exists after the destroy, want no file", tt.there)
			}
		})
	}
}

// TestUnknown checks attributes that are known only after apply.
func TestUnknown(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	const config = `
resource "terraform_data" "it" {
  input = { name = "nginx", version = "1.24.*", hold = true, uri = "file:/srv/apt" }
}

resource "posix_package_repository" "it" {
  name    = "${terraform_data.it.output.name}-x"
  uris    = [terraform_data.it.output.uri]
  suites  = ["./"]
  trusted = terraform_data.it.output.hold
}

resource "posix_package" "it" {
  name       = terraform_data.it.output.name
  version    = terraform_data.it.output.version
  hold       = terraform_data.it.output.hold
  depends_on = [posix_package_repository.it]
}
`
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("posix_package.it", "version", "1.24.*"),
			resource.TestCheckResourceAttr("posix_package.it", "installed_version", "1.24.0-2"),
			resource.TestCheckResourceAttr("posix_package.it", "manager", "apt"),
			resource.TestCheckResourceAttr("posix_package_repository.it", "path", "/etc/apt/sources.list.d/nginx-x.sources"),
		)}},
	})
}
