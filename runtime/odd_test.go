package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

type ratios struct {
	Ratio  *float64
	Pick   *float64
	Half   *float32
	Usual  *float64
	Chosen float64 `tf:",computed"`
}

func (r *ratios) Defaults() { r.Usual = new(0.1) }

func (*ratios) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range("ratio", 0.1, 0.3), runtime.OneOf("pick", 0.1, 0.7), runtime.AtLeast("half", float32(0.1)),
	}
}

// TestDecimals checks that 0.1 in Go is 0.1 in configuration and state, although a binary
// float is not exactly 0.1.
func TestDecimals(t *testing.T) {
	w, d := newHolder[*ratios](t)
	w.complete = func(r *ratios) *ratios { c := *r; c.Chosen = 0.1; return &c }
	n := cty.MustParseNumberVal
	for _, ratio := range []string{"0.1", "0.3"} {
		config := d.holding(attrs{"ratio": n(ratio), "pick": n("0.7"), "half": n("0.1")})
		d.apply(config)
		d.noChange(config)
	}
	for _, name := range []string{"usual", "chosen"} {
		if got := d.attr("v").GetAttr(name); !got.RawEquals(n("0.1")) {
			t.Errorf("%s is %#v", name, got)
		}
	}
	if !d.validate(d.holding(attrs{"ratio": n("0.09999999999999999999")})).HasErrors() {
		t.Error("a value below the minimum is allowed")
	}
}

type fewNames struct {
	Names []string `tf:",optional,set"`
	Even  *int64
}

func (*fewNames) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("names", 0, 2), runtime.Check("even", "", func(int64) error { panic("a value") })}
}

// TestLengthOfSetNotKnown checks that a set with unknown elements exceeds a maximum length only if
// its known elements do: the unknown ones may turn out to be equal to others.
func TestLengthOfSetNotKnown(t *testing.T) {
	_, d := newHolder[*fewNames](t)
	unknown := cty.UnknownVal(cty.String)
	for names, wrong := range map[*cty.Value]bool{
		new(cty.SetVal([]cty.Value{str("a"), str("b"), unknown})):           false,
		new(cty.SetVal([]cty.Value{str("a"), str("b"), str("c"), unknown})): true,
	} {
		if got := d.validate(d.holding(attrs{"names": *names})); got.HasErrors() != wrong {
			t.Errorf("%#v: %v", *names, got)
		}
	}
}

func TestCheckPanics(t *testing.T) {
	reg := runtime.MakeResource[panicking, *none, runtime.NoConfig]()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"p": reg}}), "test_p")
	diags := d.validate(d.config(attrs{"even": num(1)}))
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, "The method Check of test_p panicked") {
		t.Errorf("%v", diags)
	}
}

type panicking struct {
	crud[panicking, none] `tf:"-"`
	fewNames
}

// odd has types whose text cannot always be parsed again: JSON has no empty document, and
// a Duration no negative value.
type odd struct {
	Doc  runtime.JSON     `tf:",computed"`
	Wait runtime.Duration `tf:",computed"`
	Key  *string
}

func TestUnparsableText(t *testing.T) {
	w, d := newHolder[*odd](t)
	config := d.holding(attrs{"key": str("k")})
	d.apply(config)
	if !d.attr("v").GetAttr("doc").IsNull() {
		t.Errorf("an empty text is stored as %#v, want a null doc", d.attr("v"))
	}
	d.noChange(config)
	d.destroy()
	w.complete = func(o *odd) *odd { c := *o; c.Wait = -5; return &c }
	plan := d.plan(config)
	if diags := d.applyPlan(config, plan); !strings.Contains(fmt.Sprint(diags), "cannot parse") {
		t.Errorf("%v", diags)
	}
}

// unit has a number and a text with defaults, and attributes that the provider chooses.
type unit struct {
	Key   string
	ID    string `tf:",computed"`
	Level int64
	Wait  runtime.Duration
	Zone  *string `tf:",optional,computed"`
}

func (u *unit) Defaults() { u.Level, u.Wait = 3, runtime.Duration(time.Hour) }

