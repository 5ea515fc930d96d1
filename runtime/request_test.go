package runtime_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Invalid requests are rejected, and values that are not allowed in responses are not
// repeated in them.
func TestRequestsThatNoClientSends(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	d.p = guard.Wrap(d.p)
	config := d.config(attrs{"name": str("a")})
	d.apply(config)
	null := cty.NullVal(d.schema.Body.ImpliedType())
	unknown := cty.UnknownVal(d.schema.Body.ImpliedType())
	with := func(set attrs) cty.Value {
		all := d.state.AsValueMap()
		maps.Copy(all, set)
		return cty.ObjectVal(all)
	}
	open := with(attrs{"serial": cty.UnknownVal(cty.Number)})
	told := with(attrs{"secret": str("psst")})
	nobody := cty.UnknownVal(d.schema.Identity.ImpliedType())
	proposed := objchange.ProposedNew(d.schema.Body, d.state, config)

	plan := func(prior, proposed, config, identity cty.Value) func() (diag.Diagnostics, cty.Value) {
		return func() (diag.Diagnostics, cty.Value) {
			resp := d.p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
				TypeName: d.typeName, PriorState: prior, ProposedNewState: proposed, Config: config, PriorIdentity: identity, PriorPrivate: d.private,
			})
			return resp.Diagnostics, null
		}
	}
	apply := func(prior, planned, config, identity cty.Value) func() (diag.Diagnostics, cty.Value) {
		return func() (diag.Diagnostics, cty.Value) {
			resp := d.p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
				TypeName: d.typeName, PriorState: prior, PlannedState: planned, Config: config, PlannedIdentity: identity, PlannedPrivate: d.private,
			})
			return resp.Diagnostics, resp.NewState
		}
	}
	read := func(current, identity cty.Value) func() (diag.Diagnostics, cty.Value) {
		return func() (diag.Diagnostics, cty.Value) {
			resp := d.p.ReadResource(t.Context(), provider.ReadResourceRequest{
				TypeName: d.typeName, PriorState: current, CurrentIdentity: identity, Private: d.private,
			})
			return resp.Diagnostics, resp.NewState
		}
	}
	generate := func(state cty.Value) func() (diag.Diagnostics, cty.Value) {
		return func() (diag.Diagnostics, cty.Value) {
			return d.p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: d.typeName, State: state}).Diagnostics, null
		}
	}
	for name, tt := range map[string]struct {
		ask  func() (diag.Diagnostics, cty.Value)
		want string // empty: no error
	}{
		"plans null of a configuration":   {plan(d.state, null, config, d.identity), "only one of the configuration"},
		"plans without configuration":     {plan(d.state, proposed, null, d.identity), "only one of the configuration"},
		"plans from what is unknown":      {plan(unknown, proposed, config, d.identity), "no known state"},
		"plans for an unknown identity":   {plan(d.state, proposed, config, nobody), "identity has unknown values"},
		"plans the destruction of nobody": {plan(d.state, null, null, nobody), ""},
		"applies without configuration":   {apply(d.state, with(attrs{"color": str("blue")}), null, d.identity), "no known prior state"},
		"applies to what is unknown":      {apply(unknown, d.state, config, d.identity), "no known prior state"},
		"applies to what is partly so":    {apply(open, with(attrs{"color": str("blue")}), config, d.identity), "stored state has unknown values"},
		"applies without known input":     {apply(told, with(attrs{"name": cty.UnknownVal(cty.String)}), config, nobody), "value is not known"},
		"reads what is unknown":           {read(unknown, d.identity), "no known state"},
		"reads what is partly so":         {read(open, d.identity), "stored state has unknown values"},
		"reads for an unknown identity":   {read(d.state, nobody), "identity has unknown values"},
		"describes what is unknown":       {generate(unknown), "stored state has unknown values"},
		"describes what is partly so":     {generate(open), "stored state has unknown values"},
		"destroys nothing of nobody":      {apply(null, null, null, nobody), ""},
		"reads nothing of nobody":         {read(null, nobody), ""},
		"reads a secret":                  {read(told, d.identity), ""},
	} {
		s.calls = nil
		diags, state := tt.ask()
		if text := diags.Error(); strings.Contains(text, "Provider bug") || !strings.Contains(text, tt.want) || diags.HasErrors() == (tt.want == "") {
			t.Errorf("%s: %v (calls %q)", name, diags, s.calls)
		}
		if !state.IsNull() && !state.GetAttr("secret").IsNull() {
			t.Errorf("%s: the answer has the secret", name)
		}
	}
}

// A write-only value that is in a plan is not stored.
func TestNoSecretOfAPlanIsStored(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	config := d.config(attrs{"name": str("a")})
	planned := d.plan(config).PlannedState.AsValueMap()
	planned["secret"] = str("psst")
	resp := d.p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.state, PlannedState: cty.ObjectVal(planned), Config: config,
	})
	if resp.Diagnostics.HasErrors() || !resp.NewState.GetAttr("secret").IsNull() {
		t.Errorf("stored %#v, %v", resp.NewState, resp.Diagnostics)
	}
}

// An identity has attributes that the object does not have, so its errors have no path of
// the object.
func TestErrorsOfAnIdentityAreNoneOfTheObject(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	d.p = guard.Wrap(d.p)
	for name, id := range map[string]attrs{
		"not known":  {"name": str("a"), "region": cty.UnknownVal(cty.String)},
		"not lawful": {"name": cty.NullVal(cty.String), "region": str("x")},
	} {
		diags := d.imports("", cty.ObjectVal(id))
		if text := diags.Error(); !strings.Contains(text, " in the identity: ") || strings.Contains(text, "Provider bug") {
			t.Errorf("%s: %v", name, diags)
		}
		for _, m := range diags {
			if len(m.Path) > 0 {
				t.Errorf("%s: the message has the path %s", name, diag.FormatPath(m.Path))
			}
		}
	}
}

// Unknown values are rejected even for attributes that cannot be configured.
func TestUnknownOutputsInAConfiguration(t *testing.T) {
	t.Parallel()
	p := lookups(t, nil)
	diags := readData(t, p, dataConfig(t, p, attrs{"name": str("a"), "serial": cty.UnknownVal(cty.Number)})).Diagnostics
	if !diags.HasErrors() || diag.FormatPath(diags[0].Path) != "serial" {
		t.Errorf("said %v", diags)
	}
}
