package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// SteadyHolder is a Holder whose updates keep all outputs.
type SteadyHolder[P any] struct{ Holder[P] }

type steadyOutput[P any] struct {
	HolderOutput[P]
	Serial int64
	Tail   []string
	Info   struct {
		Seen *string `tf:",computed"`
	}
}

func (h *SteadyHolder[P]) Create(ctx context.Context, cfg runtime.NoConfig) (*steadyOutput[P], error) {
	out, err := h.Holder.Create(ctx, cfg)
	return &steadyOutput[P]{HolderOutput: *out, Serial: 7}, err
}

func (h *SteadyHolder[P]) Read(ctx context.Context, cfg runtime.NoConfig, prior *steadyOutput[P]) (*steadyOutput[P], error) {
	out, err := h.Holder.Read(ctx, cfg, &prior.HolderOutput)
	if err != nil {
		return nil, err
	}
	read := &steadyOutput[P]{HolderOutput: *out, Serial: 7}
	read.Info.Seen = new("now")
	return read, nil
}

func (h *SteadyHolder[P]) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[SteadyHolder[P], *steadyOutput[P]]) (*steadyOutput[P], error) {
	return h.Create(ctx, cfg)
}

func (h *SteadyHolder[P]) Delete(ctx context.Context, cfg runtime.NoConfig, prior *steadyOutput[P]) error {
	return h.Holder.Delete(ctx, cfg, &prior.HolderOutput)
}

func (*SteadyHolder[P]) ModifyResourcePlan(runtime.ResourcePlanRequest[SteadyHolder[P], *steadyOutput[P], runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return nil
}

// LooseHolder is a Holder whose values are equivalent if holderWorld.same returns true.
type LooseHolder[P any] struct{ Holder[P] }

func (h *LooseHolder[P]) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[LooseHolder[P], *HolderOutput[P]]) (*HolderOutput[P], error) {
	return h.Create(ctx, cfg)
}

func (*LooseHolder[P]) EquivalentInput(field string, prior, current LooseHolder[P]) bool {
	return field == "v" && prior.world.same(prior.V, current.V)
}

func guarded(t *testing.T, reg runtime.ResourceRegistration) *driver {
	t.Helper()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"holder": reg}})
	return newDriver(t, guard.Wrap(p), "test_holder")
}

// grown has attributes that older versions of the provider did not store.
type grown struct {
	Key   string
	ID    string `tf:",computed"`
	Zone  string `tf:",optional,computed"`
	Parts []grownPart
	Bag   []grownPart          `tf:",set"`
	Named map[string]grownPart `tf:",optional"`
}

type grownPart struct {
	Name string
	ID   int64 `tf:",computed"`
}

