package runtime_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Plot has attributes of every class, and rules between them.
type Plot struct {
	crud[Plot, PlotOutput] `tf:"-"`

	Name     string
	Size     *int64
	Soil     string
	Owner    *string
	Tags     []string `tf:",optional"`
	Wishes   []string `tf:",optional"`
	Password *string  `tf:",sensitive"`

	// Exactly one of these four must be set.
	Seed    *string
	Cutting *string
	Secret  *string `tf:",writeonly"`
	Gift    *string
	// Required together with the secret.
	SecretVersion *string
	// Forbidden together with a seed.
	Graft *string
	// Required for clay, which is not the default soil.
	Water *int64
	// Required together; if neither is set, the provider chooses both.
	From *string
	To   *string
	// Required together, and one of them is never stored.
	Key        *string `tf:",writeonly"`
	KeyVersion *string

	Beds  []Bed    `tf:",optional"`
	Fence []Bed    `tf:",block"`
	Pond  *PlotBed `tf:",block"`
	Rocks []Rock   `tf:",set,optional"`
}

type Rock struct {
	Kind string
	ID   int64 `tf:",computed"`
}

type Bed struct {
	Plant  string
	Rows   *int64
	ID     string  `tf:",computed"`
	Mulch  *string `tf:",optional,computed"`
	Hidden *string `tf:",writeonly"`
	Label  *string
	Number *int64
}

type PlotBed struct{ Depth *int64 }

type PlotOutput struct {
	Name   string
	Owner  *string  `tf:",computed"`
	Wishes []string `tf:",computed"`
	Gift   *string  `tf:",computed"`
	Graft  *string  `tf:",computed"`
	From   *string  `tf:",computed"`
	To     *string  `tf:",computed"`
	Beds   []Bed    `tf:",optional"`
	Fence  []Bed    `tf:",block"`
	Rocks  []Rock   `tf:",set,optional"`
	Area   int64
}

func (p *Plot) Defaults() { p.Soil = "sand" }

func (*Plot) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.ExactlyOneOf("gift", "seed", "cutting", "secret"),
		runtime.RequiredTogether("secret", "secret_version"),
		runtime.ForbiddenWhen("graft", "seed"),
		runtime.RequiredWhen("water", "soil", "clay"),
		runtime.RequiredTogether("from", "to"),
		runtime.RequiredTogether("key", "key_version"),
		runtime.Length("owner", 2, 9),
		runtime.Check("owner", "", func(owner string) error {
			if owner == "nobody" {
				return diag.AsWarning(errors.New("it has no owner"))
			}
			return nil
		}),
		runtime.Range("size", 1, 99),
	}
}

func (b *Bed) Defaults() { b.Rows = new(int64(1)) }

func (*Bed) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("label", "number")}
}

