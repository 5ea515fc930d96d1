package engine_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// hooked is the demo provider with functions that are called with its methods. The functions applied,
// called and renewed run after an apply, a function call and a renewal, and may change the response.
// The others run before their methods.
type hooked struct {
	provider.Interface
	apply   func(provider.ApplyResourceChangeRequest)
	applied func(provider.ApplyResourceChangeRequest, *provider.ApplyResourceChangeResponse)
	called  func(*provider.CallFunctionResponse)
	upgrade func(provider.UpgradeResourceStateRequest)
	read    func()
	renew   func(context.Context)
	renewed func(*provider.RenewEphemeralResourceResponse)
	stop    func()
	close   func()
}

func (h hooked) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	if h.apply != nil {
		h.apply(req)
	}
	resp := h.Interface.ApplyResourceChange(ctx, req)
	if h.applied != nil {
		h.applied(req, &resp)
	}
	return resp
}

func (h hooked) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	resp := h.Interface.CallFunction(ctx, req)
	if h.called != nil {
		h.called(&resp)
	}
	return resp
}

func (h hooked) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	if h.upgrade != nil {
		h.upgrade(req)
	}
	return h.Interface.UpgradeResourceState(ctx, req)
}

func (h hooked) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	if h.read != nil {
		h.read()
	}
	return h.Interface.ReadResource(ctx, req)
}

func (h hooked) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	if h.renew != nil {
		h.renew(ctx)
	}
	resp := h.Interface.RenewEphemeralResource(ctx, req)
	if h.renewed != nil {
		h.renewed(&resp)
	}
	return resp
}

func (h hooked) Stop(ctx context.Context) error {
	if h.stop != nil {
		h.stop()
	}
	return h.Interface.Stop(ctx)
}

func (h hooked) Close() error {
	if h.close != nil {
		h.close()
	}
	return h.Interface.Close()
}

// hookedRun returns a run with the hooked demo provider.
func hookedRun(t *testing.T, opts engine.Options, hooks hooked) *run {
	t.Helper()
	empty, _ := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	opts.Providers = map[addrs.Provider]engine.Factory{
		empty.ProviderFor("demo"): func(context.Context) (provider.Interface, error) {
			p, err := demo.New()
			h := hooks
			h.Interface = p
			return h, err
		},
	}
	r := newRun(t, opts)
	r.before = fmt.Sprintf("provider \"demo\" {\n  directory = %q\n}\n", t.TempDir())
	return r
}

const manyPages = `
resource "demo_page" "many" {
  count = 12
  name  = "page${count.index}"
  text  = "hello"
}
`

// TestParallelism checks that objects are processed concurrently up to the limit.
func TestParallelism(t *testing.T) {
	t.Parallel()
	const limit = 3
	var (
		mu        sync.Mutex
		now, most int
		full      = make(chan struct{})
		fill      = sync.OnceFunc(func() { close(full) })
	)
	defer time.AfterFunc(time.Minute, fill).Stop() // ends the wait of a test that fails
	r := hookedRun(t, engine.Options{Parallelism: limit}, hooked{apply: func(provider.ApplyResourceChangeRequest) {
		mu.Lock()
		now++
		if most = max(most, now); most == limit {
			fill()
		}
		mu.Unlock()
		<-full
		time.Sleep(2 * time.Millisecond) // time in which a call beyond the limit could begin
		mu.Lock()
		now--
		mu.Unlock()
	}})
	r.apply(manyPages, engine.PlanOptions{})
	if most != limit {
		t.Errorf("%d objects were processed at the same time, want %d", most, limit)
	}
}

// TestObserve checks that each call is reported once, with its object.
func TestObserve(t *testing.T) {
	t.Parallel()
	var (
		mu    sync.Mutex
		calls = map[string]int{}
	)
	r := hookedRun(t, engine.Options{Observe: func(c engine.Call) {
		mu.Lock()
		defer mu.Unlock()
		calls[c.RPC+" "+c.Object]++
	}}, hooked{})
	r.apply("resource \"demo_page\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n", engine.PlanOptions{})
	var got []string
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if strings.HasSuffix(name, " demo_page.it") {
			got = append(got, fmt.Sprint(name, " ", calls[name]))
		}
	}
	want := []string{"ApplyResourceChange demo_page.it 1", "PlanResourceChange demo_page.it 2", "ValidateResourceConfig demo_page.it 3"}
	if !slices.Equal(got, want) {
		t.Errorf("observed\n%q\nwant\n%q", got, want)
	}
}

