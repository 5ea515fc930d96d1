package packages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestInventory lists packages with apt, dnf and pacman, and runs the example of the registry page.
func TestInventory(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	useDnf(t)
	usePacman(t)
	mustShell(t, strings.ReplaceAll(aptInstall, `"$1"`, "nginx=1.24.0-2 app")+`; apt-mark hold nginx; apt-get -q -y install config; apt-get -q -y remove config
dnf -y -q install nginx-1.24.9-1; pacman --noconfirm -S nginx`)
	t.Cleanup(func() {
		mustShell(t, "apt-mark unhold nginx; apt-get -q -y purge nginx app curl config; dnf -y -q remove nginx; pacman --noconfirm -R nginx")
	})
	const of = "data.posix_packages.it"
	for manager, version := range map[string]string{"apt": "1.24.0-2", "dnf": "1.24.9-1", "pacman": "1.26.0-1"} {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
			Steps: []resource.TestStep{{
				Config: fmt.Sprintf("data \"posix_packages\" \"it\" {\n  manager = %q\n  name_pattern = \"nginx|conf.*\"\n}\n", manager),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr(of, "packages.#", "1"),
					resource.TestCheckResourceAttr(of, "packages.0.name", "nginx"),
					resource.TestCheckResourceAttr(of, "packages.0.version", version),
					resource.TestCheckResourceAttr(of, "packages.0.hold", fmt.Sprint(manager == "apt")),
					resource.TestCheckResourceAttr(of, "versions.nginx", version),
				),
			}},
		})
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{{
			Config: resourcetest.ExampleFile(t, "data-sources/posix_packages/data-source.tf"),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckOutput("nginx", "1.24.0-2"),
				resource.TestCheckResourceAttrSet("data.posix_packages.all", "versions.dpkg"),
			),
		}},
	})
	resourcetest.Fails(t, resourcetest.Provider(types), "data \"posix_packages\" \"it\" {\n  name_pattern = \"(\"\n}\n", true, "error parsing regexp")
}

// TestList runs the example of the registry page and other queries.
func TestList(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	useDnf(t)
	usePacman(t)
	mustShell(t, `apt-get -q -y install app; dnf -y -q install app; pacman --noconfirm -S app`)
	t.Cleanup(func() {
		mustShell(t, "apt-get -q -y purge app curl; dnf -y -q remove app curl; pacman --noconfirm -R app curl")
	})
	const query = "list \"posix_package\" \"it\" {\n  provider = posix\n  include_resource = true\n  config {\n    name_pattern = \"app|curl|config\"\n%s  }\n}\n"
	for id, version := range map[string]string{"debian": "1.0", "fedora": "1.0-1", "arch": "1.0-1"} {
		t.Run(id, func(t *testing.T) {
			setDistribution(t, id)
			for more, want := range map[string][]string{
				"":                                  {"app " + version + " on local"},
				"    include_dependencies = true\n": {"app " + version + " on local", map[string]string{"1.0": "curl 8.0-1 on local", "1.0-1": "curl 8.0-1 on local"}[version]},
			} {
				found := resourcetest.Query(t, resourcetest.Provider(types), fmt.Sprintf(query, more))["it"]
				var names []string
				for _, f := range found {
					names = append(names, f.Name)
					if got := f.Object.GetAttr("name").AsString(); !strings.HasPrefix(f.Name, got+" ") || f.Identity.GetAttr("name").AsString() != got {
						t.Errorf("the display name is %s and the identity %#v, want the name %s in both", f.Name, f.Identity, got)
					}
				}
				if !slices.Equal(names, want) {
					t.Errorf("found %q, want %q", names, want)
				}
			}
		})
	}
	found := resourcetest.Query(t, resourcetest.Provider(types), resourcetest.ExampleFile(t, "list-resources/posix_package/list-resource.tfquery.hcl"))
	if len(found["all"]) == 0 || len(found["php"]) > 0 {
		t.Errorf("the queries of the example return %d packages for all and %d for php, want at least 1 and 0", len(found["all"]), len(found["php"]))
	}
}
