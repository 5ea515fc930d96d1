package demo_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

type attrs = map[string]cty.Value

func str(s string) cty.Value { return cty.StringVal(s) }
func num(n int64) cty.Value  { return cty.NumberIntVal(n) }

// client is a client of the provider over gRPC, configured with a directory.
type client struct {
	t      *testing.T
	p      provider.Interface
	schema provider.GetProviderSchemaResponse
	dir    string
}

func connect(t *testing.T) *client {
	t.Helper()
	c := &client{t: t, p: dialled(t), dir: filepath.Join(t.TempDir(), "notebook")}
	c.schema = c.p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	c.fine(c.schema.Diagnostics)
	config := block(c.schema.Provider.Body, attrs{"directory": str(c.dir), "owner": str("ada"), "password": str("secret")})
	c.fine(c.p.ValidateProviderConfig(t.Context(), provider.ValidateProviderConfigRequest{Config: config}).Diagnostics)
	c.fine(c.p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: config}).Diagnostics)
	return c
}

// fine fails the test if diags has an error.
func (c *client) fine(diags diag.Diagnostics) {
	c.t.Helper()
	if diags.HasErrors() {
		c.t.Fatal(diags)
	}
}

// block returns a configuration with the attributes in set; the others are empty.
func block(schema *configschema.Block, set attrs) cty.Value {
	all := schema.EmptyValue().AsValueMap()
	if all == nil {
		all = attrs{}
	}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// object returns a value of an object type with the attributes in set; the others are null.
func object(ty cty.Type, set attrs) cty.Value {
	all := attrs{}
	for name, at := range ty.AttributeTypes() {
		all[name] = cty.NullVal(at)
	}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// page returns the configuration of a page with many attributes; set replaces or adds some.
func (c *client) page(set attrs) cty.Value {
	body := c.schema.ResourceTypes["demo_page"].Body
	ty := body.ImpliedType()
	section := object(ty.AttributeType("sections").ElementType(), attrs{"heading": str("One")})
	all := attrs{
		"name": str("first"), "title": str("First"), "text": str("hello"), "mode": str("600"),
		"meta": str(`{ "a": 1 }`), "extra": cty.TupleVal([]cty.Value{str("x"), cty.True}),
		"tags": cty.SetVal([]cty.Value{str("b"), str("a")}), "sections": cty.ListVal([]cty.Value{section}),
		"author": object(ty.AttributeType("author"), attrs{"name": str("Ada"), "token": str("t0ken")}),
		"link":   cty.SetVal([]cty.Value{object(ty.AttributeType("link").ElementType(), attrs{"page": str("second")})}),
	}
	maps.Copy(all, set)
	return block(body, all)
}

// held is the state of an object.
type held struct {
	state, identity cty.Value
	private         []byte
}

// plan validates and plans like a client.
func (c *client) plan(typeName string, was held, config, meta cty.Value) provider.PlanResourceChangeResponse {
	c.t.Helper()
	body := c.schema.ResourceTypes[typeName].Body
	caps := provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}
	c.fine(c.p.ValidateResourceConfig(c.t.Context(), provider.ValidateResourceConfigRequest{TypeName: typeName, Config: config, ClientCapabilities: caps}).Diagnostics)
	plan := c.p.PlanResourceChange(c.t.Context(), provider.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: was.state, Config: config, PriorPrivate: was.private, PriorIdentity: was.identity,
		ProposedNewState: objchange.ProposedNew(body, was.state, config), ProviderMeta: meta, ClientCapabilities: caps,
	})
	c.fine(plan.Diagnostics)
	return plan
}

// apply plans and applies like a client. Without a change it returns was.
func (c *client) apply(typeName string, was held, config, meta cty.Value) (held, provider.PlanResourceChangeResponse) {
	c.t.Helper()
	if was.state == cty.NilVal {
		was.state = cty.NullVal(c.schema.ResourceTypes[typeName].Body.ImpliedType())
	}
	plan := c.plan(typeName, was, config, meta)
	if plan.PlannedState.RawEquals(was.state) {
		return was, plan
	}
	done := c.p.ApplyResourceChange(c.t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: typeName, PriorState: was.state, PlannedState: plan.PlannedState, Config: config,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity, ProviderMeta: meta,
	})
	c.fine(done.Diagnostics)
	return held{done.NewState, done.NewIdentity, done.Private}, plan
}

