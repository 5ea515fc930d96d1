package scenarios_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// newProvider returns a client of a server with the schema and the behaviour, the server,
// and the schemas of its resource types.
func newProvider(t *testing.T, schema, behaviour string) (provider.Interface, *Server, map[string]provider.Schema) {
	t.Helper()
	b, err := ParseBehaviour("behaviour.hcl", []byte(behaviour))
	if err != nil {
		t.Fatal(err)
	}
	server, err := NewServer([]byte(schema), b)
	if err != nil {
		t.Fatal(err)
	}
	client, err := tfprotov6.NewClient(server)
	if err != nil {
		t.Fatal(err)
	}
	return client, server, client.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes
}

// configured returns an empty object of the schema with the attributes in set.
func configured(body *configschema.Block, set map[string]cty.Value) cty.Value {
	attributes := body.EmptyValue().AsValueMap()
	maps.Copy(attributes, set)
	return cty.ObjectVal(attributes)
}

// TestWellBehaved plans and creates an object of each resource type, and checks that the plan and
// the new object are valid by default.
func TestWellBehaved(t *testing.T) {
	t.Parallel()
	p, _, types := newProvider(t, "", "")
	for name, schema := range types {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := map[string]cty.Value{"name": cty.StringVal("a")}
			if a := schema.Body.Attributes["secret"]; a != nil && a.WriteOnly {
				set["secret"] = cty.StringVal("s")
			}
			config := configured(schema.Body, set)
			prior := cty.NullVal(schema.Body.ImpliedType())
			planned := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
				TypeName: name, PriorState: prior, Config: config, ProposedNewState: objchange.ProposedNew(schema.Body, prior, config),
			})
			if _, ok := set["secret"]; ok && !planned.PlannedState.GetAttr("secret").IsNull() {
				t.Errorf("the planned value of secret is %#v, want null", planned.PlannedState.GetAttr("secret"))
			}
			if err := errors.Join(objchange.AssertPlanValid(schema.Body, prior, config, planned.PlannedState)...); err != nil || planned.Diagnostics.HasErrors() {
				t.Fatalf("plan: %v %v", err, planned.Diagnostics)
			}
			applied := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
				TypeName: name, PriorState: prior, Config: config, PlannedState: planned.PlannedState,
			})
			if err := errors.Join(objchange.AssertObjectCompatible(schema.Body, planned.PlannedState, applied.NewState)...); err != nil || !applied.NewState.IsWhollyKnown() {
				t.Fatalf("apply: %v %#v", err, applied.NewState)
			}
			if got := applied.NewState.GetAttr("id"); !got.RawEquals(cty.StringVal("id-of-a")) {
				t.Errorf("id is %#v, want id-of-a", got)
			}
		})
	}
}

// TestRules checks the effect of one rule at a time on a read.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule string
		want       cty.Value // value of the attribute "name" in the response; NilVal if it cannot be decoded
	}{
		{"no rule", "", cty.StringVal("a")},
		{"another type", `on "read" "wrong_block" { set = { name = "x" } }`, cty.StringVal("a")},
		{"another name", "on \"read\" \"wrong_plain\" {\n name = \"b\"\n set = { name = \"x\" }\n}", cty.StringVal("a")},
		{"the second call", "on \"read\" \"wrong_plain\" {\n call = 2\n set = { name = \"x\" }\n}", cty.StringVal("a")},
		{"the first call", "on \"read\" \"wrong_plain\" {\n call = 1\n set = { name = \"x\" }\n}", cty.StringVal("x")},
		{"set", `on "read" "wrong_plain" { set = { name = "x" } }`, cty.StringVal("x")},
		{"set from the request", `on "read" "wrong_plain" { set = { name = "${current.name}${current.id}" } }`, cty.StringVal("a1")},
		{"null", `on "read" "wrong_plain" { set = { name = null } }`, cty.NullVal(cty.String)},
		{"unknown", `on "read" "wrong_plain" { set = { name = unknown } }`, cty.UnknownVal(cty.String)},
		{"refined", `on "read" "wrong_plain" { set = { name = notnull("string") } }`, cty.UnknownVal(cty.String).RefineNotNull()},
		{"state", `on "read" "wrong_plain" { state = { name = "x" } }`, cty.StringVal("x")},
		{"of another type", `on "read" "wrong_plain" { set = { name = ["x"] } }`, cty.NilVal},
		{"dropped", `on "read" "wrong_plain" { drop = ["size"] }`, cty.NilVal},
		{"added", `on "read" "wrong_plain" { set = { other = 1 } }`, cty.NilVal},
		{"bytes", `on "read" "wrong_plain" { bytes = "c1" }`, cty.NilVal},
		{"JSON", `on "read" "wrong_plain" { json = "{\"name\":\"j\"}" }`, cty.StringVal("j")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, server, types := newProvider(t, "", tt.rule)
			current := configured(types["wrong_plain"].Body, map[string]cty.Value{"id": cty.StringVal("1"), "name": cty.StringVal("a"), "both": cty.StringVal("b")})
			got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "wrong_plain", PriorState: current})
			for _, err := range server.Broken() {
				t.Error(err)
			}
			if got.Diagnostics.HasErrors() != (tt.want == cty.NilVal) {
				t.Fatalf("got diagnostics %v, want an error: %t", got.Diagnostics, tt.want == cty.NilVal)
			}
			if tt.want != cty.NilVal && !got.NewState.GetAttr("name").RawEquals(tt.want) {
				t.Errorf("name is %#v, want %#v", got.NewState.GetAttr("name"), tt.want)
			}
		})
	}
}

