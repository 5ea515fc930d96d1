package runtime_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func id(name, region string) cty.Value {
	v := cty.NullVal(cty.String)
	if region != "" {
		v = str(region)
	}
	return cty.ObjectVal(attrs{"name": str(name), "region": v})
}

func TestImport(t *testing.T) {
	t.Parallel()
	shape := "round"
	for name, tt := range map[string]struct {
		id       string
		identity cty.Value
		fails    string // substring of the error
	}{
		"by id":                            {id: "here/a"},
		"by identity":                      {identity: id("a", "here")},
		"by incomplete identity":           {identity: id("a", "")},
		"malformed id":                     {id: "a", fails: `"a": it must have the form region/name`},
		"unknown region":                   {identity: id("a", "there"), fails: "there is no region there"},
		"no such object":                   {id: "here/b", fails: `no test_thing "here/b" to import`},
		"neither id nor identity":          {fails: "id"},
		"both id and identity":             {id: "here/a", identity: id("a", ""), fails: "id"},
		"required identity attribute null": {identity: cty.ObjectVal(attrs{"name": cty.NullVal(cty.String), "region": str("here")}), fails: "name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, d := newThing(t)
			s.things["a"] = ThingOutput{Name: "a", Color: "blue", Shape: &shape, Size: 4, Serial: 3}
			diags := d.imports(tt.id, tt.identity)
			if tt.fails != "" {
				if !diags.HasErrors() || !strings.Contains(diags.Error(), tt.fails) {
					t.Fatalf("diagnostics %v, want an error with %q", diags, tt.fails)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if !d.identity.RawEquals(id("a", "here")) {
				t.Errorf("the identity is %#v, want the name a and the region here", d.identity)
			}
			d.noChange(d.config(attrs{"name": str("a"), "color": str("blue"), "shape": str("round")}))
		})
	}
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		version int64
		json    string
		flat    map[string]string
		want    attrs
		fails   string
	}{
		"current, unknown attribute dropped": {
			version: 2, json: `{"name":"a","color":"Red","gone":[1,2],"labels":{"k":"v"}}`,
			want: attrs{"name": str("a"), "color": str("Red"), "labels": cty.MapVal(attrs{"k": str("v")})},
		},
		"version 1": {
			version: 1, json: `{"name":"a","color":"Red","big":true}`,
			want: attrs{"name": str("a"), "color": str("Red"), "size": num(100)},
		},
		"version 0, upgraded in two steps": {
			version: 0, json: `{"name":"a","colour":"blue"}`,
			want: attrs{"name": str("a"), "color": str("blue"), "size": num(1)},
		},
		"flat version 0": {
			version: 0, flat: map[string]string{"id": "a", "name": "a", "colour": "blue", "big": "true", "labels.%": "1", "labels.x.y": "z", "serial": "12"},
			want: attrs{"name": str("a"), "color": str("blue"), "size": num(100), "serial": num(12), "labels": cty.MapVal(attrs{"x.y": str("z")})},
		},
		"stored write-only value is dropped": {
			version: 2, json: `{"name":"a","secret":"hush"}`, want: attrs{"name": str("a")},
		},
		"newer": {version: 3, json: `{}`, fails: "newer version of the provider"},
		"far below zero": {
			version: math.MinInt64, flat: map[string]string{"name": "a"},
			fails: "cannot read objects of schema version -9223372036854775808 (it reads versions 0 to 2)",
		},
		"no JSON":  {version: 2, json: `{"name":`, fails: ""},
		"bad flat": {version: 0, flat: map[string]string{"serial": "many"}, fails: "serial"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, d := newThing(t)
			resp := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
				TypeName: d.typeName, Version: tt.version, RawStateJSON: []byte(tt.json), RawStateFlatmap: tt.flat,
			})
			if tt.want == nil {
				if !resp.Diagnostics.HasErrors() || !strings.Contains(resp.Diagnostics.Error(), tt.fails) {
					t.Fatalf("diagnostics %v, want an error with %q", resp.Diagnostics, tt.fails)
				}
				return
			}
			if resp.Diagnostics.HasErrors() {
				t.Fatal(resp.Diagnostics)
			}
			if want := d.config(tt.want); !resp.UpgradedState.RawEquals(want) {
				t.Errorf("got  %s\nwant %s", show(t, resp.UpgradedState), show(t, want))
			}
		})
	}
}

// TestInvalidSourceOfAnUpgrade checks that the error about a stored value names its attribute in
// the text, and has no path: the current schema may not have the attribute.
func TestInvalidSourceOfAnUpgrade(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	p := guard.Wrap(d.p)
	check := func(diags diag.Diagnostics, want string) {
		t.Helper()
		if len(diags) != 1 || len(diags[0].Path) > 0 || !strings.HasPrefix(diags[0].Detail, want) {
			t.Errorf("got %v, want %q", diags, want)
		}
	}
	check(p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: d.typeName, RawStateJSON: []byte(`{"name":"a","colour":["x"]}`),
	}).Diagnostics, "colour: migrating from schema version 0 to 1: ")
	check(p.UpgradeResourceIdentity(t.Context(), provider.UpgradeResourceIdentityRequest{
		TypeName: d.typeName, RawIdentityJSON: []byte(`{"name":["x"]}`),
	}).Diagnostics, "name: ")
	check(p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		TargetTypeName: d.typeName, SourceTypeName: "old_object", SourceProviderAddress: "registry.terraform.io/acme/old", SourceStateJSON: []byte(`{"title":["x"]}`),
	}).Diagnostics, "title: ")
}