func (c *client) read(typeName string, was held) held {
	c.t.Helper()
	resp := c.p.ReadResource(c.t.Context(), provider.ReadResourceRequest{
		TypeName: typeName, PriorState: was.state, Private: was.private, CurrentIdentity: was.identity,
	})
	c.fine(resp.Diagnostics)
	return held{resp.NewState, resp.Identity, resp.Private}
}

func TestManagedResource(t *testing.T) {
	t.Parallel()
	c := connect(t)
	meta := block(c.schema.ProviderMeta.Body, attrs{"module": str("tests")})
	page, _ := c.apply("demo_page", held{}, c.page(nil), meta)
	if got := page.state.GetAttr("sections").Index(num(0)).GetAttr("anchor"); !got.RawEquals(str("#one")) {
		t.Errorf("the anchor is %#v, want #one", got)
	}
	if !strings.Contains(string(page.private), "module") {
		t.Error("the provider did not receive the module name from provider_meta")
	}
	if !page.identity.GetAttr("directory").RawEquals(str(c.dir)) {
		t.Errorf("the identity is %#v, want the directory %s", page.identity, c.dir)
	}
	raw, err := os.ReadFile(filepath.Join(c.dir, "page", "first.json"))
	if err != nil || strings.Contains(string(raw), "t0ken") {
		t.Errorf("the page contains the token, or cannot be read (%v):\n%s", err, raw)
	}

	page = c.read("demo_page", page)
	sameValues := attrs{"mode": str("0600"), "meta": str(`{"a":1}`), "title": str("FIRST")}
	if _, plan := c.apply("demo_page", page, c.page(sameValues), meta); !plan.PlannedState.RawEquals(page.state) {
		t.Error("the plan has changes for the same values in other formats")
	}
	changed, plan := c.apply("demo_page", page, c.page(attrs{"text": str("good bye")}), meta)
	if was, is := page.state.GetAttr("digest"), plan.PlannedState.GetAttr("digest"); !is.IsKnown() || is.RawEquals(was) {
		t.Errorf("the planned digest of the new text is %#v, want it to differ from %#v", is, was)
	}

	locked, _ := c.apply("demo_page", held{}, c.page(attrs{"name": str("locked"), "mode": str("0444")}), meta)
	if plan := c.plan("demo_page", locked, c.page(attrs{"name": str("locked"), "mode": str("0444"), "text": str("good bye")}), meta); len(plan.RequiresReplace) != 1 {
		t.Errorf("a new text of a read-only page requires replacement for %v, want one path", plan.RequiresReplace)
	}

	imported := c.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: "demo_page", Identity: changed.identity})
	c.fine(imported.Diagnostics)
	generated := c.p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "demo_page", State: imported.ImportedResources[0].State})
	c.fine(generated.Diagnostics)
	it := imported.ImportedResources[0]
	if _, plan := c.apply("demo_page", held{it.State, it.Identity, it.Private}, generated.Config, meta); !plan.PlannedState.RawEquals(it.State) {
		t.Errorf("the plan changes the imported page with its generated configuration:\nstate %#v\nplan  %#v", it.State, plan.PlannedState)
	}

	bad := c.p.ValidateResourceConfig(t.Context(), provider.ValidateResourceConfigRequest{
		TypeName: "demo_page", Config: c.page(attrs{"name": str("No Name"), "mode": str("9")}),
		ClientCapabilities: provider.ClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	var at []string
	for _, d := range bad.Diagnostics {
		at = append(at, diag.FormatPath(d.Path))
	}
	if want := []string{"mode", "name"}; !slices.Equal(at, want) {
		t.Errorf("got errors at %v, want errors at %v; diagnostics: %v", at, want, bad.Diagnostics)
	}
}

func TestUpgradeAndMove(t *testing.T) {
	t.Parallel()
	c := connect(t)
	up := c.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: "demo_page", Version: 0,
		RawStateJSON: []byte(`{"name":"old","title":"Old","body":"text of old","mode":420,"gone":true}`),
	})
	c.fine(up.Diagnostics)
	if s := up.UpgradedState; !s.GetAttr("text").RawEquals(str("text of old")) || !s.GetAttr("mode").RawEquals(str("0644")) {
		t.Errorf("upgraded to %#v, want the old text and mode 0644", s)
	}
	moved := c.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.example.net/example/demo", SourceTypeName: "demo_sheet",
		SourceStateJSON: []byte(`{"name":"s","text":"of a sheet"}`), TargetTypeName: "demo_page",
	})
	c.fine(moved.Diagnostics)
	if !moved.TargetState.GetAttr("text").RawEquals(str("of a sheet")) {
		t.Errorf("moved to %#v, want the text of the sheet", moved.TargetState)
	}
	id := c.p.UpgradeResourceIdentity(t.Context(), provider.UpgradeResourceIdentityRequest{
		TypeName: "demo_badge", Version: 0, RawIdentityJSON: []byte(`{"number":"7","name":"x"}`),
	})
	c.fine(id.Diagnostics)
	if !id.UpgradedIdentity.GetAttr("serial").RawEquals(str("7")) {
		t.Errorf("the identity is upgraded to %#v, want serial 7", id.UpgradedIdentity)
	}
}

