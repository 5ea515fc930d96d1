package runtime_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func newThing(t *testing.T) (*store, *driver) {
	t.Helper()
	s := newStore()
	return s, newDriver(t, s.provider(t), "test_thing")
}

func TestDefaultsAndChosenValues(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a")})
	plan := d.apply(config)
	if got := plan.PlannedState.GetAttr("color"); !got.RawEquals(str("Red")) {
		t.Errorf("color is planned as %#v, want the default Red", got)
	}
	if plan.PlannedState.GetAttr("size").IsKnown() {
		t.Error("a value that the provider chooses is known before create")
	}
	if got := d.attr("size"); !got.RawEquals(num(1)) {
		t.Errorf("size in the state is %#v, want 1, the value that the provider chose", got)
	}
	for _, name := range []string{"shape", "labels", "note", "secret"} {
		if !d.attr(name).IsNull() {
			t.Errorf("%s, which is not configured, is %#v, want null", name, d.attr(name))
		}
	}
	d.noChange(config)

	// A value that the provider chooses follows the real value.
	s.change("a", func(o *ThingOutput) { o.Size = 9 })
	d.noChange(config)
	if got := d.attr("size"); !got.RawEquals(num(9)) {
		t.Errorf("size is %#v, want the real value 9", got)
	}
	// An attribute that is not configured stays null, whatever its real value is.
	s.change("a", func(o *ThingOutput) { o.Shape = new(string) })
	d.noChange(config)

	// A default counts as configured: drift from it is repaired.
	s.change("a", func(o *ThingOutput) { o.Color = "blue" })
	d.refresh()
	if plan := d.apply(config); !plan.PlannedState.GetAttr("color").RawEquals(str("Red")) {
		t.Error("drift from a default does not plan the default")
	}
	if s.things["a"].Color != "Red" {
		t.Errorf("color is %s, want Red", s.things["a"].Color)
	}
}

func TestEquivalentInputsKeepPriorValue(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a"), "color": str("green")})
	d.apply(config)

	// An equivalent real value is not drift.
	s.change("a", func(o *ThingOutput) { o.Color = "GREEN" })
	d.noChange(config)
	// An equivalent configured value is not a change; the plan keeps the prior value.
	d.noChange(d.config(attrs{"name": str("a"), "color": str("Green")}))
	if got := d.attr("color"); !got.RawEquals(str("green")) {
		t.Errorf("color in the state is %#v, want green", got)
	}
	// The plan also keeps the prior value while another input is unknown: an apply must not change a planned value.
	plan := d.plan(d.config(attrs{"name": str("a"), "color": str("Green"), "note": cty.UnknownVal(cty.String)}))
	if got := plan.PlannedState.GetAttr("color"); !got.RawEquals(str("green")) {
		t.Errorf("with unknown inputs, color is planned as %#v, want green", got)
	}
	// A real change is planned, and keeps the outputs that it does not affect.
	plan = d.apply(d.config(attrs{"name": str("a"), "color": str("blue")}))
	if plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("serial, which ModifyResourcePlan marks as unknown, is known in the plan")
	}
	if !plan.PlannedState.GetAttr("size").IsKnown() {
		t.Error("size, which ModifyResourcePlan does not mark as unknown, is unknown in the plan")
	}
}

