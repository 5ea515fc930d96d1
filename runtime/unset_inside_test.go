package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// shelf has attributes that only the configuration determines, in objects of each kind.
type shelf struct {
	Main  *plank           `tf:",optional"`
	Row   []plank          `tf:",optional"`
	Bag   []plank          `tf:",optional,set"`
	Named map[string]plank `tf:",optional"`
	Label []label          `tf:",optional,set"`
	// The provider determines Made and Spare: no attribute of them is configured.
	Made  *plank `tf:",computed"`
	Spare *plank `tf:",optional,computed"`
}

type plank struct {
	Key  string
	Wood *string
	Glue string   `tf:",optional"`
	Pegs []string `tf:",optional"`
	Wax  *wax
	ID   int64 `tf:",computed"`
}

type wax struct{ Kind string }

// label has only optional attributes.
type label struct {
	Text *string
	Ink  *string
}

func fullPlank(key string) plank {
	return plank{Key: key, Wood: new("oak"), Glue: "bone", Pegs: []string{"p"}, Wax: &wax{"bee"}, ID: 5}
}

func fill(p plank) plank {
	full := fullPlank(p.Key)
	if p.Wood != nil {
		full.Wood = p.Wood
	}
	return full
}

func fillShelf(s *shelf) *shelf {
	all := func(in []plank) []plank {
		var out []plank
		for _, p := range in {
			out = append(out, fill(p))
		}
		return out
	}
	out := &shelf{Row: all(s.Row), Bag: all(s.Bag), Made: new(fullPlank("made"))}
	out.Made.Wax = nil
	if s.Main != nil {
		out.Main = new(fill(*s.Main))
	}
	if s.Named != nil {
		out.Named = map[string]plank{}
	}
	for key, p := range s.Named {
		out.Named[key] = fill(p)
	}
	for _, l := range s.Label {
		out.Label = append(out.Label, label{l.Text, new("black")})
	}
	if out.Spare = s.Spare; s.Spare == nil {
		out.Spare = new(fullPlank("spare"))
	}
	return out
}

