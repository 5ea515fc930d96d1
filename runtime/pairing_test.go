package runtime_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

type routes struct {
	Routes []route `tf:",set,optional"`
}

// route has an attribute with a default and one that the provider determines if it is not configured.
type route struct {
	Alias string
	Zone  string `tf:",optional,computed"`
}

func (r *route) Defaults() { r.Alias = "d" }

// TestSetElementsThatFitTheSame checks that a plan keeps an unchanged set if its first
// element also fits the prior element of the second.
func TestSetElementsThatFitTheSame(t *testing.T) {
	t.Parallel()
	w, d := newHolder[*routes](t)
	w.complete = func(r *routes) *routes {
		out := &routes{}
		for _, e := range r.Routes {
			if e.Zone == "" {
				e.Zone = "y"
			}
			out.Routes = append(out.Routes, e)
		}
		return out
	}
	null, ty := cty.NullVal(cty.String), d.elementType("routes")
	config := d.holding(attrs{"routes": cty.SetVal([]cty.Value{
		partly(ty, attrs{"alias": str("d"), "zone": null}), partly(ty, attrs{"alias": null, "zone": str("x")}),
	})})
	d.apply(config)
	want := cty.SetVal([]cty.Value{
		partly(ty, attrs{"alias": str("d"), "zone": str("x")}), partly(ty, attrs{"alias": str("d"), "zone": str("y")}),
	})
	if got := d.attr("v").GetAttr("routes"); !got.RawEquals(want) {
		t.Fatalf("the routes are %s, want %s", show(t, got), show(t, want))
	}
	d.noChange(config)
}