func bed(set attrs) cty.Value {
	all := attrs{
		"plant": str("leek"), "rows": num(1), "id": str("b1"), "mulch": cty.NullVal(cty.String), "hidden": cty.NullVal(cty.String),
		"label": cty.NullVal(cty.String), "number": cty.NullVal(cty.Number),
	}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

func rock(kind string, id cty.Value) cty.Value {
	return cty.ObjectVal(attrs{"kind": str(kind), "id": id})
}

func beds(all ...cty.Value) cty.Value { return cty.ListVal(all) }

func TestGenerateResourceConfig(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"plot": runtime.MakeResource[Plot, *PlotOutput, runtime.NoConfig]()},
	}))
	d := newDriver(t, p, "test_plot")
	const incomplete = "warning: Generated configuration needs a correction: "
	for name, tt := range map[string]struct {
		state attrs
		want  attrs // everything that is not null or an empty block, except the name
		diags []string
		// differs is set if the plan of the configuration changes the state.
		differs bool
	}{
		"outputs and defaults are omitted": {
			state: attrs{"seed": str("s"), "soil": str("sand"), "area": num(3)}, want: attrs{"seed": str("s")},
		},
		"values other than the default are included": {
			state: attrs{"seed": str("s"), "soil": str("loam"), "size": num(3), "password": str("p")},
			want:  attrs{"seed": str("s"), "soil": str("loam"), "size": num(3), "password": str("p")},
		},
		"values chosen by the provider are included": {
			state: attrs{"seed": str("s"), "owner": str("ann")}, want: attrs{"seed": str("s"), "owner": str("ann")},
		},
		"invalid value chosen by the provider is omitted": {state: attrs{"seed": str("s"), "owner": str("a")}, want: attrs{"seed": str("s")}},
		"empty list chosen by the provider is omitted":    {state: attrs{"seed": str("s"), "wishes": cty.ListValEmpty(cty.String)}, want: attrs{"seed": str("s")}},
		"configured empty list is included": {
			state: attrs{"seed": str("s"), "tags": cty.ListValEmpty(cty.String)}, want: attrs{"seed": str("s"), "tags": cty.ListValEmpty(cty.String)},
		},
		"of exactly one, the configured one is included":           {state: attrs{"seed": str("s"), "gift": str("g")}, want: attrs{"seed": str("s")}},
		"of exactly one, the only one is included although chosen": {state: attrs{"gift": str("g")}, want: attrs{"gift": str("g")}},
		"of exactly one, the first of two is included": {
			state: attrs{"seed": str("s"), "cutting": str("c")}, want: attrs{"seed": str("s")}, differs: true,
		},
		"forbidden attribute is omitted":                    {state: attrs{"seed": str("s"), "graft": str("g")}, want: attrs{"seed": str("s")}},
		"attribute that is not forbidden is included":       {state: attrs{"cutting": str("c"), "graft": str("g")}, want: attrs{"cutting": str("c"), "graft": str("g")}},
		"attribute without its required partner is omitted": {state: attrs{"seed": str("s"), "from": str("f")}, want: attrs{"seed": str("s")}},
		"attributes required together are included":         {state: attrs{"seed": str("s"), "from": str("f"), "to": str("t")}, want: attrs{"seed": str("s"), "from": str("f"), "to": str("t")}},
		"write-only attribute is reported as missing": {
			state: attrs{"secret_version": str("1")}, want: attrs{"secret_version": str("1")},
			diags: []string{
				incomplete + "Missing argument: One of gift, seed, cutting and secret must be set.",
				"warning: secret: Generated configuration needs a correction: Missing argument: secret must be set too when secret_version is set.",
			},
		},
		"partner of a write-only attribute is included": {
			state: attrs{"seed": str("s"), "key_version": str("1")}, want: attrs{"seed": str("s"), "key_version": str("1")},
			diags: []string{"warning: key: Generated configuration needs a correction: Missing argument: key must be set too when key_version is set."},
		},
		"of exactly one, none is set": {diags: []string{incomplete + "Missing argument: One of gift, seed, cutting and secret must be set."}},
		"missing required value is reported": {
			state: attrs{"seed": str("s"), "soil": str("clay")}, want: attrs{"seed": str("s"), "soil": str("clay")},
			diags: []string{"warning: water: Generated configuration needs a correction: Missing argument: water must be set when soil is \"clay\"."},
		},
		"value that violates a rule is reported": {
			state: attrs{"seed": str("s"), "size": num(100)}, want: attrs{"seed": str("s"), "size": num(100)},
			diags: []string{"warning: size: Generated configuration needs a correction: Invalid value: The value must be from 1 to 99."},
		},
		"nested list": {
			state: attrs{"seed": str("s"), "beds": beds(
				bed(nil), bed(attrs{"rows": num(2), "mulch": str("straw")}), bed(attrs{"label": str("l")}),
			)},
			want: attrs{"seed": str("s"), "beds": beds(
				bed(attrs{"rows": cty.NullVal(cty.Number), "id": cty.NullVal(cty.String)}),
				bed(attrs{"rows": num(2), "id": cty.NullVal(cty.String), "mulch": str("straw")}),
				bed(attrs{"rows": cty.NullVal(cty.Number), "id": cty.NullVal(cty.String), "label": str("l")}),
			)},
		},
		"nested set": {
			state: attrs{"seed": str("s"), "rocks": cty.SetVal([]cty.Value{rock("flint", num(1)), rock("chalk", num(2))})},
			want:  attrs{"seed": str("s"), "rocks": cty.SetVal([]cty.Value{rock("flint", cty.NullVal(cty.Number)), rock("chalk", cty.NullVal(cty.Number))})},
		},
		"rule of a nested struct": {
			state: attrs{"seed": str("s"), "beds": beds(bed(attrs{"label": str("l"), "number": num(1)}))},
			want: attrs{"seed": str("s"), "beds": beds(
				bed(attrs{"rows": cty.NullVal(cty.Number), "id": cty.NullVal(cty.String), "label": str("l")}),
			)},
			differs: true,
		},
		"blocks": {
			state: attrs{"seed": str("s"), "fence": beds(bed(nil)), "pond": cty.ObjectVal(attrs{"depth": num(2)})},
			want: attrs{
				"seed": str("s"), "pond": cty.ObjectVal(attrs{"depth": num(2)}),
				"fence": beds(bed(attrs{"rows": cty.NullVal(cty.Number), "id": cty.NullVal(cty.String)})),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := attrs{"name": str("n"), "soil": str("sand"), "area": num(1)}
			maps.Copy(state, tt.state)
			resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_plot", State: d.config(state)})
			if diff := cmp.Diff(tt.diags, worded(resp.Diagnostics)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			want := attrs{"name": str("n")}
			maps.Copy(want, tt.want)
			if !resp.Config.RawEquals(d.config(want)) {
				t.Errorf("got  %s\nwant %s", show(t, resp.Config), show(t, d.config(want)))
			}
			if diags := d.validate(resp.Config); diags.HasErrors() != (tt.diags != nil) {
				t.Errorf("validation: %v, want errors: %t", diags, tt.diags != nil)
			}
			plan := d.planFrom(d.config(state), resp.Config, nil, cty.NilVal)
			if !plan.PlannedState.RawEquals(d.config(state)) != tt.differs {
				t.Errorf("planned\n%s\nfor\n%s\nwant a change: %t", show(t, plan.PlannedState), show(t, d.config(state)), tt.differs)
			}
		})
	}
}