// TestEphemeralOfDeferredData checks when a plan opens an ephemeral resource. In OpenTofu, only the
// apply opens the resource if an explicit dependency is pending, or if the resource has conditions and
// any dependency is pending.
func TestEphemeralOfDeferredData(t *testing.T) {
	t.Parallel()
	const text = `
resource "demo_page" "it" {
  name = "it"
  text = "hello"
}
data "demo_page" "it" {
  name       = "it"
  depends_on = [demo_page.it]
}
ephemeral "demo_session" "it" {
  purpose = "read"
  %s
}
`
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		for name, arguments := range map[string]string{
			"nothing":    "",
			"depends_on": "depends_on = [data.demo_page.it]",
			"conditions": `lifecycle {
    precondition {
      condition     = data.demo_page.it.name == "it"
      error_message = "It is another page."
    }
  }`,
		} {
			var opened atomic.Int32
			r := hookedRun(t, engine.Options{Flavor: flavor, Observe: func(c engine.Call) {
				if c.RPC == "OpenEphemeralResource" {
					opened.Add(1)
				}
			}}, hooked{})
			r.before = strings.Replace(r.before, "\n}", "\n  owner    = \"ada\"\n  password = \"secret\"\n}", 1)
			r.plan(fmt.Sprintf(text, arguments), engine.PlanOptions{})
			want := int32(1)
			if flavor == engine.OpenTofu && name != "nothing" {
				want = 0
			}
			if got := opened.Load(); got != want {
				t.Errorf("%s: the plan opens %d ephemeral resources, want %d", name, got, want)
			}
		}
	})
}

// sessionConfig has a session that is renewed after one hour.
const sessionConfig = `
resource "demo_page" "it" {
  name = "it"
  text = "hello"
}
ephemeral "demo_session" "it" {
  purpose     = "read"
  renew_after = "1h"
}
`

// sessionRun returns a run with the hooked demo provider in which plans of [sessionConfig] wait until
// renewing is closed.
func sessionRun(t *testing.T, flavor engine.Flavor, renewing <-chan struct{}, hooks hooked) *run {
	t.Helper()
	r := hookedRun(t, engine.Options{Flavor: flavor, Observe: func(c engine.Call) {
		if c.RPC == "PlanResourceChange" {
			<-renewing
		}
	}}, hooks)
	r.before = strings.Replace(r.before, "\n}", "\n  password = \"secret\"\n}", 1)
	return r
}

// TestRenewalIsNotCanceled checks that the end of a walk does not cancel the context of a renewal
// in progress.
func TestRenewalIsNotCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		renewing := make(chan struct{})
		r := sessionRun(t, engine.OpenTofu, renewing, hooked{renew: func(ctx context.Context) {
			close(renewing)
			synctest.Wait() // the walk waits for the renewal
			if err := ctx.Err(); err != nil {
				t.Errorf("the context of the renewal has the error %v, want none", err)
			}
		}})
		r.plan(sessionConfig, engine.PlanOptions{})
		<-renewing
	})
}

// TestRenewalError checks that OpenTofu reports the error of a renewal, and that Terraform discards it.
func TestRenewalError(t *testing.T) {
	t.Parallel()
	for _, flavor := range []engine.Flavor{engine.OpenTofu, engine.Terraform} {
		synctest.Test(t, func(t *testing.T) {
			renewing := make(chan struct{})
			r := sessionRun(t, flavor, renewing, hooked{renewed: func(resp *provider.RenewEphemeralResourceResponse) {
				resp.Diagnostics = resp.Diagnostics.Errorf(nil, "The session has ended", "")
				close(renewing)
			}})
			_, diags := r.engine.Plan(t.Context(), r.load(sessionConfig), r.state, engine.PlanOptions{})
			if got := strings.Contains(diags.Error(), "The session has ended"); got != (flavor == engine.OpenTofu) {
				t.Errorf("%s: the plan reports the error of the renewal: %t, want %t (%v)", flavor, got, !got, diags)
			}
		})
	}
}

// TestPrecisionOfStrippedState checks the numbers of a stored object that has an attribute
// that its type does not have. OpenTofu rounds them when it removes the attribute.
func TestPrecisionOfStrippedState(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		sent := ""
		r := hookedRun(t, engine.Options{Flavor: flavor}, hooked{upgrade: func(req provider.UpgradeResourceStateRequest) { sent = string(req.RawStateJSON) }})
		const config = "resource \"demo_page\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n"
		r.apply(config, engine.PlanOptions{})
		addr := mustInstance(t, "demo_page.it")
		stored := *r.state.ResourceInstance(addr).Current
		stored.AttrsJSON = regexp.MustCompile(`"read_at":[0-9]+`).ReplaceAll(stored.AttrsJSON, []byte(`"gone":"x","read_at":9007199254740993`))
		r.state.SyncWrapper().SetResourceInstanceCurrent(addr, &stored, r.state.Resource(addr.ContainingResource()).ProviderConfig)
		r.plan(config, engine.PlanOptions{})
		want := `"read_at":9007199254740992`
		if flavor == engine.Terraform {
			want = `"read_at":9007199254740993`
		}
		if strings.Contains(sent, "gone") || !strings.Contains(sent, want) {
			t.Errorf("the provider got %s, want %s without the attribute gone", sent, want)
		}
	})
}

