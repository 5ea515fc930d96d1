package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Slow has methods that take a configured time.
type Slow struct {
	Name     string
	Color    *string
	Timeouts *runtime.Timeouts

	world *slowWorld
}

type SlowOutput struct {
	Name   string
	Serial int64
}

// slowWorld configures how long each method takes, and records how long it took.
type slowWorld struct {
	takes    map[string]time.Duration
	ignores  bool // methods ignore their context
	defaults runtime.OperationTimeouts
	fails    error // returned after the delay
	drift    int64
	ended    []string
}

func (w *slowWorld) wait(ctx context.Context, method string) error {
	began := time.Now()
	var err error
	if w.ignores {
		time.Sleep(w.takes[method])
	} else {
		select {
		case <-ctx.Done():
			err = fmt.Errorf("waiting for the host: %w", ctx.Err())
		case <-time.After(w.takes[method]):
		}
	}
	w.ended = append(w.ended, fmt.Sprintf("%s after %s", method, time.Since(began)))
	if w.fails != nil {
		return w.fails
	}
	return err
}

func (*Slow) SchemaVersion() int      { return 0 }
func (*Slow) ReplaceFields() []string { return []string{"name"} }

func (s *Slow) OperationTimeouts() runtime.OperationTimeouts { return s.world.defaults }

var errOld = diag.AsWarning(errors.New("it is old"))

func (s *Slow) out(err error) (*SlowOutput, error) {
	if err != nil && !errors.Is(err, errOld) {
		return nil, err
	}
	return &SlowOutput{Name: s.Name, Serial: 1 + s.world.drift}, err
}

func (s *Slow) Create(ctx context.Context, _ runtime.NoConfig) (*SlowOutput, error) {
	return s.out(s.world.wait(ctx, "Create"))
}

func (s *Slow) Read(ctx context.Context, _ runtime.NoConfig, _ *SlowOutput) (*SlowOutput, error) {
	return s.out(s.world.wait(ctx, "Read"))
}

func (s *Slow) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Slow, *SlowOutput]) (*SlowOutput, error) {
	return s.out(s.world.wait(ctx, "Update"))
}

func (s *Slow) Delete(ctx context.Context, _ runtime.NoConfig, _ *SlowOutput) error {
	return s.world.wait(ctx, "Delete")
}

func (s *Slow) ImportByID(_ context.Context, _ runtime.NoConfig, id string) (*SlowOutput, error) {
	s.Name = id
	return &SlowOutput{Name: id}, nil
}

func (w *slowWorld) driver(t *testing.T) *driver {
	t.Helper()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"slow": runtime.MakeResourceWith[Slow, *SlowOutput, runtime.NoConfig](func() *Slow { return &Slow{world: w} }),
	}})
	return newDriver(t, p, "test_slow")
}

var timeoutsType = cty.Object(map[string]cty.Type{"create": cty.String, "read": cty.String, "update": cty.String, "delete": cty.String})

// timeouts returns a value of the attribute timeouts, with null for each timeout that is not in set.
func timeouts(set map[string]string) cty.Value {
	all := make(map[string]cty.Value)
	for name := range timeoutsType.AttributeTypes() {
		all[name] = cty.NullVal(cty.String)
		if s, ok := set[name]; ok {
			all[name] = str(s)
		}
	}
	return cty.ObjectVal(all)
}

func (d *driver) slow(name, color string, set map[string]string) cty.Value {
	a := attrs{"name": str(name)}
	if color != "" {
		a["color"] = str(color)
	}
	if set != nil {
		a["timeouts"] = timeouts(set)
	}
	return d.config(a)
}

// wantTimeout fails the test unless the first diagnostic has the summary, the path and the texts
// in its detail.
func wantTimeout(t *testing.T, diags diag.Diagnostics, summary string, path cty.Path, want ...string) {
	t.Helper()
	if len(diags) == 0 {
		t.Fatal("got no diagnostics, want one about a timeout")
	}
	got := diags[0]
	if got.Summary != summary || !got.Path.Equals(path) {
		t.Errorf("got %q at %s, want %q at %s", got.Summary, diag.FormatPath(got.Path), summary, diag.FormatPath(path))
	}
	for _, text := range want {
		if !strings.Contains(got.Detail, text) {
			t.Errorf("the detail does not contain %q: %s", text, got.Detail)
		}
	}
}

