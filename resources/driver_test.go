package resources_test

import (
	"os"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

type attrs = map[string]cty.Value

func str(s string) cty.Value { return cty.StringVal(s) }

// newPosix is the provider on this machine, guarded and configured.
func newPosix(t *testing.T) provider.Interface {
	t.Helper()
	p, err := resources.New("test")
	if err != nil {
		t.Fatal(err)
	}
	return configured(t, p)
}

// newPosixOn is the provider on another machine.
func newPosixOn(t *testing.T, h host.Host) provider.Interface {
	t.Helper()
	p, err := resources.Build(func() (host.Host, error) { return h, nil })
	if err != nil {
		t.Fatal(err)
	}
	return configured(t, p)
}

func configured(t *testing.T, p provider.Interface) provider.Interface {
	t.Helper()
	p = guard.Wrap(p)
	configure(t, p)
	return p
}

// configure gives the provider a configuration that sets nothing.
func configure(t *testing.T, p provider.Interface) {
	t.Helper()
	nothing := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body.EmptyValue()
	if diags := p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: nothing}).Diagnostics; diags.HasErrors() {
		t.Fatal(diags)
	}
}

// object takes Terraform's role for one resource instance. The guard judges
// each answer; what it has to say is among the diagnostics.
type object struct {
	t        *testing.T
	p        provider.Interface
	typeName string
	body     *configschema.Block
	null     cty.Value
	nullID   cty.Value

	state    cty.Value
	private  []byte
	identity cty.Value
	tainted  bool
}

func newObject(t *testing.T, p provider.Interface, typeName string) *object {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	if !ok {
		t.Fatalf("no resource type %s", typeName)
	}
	o := &object{t: t, p: p, typeName: typeName, body: schema.Body}
	o.null = cty.NullVal(schema.Body.ImpliedType())
	o.nullID = cty.NullVal(schema.Identity.ImpliedType())
	o.forget()
	return o
}

func newFile(t *testing.T) *object {
	t.Helper()
	return newObject(t, newPosix(t), "posix_file")
}

func (o *object) forget() {
	o.state, o.private, o.identity, o.tainted = o.null, nil, o.nullID, false
}

// config completes a configuration by nulls.
func (o *object) config(set attrs) cty.Value {
	o.t.Helper()
	all := o.body.EmptyValue().AsValueMap()
	for name, v := range set {
		if _, ok := all[name]; !ok {
			o.t.Fatalf("no attribute %s", name)
		}
		all[name] = v
	}
	return cty.ObjectVal(all)
}

var allowed = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

func (o *object) validate(set attrs) diag.Diagnostics {
	o.t.Helper()
	return o.p.ValidateResourceConfig(o.t.Context(), provider.ValidateResourceConfigRequest{
		TypeName: o.typeName, Config: o.config(set), ClientCapabilities: allowed,
	}).Diagnostics
}

// plan validates and plans.
func (o *object) plan(set attrs) provider.PlanResourceChangeResponse {
	o.t.Helper()
	if diags := o.validate(set); diags.HasErrors() {
		return provider.PlanResourceChangeResponse{Diagnostics: diags}
	}
	if o.tainted {
		return o.planFrom(o.null, o.config(set), nil)
	}
	return o.planFrom(o.state, o.config(set), o.private)
}

func (o *object) planFrom(prior, config cty.Value, private []byte) provider.PlanResourceChangeResponse {
	o.t.Helper()
	id := o.identity
	if prior.IsNull() {
		id = o.nullID
	}
	return o.p.PlanResourceChange(o.t.Context(), provider.PlanResourceChangeRequest{
		TypeName: o.typeName, PriorState: prior, Config: config, PriorPrivate: private, PriorIdentity: id,
		ProposedNewState: objchange.ProposedNew(o.body, prior, config), ClientCapabilities: allowed,
	})
}

// applyPlan applies a plan, as a replacement where it asks for that.
func (o *object) applyPlan(set attrs, plan provider.PlanResourceChangeResponse) diag.Diagnostics {
	o.t.Helper()
	config := o.config(set)
	if len(plan.RequiresReplace) > 0 && !o.state.IsNull() || o.tainted {
		if plan = o.planFrom(o.null, config, plan.PlannedPrivate); plan.Diagnostics.HasErrors() {
			return plan.Diagnostics
		}
		if diags := o.destroy(); diags.HasErrors() {
			return diags
		}
	}
	id := plan.PlannedIdentity
	if id == cty.NilVal {
		id = o.nullID
	}
	resp := o.p.ApplyResourceChange(o.t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: o.typeName, PriorState: o.state, PlannedState: plan.PlannedState, Config: config,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: id,
	})
	if !resp.NewState.IsNull() {
		o.tainted = o.state.IsNull() && resp.Diagnostics.HasErrors()
		o.state, o.private, o.identity = resp.NewState, resp.Private, resp.NewIdentity
	}
	return resp.Diagnostics
}