// TestPanics checks that a panic of a provider becomes an error of the call, with the stack
// trace, that one in Close is a warning, and that a factory that panics or returns nil is an error.
func TestPanics(t *testing.T) {
	t.Parallel()
	r := hookedRun(t, engine.Options{}, hooked{
		apply: func(req provider.ApplyResourceChangeRequest) {
			if req.PlannedState.GetAttr("name").AsString() == "page3" {
				panic("no third page")
			}
		},
		close: func() { panic("cannot close") },
	})
	config := r.load(manyPages)
	plan, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
	if diags.HasErrors() || len(diags) != 1 || !strings.Contains(diags[0].Detail, "the provider panicked in Close: cannot close") {
		t.Errorf("plan: got diagnostics %v, want only the warning about Close", diags)
	}
	state, diags := r.engine.Apply(t.Context(), config, plan)
	text := diags.Error()
	for _, want := range []string{"Plugin did not respond", "demo_page.many[3]", "the provider panicked in ApplyResourceChange: no third page", "provider_test.go"} {
		if !strings.Contains(text, want) {
			t.Errorf("the diagnostics do not contain %q:\n%s", want, text)
		}
	}
	if got := len(state.RootModule().Resources); got != 1 || state.ResourceInstance(mustInstance(t, "demo_page.many[4]")) == nil {
		t.Errorf("want demo_page.many and its instance 4 in the state, got:\n%s", state)
	}
	if state.ResourceInstance(mustInstance(t, "demo_page.many[3]")) != nil {
		t.Errorf("the object whose apply panicked is in the state:\n%s", state)
	}

	empty, _ := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	for name, factory := range map[string]engine.Factory{
		"no factory":   func(context.Context) (provider.Interface, error) { panic("no factory") },
		"returned nil": func(context.Context) (provider.Interface, error) { return nil, nil },
	} {
		r := newRun(t, engine.Options{Providers: map[addrs.Provider]engine.Factory{empty.ProviderFor("demo"): factory}})
		if diags := r.engine.Validate(t.Context(), r.load(manyPages)); !strings.Contains(diags.Error(), name) {
			t.Errorf("the validation has the errors %s, want an error with %q", diags.Error(), name)
		}
	}
}

// TestPostconditionsAfterFailure checks that the postconditions of an object are evaluated after
// an apply that failed, with the object that is left.
func TestPostconditionsAfterFailure(t *testing.T) {
	t.Parallel()
	const text = `
resource "demo_page" "it" {
  name = "it"
  text = %[1]q
  lifecycle {
    postcondition {
      condition     = self.text == %[1]q
      error_message = "The page has another text."
    }
  }
}
`
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		var broken atomic.Bool
		r := hookedRun(t, engine.Options{Flavor: flavor}, hooked{apply: func(provider.ApplyResourceChangeRequest) {
			if broken.Load() {
				panic("it broke")
			}
		}})
		r.apply(fmt.Sprintf(text, "one"), engine.PlanOptions{})
		broken.Store(true)
		config := r.load(fmt.Sprintf(text, "two"))
		plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
		if diags.HasErrors() {
			t.Fatal(diags.Error())
		}
		_, diags = r.engine.Apply(t.Context(), config, plan)
		if len(diags) != 2 || diags[0].Summary != "Plugin did not respond" || diags[1].Summary != "Resource postcondition failed" {
			t.Errorf("the apply has the errors %s, want the errors of the provider and of the postcondition", diags.Error())
		}
	})
}

// dependentPages has two pages. The second one has the given text and depends_on.
const dependentPages = `
resource "demo_page" "first" {
  name = "first"
  text = "hello"
}
resource "demo_page" "second" {
  name       = "second"
  text       = %q
  depends_on = [%s]
}
`