// TestGenerateResourceConfigKeepsValuesWithWarnings checks that a value that the provider chose
// is part of the configuration if a rule only warns about it.
func TestGenerateResourceConfigKeepsValuesWithWarnings(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"plot": runtime.MakeResource[Plot, *PlotOutput, runtime.NoConfig]()},
	}))
	d := newDriver(t, p, "test_plot")
	state := d.config(attrs{"name": str("n"), "soil": str("sand"), "area": num(1), "seed": str("s"), "owner": str("nobody")})
	resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_plot", State: state})
	if want := d.config(attrs{"name": str("n"), "seed": str("s"), "owner": str("nobody")}); !resp.Config.RawEquals(want) {
		t.Errorf("got  %s\nwant %s", show(t, resp.Config), show(t, want))
	}
	if diff := cmp.Diff([]string{"warning: owner: Invalid value: it has no owner"}, worded(resp.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// TestGenerateResourceConfigReportsLostElements checks that there is a warning about
// elements of a set that differ only in computed values.
func TestGenerateResourceConfigReportsLostElements(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"plot": runtime.MakeResource[Plot, *PlotOutput, runtime.NoConfig]()},
	}))
	d := newDriver(t, p, "test_plot")
	state := d.config(attrs{
		"name": str("n"), "seed": str("s"), "soil": str("sand"), "area": num(1),
		"rocks": cty.SetVal([]cty.Value{rock("flint", num(1)), rock("flint", num(2)), rock("chalk", num(3))}),
	})
	resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_plot", State: state})
	want := []string{"warning: rocks: Generated configuration is incomplete: Elements of this set differ only in values that the provider determines, " +
		"so a configuration can have only one of them. Applying the configuration removes the others."}
	if diff := cmp.Diff(want, worded(resp.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	if diags := d.validate(resp.Config); diags.HasErrors() {
		t.Error(diags)
	}
}

func TestGenerateResourceConfigWithoutObject(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newStore().provider(t))
	d := newDriver(t, p, "test_thing")
	resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_thing", State: d.state})
	if !resp.Config.RawEquals(d.state) || resp.Diagnostics != nil {
		t.Errorf("generated %#v, diagnostics %v, want null and no diagnostics", resp.Config, resp.Diagnostics)
	}
	resp = p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_thing", State: d.config(nil)})
	want := []string{"warning: name: Generated configuration needs a correction: Invalid value: a value is required"}
	if got := worded(resp.Diagnostics); !slices.Equal(got, want) || !resp.Config.RawEquals(d.config(nil)) {
		t.Errorf("got %q, want %q", got, want)
	}
	if resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_nothing"}); !resp.Diagnostics.HasErrors() {
		t.Error("a configuration of an unknown type was generated")
	}
}