func TestTimeoutOfEachOperation(t *testing.T) {
	t.Parallel()
	path := cty.GetAttrPath("timeouts")
	set := map[string]string{"create": "1m", "read": "2m", "update": "3m", "delete": "4m"}
	synctest.Test(t, func(t *testing.T) {
		w := &slowWorld{takes: map[string]time.Duration{}}
		d := w.driver(t)
		first := d.slow("a", "", set)
		w.takes["Create"] = time.Hour
		wantTimeout(t, d.applyPlan(first, d.plan(first)), "Creating test_slow took too long", path.GetAttr("create"),
			"timeout of 1m0s", `timeouts = { create = "2m0s" }`)
		w.takes["Create"] = time.Minute - time.Nanosecond
		d.apply(first)

		w.takes["Read"] = time.Hour
		wantTimeout(t, d.refresh(), "Reading test_slow took too long", path.GetAttr("read"), "timeout of 2m0s", "-refresh=false")
		w.takes["Read"] = 0

		// The timeout of an update is the new one.
		w.takes["Update"] = time.Hour
		next := d.slow("a", "red", map[string]string{"update": "7m", "delete": "1s"})
		diags := d.applyPlan(next, d.plan(next))
		wantTimeout(t, diags, "Updating test_slow took too long", path.GetAttr("update"), "timeout of 7m0s")
		if len(diags) != 2 || diags[1].Detail != "waiting for the host: context deadline exceeded" {
			t.Errorf("the error of the method is not reported: %v", diags)
		}

		// The timeout of a delete is the one in the state, which has not changed.
		w.takes["Delete"] = time.Hour
		wantTimeout(t, d.destroyWith(nil), "Deleting test_slow took too long", path.GetAttr("delete"), "timeout of 4m0s", "before the delete")

		want := []string{
			"Create after 1m0s", "Create after 59.999999999s", "Read after 2m0s", "Update after 7m0s", "Delete after 4m0s",
		}
		if diff := cmp.Diff(want, w.ended); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

func TestTimeoutDefaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		configured map[string]string
		want       string
		path       cty.Path
	}{
		"default of the resource":                  {nil, "Create after 5m0s", cty.GetAttrPath("timeouts").GetAttr("create")},
		"default, with another timeout configured": {map[string]string{"update": "1s"}, "Create after 5m0s", cty.GetAttrPath("timeouts").GetAttr("create")},
		"configured":                        {map[string]string{"create": "90s"}, "Create after 1m30s", cty.GetAttrPath("timeouts").GetAttr("create")},
		"zero means no limit":               {map[string]string{"create": "0s"}, "Create after 1h0m0s", nil},
		"timeout longer than the operation": {map[string]string{"create": "2h"}, "Create after 1h0m0s", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &slowWorld{takes: map[string]time.Duration{"Create": time.Hour}, defaults: runtime.OperationTimeouts{Create: 5 * time.Minute}}
				d := w.driver(t)
				config := d.slow("a", "", tt.configured)
				diags := d.applyPlan(config, d.plan(config))
				if tt.path != nil {
					wantTimeout(t, diags, "Creating test_slow took too long", tt.path)
				} else if len(diags) > 0 {
					t.Errorf("got %v, want no diagnostics", diags)
				}
				if diff := cmp.Diff([]string{tt.want}, w.ended); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestIgnoredTimeout checks that a method that ignores its timeout is awaited, and
// that its result is stored.
func TestIgnoredTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := &slowWorld{takes: map[string]time.Duration{"Create": time.Hour}, ignores: true}
		d := w.driver(t)
		d.p = loggingTo{d.p, tflogtest.RootLogger(t.Context(), &log)}
		d.apply(d.slow("a", "", map[string]string{"create": "1m"}))
		if got := d.attr("serial"); !got.RawEquals(num(1)) {
			t.Errorf("the state has serial %#v, want 1", got)
		}
		lines := logLines(t, &log)
		if len(lines) != 1 || lines[0]["@message"] != "the timeout of an operation has passed; waiting for it to end" || lines[0]["timeout"] != "1m0s" {
			t.Errorf("the log has %v, want one line about the timeout", lines)
		}
		// A late error is kept, together with advice about the timeout.
		w.takes["Update"], w.fails = time.Hour, diag.AttributeErrorf("name", "it is taken")
		other := d.slow("a", "red", map[string]string{"update": "1m"})
		diags := d.applyPlan(other, d.plan(other))
		wantTimeout(t, diags, "Updating test_slow took too long", cty.GetAttrPath("timeouts").GetAttr("update"))
		if len(diags) != 2 || diags[1].Detail != "it is taken" || !diags[1].Path.Equals(cty.GetAttrPath("name")) {
			t.Errorf("got %v, want the error of the method as the second of two diagnostics", diags)
		}
	})
}

// TestNoTimeout checks that errors before the timeout, warnings, and a deadline of the
// client are reported without an error about a timeout.
func TestNoTimeout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fails    error
		ignores  bool
		deadline time.Duration
		want     string
	}{
		"error before the timeout":  {errors.New("it is taken"), false, 0, "Cannot create test_slow: it is taken"},
		"warning after the timeout": {errOld, true, 0, ""},
		"deadline of the client":    {nil, false, time.Second, "Cannot create test_slow: waiting for the host: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &slowWorld{takes: map[string]time.Duration{}, fails: tt.fails, ignores: tt.ignores}
				if tt.ignores || tt.deadline > 0 {
					w.takes["Create"] = time.Hour
				}
				d := w.driver(t)
				if tt.deadline > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
					defer cancel()
					d.p = loggingTo{d.p, ctx}
				}
				config := d.slow("a", "", map[string]string{"create": "1m"})
				var got []string
				for _, m := range d.applyPlan(config, d.plan(config)) {
					if m.Severity == diag.Error {
						got = append(got, m.Error())
					}
				}
				if text := strings.Join(got, "\n"); !strings.HasPrefix(text, tt.want) || tt.want == "" && text != "" || len(got) > 1 && tt.fails == nil {
					t.Errorf("got %q, want %q", text, tt.want)
				}
			})
		})
	}
}

