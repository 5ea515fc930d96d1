package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Joint has rules about the values of several attributes.
type Joint struct {
	crud[Joint, none] `tf:"-"`

	First *int64
	Last  *int64
	Step  int64
	Mode  string      `tf:",optional"`
	Size  *int64      // checked together with mode, even while size is unknown
	Free  []JointPart `tf:",optional"`
	Used  []string    `tf:",optional,set"`
	Rule  []JointPart `tf:",block"`
}

// JointPart has a rule of its own, and a port that may be unknown.
type JointPart struct {
	Low  *int64
	High *int64
	Port runtime.Value[int64]
}

func (r *Joint) Defaults() { r.Step = 10 }

func (*JointPart) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.CheckTogether("`low` must not exceed `high`", notAfter, "low", "high")}
}

func notAfter(first, last int64) error {
	if first > last {
		return fmt.Errorf("%d is more than %d", first, last)
	}
	return nil
}

func (*Joint) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.CheckTogether("`first` must not exceed `last`", notAfter, "first", "last"),
		runtime.CheckTogether("", func(first *int64, step int64) error {
			switch {
			case first == nil && step == 7:
				return errors.New("step 7 needs a first number")
			case first != nil && step > *first:
				return diag.AsWarning(diag.AttributeErrorf("step", "a step of %d is long", step))
			}
			return nil
		}, "first", "step"),
		runtime.CheckTogether("", func(mode string, size runtime.Value[int64]) error {
			if n, ok := size.Get(); mode == "fixed" && (size.IsNull() || ok && n == 0) {
				return diag.AttributeErrorf("size", "must be set in the mode %s", mode)
			}
			return nil
		}, "mode", "size"),
		runtime.CheckTogether("", func(free []JointPart, used []string) error {
			for i, part := range free {
				if n, ok := part.Port.Get(); ok && slices.Contains(used, fmt.Sprint(n)) {
					return diag.WithPath(cty.GetAttrPath("free").IndexInt(i).GetAttr("port"), errors.New("it is used"))
				}
			}
			return nil
		}, "free", "used"),
	}
}

func TestCheckTogether(t *testing.T) {
	t.Parallel()
	reg := runtime.MakeResource[Joint, *none, runtime.NoConfig]()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"joint": reg}}), "test_joint")
	unknown := cty.UnknownVal(cty.Number)
	part := func(low, high, port cty.Value) cty.Value {
		return cty.ObjectVal(attrs{"low": low, "high": high, "port": port})
	}
	parts := func(ports ...cty.Value) cty.Value {
		var all []cty.Value
		for _, p := range ports {
			all = append(all, part(num(1), num(2), p))
		}
		return cty.ListVal(all)
	}
	used := cty.SetVal([]cty.Value{str("80")})
	for _, c := range []struct {
		name string
		set  attrs
		want string
	}{
		{"nothing is set", attrs{}, ""},
		{"valid", attrs{"first": num(10), "last": num(11)}, ""},
		{"invalid", attrs{"first": num(12), "last": num(11)}, "first: Invalid value: 12 is more than 11"},
		{"one is null", attrs{"first": num(12)}, ""},
		{"one is unknown", attrs{"first": num(12), "last": unknown}, ""},
		{"the other is unknown", attrs{"first": unknown, "last": num(11)}, ""},
		{"null for a pointer", attrs{"step": num(7)}, "first: Invalid value: step 7 needs a first number"},
		{"unknown for a pointer", attrs{"first": unknown, "step": num(7)}, ""},
		{"a warning, with a default", attrs{"first": num(9)}, "step: Invalid value: a step of 10 is long"},
		{"null for a Value", attrs{"mode": str("fixed")}, "size: Invalid value: must be set in the mode fixed"},
		{"known for a Value", attrs{"mode": str("fixed"), "size": num(0)}, "size: Invalid value: must be set in the mode fixed"},
		{"unknown for a Value", attrs{"mode": str("fixed"), "size": unknown}, ""},
		{"an unknown condition", attrs{"mode": cty.UnknownVal(cty.String)}, ""},
		{"other values inside are unknown", attrs{"free": parts(unknown, num(80)), "used": used}, "free[1].port: Invalid value: it is used"},
		{"an unknown element", attrs{"free": parts(num(80)), "used": cty.SetVal([]cty.Value{cty.UnknownVal(cty.String)})}, ""},
		{"nested", attrs{"free": cty.ListVal([]cty.Value{part(num(3), num(2), num(1))})}, "free[0].low: Invalid value: 3 is more than 2"},
		{"in a block", attrs{"rule": cty.ListVal([]cty.Value{part(num(3), num(2), num(1))})}, "rule[0].low: Invalid value: 3 is more than 2"},
	} {
		diags := d.validate(d.config(c.set))
		if got := strings.Join(texts(diags), "\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if want := c.want != "" && !strings.Contains(c.name, "warning"); diags.HasErrors() != want {
			t.Errorf("%s: refused %t, want %t", c.name, diags.HasErrors(), want)
		}
	}
	if got, want := d.schema.Body.Attributes["last"].Description, "`first` must not exceed `last`."; got != want {
		t.Errorf("got description %q, want %q", got, want)
	}
}

// jointly is a resource with one constraint.
type jointly struct {
	crud[jointly, none] `tf:"-"`

	First, Last int64
	Tags        []string `tf:",optional,set"`

	constraint runtime.Constraint
}

func (j *jointly) Constraints() []runtime.Constraint { return []runtime.Constraint{j.constraint} }

func TestCheckTogetherRegistration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		constraint runtime.Constraint
		want       string
	}{
		"one attribute":   {runtime.CheckTogether("", notAfter, "first"), "at least two attributes are needed"},
		"no function":     {runtime.CheckTogether("", "x", "first", "last"), "check is not a function"},
		"nil":             {runtime.CheckTogether("", nil, "first", "last"), "check is not a function"},
		"too few":         {runtime.CheckTogether("", func(int64) error { return nil }, "first", "last"), "check must have a parameter for each of the 2 attributes and return an error; it is func(int64) error"},
		"no result":       {runtime.CheckTogether("", func(_, _ int64) {}, "first", "last"), "check must have a parameter for each of the 2 attributes and return an error; it is func(int64, int64)"},
		"another type":    {runtime.CheckTogether("", func(_ int64, _ int) error { return nil }, "first", "last"), `the Go type of "last" is int64, but check takes int`},
		"a misspelt name": {runtime.CheckTogether("", notAfter, "first", "lsat"), `CheckTogether names "lsat", which is not an input`},
		"a set":           {runtime.CheckTogether("", func(int64, []string) error { return nil }, "first", "tags"), ""},
	} {
		reg := runtime.MakeResourceWith[jointly, *none, runtime.NoConfig](func() *jointly { return &jointly{constraint: c.constraint} })
		_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"it": reg}})
		if err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}