func TestMutableIdentity(t *testing.T) {
	t.Parallel()
	c := connect(t)
	badge := func(name string) cty.Value {
		return block(c.schema.ResourceTypes["demo_badge"].Body, attrs{"serial": str("7"), "name": str(name)})
	}
	was, _ := c.apply("demo_badge", held{}, badge("ada"), cty.NilVal)
	now, _ := c.apply("demo_badge", was, badge("eve"), cty.NilVal)
	if was.identity.RawEquals(now.identity) {
		t.Error("the identity did not change with the name")
	}
}

func TestDataSource(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.apply("demo_page", held{}, c.page(attrs{"text": str(strings.Repeat("x", 200))}), cty.NilVal)
	body := c.schema.DataSources["demo_page"].Body
	read := func(set attrs) provider.ReadDataSourceResponse {
		return c.p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{
			TypeName: "demo_page", Config: block(body, set), ProviderMeta: block(c.schema.ProviderMeta.Body, attrs{"module": str("tests")}),
		})
	}
	got := read(attrs{"name": str("first")})
	c.fine(got.Diagnostics)
	if len(got.Diagnostics) != 1 || diag.FormatPath(got.Diagnostics[0].Path) != "excerpt" {
		t.Errorf("got diagnostics %v, want one warning for excerpt", got.Diagnostics)
	}
	if n := len(got.State.GetAttr("text").AsString()); n != 100 || !got.State.GetAttr("shelf").RawEquals(str("main")) ||
		!got.State.GetAttr("module").RawEquals(str("tests")) || !got.State.GetAttr("excerpt").RawEquals(num(100)) {
		t.Errorf("read %d bytes of text, want 100, the shelf main, the module tests and the excerpt 100: %#v", n, got.State)
	}
	c.apply("demo_page", held{}, c.page(attrs{"name": str("cut"), "text": str("aé")}), cty.NilVal)
	cut := read(attrs{"name": str("cut"), "excerpt": num(2)})
	c.fine(cut.Diagnostics)
	if text := cut.State.GetAttr("text"); !text.RawEquals(str("a")) {
		t.Errorf("the excerpt that ends within a character is %#v, want \"a\"", text)
	}
	if got := read(attrs{"name": str("nowhere")}); !got.Diagnostics.HasErrors() {
		t.Error("reading a missing page succeeded")
	}
	bad := c.p.ValidateDataResourceConfig(t.Context(), provider.ValidateDataResourceConfigRequest{
		TypeName: "demo_page", Config: block(body, attrs{"name": str("first"), "excerpt": num(1001)}),
	})
	if len(bad.Diagnostics) != 1 || diag.FormatPath(bad.Diagnostics[0].Path) != "excerpt" {
		t.Errorf("got diagnostics %v, want one error for excerpt", bad.Diagnostics)
	}
}

