package fleettest_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/states"
)

const (
	mixedResources = 50
	mixedDrifts    = 10
	mixedRegistry  = "registry.test"
)

// TestMixedFleet manages resources of all [mixedKinds] on three hosts over SSH. After the
// apply the plan is empty; after the drift of some resources, the plan shows exactly these resources,
// and the apply repairs them; importing all of them into an empty state needs no
// change; finally, all are destroyed. The seed decides which resource is on which host and how
// it drifts.
func TestMixedFleet(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	f := newMixedFleet(t, "a", "b", "c")
	first := tier.Pick(0, 1, rand.Uint64())
	for run := range tier.Pick[uint64](0, 1, 20) {
		seed := first + run
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { f.live(t, seed) })
	}
}

// mixed is a resource of the fleet.
type mixed struct {
	kind     mixedKind
	id       string // unique
	hostName string
}

func (m mixed) address() string { return m.kind.typeName + "." + m.id }

// mixedFleet holds the hosts and an engine.
type mixedFleet struct {
	roots  map[string]*roottest.Root
	lines  map[string]*nettest.Proxy // proxies between the provider and the roots
	block  string                    // the provider block
	source string                    // the directory of the trees
	engine *engine.Engine
}

func newMixedFleet(t *testing.T, names ...string) *mixedFleet {
	t.Helper()
	f := &mixedFleet{roots: map[string]*roottest.Root{}, lines: map[string]*nettest.Proxy{}, source: resourcetest.TempDir(t)}
	resourcetest.Must(t, os.Mkdir(f.source+"/sub", 0o755), resourcetest.Put(f.source+"/top", "top\n", 0o644), resourcetest.Put(f.source+"/sub/file", "file\n", 0o755))
	var hosts strings.Builder
	for _, name := range names {
		root := roottest.Start(t, roottest.Options{Packages: mixedPackages})
		for _, args := range mixedSetup {
			root.Run(t, args...)
		}
		f.roots[name] = root
		h := root.Host(t)
		f.lines[name] = nettest.Start(t, net.JoinHostPort(h.Address, strconv.Itoa(h.Port)), 0)
		address, port, _ := strings.Cut(f.lines[name].Addr(), ":")
		fmt.Fprintf(&hosts, "    %s = {\n      address = %q\n      port = %s\n      user = %q\n      private_key_path = %q\n      host_key = [%q]\n    }\n",
			name, address, port, h.User, h.KeyFile, hostKey(h))
	}
	f.block = "provider \"posix\" {\n  ssh_config = \"none\"\n  hosts = {\n" + hosts.String() + "  }\n}\n"
	addr, err := addrs.ParseProviderSourceString("posixform/posix", mixedRegistry)
	resourcetest.Must(t, err)
	f.engine = engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		addr: func(context.Context) (provider.Interface, error) { return resources.New("test") },
	}})
	return f
}

// hostKey returns the host key for the provider's configuration.
func hostKey(h roottest.Host) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(h.HostKey)))
}

func (f *mixedFleet) live(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	all := f.draw(r, mixedResources)
	config := f.config(t, all, false)

	state := f.apply(t, config, f.plan(t, config, states.NewState(), engine.PlanOptions{}, len(all)))
	defer func() { // a failed run leaves no objects for the next one
		f.apply(t, config, f.plan(t, config, state, engine.PlanOptions{Mode: plans.DestroyMode}, -1))
	}()
	f.plan(t, config, state, engine.PlanOptions{}, 0)

	want := map[string]string{}
	for _, i := range r.Perm(len(all))[:mixedDrifts] {
		m := all[i]
		name, d := m.drift(r)
		d.do(t, f.roots[m.hostName], m.id)
		want[m.address()] = d.plan
		t.Logf("%s on %s: %s", m.address(), m.hostName, name)
	}
	plan := f.plan(t, config, state, engine.PlanOptions{}, mixedDrifts)
	if diff := cmp.Diff(want, actions(plan)); diff != "" {
		t.Fatalf("planned after the drift (-want +got):\n%s", diff)
	}
	state = f.apply(t, config, plan)
	f.plan(t, config, state, engine.PlanOptions{}, 0)

	taken := f.config(t, all, true)
	plan = f.plan(t, taken, states.NewState(), engine.PlanOptions{}, 0)
	imports := slices.DeleteFunc(slices.Clone(plan.Changes), func(c *plans.ResourceInstanceChange) bool { return c.Importing == nil })
	if len(imports) != len(all) {
		t.Fatalf("%d imports are planned, want %d", len(imports), len(all))
	}
	imported := f.apply(t, taken, plan)
	f.plan(t, config, imported, engine.PlanOptions{}, 0)
	state = imported
}

// draw returns count resources on random hosts: first one of each kind, then random kinds.
func (f *mixedFleet) draw(r *rand.Rand, count int) []mixed {
	kinds := mixedKinds()
	hostNames := slices.Sorted(maps.Keys(f.roots))
	var all []mixed
	for i := range count {
		kind := kinds[i%len(kinds)]
		if i >= len(kinds) {
			kind = kinds[r.IntN(len(kinds))]
		}
		all = append(all, mixed{kind: kind, id: fmt.Sprintf("r%02d", i), hostName: hostNames[r.IntN(len(hostNames))]})
	}
	return all
}

// text returns the configuration of all resources, with import blocks if imports is set.
func (f *mixedFleet) text(all []mixed, imports bool) string {
	var text strings.Builder
	text.WriteString(f.block)
	for _, m := range all {
		fmt.Fprintf(&text, "resource %q %q {\n  host = %q\n%s\n}\n", m.kind.typeName, m.id, m.hostName, m.kind.text(m.kind.config, m.id, f.source))
		if imports {
			fmt.Fprintf(&text, "import {\n  to = %s\n  id = %q\n}\n", m.address(), m.hostName+":"+m.kind.text(m.kind.importID, m.id, f.source))
		}
	}
	return text.String()
}

// config returns the parsed configuration of all resources, with import blocks if imports is set.
func (f *mixedFleet) config(t *testing.T, all []mixed, imports bool) *configs.Config {
	t.Helper()
	text := "terraform {\n  required_providers {\n    posix = {\n      source = \"posixform/posix\"\n    }\n  }\n}\n" + f.text(all, imports)
	config, diags := configs.Load(configs.Files{"main.tf": []byte(text)}, ".", configs.Options{Hostname: mixedRegistry})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, text)
	}
	return config
}

// plan plans and checks that there are want changes; -1 accepts any number.
func (f *mixedFleet) plan(t *testing.T, config *configs.Config, state *states.State, opts engine.PlanOptions, want int) *plans.Plan {
	t.Helper()
	plan, diags := f.engine.Plan(t.Context(), config, state, opts)
	fail(t, "plan", diags)
	if got := actions(plan); want >= 0 && len(got) != want {
		t.Fatalf("%d changes are planned, want %d: %v", len(got), want, got)
	}
	return plan
}

func (f *mixedFleet) apply(t *testing.T, config *configs.Config, plan *plans.Plan) *states.State {
	t.Helper()
	state, diags := f.engine.Apply(t.Context(), config, plan)
	fail(t, "apply", diags)
	return state
}

func fail(t *testing.T, what string, diags tfdiags.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatalf("%s: %v", what, diags.Err())
	}
}

// actions returns the actions of a plan by address, without those that do nothing.
func actions(plan *plans.Plan) map[string]string {
	found := map[string]string{}
	for _, c := range plan.Changes {
		if c.Action != plans.NoOp {
			found[c.Addr.String()] = c.Action.String()
		}
	}
	return found
}