// apply refreshes, plans and applies; nothing may go wrong.
func (o *object) apply(set attrs) provider.PlanResourceChangeResponse {
	o.t.Helper()
	o.refresh()
	plan := o.plan(set)
	if plan.Diagnostics.HasErrors() {
		o.t.Fatal(plan.Diagnostics)
	}
	if diags := o.applyPlan(set, plan); diags.HasErrors() {
		o.t.Fatal(diags)
	}
	o.noChange(set)
	return plan
}

func (o *object) destroy() diag.Diagnostics {
	o.t.Helper()
	o.nextRun()
	return o.deleteNow()
}

// nextRun configures the provider, as a client does at the beginning of each
// run.
func (o *object) nextRun() {
	o.t.Helper()
	configure(o.t, o.p)
}

// deleteNow destroys in the run that goes on.
func (o *object) deleteNow() diag.Diagnostics {
	o.t.Helper()
	resp := o.p.ApplyResourceChange(o.t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: o.typeName, PriorState: o.state, PlannedState: o.null, Config: o.null, PlannedPrivate: o.private, PlannedIdentity: o.nullID,
	})
	if !resp.Diagnostics.HasErrors() {
		o.forget()
	}
	return resp.Diagnostics
}

// read stores what is there as a client does: through JSON.
func (o *object) read() diag.Diagnostics {
	o.t.Helper()
	if o.state.IsNull() {
		return nil
	}
	raw, err := ctyjson.Marshal(o.state, o.body.ImpliedType())
	if err != nil {
		o.t.Fatal(err)
	}
	up := o.p.UpgradeResourceState(o.t.Context(), provider.UpgradeResourceStateRequest{TypeName: o.typeName, RawStateJSON: raw})
	if up.Diagnostics.HasErrors() {
		return up.Diagnostics
	}
	resp := o.p.ReadResource(o.t.Context(), provider.ReadResourceRequest{
		TypeName: o.typeName, PriorState: up.UpgradedState, Private: o.private, CurrentIdentity: o.identity, ClientCapabilities: allowed,
	})
	if !resp.Diagnostics.HasErrors() {
		o.state, o.private, o.identity = resp.NewState, resp.Private, resp.Identity
	}
	return resp.Diagnostics
}

func (o *object) refresh() {
	o.t.Helper()
	if diags := o.read(); diags.HasErrors() {
		o.t.Fatal(diags)
	}
}

func (o *object) imports(id string, identity cty.Value) diag.Diagnostics {
	o.t.Helper()
	if identity == cty.NilVal {
		identity = o.nullID
	}
	resp := o.p.ImportResourceState(o.t.Context(), provider.ImportResourceStateRequest{
		TypeName: o.typeName, ID: id, Identity: identity, ClientCapabilities: allowed,
	})
	if resp.Diagnostics.HasErrors() {
		return resp.Diagnostics
	}
	got := resp.ImportedResources[0]
	o.state, o.private, o.identity = got.State, got.Private, got.Identity
	return append(resp.Diagnostics, o.read()...)
}

// noChange wants nothing to be planned after a refresh.
func (o *object) noChange(set attrs) {
	o.t.Helper()
	o.refresh()
	o.changes(set)
}

// changes wants exactly these attributes to be planned to change.
func (o *object) changes(set attrs, names ...string) provider.PlanResourceChangeResponse {
	o.t.Helper()
	plan := o.plan(set)
	if plan.Diagnostics.HasErrors() {
		o.t.Fatal(plan.Diagnostics)
	}
	var got []string
	for _, name := range sorted(o.body.Attributes) {
		if !plan.PlannedState.GetAttr(name).RawEquals(o.state.GetAttr(name)) {
			got = append(got, name)
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		o.t.Errorf("planned to change: %q, want %q", got, names)
	}
	return plan
}

func (o *object) attr(name string) cty.Value {
	o.t.Helper()
	if o.state.IsNull() {
		o.t.Fatalf("%s: there is no state", name)
	}
	return o.state.GetAttr(name)
}

func (o *object) wantAttrs(want attrs) {
	o.t.Helper()
	for _, name := range sorted(want) {
		if got := o.attr(name); !got.RawEquals(want[name]) {
			o.t.Errorf("%s is %#v, want %#v", name, got, want[name])
		}
	}
}

// wantError wants one of the messages to have all these words, and to be about
// the attribute, if one is named.
func wantError(t *testing.T, diags diag.Diagnostics, attribute string, words ...string) {
	t.Helper()
	for _, d := range diags {
		if d.Severity != diag.Error || attribute != "" && diag.FormatPath(d.Path) != attribute {
			continue
		}
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(d.Summary+": "+d.Detail, w)
		}
		if !missing {
			return
		}
	}
	t.Errorf("no error about %q with %q among %v", attribute, words, diags)
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != content {
		t.Errorf("%s has %q, want %q", path, got, content)
	}
	wantMode(t, path, mode)
}

func wantMode(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode {
		t.Errorf("%s has mode %04o, want %04o", path, info.Mode().Perm(), mode)
	}
}

// inode tells whether a file was written anew.
func inode(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