// TestEphemeralResource checks that a session ends with the private data of Open, which
// Terraform passes to Close, and with that of the last Renew, which OpenTofu passes.
func TestEphemeralResource(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"terraform", "opentofu"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			c := connect(t)
			config := block(c.schema.EphemeralResourceTypes["demo_session"].Body, attrs{"purpose": str("read"), "renew_after": str("1h")})
			c.fine(c.p.ValidateEphemeralResourceConfig(t.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: "demo_session", Config: config}).Diagnostics)
			opened := c.p.OpenEphemeralResource(t.Context(), provider.OpenEphemeralResourceRequest{TypeName: "demo_session", Config: config})
			c.fine(opened.Diagnostics)
			if d := time.Until(opened.RenewAt); d < 59*time.Minute || d > time.Hour {
				t.Errorf("the session is to be renewed in %v, want 1h", d)
			}
			private := opened.Private
			for range 2 {
				renewed := c.p.RenewEphemeralResource(t.Context(), provider.RenewEphemeralResourceRequest{TypeName: "demo_session", Private: private})
				c.fine(renewed.Diagnostics)
				private = renewed.Private
			}
			files, _ := filepath.Glob(filepath.Join(c.dir, "session", "*.json"))
			if len(files) != 1 {
				t.Fatalf("%d sessions are open, want 1", len(files))
			}
			if raw, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(raw), `"Renewals": 2`) {
				t.Errorf("error %v, want a session with two renewals:\n%s", err, raw)
			}
			if client == "terraform" {
				private = opened.Private
			}
			c.fine(c.p.CloseEphemeralResource(t.Context(), provider.CloseEphemeralResourceRequest{TypeName: "demo_session", Private: private}).Diagnostics)
			if files, _ := filepath.Glob(filepath.Join(c.dir, "session", "*.json")); len(files) != 0 {
				t.Error("the session is still open after Close")
			}
		})
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	c := connect(t)
	call := func(name string, args ...cty.Value) (cty.Value, error) {
		resp := c.p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: name, Arguments: args})
		return resp.Result, resp.Err
	}
	for _, test := range []struct {
		name string
		args []cty.Value
		want cty.Value
	}{
		{"shout", []cty.Value{str("a")}, str("A")},
		{"join", []cty.Value{str("-"), str("a"), str("b")}, str("a-b")},
		{"join", []cty.Value{cty.NullVal(cty.String), str("a"), str("b")}, str("a b")},
		{"join", []cty.Value{str("-")}, str("")},
		{"certain", []cty.Value{cty.UnknownVal(cty.String)}, cty.False},
		{"certain", []cty.Value{cty.NullVal(cty.String)}, cty.True},
	} {
		if got, err := call(test.name, test.args...); err != nil || !got.RawEquals(test.want) {
			t.Errorf("%s%#v = %#v, error %v, want %#v", test.name, test.args, got, err, test.want)
		}
	}
	_, err := call("join", str("-"), str("a"), str("b\n"))
	var at *provider.FunctionArgumentError
	if !errors.As(err, &at) || at.Index != 2 {
		t.Errorf("got error %v, want an error about the argument at index 2", err)
	}
}

func TestListResource(t *testing.T) {
	t.Parallel()
	c := connect(t)
	for _, name := range []string{"a1", "a2", "b1", "a3"} {
		c.apply("demo_page", held{}, c.page(attrs{"name": str(name)}), cty.NilVal)
	}
	body := c.schema.ListResourceTypes["demo_page"].Body
	search := func(limit int64, objects bool) []provider.ListResult {
		resp := c.p.ListResource(t.Context(), provider.ListResourceRequest{
			TypeName: "demo_page", Config: block(body, attrs{"prefix": str("a")}), Limit: limit, IncludeResourceObject: objects,
		})
		c.fine(resp.Diagnostics)
		return slices.Collect(resp.Results)
	}
	got := search(0, false)
	if len(got) != 3 || got[2].DisplayName != "Page a3" || !got[2].Identity.GetAttr("name").RawEquals(str("a3")) {
		t.Errorf("found %#v, want the pages a1, a2 and a3", got)
	}
	for i, r := range search(2, true) {
		c.fine(r.Diagnostics)
		if i > 1 || r.ResourceObject.GetAttr("text").IsNull() {
			t.Errorf("result %d is %#v, want at most two results, with their objects", i, r)
		}
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.apply("demo_page", held{}, c.page(nil), cty.NilVal)
	body := c.schema.Actions["demo_stamp"].Body
	invoke := func(set attrs) (progress []string, end provider.ActionCompleted) {
		config := block(body, set)
		c.fine(c.p.PlanAction(t.Context(), provider.PlanActionRequest{ActionType: "demo_stamp", Config: config}).Diagnostics)
		resp := c.p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "demo_stamp", Config: config})
		c.fine(resp.Diagnostics)
		for e := range resp.Events {
			switch e := e.(type) {
			case provider.ActionProgress:
				progress = append(progress, e.Message)
			case provider.ActionCompleted:
				end = e
			}
		}
		return progress, end
	}
	progress, end := invoke(attrs{"page": str("first"), "text": str("seen"), "times": num(3)})
	if len(progress) != 3 || end.Diagnostics.HasErrors() {
		t.Errorf("progress %v, diagnostics %v, want three messages and no error", progress, end.Diagnostics)
	}
	if _, end := invoke(attrs{"page": str("nowhere"), "text": str("seen")}); !end.Diagnostics.HasErrors() {
		t.Error("stamping a missing page succeeded")
	}
}

// TestStop checks that Stop does not end later operations.
func TestStop(t *testing.T) {
	t.Parallel()
	c := connect(t)
	if err := c.p.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	c.apply("demo_page", held{}, c.page(nil), cty.NilVal)
}
