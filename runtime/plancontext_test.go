package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Onlooker reads the real object during plan.
type Onlooker struct {
	Name string

	looks func(ctx context.Context) error
}

type OnlookerOutput struct{ Name string }

func (*Onlooker) SchemaVersion() int      { return 0 }
func (*Onlooker) ReplaceFields() []string { return nil }

func (o *Onlooker) Create(context.Context, runtime.NoConfig) (*OnlookerOutput, error) {
	return &OnlookerOutput{o.Name}, nil
}

func (o *Onlooker) Read(context.Context, runtime.NoConfig, *OnlookerOutput) (*OnlookerOutput, error) {
	return &OnlookerOutput{o.Name}, nil
}

func (o *Onlooker) Update(context.Context, runtime.NoConfig, runtime.Prior[Onlooker, *OnlookerOutput]) (*OnlookerOutput, error) {
	return &OnlookerOutput{o.Name}, nil
}

func (*Onlooker) Delete(context.Context, runtime.NoConfig, *OnlookerOutput) error { return nil }

func (o *Onlooker) ModifyResourcePlan(req runtime.ResourcePlanRequest[Onlooker, *OnlookerOutput, runtime.NoConfig], _ *runtime.ResourcePlanResponse) error {
	return o.looks(req.Context())
}

// TestPlanContext checks that code that runs during plan can warn, and is cancelled by
// Stop.
func TestPlanContext(t *testing.T) {
	t.Parallel()
	var looks func(context.Context) error
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"onlooker": runtime.MakeResourceWith[Onlooker, *OnlookerOutput, runtime.NoConfig](func() *Onlooker {
			return &Onlooker{looks: func(ctx context.Context) error { return looks(ctx) }}
		}),
	}})
	d := newDriver(t, p, "test_onlooker")
	d.apply(d.config(attrs{"name": str("a")}))

	looks = func(ctx context.Context) error {
		runtime.Warn(ctx, "name", "Seen", "It was seen while planning.")
		return nil
	}
	if said := d.plan(d.config(attrs{"name": str("b")})).Diagnostics; len(said) != 1 || said[0].Summary != "Seen" {
		t.Errorf("the plan says %v", said)
	}

	looks = func(ctx context.Context) error {
		if err := p.Stop(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
			return errors.New("it goes on")
		}
	}
	if said := d.planFrom(d.state, d.config(attrs{"name": str("b")}), d.private, d.identity).Diagnostics.Error(); !strings.Contains(said, context.Canceled.Error()) {
		t.Errorf("a look that was to end says %q", said)
	}

	var byHand runtime.ResourcePlanRequest[Onlooker, *OnlookerOutput, runtime.NoConfig]
	if byHand.Context() == nil {
		t.Error("a request that was made by hand has no context")
	}
}
