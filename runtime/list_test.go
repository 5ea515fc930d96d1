package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// ThingFilter lists all things; its prefix is only validated.
type ThingFilter struct {
	Prefix *string
	// Partial makes List return only the name of each thing.
	Partial bool `tf:",optional"`
	// Mood selects an error, a warning or another special case of ValidateInputs or List.
	Mood *string

	store *store
}

func (f *ThingFilter) mood(mood string) bool { return f.Mood != nil && *f.Mood == mood }

func (*ThingFilter) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("prefix", 1, 3)}
}

func (f *ThingFilter) ValidateInputs(context.Context, runtime.NoConfig) error {
	if f.mood("refuse") {
		return diag.AttributeErrorf("mood", "not in this mood")
	}
	if f.mood("doubt") {
		return diag.AsWarning(errors.New("in doubt"))
	}
	return nil
}

func (f *ThingFilter) List(ctx context.Context, _ runtime.NoConfig, req runtime.ListRequest) iter.Seq2[runtime.Listed[*ThingOutput], error] {
	f.store.note(fmt.Sprintf("List limit %d, objects %t", req.Limit, req.IncludeObject))
	if f.mood("nil") {
		return nil
	}
	return func(yield func(runtime.Listed[*ThingOutput], error) bool) {
		defer func() { f.store.note(fmt.Sprintf("List ends, ctx done %t", ctx.Err() != nil)) }()
		nothing := runtime.Listed[*ThingOutput]{}
		if f.mood("warn") {
			runtime.Warn(ctx, "prefix", "Slow", "This takes a while.")
			if !yield(nothing, diag.AsWarning(errors.New("only half of the list is read"))) {
				return
			}
		}
		for i, name := range slices.Sorted(maps.Keys(f.store.things)) {
			switch {
			case i == 1 && f.mood("fail"):
				yield(nothing, diag.AttributeErrorf("prefix", "the connection is gone"))
				return
			case i == 1 && f.mood("panic"):
				var empty map[string]*Thing
				_ = empty[""].Name
			case i == 1 && f.mood("nothing"):
				yield(nothing, nil)
				return
			case i == 1 && f.mood("wait"):
				<-ctx.Done()
				return
			}
			out := f.store.things[name]
			if f.Partial {
				out = ThingOutput{Name: name}
			}
			it := runtime.Listed[*ThingOutput]{Object: &out, Complete: !f.Partial}
			if name == "named" {
				it.DisplayName = "The named thing"
			}
			if !yield(it, nil) && !f.mood("deaf") {
				return
			}
		}
		if f.mood("warn") {
			yield(nothing, diag.AsWarning(errors.New("the other half may have more")))
		}
	}
}

func (s *store) listing(t *testing.T) provider.Interface {
	t.Helper()
	return guard.Wrap(newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"thing": s.registration()},
		Lists: map[string]runtime.ListRegistration{
			"thing": runtime.MakeListerWith[ThingFilter, *ThingOutput, runtime.NoConfig](func() *ThingFilter { return &ThingFilter{store: s} }),
		},
	}))
}

func (s *store) add(names ...string) *store {
	for _, name := range names {
		s.serial++
		s.things[name] = ThingOutput{Name: name, Color: "Red", Size: 1, Serial: s.serial}
	}
	return s
}