// TestDependenciesAfterFailure checks that the object that a failed update leaves has the
// dependencies of the configuration.
func TestDependenciesAfterFailure(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		for name, left := range map[string]func(prior cty.Value) cty.Value{
			"an object": func(prior cty.Value) cty.Value { return prior },
			"null":      func(prior cty.Value) cty.Value { return cty.NullVal(prior.Type()) },
		} {
			r := hookedRun(t, engine.Options{Flavor: flavor}, hooked{applied: func(req provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
				if !req.PriorState.IsNull() {
					resp.NewState = left(req.PriorState)
					resp.Diagnostics = resp.Diagnostics.Errorf(nil, "It broke", "The update failed.")
				}
			}})
			r.apply(fmt.Sprintf(dependentPages, "one", "demo_page.first"), engine.PlanOptions{})
			config := r.load(fmt.Sprintf(dependentPages, "two", ""))
			plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
			if diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			state, diags := r.engine.Apply(t.Context(), config, plan)
			if len(diags) != 1 || diags[0].Summary != "It broke" {
				t.Errorf("%s: the apply has the errors %s, want the error of the provider", name, diags.Error())
			}
			second := state.ResourceInstance(mustInstance(t, "demo_page.second"))
			if second == nil || second.Current == nil || len(second.Current.Dependencies) > 0 {
				t.Errorf("%s: the state has %+v, want an object without dependencies", name, second)
			}
		}
	})
}

// TestUnknownInApply checks that an object is removed from the state, as in OpenTofu, if its
// configuration is still unknown when an update is applied.
func TestUnknownInApply(t *testing.T) {
	t.Parallel()
	const text = `
resource "demo_page" "it" {
  name = "it"
  text = %s
}
`
	r := hookedRun(t, engine.Options{Flavor: engine.OpenTofu}, hooked{called: func(resp *provider.CallFunctionResponse) { resp.Result = cty.UnknownVal(cty.String) }})
	r.apply(fmt.Sprintf(text, `"one"`), engine.PlanOptions{})
	config := r.load(fmt.Sprintf(text, `provider::demo::shout("two")`))
	plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	state, diags := r.engine.Apply(t.Context(), config, plan)
	if len(diags) != 1 || diags[0].Summary != "Configuration contains unknown value" {
		t.Errorf("the apply has the errors %s, want an error about the unknown value", diags.Error())
	}
	if state.ResourceInstance(mustInstance(t, "demo_page.it")) != nil {
		t.Errorf("the object is still in the state:\n%s", state)
	}
}

// TestDependenciesWithoutRefresh checks that only a refresh adds the dependencies of the
// configuration to the prior object of an update.
func TestDependenciesWithoutRefresh(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := hookedRun(t, engine.Options{Flavor: flavor}, hooked{})
		r.apply(fmt.Sprintf(dependentPages, "one", ""), engine.PlanOptions{})
		for skip, want := range map[bool]int{false: 1, true: 0} {
			plan := r.plan(fmt.Sprintf(dependentPages, "two", "demo_page.first"), engine.PlanOptions{SkipRefresh: skip})
			second := plan.PriorState.ResourceInstance(mustInstance(t, "demo_page.second"))
			if got := len(second.Current.Dependencies); got != want {
				t.Errorf("with SkipRefresh = %t, the prior object has %d dependencies, want %d", skip, got, want)
			}
		}
	})
}

// TestStop checks that Stop is called while calls are running, that no other calls start, that
// finished changes are in the state, and that a plan with a context that has ended has errors.
func TestStop(t *testing.T) {
	t.Parallel()
	var begun, stopped, late atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	r := hookedRun(t, engine.Options{Parallelism: 2}, hooked{
		apply: func(provider.ApplyResourceChangeRequest) {
			if begun.Add(1) == 2 {
				cancel()
			}
			<-release
		},
		stop: func() {
			if stopped.Add(1) == 1 {
				close(release)
			}
		},
		close: func() {
			if begun.Load() > 0 && stopped.Load() == 0 {
				late.Add(1)
			}
		},
	})
	config := r.load(manyPages)
	plan, diags := r.engine.Plan(ctx, config, nil, engine.PlanOptions{})
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	state, diags := r.engine.Apply(ctx, config, plan)
	if !strings.Contains(diags.Error(), "Operation stopped") {
		t.Errorf("the apply has the errors %q, want an error about the stop", diags.Error())
	}
	if begun.Load() != 2 || stopped.Load() != 1 || late.Load() != 0 {
		t.Errorf("%d calls started, %d instances were stopped, %d were closed before the stop; want 2, 1 and 0", begun.Load(), stopped.Load(), late.Load())
	}
	if got := len(state.RootModule().Resources[plan.Changes[0].Addr.Resource.Resource].Instances); got != 2 {
		t.Errorf("the state has %d objects, want 2", got)
	}
	if plan, _ := r.engine.Plan(ctx, config, state, engine.PlanOptions{}); !plan.Errored {
		t.Error("a plan with a context that has ended can be applied, want a plan with errors")
	}
}

