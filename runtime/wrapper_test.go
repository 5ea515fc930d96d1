package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Beacon is a resource whose methods except Delete store private data, and then fail while the
// scope is broken.
type Beacon struct{ Name string }

type BeaconOutput struct{ Name string }

// beaconScope is the scope that the wrapper passes to the methods of a beacon.
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

// TestWrapperIgnoresError checks that a wrapper that ignores the error of a method does not hide a
// failed Create or Update, and that a failed Read changes neither the object nor its private data.
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
		t.Errorf("after a failed read: got %#v, private data %s and diagnostics %v, want %#v, %s and none", d.state, d.private, diags, state, private)
	}
	config := d.config(attrs{"name": str("b")})
	wantError(t, d.applyPlan(config, d.plan(config)), "the beacon is broken")

	d = newDriver(t, d.p, "test_beacon")
	wantError(t, d.applyPlan(config, d.plan(config)), "the beacon is broken")
}

// Flare is a resource whose Create and Update return what the wrapper decides.
type Flare struct{ Name string }

type FlareOutput struct{ Name string }

// flareScope returns the results of Create and Update.
type flareScope func(*FlareOutput) (*FlareOutput, error)

func (*Flare) ReplaceFields() []string { return nil }

func (f *Flare) Create(_ context.Context, answer flareScope) (*FlareOutput, error) {
	return answer(&FlareOutput{f.Name})
}

func (*Flare) Read(_ context.Context, _ flareScope, prior *FlareOutput) (*FlareOutput, error) {
	return prior, nil
}

func (f *Flare) Update(_ context.Context, answer flareScope, _ runtime.Prior[Flare, *FlareOutput]) (*FlareOutput, error) {
	return answer(&FlareOutput{f.Name})
}

func (*Flare) Delete(context.Context, flareScope, *FlareOutput) error { return nil }

// TestWrapperKeepsObject checks that an object that Create or Update has returned is stored, whatever
// the wrapper does after that.
func TestWrapperKeepsObject(t *testing.T) {
	t.Parallel()
	type method = func(context.Context, flareScope) (bool, error)
	with := func(err error) flareScope {
		return func(out *FlareOutput) (*FlareOutput, error) { return out, err }
	}
	for name, tt := range map[string]struct {
		wrap func(context.Context, method) error
		want string
	}{
		"panic": {func(ctx context.Context, call method) error {
			_, _ = call(ctx, with(nil))
			panic("after the call")
		}, "of test_flare panicked at wrapper_test.go"},
		"error that is a nil pointer": {func(ctx context.Context, call method) error {
			_, err := call(ctx, with((*lostError)(nil)))
			return err
		}, "of test_flare panicked at failure_test.go"},
		"ignored error that is a nil pointer": {func(ctx context.Context, call method) error {
			_, _ = call(ctx, with((*lostError)(nil)))
			return nil
		}, "of test_flare panicked at failure_test.go"},
		"second call without an object": {func(ctx context.Context, call method) error {
			_, _ = call(ctx, with(errHalfway))
			_, err := call(ctx, func(*FlareOutput) (*FlareOutput, error) { return nil, errors.New("it exists already") })
			return err
		}, "it exists already"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := false
			wrapper := func(ctx context.Context, _ runtime.NoConfig, call runtime.ResourceCall, run func(context.Context, flareScope) (bool, error)) error {
				if broken && (call.Method == runtime.MethodCreate || call.Method == runtime.MethodUpdate) {
					return tt.wrap(ctx, run)
				}
				_, err := run(ctx, with(nil))
				return err
			}
			registration := runtime.MakeWrappedResource[Flare, *FlareOutput](wrapper, func() *Flare { return new(Flare) })
			d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"flare": registration}}), "test_flare")
			d.apply(d.config(attrs{"name": str("a")}))

			broken = true
			config := d.config(attrs{"name": str("b")})
			wantError(t, d.applyPlan(config, d.plan(config)), tt.want)
			if got := d.attr("name"); !got.RawEquals(str("b")) {
				t.Errorf("after an update, the name is %#v, want b", got)
			}
			d = newDriver(t, d.p, "test_flare")
			wantError(t, d.applyPlan(config, d.plan(config)), tt.want)
			if !d.tainted || d.state.IsNull() {
				t.Errorf("after a create, tainted %t, state %s; want a tainted object in the state", d.tainted, show(t, d.state))
			}
		})
	}
}

// Counter is a resource without ModifyResourcePlan, each of whose updates changes an output.
type Counter struct{ Name string }

type CounterOutput struct {
	Name  string
	Count int64
}

func (*Counter) ReplaceFields() []string { return nil }

func (c *Counter) Create(context.Context, runtime.NoConfig) (*CounterOutput, error) {
	return &CounterOutput{c.Name, 1}, nil
}

func (*Counter) Read(_ context.Context, _ runtime.NoConfig, prior *CounterOutput) (*CounterOutput, error) {
	return prior, nil
}

func (c *Counter) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[Counter, *CounterOutput]) (*CounterOutput, error) {
	return &CounterOutput{c.Name, prior.Outputs.Count + 1}, nil
}

func (*Counter) Delete(context.Context, runtime.NoConfig, *CounterOutput) error { return nil }

// TestWrappedTypeWithoutModifyResourcePlan checks that an update plans the outputs as unknown, as without a
// wrapper.
func TestWrappedTypeWithoutModifyResourcePlan(t *testing.T) {
	t.Parallel()
	calls := func(ctx context.Context, cfg runtime.NoConfig, _ runtime.ResourceCall, method func(context.Context, runtime.NoConfig) (bool, error)) error {
		_, err := method(ctx, cfg)
		return err
	}
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"counter": runtime.MakeWrappedResource[Counter, *CounterOutput](calls, func() *Counter { return new(Counter) }),
	}}), "test_counter")
	d.apply(d.config(attrs{"name": str("a")}))
	config := d.config(attrs{"name": str("b")})
	d.apply(config)
	if got := d.attr("count"); !got.RawEquals(num(2)) {
		t.Errorf("the count is %#v, want 2", got)
	}
	d.noChange(config)
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