type units struct {
	Main  *unit
	Parts []unit
	Bag   []unit     `tf:",set"`
	Plain []portPair `tf:",optional,set"`
	Own   *portPair  `tf:",writeonly"`
}

// portPair has a default and no computed attribute.
type portPair struct {
	Port  int64
	Proto string
}

func (p *portPair) Defaults() { p.Proto = "tcp" }

func (u *units) Defaults() {
	u.Main, u.Parts, u.Bag = &unit{Key: "main"}, []unit{{Key: "one"}, {Key: "two", Level: 7}}, []unit{{Key: "bag"}}
}

func completeUnits(serial *int) func(u *units) *units {
	one := func(u unit) unit {
		if u.ID == "" {
			*serial++
			u.ID = fmt.Sprint("id", *serial)
		}
		if u.Zone == nil {
			u.Zone = new("somewhere")
		}
		return u
	}
	return func(u *units) *units {
		out := &units{Main: new(one(*u.Main)), Plain: u.Plain}
		for _, p := range u.Parts {
			out.Parts = append(out.Parts, one(p))
		}
		for _, p := range u.Bag {
			out.Bag = append(out.Bag, one(p))
		}
		return out
	}
}

// TestDefaultStructs checks that an attribute that a default struct does not set is planned
// as if it were not configured.
func TestDefaultStructs(t *testing.T) {
	w, d := newHolder[*units](t)
	w.complete = completeUnits(new(int))
	config := d.holding(nil)
	if plan := d.plan(config).PlannedState.GetAttr("v").GetAttr("main"); plan.GetAttr("id").IsKnown() || !plan.GetAttr("level").RawEquals(num(3)) {
		t.Errorf("planned is %#v", plan)
	}
	d.apply(config)
	d.noChange(config)
	if got := d.attr("v").GetAttr("parts").Index(num(1)).GetAttr("level"); !got.RawEquals(num(7)) {
		t.Errorf("the level of the default is %#v, want 7", got)
	}
}

// TestEquivalentDefaultKeepsPriorValue checks that no change is planned if a default is equivalent to
// the prior value.
func TestEquivalentDefaultKeepsPriorValue(t *testing.T) {
	w, d := newHolder[*units](t)
	w.complete = completeUnits(new(int))
	main := d.schema.Body.ImpliedType().AttributeType("v").AttributeType("main")
	d.apply(d.holding(attrs{"main": partly(main, attrs{"key": str("k"), "wait": str("60m")})}))
	d.noChange(d.holding(attrs{"main": partly(main, attrs{"key": str("k")})}))
}

// TestDefaultsInsideWriteOnly checks that defaults are set inside write-only attributes,
// although these are not planned.
func TestDefaultsInsideWriteOnly(t *testing.T) {
	w, d := newHolder[*units](t)
	complete := completeUnits(new(int))
	var planned, applied string
	w.validate = func(u *units) error { planned = u.Own.Proto; return nil }
	w.complete = func(u *units) *units { applied = u.Own.Proto; return complete(u) }
	d.apply(d.holding(attrs{"own": partly(d.elementType("plain"), attrs{"port": num(1)})}))
	if planned != "tcp" || applied != "tcp" {
		t.Errorf("the protocol is %q in the plan and %q in the apply, want tcp", planned, applied)
	}
}

// TestEqualElementsOfASet checks that the provider returns an error for equal elements,
// because clients would report them less clearly.
func TestEqualElementsOfASet(t *testing.T) {
	w, d := newHolder[*units](t)
	w.complete = completeUnits(new(int))
	ty := d.elementType("plain")
	config := d.holding(attrs{"plain": cty.SetVal([]cty.Value{
		partly(ty, attrs{"port": num(80)}), partly(ty, attrs{"port": num(80), "proto": str("tcp")}),
	})})
	if diags := d.plan(config).Diagnostics; len(diags) != 1 || !strings.Contains(diags[0].Detail, "two elements of a set are equal") {
		t.Errorf("%v", diags)
	}
}