// TestStopWithinBlock checks that, after a stop, instances of a block that have not started
// do not start.
func TestStopWithinBlock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var reads atomic.Int32
	r := hookedRun(t, engine.Options{Parallelism: 1}, hooked{read: func() {
		reads.Add(1)
		cancel()
	}})
	r.apply(manyPages, engine.PlanOptions{})
	if _, diags := r.engine.Plan(ctx, r.load(manyPages), r.state, engine.PlanOptions{}); !strings.Contains(diags.Error(), "Operation stopped") {
		t.Errorf("the plan has the errors %q, want an error about the stop", diags.Error())
	}
	if got := reads.Load(); got != 1 {
		t.Errorf("%d objects were read, want 1", got)
	}
}

// BenchmarkDependsOn plans data sources that depend on a module without changes.
func BenchmarkDependsOn(b *testing.B) {
	b.ReportAllocs()
	const count = 400
	dir := b.TempDir()
	config, diags := configs.Load(configs.Files{
		"main.tf": fmt.Appendf(nil, `
provider "demo" { directory = %q }
resource "demo_page" "it" { name = "it" }
module "x" { source = "./x" }
data "demo_page" "it" {
  count      = %d
  name       = demo_page.it.name
  depends_on = [module.x]
}
`, dir, count),
		"x/main.tf": fmt.Appendf(nil, "resource \"terraform_data\" \"it\" { count = %d }\n", count),
	}, ".", configs.Options{})
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		config.ProviderFor("demo"): func(context.Context) (provider.Interface, error) { return demo.New() },
	}})
	var state *states.State
	plan, problems := e.Plan(b.Context(), config, nil, engine.PlanOptions{})
	if !problems.HasErrors() {
		state, problems = e.Apply(b.Context(), config, plan)
	}
	if problems.HasErrors() {
		b.Fatal(problems.Error())
	}
	for b.Loop() {
		if plan, problems = e.Plan(b.Context(), config, state, engine.PlanOptions{}); problems.HasErrors() || !plan.Empty() {
			b.Fatal(problems.Error())
		}
	}
}

// unidentified is a provider whose identity schemas cannot be fetched. Close does nothing, because
// all instances share the demo provider.
type unidentified struct{ provider.Interface }

func (unidentified) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) (resp provider.GetResourceIdentitySchemasResponse) {
	resp.Diagnostics = resp.Diagnostics.Errorf(nil, "No identities", "They are missing.")
	return resp
}

func (unidentified) Close() error { return nil }

// TestSchemasAreNotModified checks that an engine does not change the schemas that a provider
// returns: several engines may get the same schemas.
func TestSchemasAreNotModified(t *testing.T) {
	t.Parallel()
	p, err := demo.New()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	own := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes
	before := maps.Clone(own)
	empty, _ := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	addr := empty.ProviderFor("demo")
	e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		addr: func(context.Context) (provider.Interface, error) { return unidentified{p}, nil },
	}})
	if fetched := e.Schemas(t.Context())[addr].ResourceTypes["demo_badge"]; fetched.Body == nil || fetched.Identity != nil {
		t.Fatalf("the engine has the schema: %t, with an identity: %t, want true and false", fetched.Body != nil, fetched.Identity != nil)
	}
	for name := range before {
		if own[name].Identity != before[name].Identity {
			t.Errorf("%s has the identity %v after the engine fetched the schemas, want %v", name, own[name].Identity, before[name].Identity)
		}
	}
}

// TestMissingProviderBlock checks the errors of a provider with required arguments that
// has no provider block.
func TestMissingProviderBlock(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, _ := demoRun(t, flavor)
		r.before = ""
		config := r.load(manyPages)
		if diags := r.engine.Validate(t.Context(), config); diags.HasErrors() {
			t.Errorf("the validation has the errors %s, want no errors, as with the commands", diags)
		}
		_, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
		text := diags.Error()
		if !strings.Contains(text, `The argument "directory" is required`) {
			t.Errorf("the plan has the errors %s, want an error about the missing argument directory", text)
		}
		const remedy = `Provider "registry.opentofu.org/hashicorp/demo" requires explicit configuration`
		if strings.Contains(strings.ReplaceAll(text, "\n", " "), remedy) != (flavor == engine.Terraform) {
			t.Errorf("the plan has the errors %s, want an error about the missing configuration: %t", text, flavor == engine.Terraform)
		}
	})
}
