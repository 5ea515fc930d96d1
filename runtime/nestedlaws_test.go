package runtime_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestNestedLaws checks that for random configurations, at any depth, the plan is valid, the
// result matches the plan, and a second plan is a no-op, even for an equivalent
// configuration.
func TestNestedLaws(t *testing.T) {
	for seed := range tier.Pick[uint64](100, 30, 300) { // fewer in make ci, which uses the race detector
		w, d := newSite(t)
		g := gen{Rand: rand.New(rand.NewPCG(seed, 1))}
		uncertain := gen{Rand: rand.New(rand.NewPCG(seed, 2)), unknowns: true}
		for range 3 {
			config := g.block(d.schema.Body)
			if plan := d.plan(uncertain.block(d.schema.Body)); plan.Diagnostics.HasErrors() {
				t.Fatalf("seed %d: %v", seed, plan.Diagnostics)
			}
			d.apply(config)
			updates := w.updates
			d.noChange(config)
			d.noChange(equivalentConfig(t, config))
			if w.updates != updates {
				t.Fatalf("seed %d: the second plans called Update %d times, want 0", seed, w.updates-updates)
			}
			if t.Failed() {
				t.Fatalf("seed %d: config %s", seed, show(t, config))
			}
		}
	}
}

// equivalentConfig returns config, a configuration of Site, with strings replaced by equivalent strings.
func equivalentConfig(t *testing.T, config cty.Value) cty.Value {
	t.Helper()
	docs := map[string]string{
		`{"a":1,"b":[true]}`: `{ "b": [true], "a": 1 }`, `{ "b": [true], "a": 1 }`: `{"a":1,"b":[true]}`, `[]`: ` []`, `null`: `null `,
	}
	out, err := cty.Transform(config, func(at cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
			return v, nil
		}
		name := ""
		for _, step := range at {
			if a, ok := step.(cty.GetAttrStep); ok {
				name = a.Name
			}
		}
		s := v.AsString()
		switch name {
		case "words", "cases", "aliases":
			if s == strings.ToLower(s) {
				return cty.StringVal(strings.ToUpper(s)), nil
			}
			return cty.StringVal(strings.ToLower(s)), nil
		case "mode":
			return cty.StringVal("0" + s), nil
		case "nets":
			return cty.StringVal(strings.ToUpper(s)), nil
		case "doc":
			return cty.StringVal(docs[s]), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Steady is a Site that reports what an update changes.
type Steady struct{ Site }

func (s *Steady) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Steady, *SiteOutput]) (*SiteOutput, error) {
	return s.Create(ctx, cfg)
}

func (*Steady) ModifyResourcePlan(req runtime.ResourcePlanRequest[Steady, *SiteOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if !runtime.Changed(req.PriorInputs.Note, req.CurrentInputs.Note) {
		return nil
	}
	resp.MarkOutputUnknown("revision")
	if req.CurrentInputs.Note != nil && *req.CurrentInputs.Note == "again" {
		resp.MarkOutputUnknown("parts")
	}
	return nil
}

// TestNestedOutputsStayKnown checks that with ModifyResourcePlan, values that the provider
// chose inside nested objects stay known, unless the method marks them as unknown.
func TestNestedOutputsStayKnown(t *testing.T) {
	w := &siteWorld{sites: map[string]SiteOutput{}}
	reg := runtime.MakeResourceWith[Steady, *SiteOutput, runtime.NoConfig](func() *Steady { return &Steady{Site{world: w}} })
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"site": reg}}), "test_site")
	part := func(key string) cty.Value {
		ty := d.schema.Body.ImpliedType().AttributeType("parts").ElementType()
		attrs := map[string]cty.Value{}
		for name, at := range ty.AttributeTypes() {
			attrs[name] = cty.NullVal(at)
		}
		attrs["key"] = str(key)
		return cty.ObjectVal(attrs)
	}
	config := func(note string, keys ...string) cty.Value {
		var parts []cty.Value
		for _, k := range keys {
			parts = append(parts, part(k))
		}
		return d.config(attrs{"name": str("n"), "note": str(note), "parts": cty.ListVal(parts)})
	}
	d.apply(config("one", "a", "b"))
	id := func(v cty.Value, i int64) cty.Value { return v.GetAttr("parts").Index(num(i)).GetAttr("id") }
	if got := d.state.GetAttr("parts").Index(num(0)).GetAttr("level"); !got.RawEquals(num(3)) {
		t.Errorf("the nested default is %#v, want 3", got)
	}

	plan := d.plan(config("two", "a", "b", "c")).PlannedState
	if got, want := id(plan, 1), id(d.state, 1); !got.RawEquals(want) {
		t.Errorf("the ID of an existing element is planned as %#v, want %#v", got, want)
	}
	if id(plan, 2).IsKnown() {
		t.Error("the ID of a new element is known in the plan")
	}
	before := id(d.state, 1)
	d.apply(config("two", "a", "b", "c"))
	if got := id(d.state, 1); !got.RawEquals(before) {
		t.Errorf("the ID changed from %#v to %#v", before, got)
	}
	if plan := d.plan(config("again", "a", "b", "c")).PlannedState; id(plan, 1).IsKnown() {
		t.Error("an ID that was marked unknown is known in the plan")
	}
	d.apply(config("again", "a", "b", "c"))
	d.noChange(config("again", "a", "b", "c"))
}
