package runtime_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type block struct {
	Endpoint string
	Retries  *int8
}

type client struct{ endpoint string }

// Echo is a resource that needs the provider's configuration.
type Echo struct {
	Text string
}

type EchoOut struct {
	Text string
	From string
}

func (*Echo) SchemaVersion() int      { return 0 }
func (*Echo) ReplaceFields() []string { return nil }

func (e *Echo) Create(ctx context.Context, c *client) (*EchoOut, error) {
	if e.Text == "wait" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return &EchoOut{e.Text, c.endpoint}, nil
}

func (e *Echo) Read(_ context.Context, c *client, prior *EchoOut) (*EchoOut, error) {
	return &EchoOut{prior.Text, c.endpoint}, nil
}

func (e *Echo) Update(ctx context.Context, c *client, _ runtime.Prior[Echo, *EchoOut]) (*EchoOut, error) {
	return e.Create(ctx, c)
}
func (*Echo) Delete(context.Context, *client, *EchoOut) error { return nil }

func (e *Echo) ImportByID(_ context.Context, c *client, id string) (*EchoOut, error) {
	switch id {
	case "later":
		return nil, runtime.Defer(provider.DeferredReasonAbsentPrereq)
	case "nothing":
		return nil, nil //nolint:nilnil // the mistake to be detected
	}
	return &EchoOut{id, c.endpoint}, nil
}

func newEcho(t *testing.T) *driver {
	t.Helper()
	return newDriver(t, newProvider(t, runtime.Definition{
		Name: "test",
		Config: runtime.MakeConfig(func(_ context.Context, b *block) (*client, error) {
			if b.Endpoint == "nowhere" {
				return nil, errors.New("cannot connect to nowhere")
			}
			return &client{b.Endpoint}, nil
		}),
		Resources: map[string]runtime.ResourceRegistration{"echo": runtime.MakeResource[Echo, *EchoOut, *client]()},
	}), "test_echo")
}

func (d *driver) configure(endpoint cty.Value) provider.ConfigureProviderResponse {
	return d.p.ConfigureProvider(d.t.Context(), provider.ConfigureProviderRequest{
		Config: cty.ObjectVal(attrs{"endpoint": endpoint, "retries": cty.NullVal(cty.Number)}),
	})
}

func TestProviderConfiguration(t *testing.T) {
	t.Parallel()
	d := newEcho(t)
	config := d.config(attrs{"text": str("hi")})
	if plan := d.plan(config); !plan.Diagnostics.HasErrors() {
		t.Error("the plan before ConfigureProvider has no error")
	}
	if diags := d.configure(str("nowhere")).Diagnostics; !diags.HasErrors() || !strings.Contains(diags.Error(), "cannot connect to nowhere") {
		t.Errorf("configure: %v, want an error with \"cannot connect to nowhere\"", diags)
	}
	bad := cty.ObjectVal(attrs{"endpoint": str("e"), "retries": num(1000)})
	if diags := d.p.ValidateProviderConfig(t.Context(), provider.ValidateProviderConfigRequest{Config: bad}).Diagnostics; !diags.HasErrors() {
		t.Error("the provider block with an overflow in retries is valid, want an error")
	}
	// A missing block is an empty one, not an unknown one.
	for _, none := range []cty.Value{cty.NilVal, cty.NullVal(bad.Type())} {
		if diags := d.p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: none}).Diagnostics; !strings.Contains(diags.Error(), "endpoint: ") {
			t.Errorf("configure without a block: %v, want an error about endpoint", diags)
		}
	}
	if diags := d.configure(str("here")).Diagnostics; diags.HasErrors() {
		t.Fatal(diags)
	}
	d.apply(config)
	if got := d.attr("from"); !got.RawEquals(str("here")) {
		t.Errorf("the resource got the endpoint %#v, want here", got)
	}
	d.noChange(config)
}