func TestDriftOfOutputs(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a")})
	d.apply(config)
	if d.private == nil || strings.Contains(string(d.private), "applied") {
		t.Errorf("private data is %s, want only the data of the resource", d.private)
	}
	d.noChange(config) // age is volatile: it changes with each read and is not drift

	s.change("a", func(o *ThingOutput) { o.Serial = 50 })
	for range 2 { // a second refresh must keep the applied value
		if diags := d.refresh(); diags.HasErrors() {
			t.Fatal(diags)
		}
	}
	if got := d.attr("serial"); !got.RawEquals(num(50)) {
		t.Errorf("the state has serial %#v, want the current value 50", got)
	}
	plan := d.plan(config)
	if plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("a drifted output is known in the plan")
	}
	if !plan.PlannedState.GetAttr("size").IsKnown() {
		t.Error("an output that did not drift is unknown")
	}
	if diags := d.plan(d.config(attrs{"name": str("a"), "note": str("warn")})).Diagnostics; len(diags) != 1 || diags[0].Detail != "Serial was 1 and is 50." {
		t.Errorf("warnings of ModifyResourcePlan: %v, want one warning about the serials 1 and 50", diags)
	}
	d.applyPlan(config, plan)
	if want := "applied serial 1, observed 50"; !slices.Contains(s.calls, want) {
		t.Errorf("Update was not called with %q, calls %q", want, s.calls)
	}
	if strings.Contains(string(d.private), "applied") {
		t.Errorf("private data still has applied outputs: %s", d.private)
	}

	// After drift that disappears by itself, no applied outputs are stored.
	was := s.things["a"].Serial
	s.change("a", func(o *ThingOutput) { o.Serial = 60 })
	d.refresh()
	s.change("a", func(o *ThingOutput) { o.Serial = was })
	d.noChange(config)
	if strings.Contains(string(d.private), "applied") {
		t.Errorf("private data still has applied outputs: %s", d.private)
	}
}

func TestKeepOutputIgnoresDrift(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a"), "note": str("keep")})
	d.apply(config)
	s.change("a", func(o *ThingOutput) { o.Serial = 50 })
	for range 2 {
		d.noChange(config)
	}
	// Another change is planned as if there had been no drift.
	if plan := d.plan(d.config(attrs{"name": str("a"), "note": str("keep"), "shape": str("round")})); !plan.PlannedState.GetAttr("serial").RawEquals(num(50)) {
		t.Errorf("serial is planned as %#v, want the current value 50", plan.PlannedState.GetAttr("serial"))
	}
	// Without KeepOutput, the same difference is drift from the applied value.
	if plan := d.plan(d.config(attrs{"name": str("a")})); plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("a drifted output is known in the plan")
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	d.apply(d.config(attrs{"name": str("a")}))
	plan := d.apply(d.config(attrs{"name": str("b")}))
	if len(plan.RequiresReplace) != 1 || !plan.RequiresReplace[0].Equals(cty.GetAttrPath("name")) {
		t.Errorf("RequiresReplace is %v, want name", plan.RequiresReplace)
	}
	if plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("an output of the new object is known in the first plan of a replacement")
	}
	if _, ok := s.things["a"]; ok {
		t.Error("the old object still exists")
	}
	// The deletion gets the private data of the old object.
	if !slices.Contains(s.calls, "Delete by Create") {
		t.Errorf("Delete was not called with the private data of Create, calls %q", s.calls)
	}
	// An unknown replace field plans a replacement too.
	plan = d.plan(d.config(attrs{"name": cty.UnknownVal(cty.String)}))
	if len(plan.RequiresReplace) != 1 || !plan.RequiresReplace[0].Equals(cty.GetAttrPath("name")) {
		t.Errorf("RequiresReplace is %v for an unknown name, want name", plan.RequiresReplace)
	}
}

func TestUnknownInputs(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	unknown := d.config(attrs{"name": str("a"), "color": cty.UnknownVal(cty.String)})
	plan := d.plan(unknown)
	if slices.Contains(s.calls, "ValidateInputs") {
		t.Error("ValidateInputs ran with unknown inputs")
	}
	known := d.config(attrs{"name": str("a"), "color": str("blue")})
	final := d.plan(known)
	if got := len(plan.Diagnostics) + len(final.Diagnostics); got != 0 {
		t.Error(plan.Diagnostics, final.Diagnostics)
	}
	d.applyPlan(known, final)
	// On an update with unknown inputs all outputs are unknown, because ModifyResourcePlan
	// is not called.
	plan = d.plan(unknown)
	for _, name := range []string{"color", "serial", "age", "size"} {
		if plan.PlannedState.GetAttr(name).IsKnown() {
			t.Errorf("%s is known while inputs are not", name)
		}
	}
}

