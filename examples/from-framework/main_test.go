package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"

	"example.com/from-framework/after"
	"example.com/from-framework/before"
	"example.com/from-framework/shop"
)

const configuration = `
provider "shop" {
  endpoint = "https://shop.example.com"
}
resource "shop_shelf" "plain" {
  name       = "plain"
  depends_on = [shop_shelf.full] # IDs are counted
}
resource "shop_shelf" "full" {
  name     = "full"
  capacity = 3
  labels   = { floor = "2" }
}
resource "shop_item" "plain" {
  shelf = shop_shelf.plain.id
  price = 1
}
resource "shop_item" "full" {
  shelf    = shop_shelf.full.id
  price    = %s
  tags     = ["b", "a"]
  supplier = { name = "ada", phone = null }
}
`

// stage is a release of the provider: the resource types that have moved.
type stage map[string]runtime.ResourceRegistration

var (
	itemMoved = stage{"item": runtime.MakeResource[after.Item, *after.ItemOutput, *shop.Shop]()}
	allMoved  = stage{"item": itemMoved["item"], "shelf": runtime.MakeResource[after.Shelf, *after.ShelfOutput, *shop.Shop]()}
)

// factories returns the server of a stage. It has both libraries unless one has all types.
func (s stage) factories(t *testing.T, service *shop.Shop) map[string]func() (tfplugin.ProviderServer, error) {
	theirs := &before.Provider{Shop: service}
	for name, create := range map[string]func() frameworkresource.Resource{"item": before.NewItem, "shelf": before.NewShelf} {
		if _, moved := s[name]; !moved {
			theirs.Types = append(theirs.Types, create)
		}
	}
	return map[string]func() (tfplugin.ProviderServer, error){"shop": func() (tfplugin.ProviderServer, error) {
		if len(s) == 0 {
			return providerserver.NewProtocol6WithError(theirs)()
		}
		p, err := after.New(service, s)
		if err != nil {
			return nil, err
		}
		ours, err := server.New(t.Context(), guard.Wrap(p))
		if err != nil || len(theirs.Types) == 0 {
			return ours, err
		}
		return mux(theirs)(t.Context(), ours)
	}}
}

// TestMigration moves one resource type after the other. No plan has changes, and no
// attribute of a state changes.
func TestMigration(t *testing.T) {
	t.Parallel()
	service := &shop.Shop{}
	states := map[string]map[string]string{}
	same := func(s *terraform.State) error {
		for name, r := range s.RootModule().Resources {
			if old, ok := states[name]; ok && !maps.Equal(old, r.Primary.Attributes) {
				return fmt.Errorf("%s was %v and is %v", name, old, r.Primary.Attributes)
			}
			states[name] = maps.Clone(r.Primary.Attributes)
		}
		return nil
	}
	unchanged := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	config := fmt.Sprintf(configuration, "2.5")
	// [steps
	acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{
		{ProtoV6ProviderFactories: stage{}.factories(t, service), Config: config, Check: same},
		{ProtoV6ProviderFactories: itemMoved.factories(t, service), Config: config, ConfigPlanChecks: unchanged, Check: same},
		{ProtoV6ProviderFactories: allMoved.factories(t, service), Config: config, ConfigPlanChecks: unchanged, Check: same},
		{ // a change is applied to the object that the other library created
			ProtoV6ProviderFactories: allMoved.factories(t, service), Config: fmt.Sprintf(configuration, "3"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("shop_item.full", plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("shop_item.plain", plancheck.ResourceActionNoop),
			}},
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttr("shop_item.full", "price", "3"),
				resource.TestCheckResourceAttr("shop_item.full", "token", "token of 1"),
			),
		},
	}})
	// steps]
}

// TestGuide checks that code in docs/from-framework.md equals the example.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/from-framework.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go (\\S+)#(\\w+)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 5 {
		t.Errorf("the guide has %d blocks of code, want 5", len(blocks))
	}
	for _, b := range blocks {
		source, err := os.ReadFile(b[1])
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(source), "// ["+b[2]+"\n")
		want, _, ends := strings.Cut(rest, "// "+b[2]+"]\n")
		if b[2] == "steps" { // inside of a function
			want = strings.ReplaceAll("\n"+want, "\n\t", "\n")
		}
		if got, want := strings.TrimSpace(b[3]), strings.TrimSpace(want); !ends || got != want {
			t.Errorf("the guide shows %s#%s as\n%s\nwant\n%s", b[1], b[2], got, want)
		}
	}
}