func TestUnknownProviderConfiguration(t *testing.T) {
	t.Parallel()
	d := newEcho(t)
	if diags := d.configure(cty.UnknownVal(cty.String)).Diagnostics; diags.HasErrors() {
		t.Fatal(diags)
	}
	config := d.config(attrs{"text": str("hi")})
	// A plan does not need a known configuration.
	if plan := d.plan(config); plan.Diagnostics.HasErrors() || plan.Deferred != nil {
		t.Errorf("plan: deferred %v, diagnostics %v, want no deferral and no errors", plan.Deferred, plan.Diagnostics)
	}
	d.state = cty.ObjectVal(attrs{"text": str("hi"), "from": str("here")})
	if diags := d.refresh(); !diags.HasErrors() || diags[0].Summary != "Unknown provider configuration" {
		t.Errorf("read: %v, want an error about the unknown provider configuration", diags)
	}
	// If the client allows deferral, plan, read and import are deferred.
	d.caps.DeferralAllowed = true
	want := provider.DeferredReasonProviderConfigUnknown
	if plan := d.plan(config); plan.Deferred == nil || plan.Deferred.Reason != want || plan.Diagnostics.HasErrors() {
		t.Errorf("plan: deferred %v, diagnostics %v, want a deferral with the reason %v and no errors", plan.Deferred, plan.Diagnostics, want)
	}
	read := d.p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: d.typeName, PriorState: d.state, ClientCapabilities: d.caps})
	if read.Deferred == nil || !read.NewState.RawEquals(d.state) || read.Diagnostics.HasErrors() {
		t.Errorf("read: deferred %v, state %#v, diagnostics %v, want a deferral, the state %#v and no errors", read.Deferred, read.NewState, read.Diagnostics, d.state)
	}
	imp := d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "x", ClientCapabilities: d.caps})
	if imp.Deferred == nil || imp.Diagnostics.HasErrors() || len(imp.ImportedResources) != 1 {
		t.Errorf("import: deferred %v, %d objects, diagnostics %v, want a deferral, one object and no errors", imp.Deferred, len(imp.ImportedResources), imp.Diagnostics)
	}
}

func TestImportWithoutIdentity(t *testing.T) {
	t.Parallel()
	d := newEcho(t)
	d.configure(str("here"))
	if diags := d.imports("hi", cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	d.noChange(d.config(attrs{"text": str("hi")}))
	if diags := d.imports("", cty.NilVal); !diags.HasErrors() || !strings.Contains(diags.Error(), "the import ID is empty") {
		t.Errorf("import with an empty ID: %v, want an error about the empty ID", diags)
	}
	if diags := d.imports("nothing", cty.NilVal); !strings.Contains(diags.Error(), "the method ImportByID returned neither an output nor an error") {
		t.Errorf("import without an output: %v, want an error about ImportByID", diags)
	}
	// A resource may request deferral itself; if the client does not allow deferral, the request is
	// an error.
	if diags := d.imports("later", cty.NilVal); !diags.HasErrors() || !strings.Contains(diags.Error(), "absent_prereq") {
		t.Errorf("import: %v, want an error with the reason absent_prereq", diags)
	}
	d.caps.DeferralAllowed = true
	resp := d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "later", ClientCapabilities: d.caps})
	if resp.Deferred == nil || resp.Deferred.Reason != provider.DeferredReasonAbsentPrereq {
		t.Errorf("import: deferred %v, diagnostics %v, want a deferral with the reason absent_prereq", resp.Deferred, resp.Diagnostics)
	}
}

func TestStopCancelsOnlyRunningOperations(t *testing.T) {
	t.Parallel()
	d := newEcho(t)
	d.configure(str("here"))
	config := d.config(attrs{"text": str("wait")})
	plan := d.plan(config)
	done := make(chan bool)
	go func() {
		resp := d.p.ApplyResourceChange(context.Background(), provider.ApplyResourceChangeRequest{
			TypeName: d.typeName, PriorState: d.state, PlannedState: plan.PlannedState, Config: config,
		})
		done <- resp.Diagnostics.HasErrors()
	}()
	// Stop repeatedly: the first calls may come before the operation has begun.
	for stopped := false; !stopped; {
		if err := d.p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case failed := <-done:
			if stopped = true; !failed {
				t.Error("the operation that was stopped has succeeded")
			}
		default:
		}
	}
	d.apply(d.config(attrs{"text": str("hi")}))
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	s := newStore()
	p := s.provider(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			d := newDriver(t, p, "test_thing")
			name := string(rune('a' + i))
			for range 50 {
				config := d.config(attrs{"name": str(name), "note": str("n")})
				plan := d.planFrom(d.state, config, d.private, d.identity)
				if diags := d.applyPlan(config, plan); diags.HasErrors() {
					t.Error(diags)
				}
			}
		})
	}
	wg.Wait()
}

func TestConfigTypesMustMatch(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"echo": runtime.MakeResource[Echo, *EchoOut, *client]()},
	})
	if err == nil || !strings.Contains(err.Error(), "*runtime_test.client") {
		t.Errorf("a resource for another configuration: %v, want an error that names *runtime_test.client", err)
	}
}