func TestValidateInputs(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	d.apply(d.config(attrs{"name": str("a")}))
	s.calls = nil
	d.noChange(d.config(attrs{"name": str("a")}))
	d.destroy()
	if slices.Contains(s.calls, "ValidateInputs") {
		t.Error("ValidateInputs ran for a no-op or a destroy")
	}
	plan := d.plan(d.config(attrs{"name": str("a"), "color": str("ultraviolet")}))
	if want := "nobody can see ultraviolet"; plan.Diagnostics.Err() == nil || plan.Diagnostics[0].Detail != want {
		t.Errorf("diagnostics %v, want %q", plan.Diagnostics, want)
	}
	// During apply, ValidateInputs runs before Create.
	plan = d.plan(d.config(attrs{"name": str("a"), "color": cty.UnknownVal(cty.String)}))
	bad := d.config(attrs{"name": str("a"), "color": str("ultraviolet")})
	planned := plan.PlannedState.AsValueMap()
	planned["color"] = str("ultraviolet")
	plan.PlannedState = cty.ObjectVal(planned)
	if diags := d.applyPlan(bad, plan); !diags.HasErrors() || slices.Contains(s.calls, "Create") {
		t.Errorf("apply with invalid inputs: %v, calls %q, want an error and no Create", diags, s.calls)
	}
}

func TestWriteOnly(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a"), "secret": str("hush"), "secret_no": num(1)})
	plan := d.apply(config)
	if s.secret["a"] != "hush" {
		t.Errorf("Create got the secret %q, want hush", s.secret["a"])
	}
	if !plan.PlannedState.GetAttr("secret").IsNull() || !d.attr("secret").IsNull() {
		t.Error("a write-only value was stored")
	}
	// A new write-only value is not a change; a new value of its version attribute is.
	d.noChange(d.config(attrs{"name": str("a"), "secret": str("other"), "secret_no": num(1)}))
	d.apply(d.config(attrs{"name": str("a"), "secret": str("other"), "secret_no": num(2)}))
	if s.secret["a"] != "other" {
		t.Errorf("Update got the secret %q, want other", s.secret["a"])
	}
	// An ephemeral value may be unknown during plan; that is not a change.
	d.noChange(d.config(attrs{"name": str("a"), "secret": cty.UnknownVal(cty.String), "secret_no": num(2)}))

	d.caps.WriteOnlyAttributesAllowed = false
	if diags := d.validate(config); !diags.HasErrors() || !diags[0].Path.Equals(cty.GetAttrPath("secret")) {
		t.Errorf("diagnostics for a client without write-only attributes: %v, want an error about secret", diags)
	}
}

