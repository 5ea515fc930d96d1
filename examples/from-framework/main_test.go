package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"

	"example.com/from-framework/after"
	"example.com/from-framework/before"
	"example.com/from-framework/shop"
)

// asProgram is an environment variable that makes the test binary the provider's program.
const asProgram = "FROM_FRAMEWORK_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

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
  price    = %[1]s
  tags     = ["b", "a"]
  supplier = { name = "ada", phone = null }
}
resource "shop_order" "plain" {
  item       = shop_item.plain.id
  depends_on = [shop_order.full]
}
resource "shop_order" "full" {
  item     = shop_item.full.id
  quantity = 2
  note     = "for %[1]s"
  tags     = ["b", "a"]
  delivery {
    street = "1 Main Street"
  }
}
`

// stage is a release of the provider: the resource types that are migrated.
type stage map[string]runtime.ResourceRegistration

var (
	item  = runtime.MakeResource[after.Item, *after.ItemOutput, *shop.Shop]()
	shelf = runtime.MakeResource[after.Shelf, *after.ShelfOutput, *shop.Shop]()
	order = runtime.MakeResource[after.Order, *after.OrderOutput, *shop.Shop]()
)

// factories returns the provider factory of a stage. The server combines the servers of all libraries
// that have a resource type.
func (s stage) factories(t *testing.T, service *shop.Shop) map[string]func() (tfplugin.ProviderServer, error) {
	return map[string]func() (tfplugin.ProviderServer, error){"shop": func() (tfplugin.ProviderServer, error) {
		var servers []tfplugin.ProviderServer
		if len(s) > 0 {
			p, err := after.New(service, s)
			if err != nil {
				return nil, err
			}
			ours, err := server.New(t.Context(), guard.Wrap(p))
			if err != nil {
				return nil, err
			}
			servers = append(servers, ours)
		}
		framework := &before.Provider{Shop: service}
		for name, create := range map[string]func() frameworkresource.Resource{"item": before.NewItem, "shelf": before.NewShelf} {
			if _, migrated := s[name]; !migrated {
				framework.Types = append(framework.Types, create)
			}
		}
		if len(framework.Types) > 0 {
			servers = append(servers, providerserver.NewProtocol6(framework)())
		}
		if _, migrated := s["order"]; !migrated {
			sdk, err := before.SDKServer(service, map[string]*schema.Resource{"shop_order": before.NewOrder()})
			if err != nil {
				return nil, err
			}
			servers = append(servers, sdk)
		}
		return mux(t.Context(), servers...)
	}}
}

// set returns the attributes that are set: SDKv2 stores empty values for some unset ones.
func set(attributes map[string]string) map[string]string {
	attributes = maps.Clone(attributes)
	maps.DeleteFunc(attributes, func(name, value string) bool {
		return value == "" || value == "0" && (strings.HasSuffix(name, ".#") || strings.HasSuffix(name, ".%"))
	})
	delete(attributes, "%") // the number of attributes
	return attributes
}

// TestMigration migrates one resource type after the other. Each migration has an empty plan and changes
// no attribute that is set in the state, each library imports objects, and migrated objects can be updated.
func TestMigration(t *testing.T) {
	t.Parallel()
	service := &shop.Shop{}
	states := map[string]map[string]string{}
	same := func(s *terraform.State) error {
		for name, r := range s.RootModule().Resources {
			attributes := set(r.Primary.Attributes)
			if old, ok := states[name]; ok && !maps.Equal(old, attributes) {
				return fmt.Errorf("the attributes of %s were %v and are %v, want no change", name, old, attributes)
			}
			states[name] = attributes
		}
		return nil
	}
	unchanged := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	config := fmt.Sprintf(configuration, "2.5")
	first, second, last := stage{"item": item}, stage{"item": item, "shelf": shelf}, stage{"item": item, "shelf": shelf, "order": order}
	imported := func(name string) resource.TestStep {
		return resource.TestStep{ProtoV6ProviderFactories: first.factories(t, service), ResourceName: name, ImportState: true, ImportStateVerify: true}
	}
	reset := func() { // the steps run once for each engine
		*service = shop.Shop{}
		clear(states)
	}
	// [steps
	acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{
		{PreConfig: reset, ProtoV6ProviderFactories: stage{}.factories(t, service), Config: config, Check: same},
		{ProtoV6ProviderFactories: first.factories(t, service), Config: config, ConfigPlanChecks: unchanged, Check: same},
		imported("shop_item.full"), imported("shop_shelf.full"), imported("shop_order.full"), // by three libraries in one program
		{ProtoV6ProviderFactories: second.factories(t, service), Config: config, ConfigPlanChecks: unchanged, Check: same},
		{ProtoV6ProviderFactories: last.factories(t, service), Config: config, ConfigPlanChecks: unchanged, Check: same},
		{ // a change is applied to objects that the other libraries created
			ProtoV6ProviderFactories: last.factories(t, service), Config: fmt.Sprintf(configuration, "3"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("shop_item.full", plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("shop_order.full", plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("shop_item.plain", plancheck.ResourceActionNoop),
				plancheck.ExpectResourceAction("shop_order.plain", plancheck.ResourceActionNoop),
			}},
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttr("shop_item.full", "price", "3"),
				resource.TestCheckResourceAttr("shop_item.full", "token", "token of 1"),
				resource.TestCheckResourceAttr("shop_order.full", "note", "for 3"),
				resource.TestCheckResourceAttr("shop_order.full", "number", "N1"),
			),
		},
	}})
	// steps]
}

// TestThreeLibraries checks that one provider with the resource types of three libraries
// creates, changes, imports and destroys resources that refer to each other.
func TestThreeLibraries(t *testing.T) {
	t.Parallel()
	service := &shop.Shop{}
	expect := func(action plancheck.ResourceActionType, names ...string) (checks []plancheck.PlanCheck) {
		for _, name := range names {
			checks = append(checks, plancheck.ExpectResourceAction(name, action))
		}
		return checks
	}
	ours, framework, sdk := "shop_item.full", "shop_shelf.full", "shop_order.full"
	imported := func(name string) resource.TestStep {
		return resource.TestStep{ResourceName: name, ImportState: true, ImportStateVerify: true}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: stage{"item": item}.factories(t, service),
		CheckDestroy: func(*terraform.State) error {
			for _, id := range []string{"1", "2"} {
				_, oneItem := service.Items.Get(id)
				_, oneShelf := service.Shelves.Get(id)
				_, oneOrder := service.Orders.Get(id)
				if oneItem || oneShelf || oneOrder {
					return fmt.Errorf("an object with the ID %s still exists (item %t, shelf %t, order %t)", id, oneItem, oneShelf, oneOrder)
				}
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				PreConfig:        func() { *service = shop.Shop{} }, // the steps run once for each engine
				Config:           fmt.Sprintf(configuration, "2.5"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: expect(plancheck.ResourceActionCreate, ours, framework, sdk)},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttrPair(ours, "shelf", framework, "id"),
					resource.TestCheckResourceAttrPair(sdk, "item", ours, "id"),
				),
			},
			imported(ours), imported(framework), imported(sdk),
			{
				Config: strings.Replace(fmt.Sprintf(configuration, "3"), "capacity = 3", "capacity = 4", 1),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             expect(plancheck.ResourceActionUpdate, ours, framework, sdk),
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr(ours, "price", "3"),
					resource.TestCheckResourceAttr(framework, "capacity", "4"),
					resource.TestCheckResourceAttr(sdk, "note", "for 3"),
				),
			},
		},
	})
}

// TestProgram checks that the program, which serves three libraries with one mux server, plans and
// creates their resources.
func TestProgram(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, diags := configs.Load(configs.Files{"main.tf": fmt.Appendf(nil, configuration, "2.5")}, ".", configs.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	start := func(ctx context.Context) (provider.Interface, error) {
		return client.Dial(ctx, client.DialConfig{Path: self, Env: append(os.Environ(), asProgram+"=1")})
	}
	e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{config.ProviderFor("shop"): start}})
	plan, wrong := e.Plan(t.Context(), config, nil, engine.PlanOptions{})
	if wrong.HasErrors() {
		t.Fatal(wrong)
	}
	state, wrong := e.Apply(t.Context(), config, plan)
	if created := len(state.RootModule().Resources); wrong.HasErrors() || created != 6 {
		t.Errorf("%d resources were created, want 6; got diagnostics %v, want no errors", created, wrong)
	}
}

// TestGuide checks that code in docs/from-framework.md equals the example.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/from-framework.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go (\\S+)#(\\w+)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 7 {
		t.Errorf("the guide has %d blocks of code, want 7", len(blocks))
	}
	for _, b := range blocks {
		source, err := os.ReadFile(b[1])
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(source), "// ["+b[2]+"\n")
		want, _, ends := strings.Cut(rest, "// "+b[2]+"]\n")
		if b[2] == "steps" { // inside a function
			want = strings.ReplaceAll("\n"+want, "\n\t", "\n")
		}
		if got, want := strings.TrimSpace(b[3]), strings.TrimSpace(want); !ends || got != want {
			t.Errorf("the guide shows %s#%s as\n%s\nwant\n%s", b[1], b[2], got, want)
		}
	}
}
