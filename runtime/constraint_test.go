package runtime_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Ruled has a rule of every kind except CheckTogether, and some in nested objects.
type Ruled struct {
	crud[Ruled, none] `tf:"-"`

	Port   *int64
	Least  *float64
	Most   *int64
	State  string `tf:",optional"`
	Level  *int64
	Name   string `tf:",optional"`
	Path   string `tf:",optional"`
	Even   *int64
	Tags   []string          `tf:",optional"`
	Labels map[string]string `tf:",optional"`

	A, B, C *string
	D, E    *string
	F, G    *string
	H, I    *string
	When    *string
	Cert    *string
	Key     *string
	NoKey   *string

	Rule  []RuledPart `tf:",block"`
	Parts []RuledPart `tf:",optional"`
}

type RuledPart struct {
	Port *int64
	X, Y *string
}

func (*RuledPart) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("port", 1, 65535), runtime.ExactlyOneOf("x", "y")}
}

var errOdd = errors.New("it is odd")

func (*Ruled) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range("port", 1, 65535),
		runtime.AtLeast("least", 0.5),
		runtime.AtMost("most", int64(9)),
		runtime.OneOf("state", "present", "absent"),
		runtime.OneOf("level", 1, 3),
		runtime.Length("name", 2, 4),
		runtime.Pattern("path", "^/", "an absolute path"),
		runtime.Check("even", "must be even", func(n int64) error {
			if n%2 != 0 {
				return errOdd
			}
			return nil
		}),
		runtime.Length("tags", 0, 2),
		runtime.Each(runtime.Length("tags", 1, 0)),
		runtime.Each(runtime.Check("tags", "", func(string) error { return nil })),
		runtime.Keys(runtime.Pattern("labels", "^[a-z]+$", "lower-case letters")),
		runtime.Each(runtime.OneOf("labels", "yes", "no")),
		runtime.ExactlyOneOf("a", "b", "c"),
		runtime.AtLeastOneOf("d", "e"),
		runtime.AtMostOneOf("f", "g"),
		runtime.RequiredTogether("h", "i"),
		runtime.RequiredWhen("key", "cert"),
		runtime.RequiredWhen("when", "state", "present"),
		runtime.ForbiddenWhen("no_key", "key"),
		runtime.Length("rule", 0, 2),
		runtime.Length("rule", 0, 3), // the narrower limit applies
	}
}

// ruledDriver returns a driver for a provider of Ruled, and a valid configuration that all
// cases modify.
func ruledDriver(t *testing.T) (*driver, attrs) {
	t.Helper()
	reg := runtime.MakeResource[Ruled, *none, runtime.NoConfig]()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"ruled": reg}}), "test_ruled")
	return d, attrs{"a": str("a"), "d": str("d")}
}