// TestChangeOfOnlyTimeouts checks that a change of only the timeouts is stored without
// a call of Update.
func TestChangeOfOnlyTimeouts(t *testing.T) {
	t.Parallel()
	w := &slowWorld{}
	d := w.driver(t)
	d.apply(d.slow("a", "", nil))
	w.ended = nil
	for _, set := range []map[string]string{{"create": "1m"}, {"create": "2m", "delete": "1s"}, {}, nil} {
		config := d.slow("a", "", set)
		plan := d.apply(config)
		if !plan.PlannedState.IsWhollyKnown() || plan.PlannedState.GetAttr("serial").IsNull() {
			t.Errorf("timeouts %v: the plan is %#v, want the outputs known", set, plan.PlannedState)
		}
		if got := d.attr("timeouts"); !got.RawEquals(config.GetAttr("timeouts")) {
			t.Errorf("timeouts %v: the state has %#v, want the configured value", set, got)
		}
		if len(w.ended) > 0 {
			t.Errorf("timeouts %v: got the calls %v, want none", set, w.ended)
		}
		d.noChange(config)
		w.ended = nil
	}
	// An equivalent duration is not a change.
	d.apply(d.slow("a", "", map[string]string{"create": "60s"}))
	if plan := d.plan(d.slow("a", "", map[string]string{"create": "1m"})); !plan.PlannedState.RawEquals(d.state) {
		t.Error("1m is planned as a change of 60s")
	}
	// Together with another change or with drift, a change of the timeouts is an ordinary
	// update, and so is an unknown timeout.
	w.ended = nil
	d.apply(d.slow("a", "red", map[string]string{"create": "3m"}))
	if diff := cmp.Diff([]string{"Update after 0s"}, shortened(w.ended)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	w.ended, w.drift = nil, 1
	if diags := d.refresh(); diags.HasErrors() {
		t.Fatal(diags)
	}
	d.apply(d.slow("a", "red", map[string]string{"create": "4m"}))
	if diff := cmp.Diff([]string{"Read after 0s", "Update after 0s"}, shortened(w.ended)); diff != "" {
		t.Errorf("calls after drift (-want +got):\n%s", diff)
	}
	unknown := d.config(attrs{"name": str("a"), "color": str("red"), "timeouts": cty.UnknownVal(timeoutsType)})
	if plan := d.plan(unknown); plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("an output is known in the plan of an update with unknown timeouts")
	}
}

// shortened replaces the measured times in calls with 0s, and returns calls.
func shortened(calls []string) []string {
	for i, c := range calls {
		method, _, _ := strings.Cut(c, " after ")
		calls[i] = method + " after 0s"
	}
	return calls
}