// TestDeepPaths checks that a rule can set nested values.
func TestDeepPaths(t *testing.T) {
	t.Parallel()
	p, server, types := newProvider(t, "", `on "read" "wrong_block" {
  set = { "many[0].inner[0].y" = "deep", "keyed[\"k\"]" = { x = "new" }, "bag" = [{ x = "e" }] }
}`)
	current := configured(types["wrong_block"].Body, map[string]cty.Value{
		"id": cty.StringVal("1"), "name": cty.StringVal("a"),
		"many": cty.ListVal([]cty.Value{configured(&types["wrong_block"].Body.BlockTypes["many"].Block, map[string]cty.Value{
			"inner": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"y": cty.StringVal("y")})}),
		})}),
	})
	got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "wrong_block", PriorState: current})
	if len(server.Broken()) > 0 || got.Diagnostics.HasErrors() {
		t.Fatal(server.Broken(), got.Diagnostics)
	}
	for path, want := range map[string]cty.Value{
		"many":  got.NewState.GetAttr("many").Index(cty.Zero).GetAttr("inner").Index(cty.Zero).GetAttr("y"),
		"keyed": got.NewState.GetAttr("keyed").Index(cty.StringVal("k")).GetAttr("x"),
	} {
		if text := map[string]string{"many": "deep", "keyed": "new"}[path]; !want.RawEquals(cty.StringVal(text)) {
			t.Errorf("%s has %#v, want %q", path, want, text)
		}
	}
	if n := got.NewState.GetAttr("bag").LengthInt(); n != 1 {
		t.Errorf("the bag has %d elements, want 1", n)
	}
}

// TestCalls checks the recorded inputs of calls.
func TestCalls(t *testing.T) {
	t.Parallel()
	p, server, types := newProvider(t, "", "")
	body := types["wrong_known"].Body
	current := configured(body, map[string]cty.Value{"id": cty.StringVal("1"), "name": cty.StringVal("a")})
	identity := cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("1"), "region": cty.NullVal(cty.String)})
	null := cty.NullVal(body.ImpliedType())
	p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "wrong_known", PriorState: current, Private: []byte("p"), CurrentIdentity: identity})
	p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{TypeName: "wrong_known", PriorState: current, Config: null, ProposedNewState: null})
	p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{TypeName: "wrong_known", PriorState: null, Config: current, PlannedState: current})
	want := []Call{
		{Object: "wrong_known a", What: `read (private p, identity {"id":"1","region":null})`},
		{Object: "wrong_known a", What: "plan delete"},
		{Object: "wrong_known a", What: "apply create"},
	}
	if diff := cmp.Diff(want, server.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestScriptErrors checks that errors in scripts are reported when they are parsed
// or executed.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`on "raed" "wrong_plain" {}`, `on "read" {}`, "on \"read\" \"x\" {\n  sett = {}\n}", "on {"} {
		if _, err := ParseBehaviour("behaviour.hcl", []byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	for _, text := range []string{"resource \"x\" {\n  attributes = {\n    a = \"sting optional\"\n  }\n}", `lacks = ["everything"]`, "resorce \"x\" {}"} {
		if _, err := NewServer([]byte(text), nil); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	for _, text := range []string{`set = { "name[" = "x" }`, `set = { name = nothing.there }`, `set = { "one.two.three" = 1 }`, `bytes = "zz"`} {
		p, server, types := newProvider(t, "", `on "read" "wrong_plain" { `+text+` }`)
		p.ReadResource(context.Background(), provider.ReadResourceRequest{
			TypeName: "wrong_plain", PriorState: configured(types["wrong_plain"].Body, map[string]cty.Value{"id": cty.StringVal("1")}),
		})
		if len(server.Broken()) == 0 || !strings.Contains(server.Broken()[0].Error(), "cannot execute the script") {
			t.Errorf("%s: got the errors %v, want an error with \"cannot execute the script\"", text, server.Broken())
		}
	}
}

// TestInvalidSchemas checks that the server sends an invalid schema unchanged.
func TestInvalidSchemas(t *testing.T) {
	t.Parallel()
	server, err := NewServer([]byte(`resource "wrong_bad" {
  version = -1
  attributes = {
    none = "string"
    two  = "string optional required computed sensitive write_only deprecated"
  }
  nested "none" "n" {
    flags = "string optional"
  }
  block "none" "b" {
    min = -1
  }
}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := server.GetProviderSchema(t.Context(), &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	schema := got.ResourceSchemas["wrong_bad"]
	n := schema.Block.Attributes[2]
	if schema.Version != -1 || n.Type == nil || n.NestedType == nil || n.NestedType.Nesting != tfplugin.SchemaObjectNestingModeInvalid ||
		schema.Block.BlockTypes[0].MinItems != -1 || schema.Block.BlockTypes[0].Nesting != tfplugin.SchemaNestedBlockNestingModeInvalid {
		t.Errorf("got version %d, attribute %+v, block type %+v, want the invalid values of the schema", schema.Version, n, schema.Block.BlockTypes[0])
	}
	if two := schema.Block.Attributes[1]; !two.Required || !two.Optional || !two.Computed || !two.Sensitive || !two.WriteOnly || !two.Deprecated {
		t.Errorf("got attribute %+v, want all flags set", two)
	}
}