func TestEachConstraint(t *testing.T) {
	d, valid := ruledDriver(t)
	partType := d.schema.Body.BlockTypes["rule"].Block.ImpliedType()
	part := func(port, x, y cty.Value) cty.Value {
		return cty.ObjectVal(attrs{"port": port, "x": x, "y": y})
	}
	null, anyone := cty.NullVal(cty.String), cty.UnknownVal(cty.String)
	number := cty.UnknownVal(cty.Number)
	good := part(num(80), str("x"), null)
	if !good.Type().Equals(partType) {
		t.Fatalf("the part is of type %#v, want %#v", good.Type(), partType)
	}
	for _, test := range []struct {
		name string
		set  attrs
		want []string // path: words of the error; empty if valid
	}{
		{"valid", nil, nil},
		{"range, at the upper bound", attrs{"port": num(65535)}, nil},
		{"range, below", attrs{"port": num(0)}, []string{"port: must be from 1 to 65535"}},
		{"range, above", attrs{"port": num(65536)}, []string{"port: must be from 1 to 65535"}},
		{"range, unknown", attrs{"port": number}, nil},
		{"range, unknown but too high", attrs{"port": number.Refine().NumberRangeLowerBound(num(70000), true).NewValue()}, []string{"port: must be from"}},
		{"range, unknown but too low", attrs{"port": number.Refine().NumberRangeUpperBound(num(0), true).NewValue()}, []string{"port: must be from"}},
		{"at least", attrs{"least": cty.NumberFloatVal(0.5)}, nil},
		{"at least, below", attrs{"least": cty.NumberFloatVal(0.4)}, []string{"least: must be 0.5 or more"}},
		{"at most, above", attrs{"most": num(10)}, []string{"most: must be 9 or less"}},
		{"one of", attrs{"state": str("absent")}, nil},
		{"one of, other value", attrs{"state": str("gone")}, []string{`state: must be "present" or "absent"`}},
		{"one of, unknown", attrs{"state": anyone}, nil},
		{"one of numbers", attrs{"level": num(2)}, []string{"level: must be 1 or 3"}},
		{"length, in characters", attrs{"name": str("äöüß")}, nil},
		{"length, too long", attrs{"name": str("abcde")}, []string{"name: must have from 2 to 4 characters"}},
		{"length, unknown with a prefix", attrs{"name": anyone.Refine().StringPrefixFull("abcde").NewValue()}, []string{"name: must have"}},
		{"length of a list", attrs{"tags": cty.ListVal([]cty.Value{str("a"), str("b"), str("c")})}, []string{"tags: must have at most 2 elements"}},
		{"length of a list, unknown", attrs{"tags": cty.UnknownVal(cty.List(cty.String)).Refine().CollectionLengthLowerBound(3).NewValue()}, []string{"tags: must have"}},
		{"pattern", attrs{"path": str("/etc")}, nil},
		{"pattern, no match", attrs{"path": str("etc")}, []string{"path: must be an absolute path"}},
		{"check", attrs{"even": num(3)}, []string{"even: it is odd"}},
		{"each", attrs{"tags": cty.ListVal([]cty.Value{str("a"), str("")})}, []string{"tags[1]: must have at least 1 character."}},
		{"each of a map", attrs{"labels": cty.MapVal(attrs{"a": str("yes"), "b": str("maybe")})}, []string{`labels["b"]: must be "yes" or "no"`}},
		{"keys", attrs{"labels": cty.MapVal(attrs{"A": str("yes")})}, []string{`labels["A"]: must be lower-case letters`}},
		{"exactly one, two", attrs{"b": str("b")}, []string{"b: Only one of"}},
		{"exactly one, none", attrs{"a": null}, []string{": One of a, b and c must be set"}},
		{"exactly one, unknown", attrs{"a": anyone}, nil},
		{"exactly one, second unknown", attrs{"b": anyone}, nil},
		{"exactly one, second unknown but not null", attrs{"b": anyone.RefineNotNull()}, []string{"b: Only one of"}},
		{"at least one", attrs{"d": null}, []string{": One of d and e must be set"}},
		{"at least one, both", attrs{"e": str("e")}, nil},
		{"at most one", attrs{"f": str("f"), "g": str("g")}, []string{"g: Only one of"}},
		{"together", attrs{"h": str("h")}, []string{"i: i must be set too when h is set"}},
		{"together, unknown", attrs{"h": anyone}, nil},
		{"together, unknown but not null", attrs{"h": anyone.RefineNotNull()}, []string{"i: i must be set too"}},
		{"required when set", attrs{"cert": str("c")}, []string{"key: key must be set when cert is set"}},
		{"required when set, and set", attrs{"cert": str("c"), "key": anyone}, nil},
		{"required when equal to a value", attrs{"state": str("present")}, []string{`when: when must be set when state is "present"`}},
		{"forbidden when set", attrs{"key": str("k"), "no_key": str("n")}, []string{"no_key: no_key cannot be set when key is set"}},
		{"nested", attrs{"parts": cty.ListVal([]cty.Value{good, part(num(0), null, null)})}, []string{"parts[1].port: must be from", "parts[1]: One of x and y"}},
		{"in a block", attrs{"rule": cty.ListVal([]cty.Value{part(number, str("x"), str("y"))})}, []string{"rule[0].y: Only one of"}},
		{"too many blocks", attrs{"rule": cty.ListVal([]cty.Value{good, good, good})}, []string{"rule: must have at most 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := attrs{}
			maps.Copy(set, valid)
			maps.Copy(set, test.set)
			got := d.validate(d.config(set))
			if len(got) != len(test.want) {
				t.Fatalf("%d errors, want %d: %v", len(got), len(test.want), got)
			}
			for i, want := range test.want {
				at, text, _ := strings.Cut(want, ": ")
				if path := diag.FormatPath(got[i].Path); path != at || !strings.Contains(got[i].Detail, text) {
					t.Errorf("got %s: %s, want %s", path, got[i].Detail, want)
				}
			}
		})
	}
}

