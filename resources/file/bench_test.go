package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

func BenchmarkFile(b *testing.B) {
	posix, err := resourcetest.Provider(types)()
	if err != nil {
		b.Fatal(err)
	}
	p := guard.Wrap(posix)
	nothing := p.GetProviderSchema(b.Context(), provider.GetProviderSchemaRequest{}).Provider.Body.EmptyValue()
	p.ConfigureProvider(b.Context(), provider.ConfigureProviderRequest{Config: nothing})
	body := p.GetProviderSchema(b.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes["posix_file"].Body
	null := cty.NullVal(body.ImpliedType())
	for _, size := range []int{16, 64 << 10} {
		dir := b.TempDir()
		config := func(i int) cty.Value {
			all := body.EmptyValue().AsValueMap()
			all["path"] = str(filepath.Join(dir, fmt.Sprintf("file%d", i)))
			all["content"] = str(strings.Repeat("x", size))
			return cty.ObjectVal(all)
		}
		made := 0
		create := func() (cty.Value, cty.Value, cty.Value) {
			made++
			c := config(made)
			plan := p.PlanResourceChange(b.Context(), provider.PlanResourceChangeRequest{TypeName: "posix_file", PriorState: null, Config: c, ProposedNewState: c})
			resp := p.ApplyResourceChange(b.Context(), provider.ApplyResourceChangeRequest{TypeName: "posix_file", PriorState: null, PlannedState: plan.PlannedState, Config: c})
			if resp.Diagnostics.HasErrors() {
				b.Fatal(resp.Diagnostics)
			}
			return c, resp.NewState, resp.NewIdentity
		}
		c, state, id := create()
		name := func(op string) string { return fmt.Sprintf("%s/%dB", op, size) }
		b.Run(name("read"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.ReadResource(b.Context(), provider.ReadResourceRequest{TypeName: "posix_file", PriorState: state, CurrentIdentity: id})
			}
		})
		b.Run(name("plan no-op"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.PlanResourceChange(b.Context(), provider.PlanResourceChangeRequest{TypeName: "posix_file", PriorState: state, PriorIdentity: id, Config: c, ProposedNewState: state})
			}
		})
		b.Run(name("plan and create"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				create()
			}
		})
		b.Run(name("os.WriteFile"), func(b *testing.B) {
			content, i := []byte(strings.Repeat("x", size)), 0
			for b.Loop() {
				i++
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("plain", i)), content, 0o600); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
