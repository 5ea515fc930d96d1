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

// TestInvalidRequests checks that invalid requests are rejected, and that values that
// are not allowed in responses are not repeated in them.
func TestInvalidRequests(t *testing.T) {
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
	partlyUnknown := with(attrs{"serial": cty.UnknownVal(cty.Number)})
	withSecret := with(attrs{"secret": str("psst")})
	unknownIdentity := cty.UnknownVal(d.schema.Identity.ImpliedType())
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
		call func() (diag.Diagnostics, cty.Value)
		want string // empty: no error
	}{
		"plan with null proposed state":          {plan(d.state, null, config, d.identity), "only one of the configuration"},
		"plan without configuration":             {plan(d.state, proposed, null, d.identity), "only one of the configuration"},
		"plan with unknown prior state":          {plan(unknown, proposed, config, d.identity), "no known state"},
		"plan with unknown identity":             {plan(d.state, proposed, config, unknownIdentity), "identity has unknown values"},
		"plan of a delete with unknown identity": {plan(d.state, null, null, unknownIdentity), ""},
		"apply without configuration":            {apply(d.state, with(attrs{"color": str("blue")}), null, d.identity), "lacks a known prior state"},
		"apply with unknown prior state":         {apply(unknown, d.state, config, d.identity), "lacks a known prior state"},
		"apply with partly unknown prior state":  {apply(partlyUnknown, with(attrs{"color": str("blue")}), config, d.identity), "stored state has unknown values"},
		"apply with unknown input":               {apply(withSecret, with(attrs{"name": cty.UnknownVal(cty.String)}), config, unknownIdentity), "value is not known"},
		"read of an unknown state":               {read(unknown, d.identity), "no known state"},
		"read of a partly unknown state":         {read(partlyUnknown, d.identity), "stored state has unknown values"},
		"read with unknown identity":             {read(d.state, unknownIdentity), "identity has unknown values"},
		"generate from an unknown state":         {generate(unknown), "stored state has unknown values"},
		"generate from a partly unknown state":   {generate(partlyUnknown), "stored state has unknown values"},
		"apply of nulls with unknown identity":   {apply(null, null, null, unknownIdentity), ""},
		"read of null with unknown identity":     {read(null, unknownIdentity), ""},
		"read of a state with a secret":          {read(withSecret, d.identity), ""},
	} {
		s.calls = nil
		diags, state := tt.call()
		if text := diags.Error(); strings.Contains(text, "Provider bug") || !strings.Contains(text, tt.want) || diags.HasErrors() == (tt.want == "") {
			t.Errorf("%s: %v (calls %q)", name, diags, s.calls)
		}
		if !state.IsNull() && !state.GetAttr("secret").IsNull() {
			t.Errorf("%s: the response has the secret", name)
		}
	}
}

// TestNoSecretOfAPlanIsStored checks that a write-only value that is in a plan is not
// stored.
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

// TestErrorsOfAnIdentityHaveNoPath checks that errors about an identity have no path of
// the object, because the identity has attributes that the object does not have.
func TestErrorsOfAnIdentityHaveNoPath(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	d.p = guard.Wrap(d.p)
	for name, id := range map[string]attrs{
		"unknown": {"name": str("a"), "region": cty.UnknownVal(cty.String)},
		"invalid": {"name": cty.NullVal(cty.String), "region": str("x")},
	} {
		diags := d.imports("", cty.ObjectVal(id))
		if text := diags.Error(); !strings.Contains(text, " in the identity: ") || strings.Contains(text, "Provider bug") {
			t.Errorf("%s: %v", name, diags)
		}
		for _, m := range diags {
			if len(m.Path) > 0 {
				t.Errorf("%s: the diagnostic has the path %s, want none", name, diag.FormatPath(m.Path))
			}
		}
	}
}

// TestUnknownOutputsInAConfiguration checks that unknown values are rejected even for
// attributes that cannot be configured.
func TestUnknownOutputsInAConfiguration(t *testing.T) {
	t.Parallel()
	p := lookups(t, nil)
	diags := readData(t, p, dataConfig(t, p, attrs{"name": str("a"), "serial": cty.UnknownVal(cty.Number)})).Diagnostics
	if !diags.HasErrors() || diag.FormatPath(diags[0].Path) != "serial" {
		t.Errorf("diagnostics %v", diags)
	}
}
