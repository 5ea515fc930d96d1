package zone_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/examples/authoring/zone"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// [engine

func TestRecord(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "zone")
	config := func(address string) string {
		return fmt.Sprintf("provider \"zone\" {\n  directory = %q\n}\nresource \"zone_record\" \"www\" {\n  name   = \"www\"\n  values = [%q]\n}\n", directory, address)
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("zone", zone.New),
		Steps: []resource.TestStep{
			{
				Config: config("192.0.2.1"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("zone_record.www", tfjsonpath.New("fqdn"), knownvalue.StringExact("www.example.org")),
				},
			},
			{
				Config: config("192.0.2.2"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("zone_record.www", plancheck.ResourceActionUpdate),
				}},
			},
			{ResourceName: "zone_record.www", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// engine]

// configured returns the configured provider, wrapped in the guard as when it is served.
func configured(t *testing.T) provider.Interface {
	t.Helper()
	p, err := zone.New()
	if err != nil {
		t.Fatal(err)
	}
	p = guard.Wrap(p)
	block := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body.EmptyValue().AsValueMap()
	block["directory"] = cty.StringVal(t.TempDir())
	if err := p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.ObjectVal(block)}).Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// [inprocess

func TestUpgrade(t *testing.T) {
	p := configured(t)
	resp := p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: "zone_record", Version: 0,
		RawStateJSON: []byte(`{"name":"www","type":"A","values":["192.0.2.1"],"ttl_seconds":90,"comment":"old"}`),
	})
	if err := resp.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"ttl": "1m30s", "note": "old"} {
		if got := resp.UpgradedState.GetAttr(name); !got.RawEquals(cty.StringVal(want)) {
			t.Errorf("%s is %#v, want %s", name, got, want)
		}
	}
}

// inprocess]

func TestMove(t *testing.T) {
	resp := configured(t).MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.opentofu.org/example/hosts", SourceTypeName: "hosts_entry", TargetTypeName: "zone_record",
		SourceStateJSON: []byte(`{"host":"www","address":"192.0.2.1","file":"/etc/hosts"}`),
	})
	if err := resp.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	if got := resp.TargetState.GetAttr("values"); !got.RawEquals(cty.SetVal([]cty.Value{cty.StringVal("192.0.2.1")})) {
		t.Errorf("the values are %#v, want 192.0.2.1", got)
	}
}

// objectOf returns a configuration with the attributes in set; all others are null.
func objectOf(schema provider.Schema, set map[string]cty.Value) cty.Value {
	all := schema.Body.EmptyValue().AsValueMap()
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// create plans and applies an object without an engine.
func create(t *testing.T, p provider.Interface, typeName string, set map[string]cty.Value) {
	t.Helper()
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	config := objectOf(schema, set)
	prior := cty.NullVal(schema.Body.ImpliedType())
	plan := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{TypeName: typeName, PriorState: prior, Config: config, ProposedNewState: config})
	if err := plan.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	done := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: typeName, PriorState: prior, Config: config, PlannedState: plan.PlannedState,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	if err := done.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
}

// [query

func TestSearch(t *testing.T) {
	list := func(arguments string, checks ...querycheck.QueryResultCheck) resource.TestStep {
		return resource.TestStep{
			Query:             true,
			Config:            "list \"zone_record\" \"all\" {\n  provider = zone\n  " + arguments + "\n  config {\n    type = \"A\"\n  }\n}\n",
			QueryResultChecks: checks,
		}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("zone", zone.New),
		Steps: []resource.TestStep{
			{Config: fmt.Sprintf(`
provider "zone" {
  directory = %q
}

resource "zone_record" "each" {
  count  = 2
  name   = ["www", "mail"][count.index]
  values = ["192.0.2.1"]
}
`, t.TempDir())},
			list(
				"include_resource = true", querycheck.ExpectLength("zone_record.all", 2),
				querycheck.ExpectResourceKnownValues("zone_record.all", queryfilter.ByDisplayName(knownvalue.StringExact("mail (A)")), []querycheck.KnownValueCheck{
					{Path: tfjsonpath.New("fqdn"), KnownValue: knownvalue.StringExact("mail.example.org")},
				}),
			),
			list("limit = 1", querycheck.ExpectLength("zone_record.all", 1)),
		},
	})
}

// query]