func TestTimeoutsOfImportAndReplacement(t *testing.T) {
	t.Parallel()
	w := &slowWorld{takes: map[string]time.Duration{}, defaults: runtime.OperationTimeouts{Read: time.Hour}}
	d := w.driver(t)
	if diags := d.imports("a", cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := d.attr("timeouts"); !got.IsNull() {
		t.Errorf("imported with timeouts %#v, want null", got)
	}
	d.noChange(d.slow("a", "", nil))
	plan := d.apply(d.slow("b", "", map[string]string{"create": "1m"}))
	if len(plan.RequiresReplace) != 1 {
		t.Errorf("plan with a new name: got a replacement because of %v, want one path", plan.RequiresReplace)
	}
	w.ended = nil
	refused := d.validate(d.slow("b", "", map[string]string{"create": "-1s", "read": "soon"}))
	if len(refused) != 2 || diag.FormatPath(refused[0].Path) != "timeouts.create" || diag.FormatPath(refused[1].Path) != "timeouts.read" {
		t.Errorf("got %v, want an error about timeouts.create and an error about timeouts.read", refused)
	}
}

// TestTimeoutsOfOldStates checks that states without timeouts, and states of other SDKs,
// which omit unset timeouts, are read.
func TestTimeoutsOfOldStates(t *testing.T) {
	t.Parallel()
	d := (&slowWorld{}).driver(t)
	for stored, want := range map[string]cty.Value{
		`{"name": "a", "serial": 1}`:                                          cty.NullVal(timeoutsType),
		`{"name": "a", "serial": 1, "timeouts": null}`:                        cty.NullVal(timeoutsType),
		`{"name": "a", "serial": 1, "timeouts": {"delete": "1m"}}`:            timeouts(map[string]string{"delete": "1m"}),
		`{"name": "a", "serial": 1, "timeouts": {"read": "1s", "old": "2s"}}`: timeouts(map[string]string{"read": "1s"}),
	} {
		resp := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{TypeName: "test_slow", RawStateJSON: []byte(stored)})
		if resp.Diagnostics.HasErrors() {
			t.Errorf("%s: got %v, want no errors", stored, resp.Diagnostics)
			continue
		}
		if got := resp.UpgradedState.GetAttr("timeouts"); !got.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", stored, got, want)
		}
		d.state = resp.UpgradedState
		d.noChange(d.config(attrs{"name": str("a"), "timeouts": want}))
	}
}

// slowData is a data source with a timeout for its read.
type slowData struct {
	Takes    string
	Timeouts *runtime.ReadTimeout
}

type slowDataOut struct{ Takes string }

func (*slowData) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Read: time.Minute}
}

func (s *slowData) Read(ctx context.Context, _ runtime.NoConfig) (*slowDataOut, error) {
	takes, err := time.ParseDuration(s.Takes)
	if err != nil {
		return nil, err
	}
	w := slowWorld{takes: map[string]time.Duration{"Read": takes}}
	return &slowDataOut{Takes: s.Takes}, w.wait(ctx, "Read")
}

func TestTimeoutOfDataSource(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", DataSources: map[string]runtime.DataSourceRegistration{
		"slow": runtime.MakeDataSource[slowData, *slowDataOut, runtime.NoConfig](),
	}})
	read := func(takes string, limit cty.Value) provider.ReadDataSourceResponse {
		return p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{TypeName: "test_slow", Config: cty.ObjectVal(attrs{
			"takes": str(takes), "timeouts": limit,
		})})
	}
	set := func(s string) cty.Value { return cty.ObjectVal(attrs{"read": str(s)}) }
	null := cty.NullVal(cty.Object(map[string]cty.Type{"read": cty.String}))
	if resp := read("1ms", null); resp.Diagnostics.HasErrors() || !resp.State.GetAttr("timeouts").IsNull() {
		t.Errorf("got %v, want null timeouts and no errors", resp)
	}
	resp := read("1m", set("1ms"))
	wantTimeout(t, resp.Diagnostics, "Reading test_slow took too long", cty.GetAttrPath("timeouts").GetAttr("read"), `timeouts = { read = "2ms" }`)
	if strings.Contains(resp.Diagnostics[0].Detail, "state") {
		t.Errorf("the detail mentions a state, which a data source does not have: %s", resp.Diagnostics[0].Detail)
	}
}