func TestConstraintsAreDescribed(t *testing.T) {
	d, _ := ruledDriver(t)
	for name, want := range map[string]string{
		"port":   "Must be from 1 to 65535.",
		"least":  "Must be 0.5 or more.",
		"state":  "Must be `present` or `absent`.",
		"name":   "Must have from 2 to 4 characters.",
		"path":   "Must be an absolute path.",
		"even":   "Must be even.",
		"tags":   "Must have at most 2 elements. Each element must have at least 1 character.",
		"labels": "Each key must be lower-case letters. Each element must be `yes` or `no`.",
		"a":      "Exactly one of `a`, `b` or `c` must be set.",
		"d":      "At least one of `d` or `e` must be set.",
		"f":      "Conflicts with `g`.",
		"h":      "Must be set together with `i`.",
		"key":    "Required when `cert` is set.",
		"when":   "Required when `state` is `present`.",
		"no_key": "Cannot be set when `key` is set.",
	} {
		if got := d.schema.Body.Attributes[name].Description; got != want {
			t.Errorf("description of %s: got %q, want %q", name, got, want)
		}
	}
	nested := d.schema.Body.Attributes["parts"].NestedType.Attributes["port"].Description
	if want := "Must be from 1 to 65535."; nested != want {
		t.Errorf("description of a nested attribute: got %q, want %q", nested, want)
	}
	if b := d.schema.Body.BlockTypes["rule"]; b.MinItems != 0 || b.MaxItems != 2 {
		t.Errorf("the schema allows from %d to %d blocks, want 0 to 2", b.MinItems, b.MaxItems)
	}
}

// TestConstraintsAreCheckedDuringApply checks that constraints are checked during apply
// for values that were unknown before, because clients do not validate again.
func TestConstraintsAreCheckedDuringApply(t *testing.T) {
	d, set := ruledDriver(t)
	set["port"] = cty.UnknownVal(cty.Number)
	plan := d.plan(d.config(set))
	set["port"] = num(0)
	all := plan.PlannedState.AsValueMap()
	all["port"] = num(0)
	plan.PlannedState = cty.ObjectVal(all)
	diags := d.applyPlan(d.config(set), plan)
	if !diags.HasErrors() || diag.FormatPath(diags[0].Path) != "port" {
		t.Errorf("apply of a port out of range: %v, want an error at port", diags)
	}
}

// tested provides the method Constraints for the types below.
type tested struct{}

var testedRules []runtime.Constraint

func (*tested) Constraints() []runtime.Constraint { return testedRules }

type (
	ruleOfText struct {
		tested
		A *string
	}
	ruleOfNumber struct {
		tested
		A *int64
	}
	ruleOfList struct {
		tested
		A []string `tf:",optional"`
	}
	ruleOfTwo struct {
		tested
		A []string `tf:",optional"`
		B *string
	}
	ruleOfRequired struct {
		tested
		A string
		B *string
	}
	ruleOfDefault struct {
		tested
		A *int64
	}
	ruleOfBlock struct {
		tested
		A []none `tf:",block"`
	}
)

func (r *ruleOfDefault) Defaults() {
	nine := int64(9)
	r.A = &nine
}

// tryRules registers a provider block with the fields of T and one constraint.
func tryRules[T any](rule runtime.Constraint) error {
	testedRules = []runtime.Constraint{rule}
	_, err := runtime.New(runtime.Definition{Name: "test", Config: runtime.MakeConfig(func(context.Context, *T) (runtime.NoConfig, error) {
		return runtime.NoConfig{}, nil
	})})
	return err
}

