package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Observer calls modify during plan.
type Observer struct {
	Name string

	modify func(ctx context.Context) error
}

type ObserverOutput struct{ Name string }

func (*Observer) SchemaVersion() int      { return 0 }
func (*Observer) ReplaceFields() []string { return nil }

func (o *Observer) Create(context.Context, runtime.NoConfig) (*ObserverOutput, error) {
	return &ObserverOutput{o.Name}, nil
}

func (o *Observer) Read(context.Context, runtime.NoConfig, *ObserverOutput) (*ObserverOutput, error) {
	return &ObserverOutput{o.Name}, nil
}

func (o *Observer) Update(context.Context, runtime.NoConfig, runtime.Prior[Observer, *ObserverOutput]) (*ObserverOutput, error) {
	return &ObserverOutput{o.Name}, nil
}

func (*Observer) Delete(context.Context, runtime.NoConfig, *ObserverOutput) error { return nil }

func (o *Observer) ModifyResourcePlan(req runtime.ResourcePlanRequest[Observer, *ObserverOutput, runtime.NoConfig], _ *runtime.ResourcePlanResponse) error {
	return o.modify(req.Context())
}

// TestPlanContext checks that code that runs during plan can warn, and is canceled by
// Stop, and that a request that the runtime did not create has a context too.
func TestPlanContext(t *testing.T) {
	t.Parallel()
	var modify func(context.Context) error
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"observer": runtime.MakeResourceWith[Observer, *ObserverOutput, runtime.NoConfig](func() *Observer {
			return &Observer{modify: func(ctx context.Context) error { return modify(ctx) }}
		}),
	}})
	d := newDriver(t, p, "test_observer")
	d.apply(d.config(attrs{"name": str("a")}))

	modify = func(ctx context.Context) error {
		runtime.Warn(ctx, "name", "Seen", "It was seen while planning.")
		return nil
	}
	if diags := d.plan(d.config(attrs{"name": str("b")})).Diagnostics; len(diags) != 1 || diags[0].Summary != "Seen" {
		t.Errorf("diagnostics of the plan: %v, want the warning Seen", diags)
	}

	modify = func(ctx context.Context) error {
		if err := p.Stop(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
			return errors.New("the context is not canceled")
		}
	}
	if diags := d.planFrom(d.state, d.config(attrs{"name": str("b")}), d.private, d.identity).Diagnostics.Error(); !strings.Contains(diags, context.Canceled.Error()) {
		t.Errorf("diagnostics of a stopped plan: %q, want %q", diags, context.Canceled)
	}

	var byHand runtime.ResourcePlanRequest[Observer, *ObserverOutput, runtime.NoConfig]
	if byHand.Context() == nil {
		t.Error("a request that the runtime did not create has no context")
	}
}
