package hostname_test

import (
	"context"
	"errors"
	"math/rand/v2"
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
	conformance.Conformance(t, options(resourcetest.Provider(types),
		func() error { return errors.Join(write(static, "was\n")(), setLive("was")()) }, "local", setLive("drifted")))
}

// options returns the options of conformance for a provider. host is the import ID; drift
// changes the current name.
func options(build func() (provider.Interface, error), reset func() error, host string, drift func() error) conformance.Options {
	names := []string{"a", "web1", "web1.example.com", "X-1"}
	return conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset:    func(context.Context) error { return reset() },
		Waive: map[string]string{
			"destroy-removes": "a host always has a name, so a destroy keeps it",
			"gone-found":      "a destroy keeps the name; TestLife removes the file",
		},
		Runs: tier.Pick(0, 3, 20),
		Types: map[string]conformance.Type{"posix_hostname": {
			Leave: []string{"host"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"name": func(r *rand.Rand) cty.Value { return cty.StringVal(names[r.IntN(len(names))]) },
			},
			ImportID: func(cty.Value) string { return host },
			Drift:    func(context.Context, cty.Value) error { return drift() },
		}},
	}
}