// TestUpdateOfAnOlderState checks that an output that an older version did not store causes no
// update, and that an update sets it, even without a read in between.
func TestUpdateOfAnOlderState(t *testing.T) {
	t.Parallel()
	w := &holderWorld[*grown]{objects: map[string]HolderOutput[*grown]{}}
	w.complete = func(g *grown) *grown {
		c := *g
		c.ID, c.Zone = "id", "zone"
		c.Parts, c.Bag, c.Named = []grownPart{{"a", 1}}, []grownPart{{"b", 2}}, map[string]grownPart{"x": {"c", 3}}
		return &c
	}
	d := guarded(t, runtime.MakeResourceWith[SteadyHolder[*grown], *steadyOutput[*grown], runtime.NoConfig](func() *SteadyHolder[*grown] {
		return &SteadyHolder[*grown]{Holder[*grown]{world: w}}
	}))
	part := d.elementType("parts")
	v := func(name string) cty.Value { return partly(part, attrs{"name": str(name)}) }
	config := d.holding(attrs{
		"key": str("k"), "parts": cty.ListVal([]cty.Value{v("a")}), "bag": cty.SetVal([]cty.Value{v("b")}), "named": cty.MapVal(attrs{"x": v("c")}),
	})
	d.apply(config)
	now := d.state
	older, err := cty.Transform(d.state, func(at cty.Path, v cty.Value) (cty.Value, error) {
		if step, ok := at[max(len(at), 1)-1:], len(at) > 0; ok {
			if attr, ok := step[0].(cty.GetAttrStep); ok && (attr.Name == "id" || attr.Name == "serial" || attr.Name == "zone") {
				return cty.NullVal(v.Type()), nil
			}
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.state = older
	if plan := d.plan(config); !plan.PlannedState.RawEquals(older) {
		t.Errorf("planned with missing outputs: %s, want no change", show(t, plan.PlannedState))
	}
	noted := config.AsValueMap()
	noted["note"] = str("new")
	plan := d.apply(cty.ObjectVal(noted)).PlannedState
	if tail := plan.GetAttr("tail"); !tail.RawEquals(cty.NullVal(cty.List(cty.String))) {
		t.Errorf("an output that may be null is planned as %#v, want null", tail)
	}
	if got := d.attr("v"); !got.RawEquals(now.GetAttr("v")) {
		t.Errorf("v in the state is %s, want %s", show(t, got), show(t, now.GetAttr("v")))
	}
	if diags := d.refresh(); diags.HasErrors() || d.attr("info").GetAttr("seen").IsNull() {
		t.Errorf("a null nested output is not set by a read: %#v (%v)", d.attr("info"), diags)
	}
}

// directory has strings whose equivalence is determined by the resource, not by their type.
type directory struct {
	Title string
	ID    int64     `tf:",computed"`
	Pages []page    `tf:",optional"`
	Index []page    `tf:",optional,set"`
	Tags  []string  `tf:",optional"`
	Word  *[]string `tf:",optional,set"`
}

type page struct {
	Text string
	Lang string `tf:",optional,computed"`
	ID   int64  `tf:",computed"`
}

// TestEquivalentObjectKeepsPriorValue checks that an equivalent object keeps its prior
// form even if another change makes its computed parts unknown.
func TestEquivalentObjectKeepsPriorValue(t *testing.T) {
	t.Parallel()
	w := &holderWorld[*directory]{objects: map[string]HolderOutput[*directory]{}}
	w.same = func(a, b *directory) bool { return strings.EqualFold(a.Title, b.Title) && len(a.Pages) == len(b.Pages) }
	serial := int64(0)
	pages := func(in []page) []page {
		out := append([]page(nil), in...)
		for i := range out {
			serial++
			out[i].ID = serial
			if out[i].Lang == "" {
				out[i].Lang = "en"
			}
		}
		return out
	}
	w.complete = func(f *directory) *directory {
		c := *f
		serial++
		c.ID, c.Pages, c.Index = serial, pages(f.Pages), pages(f.Index)
		return &c
	}
	d := guarded(t, runtime.MakeResourceWith[LooseHolder[*directory], *HolderOutput[*directory], runtime.NoConfig](func() *LooseHolder[*directory] {
		return &LooseHolder[*directory]{Holder[*directory]{world: w}}
	}))
	ty := d.elementType("pages")
	config := func(note, title string, say func(string) string) cty.Value {
		v := func(text string, lang cty.Value) cty.Value {
			return partly(ty, attrs{"text": str(say(text)), "lang": lang})
		}
		none := cty.NullVal(cty.String)
		c := d.holding(attrs{
			"title": str(title), "pages": cty.ListVal([]cty.Value{v("one", none), v("two", str("de"))}),
			"index": cty.SetVal([]cty.Value{partly(ty, attrs{"text": str("one")}), partly(ty, attrs{"text": str("two"), "lang": str("de")})}),
			"tags":  cty.ListVal([]cty.Value{str(say("a"))}), "word": cty.SetVal([]cty.Value{str(say("a"))}),
		}).AsValueMap()
		c["note"] = str(note)
		return cty.ObjectVal(c)
	}
	d.apply(config("first", "lower", strings.ToLower))
	plan := d.apply(config("second", "LOWER", strings.ToUpper)).PlannedState.GetAttr("v")
	if got := plan.GetAttr("title"); !got.RawEquals(str("lower")) {
		t.Errorf("the title is planned as %#v, want lower", got)
	}
	first := plan.GetAttr("pages").Index(num(0))
	if first.GetAttr("id").IsKnown() || first.GetAttr("lang").IsKnown() || !first.GetAttr("text").RawEquals(str("one")) {
		t.Errorf("the first page is planned as %#v, want unknown id and lang, and the text \"one\"", first)
	}
	if got := plan.GetAttr("pages").Index(num(1)).GetAttr("lang"); !got.RawEquals(str("de")) {
		t.Errorf("the configured language is planned as %#v, want de", got)
	}
	d.noChange(config("second", "Lower", strings.ToUpper))
}

type logins struct {
	Users []login `tf:",optional"`
}

type login struct {
	Name     string
	Password *string `tf:",writeonly"`
	ID       int64   `tf:",computed"`
}

// TestSecretsOfIgnoredChanges checks which secrets the elements of a list get with
// ignore_changes: the client plans the prior list but sends the whole configuration with the apply.
func TestSecretsOfIgnoredChanges(t *testing.T) {
	t.Parallel()
	w, d := newHolder[*logins](t)
	var got []string
	w.complete = func(a *logins) *logins {
		out := &logins{}
		got = nil
		for i, u := range a.Users {
			secret := "none"
			if u.Password != nil {
				secret = *u.Password
			}
			got = append(got, u.Name+":"+secret)
			out.Users = append(out.Users, login{Name: u.Name, ID: int64(i + 1)})
		}
		return out
	}
	ty := d.elementType("users")
	config := func(note string, users ...string) cty.Value {
		var elems []cty.Value
		for _, u := range users {
			elems = append(elems, partly(ty, attrs{"name": str(u), "password": str("pw-" + u)}))
		}
		c := d.holding(attrs{"users": cty.ListVal(elems)}).AsValueMap()
		c["note"] = str(note)
		return cty.ObjectVal(c)
	}
	d.apply(config("one", "ada", "bob"))
	for name, tt := range map[string]struct {
		now  []string
		want string
	}{
		"element added at the end": {[]string{"ada", "bob", "eve"}, "ada:pw-ada bob:pw-bob"},
		"element added in front":   {[]string{"eve", "ada", "bob"}, "ada:pw-ada bob:pw-bob"},
		"another order":            {[]string{"bob", "ada"}, "ada:pw-ada bob:pw-bob"},
		"element removed":          {[]string{"bob"}, "ada:none bob:pw-bob"},
		"all elements replaced":    {[]string{"eve"}, "ada:none bob:none"},
	} {
		full := config(name, tt.now...)
		ignoring := full.AsValueMap()
		ignoring["v"] = d.attr("v")
		plan := d.plan(cty.ObjectVal(ignoring))
		if diags := d.applyPlan(full, plan); diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: applied with %s, want %s", name, got, tt.want)
		}
	}
}