func filter(set attrs) cty.Value {
	all := attrs{"prefix": cty.NullVal(cty.String), "partial": cty.NullVal(cty.Bool), "mood": cty.NullVal(cty.String)}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// found lists things, and returns the diagnostics of the response and then the results, one per line, or the line
// "no list" in place of the results.
func found(t *testing.T, p provider.Interface, req provider.ListResourceRequest) []string {
	t.Helper()
	req.TypeName = "test_thing"
	resp := p.ListResource(t.Context(), req)
	lines := worded(resp.Diagnostics)
	if resp.Results == nil {
		return append(lines, "no list")
	}
	for r := range resp.Results {
		var line []string
		if r.DisplayName != "" {
			line = append(line, r.DisplayName)
		}
		if r.Identity != cty.NilVal {
			line = append(line, "id "+show(t, r.Identity))
		}
		if r.ResourceObject != cty.NilVal {
			line = append(line, "serial "+show(t, r.ResourceObject.GetAttr("serial")), "color "+show(t, r.ResourceObject.GetAttr("color")))
		}
		lines = append(lines, strings.Join(append(line, worded(r.Diagnostics)...), "; "))
	}
	return lines
}

func worded(diags diag.Diagnostics) (out []string) {
	for _, d := range diags {
		out = append(out, map[diag.Severity]string{diag.Error: "error: ", diag.Warning: "warning: "}[d.Severity]+withoutSite(d.Error()))
	}
	return out
}

// TestListedObjectCannotBeEncoded checks that the text of the error names the attribute of the object
// or of its identity: a path would refer to the configuration of the list. It also checks that the
// context of List is done before List ends, so that List can wait for goroutines.
func TestListedObjectCannotBeEncoded(t *testing.T) {
	t.Parallel()
	for want, broken := range map[string]func(s *store){
		"shape":                  func(s *store) { s.change("a", func(o *ThingOutput) { o.Shape = new("\xff") }) },
		"region in the identity": func(s *store) { s.region = "\xff" },
	} {
		s := newStore().add("a")
		broken(s)
		got := found(t, s.listing(t), provider.ListResourceRequest{Config: filter(nil), IncludeResourceObject: true})
		want := []string{"error: Cannot list test_thing: " + want + ": the string is not valid UTF-8, so it cannot be stored; encode it as base64"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if !slices.Contains(s.calls, "List ends, ctx done true") {
			t.Errorf("calls %q", s.calls)
		}
	}
}

func TestListResource(t *testing.T) {
	t.Parallel()
	const a, b, named = `id {"name":"a","region":"here"}`, `id {"name":"b","region":"here"}`, `id {"name":"named","region":"here"}`
	const nameA, nameB = `name = "a", region = "here"; `, `name = "b", region = "here"; `
	for name, tt := range map[string]struct {
		config  cty.Value
		limit   int64
		include bool
		fail    map[string]error // of the store
		want    []string
		calls   []string
	}{
		"all": {
			want:  []string{nameA + a, nameB + b, "The named thing; " + named},
			calls: []string{"List limit 0, objects false", "List ends, ctx done false"},
		},
		"list ends at the limit": {
			limit: 2, want: []string{nameA + a, nameB + b},
			calls: []string{"List limit 2, objects false", "List ends, ctx done true"},
		},
		"negative limit is ignored": {limit: -1, want: []string{nameA + a, nameB + b, "The named thing; " + named}},
		"with objects": {
			limit: 1, include: true, want: []string{nameA + a + `; serial 1; color "Red"`},
			calls: []string{"List limit 1, objects true", "List ends, ctx done true"},
		},
		"partial objects are read": {
			config: filter(attrs{"partial": cty.True}), limit: 1, include: true, want: []string{nameA + a + `; serial 1; color "Red"`},
			calls: []string{"List limit 1, objects true", "Read", "List ends, ctx done true"},
		},
		"objects that are not requested are not read": {
			config: filter(attrs{"partial": cty.True}), limit: 1, want: []string{nameA + a},
			calls: []string{"List limit 1, objects false", "List ends, ctx done true"},
		},
		"objects that Read does not find are omitted": {
			config: filter(attrs{"partial": cty.True}), include: true, fail: map[string]error{"Read": fmt.Errorf("oh: %w", runtime.ErrNotFound)},
			calls: []string{"List limit 0, objects true", "Read", "Read", "Read", "List ends, ctx done false"},
		},
		"objects that cannot be read are listed with a warning": {
			config: filter(attrs{"partial": cty.True}), limit: 2, include: true, fail: map[string]error{"Read": errors.New("locked")},
			want: []string{
				nameA + a + `; warning: Cannot read test_thing name = "a", region = "here": locked`,
				nameB + b + `; warning: Cannot read test_thing name = "b", region = "here": locked`,
			},
		},
		"the attribute of an error of Read is in its text": {
			config: filter(attrs{"partial": cty.True}), limit: 1, include: true, fail: map[string]error{"Read": diag.AttributeErrorf("color", "locked")},
			want: []string{nameA + a + `; warning: Cannot read test_thing name = "a", region = "here": color: locked`},
		},
		"the name of the attribute is also a word of the error": {
			config: filter(attrs{"partial": cty.True}), limit: 1, include: true, fail: map[string]error{"Read": diag.AttributeErrorf("name", "cannot resolve host name: no such host")},
			want: []string{nameA + a + `; warning: Cannot read test_thing name = "a", region = "here": name: cannot resolve host name: no such host`},
		},
		"an error ends the list": {
			config: filter(attrs{"mood": str("fail")}),
			want:   []string{nameA + a, "error: prefix: Cannot list test_thing: the connection is gone"},
			calls:  []string{"List limit 0, objects false", "List ends, ctx done true"},
		},
		"a panic ends the list": {
			config: filter(attrs{"mood": str("panic")}),
			want: []string{nameA + a, "error: Provider bug: the provider crashed: The method List of test_thing panicked: " +
				"runtime error: invalid memory address or nil pointer dereference. This is a bug in the provider, not in your configuration; please report it."},
		},
		"neither object nor error": {
			config: filter(attrs{"mood": str("nothing")}),
			want:   []string{nameA + a, "error: Cannot list test_thing: provider bug: the method List yielded neither an object nor an error; please report this"},
		},
		"nil iterator": {
			config: filter(attrs{"mood": str("nil")}),
			want:   []string{"error: Cannot list test_thing: provider bug: the method List returned nil instead of an iterator; please report this"},
		},
		"warnings are sent with results, and the last ones at the end": {
			config: filter(attrs{"mood": str("warn")}),
			want: []string{
				nameA + a + "; warning: prefix: Slow: This takes a while.; warning: Cannot list test_thing: only half of the list is read",
				nameB + b, "The named thing; " + named,
				"warning: Cannot list test_thing: the other half may have more",
			},
		},
		"iterator that continues after the end": {
			config: filter(attrs{"mood": str("deaf")}), limit: 1,
			want: []string{nameA + a, "error: Provider bug: the provider crashed: The method List of test_thing panicked: " +
				"runtime error: range function continued iteration after function for loop body returned false. This is a bug in the provider, not in your configuration; please report it."},
		},
		"error of ValidateInputs": {
			config: filter(attrs{"mood": str("refuse")}), calls: []string{},
			want: []string{"error: mood: Invalid value: not in this mood", "no list"},
		},
		"warning of ValidateInputs": {
			config: filter(attrs{"mood": str("doubt")}), limit: 1,
			want: []string{nameA + a + "; warning: Cannot list test_thing: in doubt"},
		},
		"violated constraint": {
			config: filter(attrs{"prefix": str("long")}), calls: []string{},
			want: []string{"error: prefix: Invalid value: The value must have from 1 to 3 characters.", "no list"},
		},
		"unknown values": {
			config: filter(attrs{"prefix": cty.UnknownVal(cty.String), "mood": cty.UnknownVal(cty.String)}), calls: []string{},
			want: []string{
				"error: mood: Cannot list test_thing: the value is not known yet, and a list resource needs it: first apply the resources that the value depends on (with -target)",
				"error: prefix: Cannot list test_thing: the value is not known yet, and a list resource needs it: first apply the resources that the value depends on (with -target)",
				"no list",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore().add("a", "b", "named")
			if tt.fail != nil {
				s.fail = tt.fail
			}
			p := s.listing(t)
			if tt.config == cty.NilVal {
				tt.config = filter(nil)
			}
			got := found(t, p, provider.ListResourceRequest{Config: tt.config, Limit: tt.limit, IncludeResourceObject: tt.include})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if tt.calls != nil {
				if diff := cmp.Diff(tt.calls, append([]string{}, s.calls...)); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestListedObjectsAreAsImported checks that an object from a list equals the imported
// object, except for its age, and that its configuration plans no change.
func TestListedObjectsAreAsImported(t *testing.T) {
	t.Parallel()
	s := newStore().add("a")
	p := s.listing(t)
	for _, partial := range []bool{false, true} {
		listed := 0
		for r := range p.ListResource(t.Context(), provider.ListResourceRequest{
			TypeName: "test_thing", Config: filter(attrs{"partial": cty.BoolVal(partial)}), IncludeResourceObject: true,
		}).Results {
			listed++
			d := newDriver(t, p, "test_thing")
			resp := p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: "test_thing", Identity: r.Identity})
			if resp.Diagnostics.HasErrors() {
				t.Fatal(resp.Diagnostics)
			}
			d.state = resp.ImportedResources[0].State
			if age := r.ResourceObject.GetAttr("age"); partial && age.RawEquals(num(0)) {
				t.Error("the object was not read")
			}
			plan := d.planFrom(r.ResourceObject, d.config(attrs{"name": str("a")}), nil, r.Identity)
			if !plan.PlannedState.RawEquals(r.ResourceObject) {
				t.Errorf("the plan for a listed object has a change:\nobject %s\nplan   %s", show(t, r.ResourceObject), show(t, plan.PlannedState))
			}
			for name, v := range d.state.AsValueMap() {
				if name != "age" && !v.RawEquals(r.ResourceObject.GetAttr(name)) {
					t.Errorf("%s is %s if imported and %s if listed", name, show(t, v), show(t, r.ResourceObject.GetAttr(name)))
				}
			}
		}
		if listed != 1 {
			t.Errorf("%d objects are listed, want 1", listed)
		}
	}
}

func TestValidateListResourceConfig(t *testing.T) {
	t.Parallel()
	p := newStore().listing(t)
	validate := func(config cty.Value) []string {
		return worded(p.ValidateListResourceConfig(t.Context(), provider.ValidateListResourceConfigRequest{
			TypeName: "test_thing", Config: config, Limit: cty.UnknownVal(cty.Number), IncludeResourceObject: cty.UnknownVal(cty.Bool),
		}).Diagnostics)
	}
	for _, config := range []cty.Value{
		filter(nil), filter(attrs{"prefix": cty.UnknownVal(cty.String)}), cty.UnknownVal(filter(nil).Type()), cty.NullVal(filter(nil).Type()),
		filter(attrs{"mood": str("refuse")}), // ValidateInputs returns an error for it, but ValidateListResourceConfig does not call ValidateInputs
	} {
		if got := validate(config); got != nil {
			t.Errorf("%#v: %q", config, got)
		}
	}
	if got, want := validate(filter(attrs{"prefix": str("long")})), []string{"error: prefix: Invalid value: The value must have from 1 to 3 characters."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListOfAnUnknownType(t *testing.T) {
	t.Parallel()
	p := newStore().provider(t)
	want := []string{`error: Unknown list resource: This provider has no list resource "test_thing".`}
	if got := worded(p.ListResource(t.Context(), provider.ListResourceRequest{TypeName: "test_thing"}).Diagnostics); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := worded(p.ValidateListResourceConfig(t.Context(), provider.ValidateListResourceConfigRequest{TypeName: "test_thing"}).Diagnostics); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Found records whether its Read is called for an import or a list.
type Found struct {
	crud[Found, FoundOutput] `tf:"-"`
	Name                     string
}

type FoundOutput struct {
	Name     string
	Imported bool
}

type FoundID struct{ Name string }

func (*Found) Identity(_ runtime.NoConfig, out *FoundOutput) FoundID { return FoundID{out.Name} }

func (l *Found) Read(ctx context.Context, _ runtime.NoConfig, _ *FoundOutput) (*FoundOutput, error) {
	return &FoundOutput{l.Name, runtime.Imports(ctx)}, nil
}

type FoundFilter struct{}

func (*FoundFilter) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*FoundOutput], error] {
	return func(yield func(runtime.Listed[*FoundOutput], error) bool) {
		yield(runtime.Listed[*FoundOutput]{Object: &FoundOutput{Name: "oak"}}, nil)
	}
}

// TestImportsInLists checks that Imports returns true in the Read of a listed object.
func TestImportsInLists(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"leaf": runtime.MakeResource[Found, *FoundOutput, runtime.NoConfig]()},
		Lists:     map[string]runtime.ListRegistration{"leaf": runtime.MakeLister[FoundFilter, *FoundOutput, runtime.NoConfig]()},
	}))
	listed := 0
	for r := range p.ListResource(t.Context(), provider.ListResourceRequest{TypeName: "test_leaf", Config: cty.EmptyObjectVal, IncludeResourceObject: true}).Results {
		if listed++; r.Diagnostics.HasErrors() || r.ResourceObject == cty.NilVal || !r.ResourceObject.GetAttr("imported").True() {
			t.Errorf("listed %#v: %v", r.ResourceObject, r.Diagnostics)
		}
	}
	if listed != 1 {
		t.Errorf("%d objects are listed, want 1", listed)
	}
}
