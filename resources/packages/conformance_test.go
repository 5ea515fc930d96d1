package packages_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

func oneOf(values ...cty.Value) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return values[r.IntN(len(values))] }
}

func texts(values ...string) []cty.Value {
	list := make([]cty.Value, len(values))
	for i, v := range values {
		list[i] = cty.StringVal(v)
	}
	return list
}

// TestConformance checks the laws of package conformance with apt. It tests few configurations, because
// apt runs several times for each.
func TestConformance(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	serve := resourcetest.Provider(types)
	name := func(state cty.Value) string { return state.GetAttr("name").AsString() }
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return serve() },
		Reset: func(context.Context) error {
			_, err := shell(`apt-mark unhold cf-1 cf-2 >/dev/null; apt-get -q -y purge cf-1 cf-2 >/dev/null; rm -f /etc/apt/sources.list.d/cf*`)
			return err
		},
		Runs: tier.Pick(0, 2, 10),
		Types: map[string]conformance.Type{
			"posix_package": {
				Leave: []string{"host", "manager", "update_cache"},
				Values: map[string]func(*rand.Rand) cty.Value{
					"name": oneOf(texts("cf-1", "cf-2")...), "version": oneOf(texts("1.0", "1.1")...),
				},
				StateOnly: []string{"purge", "update_cache"},
				Volatile:  []string{"installed_version"},
				ImportID:  name,
				Drift: func(_ context.Context, state cty.Value) error {
					return do(`if apt-mark showhold | grep -qx "$1"; then apt-mark unhold "$1"; else apt-mark hold "$1"; fi`, name(state))()
				},
			},
			"posix_package_repository": {
				Leave: []string{"host", "manager", "components", "key", "key_name", "description"},
				Values: map[string]func(*rand.Rand) cty.Value{
					"name":          oneOf(texts("cf1", "cf.2")...),
					"uris":          oneOf(cty.ListVal(texts("file:"+aptRepo)), cty.ListVal(texts("file:"+aptRepo, "file:///srv/./apt"))),
					"suites":        oneOf(cty.ListVal(texts("./"))),
					"architectures": oneOf(cty.ListVal(texts("amd64")), cty.ListVal(texts("amd64", "all"))),
					"trusted":       oneOf(cty.True),
					"options":       oneOf(cty.MapVal(map[string]cty.Value{"Languages": cty.StringVal("none"), "X-Note": cty.StringVal("é, it is")})),
				},
				Fix: func(_ *rand.Rand, config map[string]cty.Value) {
					config["trusted"] = cty.True // the repository is not signed
					config["suites"] = cty.ListVal(texts("./"))
					if uris, set := config["uris"]; !set || uris.IsNull() || uris.IsKnown() && uris.LengthInt() == 0 {
						config["uris"] = cty.ListVal(texts("file:" + aptRepo))
					}
				},
				ImportID: name,
				Drift: func(_ context.Context, state cty.Value) error {
					return do(`echo "# by hand $(date +%N)" >> "/etc/apt/sources.list.d/$1.sources"`, name(state))()
				},
			},
		},
	})
}