// TestVault checks that a written state can be read, listed and deleted, and that only one
// client gets the lock.
func TestVault(t *testing.T) {
	p := configured(t)
	store := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).StateStores["zone_vault"]
	fatal := func(d diag.Diagnostics) {
		t.Helper()
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
	}
	fatal(p.ConfigureStateStore(t.Context(), provider.ConfigureStateStoreRequest{TypeName: "zone_vault", Config: objectOf(store, nil)}).Diagnostics)
	lock := provider.LockStateRequest{TypeName: "zone_vault", StateID: "default", Operation: "apply"}
	first := p.LockState(t.Context(), lock)
	fatal(first.Diagnostics)
	if err := p.LockState(t.Context(), lock).Diagnostics.Err(); err == nil || !strings.Contains(err.Error(), first.LockID) {
		t.Errorf("the second lock: got error %v, want an error with the ID of the first lock", err)
	}
	fatal(p.UnlockState(t.Context(), provider.UnlockStateRequest{TypeName: "zone_vault", StateID: "default", LockID: first.LockID}).Diagnostics)
	fatal(p.LockState(t.Context(), lock).Diagnostics)

	const text = "{\"version\": 4}"
	fatal(p.WriteStateBytes(t.Context(), provider.WriteStateBytesRequest{
		TypeName: "zone_vault", StateID: "default",
		Chunks: slices.Values([]provider.StateChunk{{Bytes: []byte(text), TotalLength: int64(len(text)), End: int64(len(text)) - 1}}),
	}).Diagnostics)
	states := p.GetStates(t.Context(), provider.GetStatesRequest{TypeName: "zone_vault"})
	fatal(states.Diagnostics)
	if !slices.Equal(states.StateIDs, []string{"default"}) {
		t.Errorf("got the states %q, want default", states.StateIDs)
	}
	read := p.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: "zone_vault", StateID: "default"})
	fatal(read.Diagnostics)
	var got []byte
	for chunk := range read.Chunks {
		fatal(chunk.Diagnostics)
		got = append(got, chunk.Bytes...)
	}
	if string(got) != text {
		t.Errorf("read the state %q, want %q", got, text)
	}
	fatal(p.DeleteState(t.Context(), provider.DeleteStateRequest{TypeName: "zone_vault", StateID: "default"}).Diagnostics)
	states = p.GetStates(t.Context(), provider.GetStatesRequest{TypeName: "zone_vault"})
	fatal(states.Diagnostics)
	if len(states.StateIDs) > 0 {
		t.Errorf("the states after the deletion are %q, want none", states.StateIDs)
	}
}

// [action

func TestReload(t *testing.T) {
	directory := t.TempDir()
	config := func(ttl, servers string) string {
		return fmt.Sprintf(`
provider "zone" {
  directory = %q
}

resource "zone_server" "ns1" {
  name    = "ns1"
  address = "192.0.2.53"
}

action "zone_reload" "all" {
  config {
    servers = [%s]
  }
}

resource "zone_record" "www" {
  name   = "www"
  values = ["192.0.2.1"]
  ttl    = %q

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.zone_reload.all]
    }
  }
}
`, directory, servers, ttl)
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("zone", zone.New),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: config("1m", `zone_server.ns1.name`)},
			{Config: config("2m", `"ns1", "ns2"`), ExpectError: regexp.MustCompile(`servers ns2: object not found`)},
			{Config: config("2m", `"ns1", "ns2"`)}, // the record was updated before the action failed
		},
	})
}

// action]

// TestReloadMessages checks the messages of the action, which a resource.TestCase cannot check.
func TestReloadMessages(t *testing.T) {
	p := configured(t)
	create(t, p, "zone_server", map[string]cty.Value{"name": cty.StringVal("ns1"), "address": cty.StringVal("192.0.2.53")})
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Actions["zone_reload"]
	var messages []string
	for event := range p.InvokeAction(t.Context(), provider.InvokeActionRequest{
		ActionType: "zone_reload",
		Config:     objectOf(schema, map[string]cty.Value{"servers": cty.ListVal([]cty.Value{cty.StringVal("ns1"), cty.StringVal("ns2")})}),
	}).Events {
		switch event := event.(type) {
		case provider.ActionProgress:
			messages = append(messages, event.Message)
		case provider.ActionCompleted:
			messages = append(messages, event.Diagnostics[0].Detail)
		}
	}
	if got, want := fmt.Sprint(messages), "[ns1 has reloaded the zone servers ns2: object not found (tried 3 times"; !strings.HasPrefix(got, want) {
		t.Errorf("got the messages %s, want the prefix %s", got, want)
	}
}