// TestChoiceNotKnownYet checks that an unknown configured value does not count as one that the
// provider chooses, so ValidateInputs is not called during plan.
func TestChoiceNotKnownYet(t *testing.T) {
	w, d := newHolder[*units](t)
	w.validate = func(*units) error { return errors.New("called") }
	main := d.schema.Body.ImpliedType().AttributeType("v").AttributeType("main")
	for zone, called := range map[cty.Value]bool{cty.UnknownVal(cty.String): false, cty.NullVal(cty.String): true} {
		plan := d.plan(d.holding(attrs{"main": partly(main, attrs{"key": str("k"), "zone": zone})}))
		if plan.Diagnostics.HasErrors() != called {
			t.Errorf("%#v: %v", zone, plan.Diagnostics)
		}
	}
}

type byDefault struct {
	Mode  string
	Path  *string
	Parts []portPair `tf:",optional"`
}

func (b *byDefault) Defaults() { b.Mode = "file" }

func (*byDefault) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.RequiredWhen("path", "mode", "file"),
		runtime.Check("parts", "", func(parts []portPair) error {
			for _, p := range parts {
				if p.Proto == "" {
					return errors.New("there is no protocol")
				}
			}
			return nil
		}),
	}
}

// TestConstraintsCheckDefaults checks that a default counts like a configured value.
func TestConstraintsCheckDefaults(t *testing.T) {
	_, d := newHolder[*byDefault](t)
	part := cty.ListVal([]cty.Value{partly(d.elementType("parts"), attrs{"port": num(1)})})
	for _, test := range []struct {
		set  attrs
		want string
	}{
		{attrs{"parts": part}, `path must be set when mode is "file"`},
		{attrs{"mode": str("none"), "parts": part}, ""},
		{attrs{"path": str("p")}, ""},
	} {
		diags := d.validate(d.holding(test.set))
		if diags.HasErrors() != (test.want != "") || !strings.Contains(fmt.Sprint(diags), test.want) {
			t.Errorf("%v: %v", test.set, diags)
		}
	}
}

type meant struct {
	Mode *Octal
	Path *string
	Free any    `tf:",optional"`
	ID   string `tf:",computed"`
}

func (*meant) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.OneOf("mode", "644", "755"), runtime.ForbiddenWhen("path", "mode", "755")}
}

// TestConstraintsAcceptEquivalentValues checks that a value that is equivalent to an allowed one
// is allowed.
func TestConstraintsAcceptEquivalentValues(t *testing.T) {
	_, d := newHolder[*meant](t)
	for _, test := range []struct {
		set   attrs
		wrong bool
	}{
		{attrs{"mode": str("0644"), "path": str("p")}, false},
		{attrs{"mode": str("0600")}, true},
		{attrs{"mode": str("0755")}, false},
		{attrs{"mode": str("0755"), "path": str("p")}, true},
	} {
		if diags := d.validate(d.holding(test.set)); diags.HasErrors() != test.wrong {
			t.Errorf("%v: %v", test.set, diags)
		}
	}
}

// TestNullOfAType checks that a typed null of a dynamic attribute keeps its type.
func TestNullOfAType(t *testing.T) {
	_, d := newHolder[*meant](t)
	d.apply(d.holding(attrs{"free": cty.NullVal(cty.String)}))
}

func TestRenameTwice(t *testing.T) {
	for _, step := range []runtime.Migration{runtime.Rename(0, "a", "c", "b", "c"), runtime.Rename(0, "a", "b", "a", "c")} {
		migrationsOfTwice = []runtime.Migration{step}
		reg := runtime.MakeResource[renamedTwice, *none, runtime.NoConfig]()
		_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"x": reg}})
		if err == nil || !strings.Contains(err.Error(), "is already in another pair") {
			t.Errorf("%v", err)
		}
	}
}

var migrationsOfTwice []runtime.Migration

type renamedTwice struct {
	crud[renamedTwice, none] `tf:"-"`
	C                        *string
}

func (*renamedTwice) SchemaVersion() int              { return 1 }
func (*renamedTwice) Migrations() []runtime.Migration { return migrationsOfTwice }
