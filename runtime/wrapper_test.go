package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Beacon is a resource whose methods store private data and then fail while its configuration is
// broken.
type Beacon struct{ Name string }

type BeaconOutput struct{ Name string }

// beaconScope is what the wrapper of beacons passes to their methods.
type beaconScope struct{ broken bool }

func (*Beacon) ReplaceFields() []string { return nil }

func (b *Beacon) turn(ctx context.Context, scope beaconScope) (*BeaconOutput, error) {
	out := &BeaconOutput{b.Name}
	if scope.broken {
		runtime.Private(ctx).Set("seen", []byte(`"broken"`))
		return out, errors.New("the beacon is broken")
	}
	runtime.Private(ctx).Set("seen", []byte(`"whole"`))
	return out, nil
}

func (b *Beacon) Create(ctx context.Context, scope beaconScope) (*BeaconOutput, error) {
	return b.turn(ctx, scope)
}

func (b *Beacon) Read(ctx context.Context, scope beaconScope, _ *BeaconOutput) (*BeaconOutput, error) {
	return b.turn(ctx, scope)
}

func (b *Beacon) Update(ctx context.Context, scope beaconScope, _ runtime.Prior[Beacon, *BeaconOutput]) (*BeaconOutput, error) {
	return b.turn(ctx, scope)
}

func (*Beacon) Delete(context.Context, beaconScope, *BeaconOutput) error { return nil }

// TestWrapperIgnoresError checks that a wrapper that ignores the error of a method hides no failed
// Create or Update, and that a failed Read changes neither the object nor its private data.
func TestWrapperIgnoresError(t *testing.T) {
	t.Parallel()
	broken := false
	ignores := func(ctx context.Context, _ runtime.NoConfig, _ runtime.ResourceCall, method func(context.Context, beaconScope) (bool, error)) error {
		_, _ = method(ctx, beaconScope{broken})
		return nil
	}
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"beacon": runtime.MakeWrappedResource[Beacon, *BeaconOutput](ignores, func() *Beacon { return new(Beacon) }),
	}}), "test_beacon")
	d.apply(d.config(attrs{"name": str("a")}))
	state, private := d.state, string(d.private)

	broken = true
	if diags := d.refresh(); len(diags) > 0 || !d.state.RawEquals(state) || string(d.private) != private {
		t.Errorf("after a failed read: %#v, private data %s, want %s; %v", d.state, d.private, private, diags)
	}
	config := d.config(attrs{"name": str("b")})
	wantError(t, d.applyPlan(config, d.plan(config)), "the beacon is broken")

	d = newDriver(t, d.p, "test_beacon")
	wantError(t, d.applyPlan(config, d.plan(config)), "the beacon is broken")
}

// lockedBeacon has methods that no wrapper calls.
type lockedBeacon struct {
	crud[lockedBeacon, none] `tf:"-"`
}

func (*lockedBeacon) Locks(runtime.NoConfig) []string { return []string{"light"} }

func (*lockedBeacon) ImportByID(context.Context, runtime.NoConfig, string) (*none, error) {
	return &none{}, nil
}

func TestUnsupportedMethodsOfWrappedType(t *testing.T) {
	t.Parallel()
	calls := func(ctx context.Context, cfg runtime.NoConfig, _ runtime.ResourceCall, method func(context.Context, runtime.NoConfig) (bool, error)) error {
		_, err := method(ctx, cfg)
		return err
	}
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"beacon": runtime.MakeWrappedResource[lockedBeacon, *none](calls, func() *lockedBeacon { return new(lockedBeacon) }),
	}})
	for _, name := range []string{"Locks", "ImportByID"} {
		if want := "method " + name + " is not supported"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