func TestUpgradeIdentity(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	upgrade := func(version int64, raw string) provider.UpgradeResourceIdentityResponse {
		return d.p.UpgradeResourceIdentity(t.Context(), provider.UpgradeResourceIdentityRequest{
			TypeName: d.typeName, Version: version, RawIdentityJSON: []byte(raw),
		})
	}
	if resp := upgrade(0, `{"name":"a","region":"here","gone":1}`); resp.Diagnostics.HasErrors() || !resp.UpgradedIdentity.RawEquals(id("a", "here")) {
		t.Errorf("the identity is %#v (%v), want the name a and the region here", resp.UpgradedIdentity, resp.Diagnostics)
	}
	// A state that is older than the identity of its type has no identity data.
	if resp := upgrade(0, ""); resp.Diagnostics.HasErrors() || !resp.UpgradedIdentity.IsNull() {
		t.Errorf("the identity is %#v (%v), want null", resp.UpgradedIdentity, resp.Diagnostics)
	}
	if resp := upgrade(1, `{}`); !resp.Diagnostics.HasErrors() {
		t.Error("a newer identity was accepted")
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		address, typeName, json string
		fails                   string
	}{
		"from the declared type":   {address: "registry.terraform.io/acme/old", typeName: "old_object", json: `{"title":"a","tint":"blue","more":{"x":[]}}`},
		"from another registry":    {address: "registry.opentofu.org/acme/old", typeName: "old_object", json: `{"title":"a","tint":"blue"}`},
		"from another provider":    {address: "registry.terraform.io/not-acme/old", typeName: "old_object", json: `{}`, fails: "moved are old_object of acme/old"},
		"from another type":        {address: "registry.terraform.io/acme/old", typeName: "old_thing", json: `{}`, fails: "cannot be moved to"},
		"rejected by the resource": {address: "registry.terraform.io/acme/old", typeName: "old_object", json: `{}`, fails: "no title"},
		"stored as a flat state":   {address: "registry.terraform.io/acme/old", typeName: "old_object", fails: "stored by Terraform 0.11 or older"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, d := newThing(t)
			resp := d.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
				SourceProviderAddress: tt.address, SourceTypeName: tt.typeName, SourceStateJSON: []byte(tt.json), TargetTypeName: d.typeName,
			})
			if tt.fails != "" {
				if !resp.Diagnostics.HasErrors() || !strings.Contains(resp.Diagnostics.Error(), tt.fails) {
					t.Fatalf("diagnostics %v, want an error with %q", resp.Diagnostics, tt.fails)
				}
				return
			}
			if resp.Diagnostics.HasErrors() {
				t.Fatal(resp.Diagnostics)
			}
			s.things["a"] = ThingOutput{Name: "a", Color: "blue", Size: 1, Serial: 7}
			d.state, d.private, d.identity = resp.TargetState, resp.TargetPrivate, resp.TargetIdentity
			d.noChange(d.config(attrs{"name": str("a"), "color": str("blue")}))
		})
	}
}

// Parcel is a resource whose move does not set an output that can be null.
type Parcel struct {
	Name string

	weight *int64 // of the real object
}

type ParcelOutput struct {
	Name   string
	Weight *int64
}

func (p *Parcel) Create(context.Context, runtime.NoConfig) (*ParcelOutput, error) {
	return &ParcelOutput{p.Name, new(*p.weight)}, nil
}

func (p *Parcel) Read(_ context.Context, _ runtime.NoConfig, prior *ParcelOutput) (*ParcelOutput, error) {
	return &ParcelOutput{prior.Name, new(*p.weight)}, nil
}

func (p *Parcel) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Parcel, *ParcelOutput]) (*ParcelOutput, error) {
	return p.Create(ctx, cfg)
}

func (*Parcel) Delete(context.Context, runtime.NoConfig, *ParcelOutput) error { return nil }

func (*Parcel) Moves() []runtime.Move {
	type box struct{ Name string }
	return []runtime.Move{runtime.MoveFrom("acme/old", "old_box", func(_ context.Context, old box) (Parcel, *ParcelOutput, error) {
		return Parcel{Name: old.Name}, &ParcelOutput{Name: old.Name}, nil
	})}
}

// TestOutputsAreReadAfterMove checks that the first read after a move sets the outputs that the
// move does not set, even if they can be null, and that later changes are drift.
func TestOutputsAreReadAfterMove(t *testing.T) {
	t.Parallel()
	weight := new(int64)
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"parcel": runtime.MakeResourceWith[Parcel, *ParcelOutput, runtime.NoConfig](func() *Parcel { return &Parcel{weight: weight} }),
	}}), "test_parcel")
	resp := d.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.terraform.io/acme/old", SourceTypeName: "old_box", SourceStateJSON: []byte(`{"name":"a"}`), TargetTypeName: d.typeName,
	})
	if resp.Diagnostics.HasErrors() {
		t.Fatal(resp.Diagnostics)
	}
	d.state, d.private, d.identity = resp.TargetState, resp.TargetPrivate, resp.TargetIdentity
	config := d.config(attrs{"name": str("a")})
	*weight = 7
	d.noChange(config)
	if !d.attr("weight").RawEquals(num(7)) || len(d.private) > 0 {
		t.Errorf("weight is %#v, private data %s, want 7 and none", d.attr("weight"), d.private)
	}
	*weight = 8
	d.refresh()
	if d.plan(config).PlannedState.GetAttr("weight").IsKnown() {
		t.Error("a later change is not planned")
	}
}
