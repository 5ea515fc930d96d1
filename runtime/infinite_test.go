package runtime_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

type gauge struct {
	Limit *float64
	Level float64              `tf:",computed"`
	Big   *big.Float           `tf:",computed"`
	Any   any                  `tf:",computed"`
	Value cty.Value            `tf:",computed"`
	Named map[string][]float64 `tf:",computed"`
}

// TestInfiniteNumbers checks that infinite numbers and NaN are errors, because a state is JSON
// and cannot store them.
func TestInfiniteNumbers(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for path, set := range map[string]func(*gauge){
		"v.level": func(g *gauge) { g.Level = math.Inf(-1) },
		"v.level: Cannot create test_holder: the number is NaN": func(g *gauge) { g.Level = math.NaN() },
		"v.big":           func(g *gauge) { g.Big = new(big.Float).SetInf(true) },
		"v.any.rate[1]":   func(g *gauge) { g.Any = map[string]any{"rate": []any{1.5, inf}} },
		"v.value[0]":      func(g *gauge) { g.Value = cty.TupleVal([]cty.Value{cty.PositiveInfinity}) },
		`v.named["x"][0]`: func(g *gauge) { g.Named = map[string][]float64{"x": {inf}} },
	} {
		w, d := newHolder[*gauge](t)
		w.complete = func(g *gauge) *gauge { c := *g; set(&c); return &c }
		config := d.holding(nil)
		config = d.config(attrs{"name": str("n"), "v": partly(config.GetAttr("v").Type(), attrs{"limit": num(1)})})
		diags := d.applyPlan(config, d.plan(config))
		if !diags.HasErrors() || !strings.Contains(diags.Error(), path) {
			t.Errorf("%s: %v", path, diags)
		}
		if !d.state.IsWhollyKnown() || strings.Contains(diags.Error(), "bug") {
			t.Errorf("%s: %v", path, diags)
		}
	}
	_, d := newHolder[*gauge](t)
	if diags := d.validate(d.holding(attrs{"limit": cty.NegativeInfinity})); !strings.Contains(diags.Error(), "infinite") {
		t.Errorf("configured: %v", diags)
	}
}
