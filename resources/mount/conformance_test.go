package mount_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestConformance checks the laws of package conformance.
func TestConformance(t *testing.T) {
	roottest.Require(t)
	start(t)
	conformance.Conformance(t, options(resourcetest.Provider(types), func(script string) func() error { return run("sh", "-ec", script) }, others))
}

// options returns the options of conformance for a provider. does returns a function that runs a
// script on its host. A reset writes text to the fstab of the host.
func options(build func() (provider.Interface, error), does func(script string) func() error, text string) conformance.Options {
	places := []string{"/srv/it", "/srv/scratch", "/mnt/backup disk"}
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	return conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset: func(context.Context) error {
			return does("for at in '" + strings.Join(places, "' '") + "'; do while umount \"$at\" 2>/dev/null; do :; done; done\n" +
				"cat >" + fstab + " <<'END'\n" + text + "\nEND")()
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
				at := "'" + state.GetAttr("path").AsString() + "'"
				if state.GetAttr("mounted").True() {
					return does("umount " + at)()
				}
				return does("mkdir -p " + at + "; mount -t tmpfs theirs " + at)()
			},
		}},
	}
}