func TestFailuresKeepTheState(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a")})

	s.fail["Create"] = errors.New("no room")
	if diags := d.applyPlan(config, d.plan(config)); !diags.HasErrors() || !d.state.IsNull() {
		t.Errorf("state after a create that failed without outputs: %#v (%v), want null", d.state, diags)
	}
	// Create fails half-way: the object is stored, and the client taints it.
	s.fail["Create"] = errHalfway
	diags := d.applyPlan(config, d.plan(config))
	if !diags.HasErrors() || d.state.IsNull() || !d.tainted || d.private == nil {
		t.Fatalf("a create that failed half-way: state %#v, tainted %t, private data %q (%v), want an error and a tainted object with private data", d.state, d.tainted, d.private, diags)
	}
	if got, want := diags[0].Detail, "stopped half-way"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
	delete(s.fail, "Create")
	d.apply(config)
	d.noChange(config)

	// The response of a failed create that replaces an object has nothing of the
	// replaced object.
	s.fail["Create"] = errors.New("no room")
	none, other := cty.NullVal(d.schema.Body.ImpliedType()), d.config(attrs{"name": str("b")})
	plan := d.planFrom(none, other, d.private, d.identity)
	resp := d.p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: none, PlannedState: plan.PlannedState, Config: other,
		PlannedPrivate: d.private, PlannedIdentity: d.identity,
	})
	if !resp.Diagnostics.HasErrors() || resp.Private != nil || resp.NewIdentity != cty.NilVal {
		t.Errorf("response of a failed create: private data %q, identity %#v (%v), want only an error", resp.Private, resp.NewIdentity, resp.Diagnostics)
	}
	delete(s.fail, "Create")

	// A failed update records the changes that it made; the next plan has the others.
	s.fail["Update"] = errHalfway
	next := d.config(attrs{"name": str("a"), "color": str("blue"), "note": str("new")})
	if diags := d.applyPlan(next, d.plan(next)); !diags.HasErrors() {
		t.Fatal("no error")
	}
	if !d.attr("color").RawEquals(str("blue")) || !d.attr("note").IsNull() {
		t.Errorf("state after an update that failed half-way: %s, want the color blue and no note", show(t, d.state))
	}
	s.fail["Update"] = errors.New("nothing done")
	before := d.state
	if d.applyPlan(next, d.plan(next)); !d.state.RawEquals(before) {
		t.Errorf("a failed update changed the state to %s", show(t, d.state))
	}
	delete(s.fail, "Update")
	d.apply(next)
	d.noChange(next)

	// A failed Read or Delete changes nothing.
	s.fail["Read"] = errors.New("no answer")
	before = d.state
	if diags := d.refresh(); !diags.HasErrors() || !d.state.RawEquals(before) {
		t.Errorf("state after a failed read: %s (%v), want the prior state and an error", show(t, d.state), diags)
	}
	s.fail["Delete"] = errors.New("in use")
	if diags := d.destroyWith(d.private); !diags.HasErrors() || d.state.IsNull() {
		t.Errorf("a failed delete: state %s (%v), want the object and an error", show(t, d.state), diags)
	}
}

func TestPanicsBecomeOneDiagnostic(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Create", "Read", "Update", "ValidateInputs"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s, d := newThing(t)
			config := d.config(attrs{"name": str("a")})
			if method != "Create" && method != "ValidateInputs" {
				d.apply(config)
			}
			before := d.state
			s.panics = method
			diags := d.refresh()
			if !diags.HasErrors() {
				before = d.state
				next := d.config(attrs{"name": str("a"), "color": str("blue")})
				plan := d.plan(next)
				if diags = plan.Diagnostics; !diags.HasErrors() {
					diags = d.applyPlan(next, plan)
				}
			}
			if len(diags) != 1 || diags[0].Severity != diag.Error {
				t.Fatalf("diagnostics %v, want one error", diags)
			}
			for _, word := range []string{method, "test_thing", "nil pointer"} {
				if !strings.Contains(diags[0].Detail, word) {
					t.Errorf("the message does not contain %q: %s", word, diags[0].Detail)
				}
			}
			if !d.state.RawEquals(before) {
				t.Errorf("the panic changed the state")
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	d.apply(d.config(attrs{"name": str("a")}))
	config := d.config(attrs{"name": str("a"), "note": str("warn")})
	plan := d.plan(config)
	if len(plan.Diagnostics) != 1 || plan.Diagnostics[0].Severity != diag.Warning || plan.Diagnostics[0].Summary != "A note" {
		t.Errorf("plan: %v", plan.Diagnostics)
	}
	diags := d.applyPlan(config, plan)
	if len(diags) != 1 || diags[0].Severity != diag.Warning || diags[0].Detail != "In Update." {
		t.Errorf("apply: %v", diags)
	}
}

func TestUnknownType(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	d.typeName = "test_nothing"
	config := d.config(nil)
	for name, diags := range map[string]diag.Diagnostics{
		"validate": d.validate(config),
		"plan":     d.plan(config).Diagnostics,
		"apply":    d.applyPlan(config, provider.PlanResourceChangeResponse{PlannedState: config}),
		"import":   d.imports("x", cty.NilVal),
	} {
		if !diags.HasErrors() || !strings.Contains(diags[0].Detail, `"test_nothing"`) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