// TestDefaultWithWarning checks that a default may have a value that a rule only warns about.
func TestDefaultWithWarning(t *testing.T) {
	if err := tryRules[ruleOfDefault](runtime.Check("a", "", func(int64) error { return diag.AsWarning(errors.New("odd")) })); err != nil {
		t.Error(err)
	}
}

func TestInvalidConstraints(t *testing.T) {
	for name, test := range map[string]struct {
		make func(runtime.Constraint) error
		rule runtime.Constraint
		want []string
	}{
		"range of a string":             {tryRules[ruleOfText], runtime.Range("a", 1, 2), []string{`Range of "a"`, "not a number"}},
		"range without numbers":         {tryRules[ruleOfNumber], runtime.Range("a", 2, 1), []string{"the rule allows no number"}},
		"one of no values":              {tryRules[ruleOfText], runtime.OneOf("a"), []string{"the rule allows no value"}},
		"one of values of another type": {tryRules[ruleOfText], runtime.OneOf("a", 1), []string{"1 is not a value of type string"}},
		"one of lists":                  {tryRules[ruleOfList], runtime.OneOf("a", []string{"x"}), []string{"is list of string", "only for strings, numbers and bools"}},
		"one of null":                   {tryRules[ruleOfText], runtime.OneOf("a", (*string)(nil)), []string{"the rule needs a value, but got null"}},
		"one of nil":                    {tryRules[ruleOfText], runtime.OneOf("a", nil), []string{"the rule needs a value, but got null"}},
		"required when a list is empty": {tryRules[ruleOfTwo], runtime.RequiredWhen("b", "a", []string{}), []string{"only for strings, numbers and bools"}},
		"length of a number":            {tryRules[ruleOfNumber], runtime.Length("a", 1, 2), []string{"no length"}},
		"minimum length above maximum":  {tryRules[ruleOfText], runtime.Length("a", 3, 2), []string{"the rule allows no length"}},
		"pattern of a number":           {tryRules[ruleOfNumber], runtime.Pattern("a", "x", "x"), []string{"not a string"}},
		"broken pattern":                {tryRules[ruleOfText], runtime.Pattern("a", "(", "x"), []string{"missing closing"}},
		"pattern without description":   {tryRules[ruleOfText], runtime.Pattern("a", "x", ""), []string{"the description of the pattern is empty"}},
		"check of another type":         {tryRules[ruleOfNumber], runtime.Check("a", "x", func(string) error { return nil }), []string{"int64, but check takes string"}},
		"each of a string":              {tryRules[ruleOfText], runtime.Each(runtime.OneOf("a", "x")), []string{"no elements"}},
		"keys of a list":                {tryRules[ruleOfList], runtime.Keys(runtime.OneOf("a", "x")), []string{"no keys"}},
		"each of exactly one of":        {tryRules[ruleOfList], runtime.Each(runtime.ExactlyOneOf("a")), []string{"ExactlyOneOf is not a rule about a value"}},
		"exactly one of one attribute":  {tryRules[ruleOfText], runtime.ExactlyOneOf("a"), []string{"at least two"}},
		"attribute named twice":         {tryRules[ruleOfText], runtime.AtMostOneOf("a", "a"), []string{"twice"}},
		"required attribute":            {tryRules[ruleOfRequired], runtime.AtMostOneOf("a", "b"), []string{`"a" is always required`}},
		"each of a block":               {tryRules[ruleOfBlock], runtime.Each(runtime.OneOf("a", "x")), []string{"block", "Length"}},
		"no such attribute":             {tryRules[ruleOfText], runtime.OneOf("b", "x"), []string{`"b"`, "not an input"}},
		"default violates rule":         {tryRules[ruleOfDefault], runtime.Range("a", 1, 2), []string{`default of "a"`, "from 1 to 2"}},
		"empty constraint":              {tryRules[ruleOfText], runtime.Constraint{}, []string{"empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.make(test.rule)
			if err == nil {
				t.Fatal("registered without an error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not contain %q: %v", want, err)
				}
			}
		})
	}
}
