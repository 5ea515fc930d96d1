package mount_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestConformance runs package conformance.
func TestConformance(t *testing.T) {
	roottest.Require(t)
	start(t)
	build := resourcetest.Provider(types)
	places := []string{"/srv/it", "/srv/scratch", "/mnt/backup disk"}
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset: func(context.Context) error {
			for _, at := range places {
				for run("umount", at)() == nil {
					continue
				}
			}
			return os.WriteFile(fstab, []byte(others), 0o644)
		},
		Runs: tier.Pick(0, 3, 20),
		Types: map[string]conformance.Type{"posix_mount": {
			Leave:     []string{"host"},
			StateOnly: []string{"create_directory"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"path":   among(places...),
				"source": among("tmpfs", "x", "a b", "#"),
				"type":   among("tmpfs", "ramfs"),
				"options": func(r *rand.Rand) cty.Value {
					return [...]cty.Value{
						cty.ListVal([]cty.Value{cty.StringVal("defaults")}), cty.ListVal([]cty.Value{cty.StringVal("nosuid"), cty.StringVal("ro")}), cty.ListVal([]cty.Value{cty.StringVal("noexec")}),
					}[r.IntN(3)]
				},
			},
			Fix:      func(_ *rand.Rand, config map[string]cty.Value) { config["create_directory"] = cty.NullVal(cty.Bool) },
			ImportID: func(state cty.Value) string { return state.GetAttr("path").AsString() },
			Drift: func(_ context.Context, state cty.Value) error {
				at := state.GetAttr("path").AsString()
				if state.GetAttr("mounted").True() {
					return run("umount", at)()
				}
				return all(run("mkdir", "-p", at), run("mount", "-t", "tmpfs", "theirs", at))()
			},
		}},
	})
}
