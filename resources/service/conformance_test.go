package service_test

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

func oneOf(list ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.StringVal(list[r.IntN(len(list))]) }
}

// TestConformance checks the laws of package conformance on services of OpenRC, and on units.
func TestConformance(t *testing.T) {
	roottest.Require(t)
	quiet := "#!/sbin/openrc-run\nstart() { :; }\nstop() { :; }\nreload() { :; }\nextra_started_commands=reload\n"
	openRC(t, map[string]string{"tried-a": quiet, "tried-b": quiet})
	options := conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return serve() },
		Reset: func(context.Context) error {
			return does("for name in tried-a tried-b; do rc-service $name stop; rc-update -a del $name || :; done; rm -rf /etc/systemd/system/*tried*")()
		},
		Runs: tier.Pick(0, 2, 10),
	}
	options.Types = map[string]conformance.Type{"posix_service": {
		Values:    map[string]func(*rand.Rand) cty.Value{"name": oneOf("tried-a", "tried-b", "tried-a.service"), "runlevel": oneOf("default", "boot")},
		Leave:     []string{"host", "masked", "runlevel"},
		StateOnly: []string{"triggers", "on_change", "on_destroy"},
		Volatile:  []string{"status"},
		ImportID:  name,
		// An import sets these attributes, including those that are not managed.
		Fix: func(r *rand.Rand, config map[string]cty.Value) {
			for _, name := range []string{"enabled", "running"} {
				if config[name].IsNull() {
					config[name] = cty.BoolVal(r.IntN(2) == 0)
				}
			}
		},
		Drift: func(_ context.Context, state cty.Value) error {
			verb := map[bool]string{true: "stop", false: "start"}[state.GetAttr("running").True()]
			return does("rc-service " + strings.TrimSuffix(name(state), ".service") + " " + verb)()
		},
	}}
	options.Waive = stays
	conformance.Conformance(t, options)
	options.Waive = nil
	options.Types = map[string]conformance.Type{"posix_systemd_unit": unitType(does)}
	conformance.Conformance(t, options)
}

// testSystemdConformance checks the laws of package conformance on services and units of a running
// systemd.
func testSystemdConformance(t *testing.T, booted resourcetest.Booted) {
	t.Helper()
	tier.Nightly(t) // TestConformance checks the same laws with OpenRC
	m := testHost{booted, t}
	const quiet = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
	m.units(map[string]string{"tried-a.service": quiet, "tried-b.service": quiet})
	options := conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return m.provider()() },
		Reset: func(context.Context) error {
			return m.does("systemctl --quiet unmask tried-a tried-b; systemctl --quiet disable --now tried-a tried-b; rm -rf /etc/systemd/system/*tried*; systemctl daemon-reload")()
		},
		Waive: stays,
		Runs:  10,
	}
	options.Types = map[string]conformance.Type{"posix_service": {
		Values:    map[string]func(*rand.Rand) cty.Value{"name": oneOf("tried-a", "tried-b", "tried-a.service")},
		Leave:     []string{"host", "runlevel"},
		StateOnly: []string{"triggers", "on_change", "on_destroy"},
		Volatile:  []string{"status"},
		ImportID:  name,
		Fix: func(r *rand.Rand, config map[string]cty.Value) {
			// An import sets these attributes, including those that are not managed, and
			// masked only if the service is masked.
			for _, name := range []string{"enabled", "running"} {
				if config[name].IsNull() {
					config[name] = cty.BoolVal(r.IntN(2) == 0)
				}
			}
			if config["masked"].RawEquals(cty.True) {
				config["enabled"], config["running"] = cty.False, cty.False
			} else {
				config["masked"] = cty.NullVal(cty.Bool)
			}
		},
		Drift: func(_ context.Context, state cty.Value) error {
			verb := map[bool]string{true: "stop", false: "start"}[state.GetAttr("running").True()]
			if state.GetAttr("masked").RawEquals(cty.True) {
				verb = "unmask"
			}
			return m.does("systemctl --quiet " + verb + " " + name(state))()
		},
	}}
	conformance.Conformance(t, options)
	options.Waive = nil
	options.Types = map[string]conformance.Type{"posix_systemd_unit": unitType(m.does)}
	conformance.Conformance(t, options)
}

// stays has the laws that do not apply to services, with the reasons.
var stays = map[string]string{
	"destroy-removes": "the resource does not create the service: it exists before and after",
	"gone-found":      "the resource does not create the service: it exists before and after",
}

func name(state cty.Value) string { return state.GetAttr("name").AsString() }

// unitType returns the [conformance.Type] of units, with random configurations. does returns a function that runs a
// script on their host.
func unitType(does func(script string) func() error) conformance.Type {
	const starts = "[Service]\nExecStart=/bin/true\n"
	return conformance.Type{
		Values: map[string]func(*rand.Rand) cty.Value{
			"name": oneOf("tried-a.service", "tried-b@.service", "tried-c.target"), "drop_in": oneOf("10-limits", "x"),
			"mode": oneOf("0644", "644", "0600"),
			// All units are valid, because the state of an import has no verify = false.
			"content": oneOf(starts+"[Unit]\nDescription=a\n", starts+"[Unit]\nDescription=b\n\n[Install]\nWantedBy=x.target\n", "# é\n"+starts),
		},
		Leave:     []string{"host"},
		StateOnly: []string{"verify"},
		Fix:       func(_ *rand.Rand, config map[string]cty.Value) { config["verify"] = cty.False },
		ImportID: func(state cty.Value) string {
			if dropIn := state.GetAttr("drop_in"); !dropIn.IsNull() {
				return name(state) + "/" + dropIn.AsString()
			}
			return name(state)
		},
		Drift: func(_ context.Context, state cty.Value) error {
			return does("echo '# by hand' >>" + state.GetAttr("path").AsString())()
		},
	}
}
