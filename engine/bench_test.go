package engine_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/states"
)

// BenchmarkLife loads a small configuration, creates its objects, plans again and
// destroys them.
func BenchmarkLife(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		config, diags := configs.Load(configs.Files{"main.tf": []byte(chain)}, ".", configs.Options{})
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		e := engine.New(engine.Options{})
		state := states.NewState()
		for _, mode := range []plans.Mode{plans.NormalMode, plans.NormalMode, plans.DestroyMode} {
			plan, diags := e.Plan(b.Context(), config, state, engine.PlanOptions{Mode: mode})
			if diags.HasErrors() {
				b.Fatal(diags.Error())
			}
			if state, diags = e.Apply(b.Context(), config, plan); diags.HasErrors() {
				b.Fatal(diags.Error())
			}
		}
		if !state.Empty() {
			b.Fatal(state)
		}
	}
}