// TestUnsetInside checks that an unset attribute that only the configuration determines is null,
// whatever the real value is, at any depth as at the top level.
func TestUnsetInside(t *testing.T) {
	t.Parallel()
	w, d := newHolder[*shelf](t)
	w.complete = fillShelf
	ty := d.elementType("row")
	p := func(key string, wood cty.Value) cty.Value { return partly(ty, attrs{"key": str(key), "wood": wood}) }
	none := cty.NullVal(cty.String)
	config := d.holding(attrs{
		"main": p("m", none), "row": cty.ListVal([]cty.Value{p("r", none), p("s", str("elm"))}),
		"bag":   cty.SetVal([]cty.Value{p("b", none), p("c", str("elm")), p("b", str("ash"))}),
		"named": cty.MapVal(attrs{"x": p("n", none)}),
		"label": cty.SetVal([]cty.Value{partly(d.elementType("label"), attrs{"text": str("t")}), partly(d.elementType("label"), attrs{"ink": str("black")})}),
	})
	d.apply(config)
	v := d.attr("v")
	for name, got := range map[string]cty.Value{"main": v.GetAttr("main"), "named": v.GetAttr("named").Index(str("x")), "row": v.GetAttr("row").Index(num(0))} {
		for _, inside := range []string{"wood", "glue", "pegs", "wax"} {
			if !got.GetAttr(inside).IsNull() {
				t.Errorf("%s.%s is %#v, want null", name, inside, got.GetAttr(inside))
			}
		}
		if !got.GetAttr("id").RawEquals(num(5)) {
			t.Errorf("%s.id is %#v, want 5", name, got.GetAttr("id"))
		}
	}
	for _, name := range []string{"made", "spare"} {
		if got := v.GetAttr(name).GetAttr("wood"); !got.RawEquals(str("oak")) {
			t.Errorf("%s.wood, which the provider determines, is %#v, want oak", name, got)
		}
	}
	d.noChange(config)
	d.noChange(config)

	// A configured value shows drift.
	stored := w.objects["n"]
	stored.V.Row[1].Wood, stored.V.Made.Wax = new("fir"), &wax{"bee"}
	if diags := d.refresh(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := d.attr("v").GetAttr("row").Index(num(1)).GetAttr("wood"); !got.RawEquals(str("fir")) {
		t.Errorf("drift of a configured value is not in the state: got %#v, want fir", got)
	}
	if got := d.attr("v").GetAttr("made").GetAttr("wax"); got.IsNull() {
		t.Errorf("drift of a value that the provider determines is not in the state: %#v", got)
	}
}

// TestUnsetInsideAfterAFailure checks that the state keeps the prior value of an attribute that a
// failed update was to unset, so that the update is planned again.
func TestUnsetInsideAfterAFailure(t *testing.T) {
	t.Parallel()
	w := &holderWorld[*shelf]{objects: map[string]HolderOutput[*shelf]{}, complete: func(s *shelf) *shelf { c := *s; c.Made, c.Spare = new(fullPlank("m")), new(fullPlank("s")); return &c }}
	d := guarded(t, runtime.MakeResourceWith[failingHolder, *HolderOutput[*shelf], runtime.NoConfig](func() *failingHolder {
		return &failingHolder{Holder[*shelf]{world: w}}
	}))
	ty := d.elementType("row")
	config := func(wood cty.Value) cty.Value {
		return d.holding(attrs{"main": partly(ty, attrs{"key": str("m"), "wood": wood})})
	}
	d.apply(config(str("elm")))
	next := config(cty.NullVal(cty.String))
	if diags := d.applyPlan(next, d.plan(next)); !diags.HasErrors() {
		t.Fatal("the update does not fail")
	}
	if got := d.attr("v").GetAttr("main").GetAttr("wood"); !got.RawEquals(str("elm")) {
		t.Errorf("after a failed update the wood is %#v, want the prior value, elm", got)
	}
}

// failingHolder is a Holder whose Update fails and returns the real object.
type failingHolder struct{ Holder[*shelf] }

func (h *failingHolder) Update(context.Context, runtime.NoConfig, runtime.Prior[failingHolder, *HolderOutput[*shelf]]) (*HolderOutput[*shelf], error) {
	out := h.world.objects[h.Name]
	return &out, errors.New("not today")
}

type shelfSource struct {
	Main *plank
	Bag  []plank `tf:",optional,set"`
}

type shelfData struct {
	Main *plank  `tf:",optional"`
	Bag  []plank `tf:",optional,set"`
}

func (s *shelfSource) Read(context.Context, runtime.NoConfig) (*shelfData, error) {
	return &shelfData{new(fill(*s.Main)), []plank{fill(s.Bag[0])}}, nil
}

// TestUnsetInsideOfADataSource checks that in a data source, too, an unset attribute
// that only the configuration determines is null.
func TestUnsetInsideOfADataSource(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{Name: "test", DataSources: map[string]runtime.DataSourceRegistration{
		"shelf": runtime.MakeDataSource[shelfSource, *shelfData, runtime.NoConfig](),
	}}))
	ty := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources["test_shelf"].Body.ImpliedType()
	one := partly(ty.AttributeType("main"), attrs{"key": str("k")})
	resp := p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{
		TypeName: "test_shelf", Config: cty.ObjectVal(attrs{"main": one, "bag": cty.SetVal([]cty.Value{one})}),
	})
	if resp.Diagnostics.HasErrors() {
		t.Fatal(resp.Diagnostics)
	}
	if got := resp.State.GetAttr("main"); !got.GetAttr("wood").IsNull() || !got.GetAttr("id").RawEquals(num(5)) {
		t.Errorf("main is %#v, want a null wood and the ID 5", got)
	}
}
