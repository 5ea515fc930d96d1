package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Fragile is a resource whose methods fail where the test requests it.
type Fragile struct {
	Name  string
	Extra *string

	trouble *trouble
}

type FragileOutput struct {
	Name   string
	Extra  *string
	Text   shaky
	Serial int64
}

type FragileID struct{ Name string }

// trouble configures the failures, and counts the calls of Create and Delete.
type trouble struct {
	create, validate, update, read, locate error

	warning string // which Import adds with Warn

	extra      *string // returned by Update
	text       shaky
	serial     int64
	equivalent bool // EquivalentInput panics
	created    int
	deleted    int
}

// shaky is a text type whose MarshalText can fail.
type shaky string

func (s shaky) MarshalText() ([]byte, error) {
	switch s {
	case "fails":
		return nil, errors.New("no text for this")
	case "panics":
		panic("no text for this")
	}
	return []byte(s), nil
}

func (s *shaky) UnmarshalText(text []byte) error { *s = shaky(text); return nil }

// lostError is an error type whose nil pointer, returned as an error, is not nil; its method Error panics.
type lostError struct{ text string }

func (e *lostError) Error() string { return e.text }

func (*Fragile) SchemaVersion() int      { return 0 }
func (*Fragile) ReplaceFields() []string { return nil }

func (f *Fragile) ValidateInputs(context.Context, runtime.NoConfig) error { return f.trouble.validate }

func (f *Fragile) EquivalentInput(string, Fragile, Fragile) bool {
	if f.trouble.equivalent {
		panic("cannot compare")
	}
	return false
}

func (f *Fragile) output(extra *string) *FragileOutput {
	return &FragileOutput{Name: f.Name, Extra: extra, Text: f.trouble.text, Serial: f.trouble.serial}
}

func (f *Fragile) Create(context.Context, runtime.NoConfig) (*FragileOutput, error) {
	f.trouble.created++
	out := f.output(f.Extra)
	if f.trouble.equivalent {
		out.Name = "another" // so that EquivalentInput is called
	}
	return out, f.trouble.create
}

func (f *Fragile) Read(_ context.Context, _ runtime.NoConfig, prior *FragileOutput) (*FragileOutput, error) {
	f.Name = prior.Name
	return f.output(prior.Extra), f.trouble.read
}

func (f *Fragile) Update(context.Context, runtime.NoConfig, runtime.Prior[Fragile, *FragileOutput]) (*FragileOutput, error) {
	return f.output(f.trouble.extra), f.trouble.update
}

func (f *Fragile) Delete(context.Context, runtime.NoConfig, *FragileOutput) error {
	f.trouble.deleted++
	return f.trouble.update
}

func (f *Fragile) Identity(_ runtime.NoConfig, out *FragileOutput) FragileID {
	_ = f.trouble.serial // the constructor's fields are set
	return FragileID{Name: out.Name}
}

func (f *Fragile) Import(ctx context.Context, _ runtime.NoConfig, id FragileID) (*FragileOutput, error) {
	if f.trouble.warning != "" {
		runtime.Warn(ctx, "", f.trouble.warning, "")
	}
	if f.trouble.locate != nil {
		return nil, f.trouble.locate
	}
	return &FragileOutput{Name: id.Name}, nil
}

func (*Fragile) Moves() []runtime.Move {
	type source struct{ Name string }
	return []runtime.Move{runtime.MoveFrom("acme/old", "old_fragile", func(_ context.Context, old source) (Fragile, *FragileOutput, error) {
		return Fragile{Name: old.Name}, &FragileOutput{Name: old.Name}, nil
	})}
}

func newFragile(t *testing.T) (*trouble, *driver) {
	t.Helper()
	tr := &trouble{}
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"fragile": runtime.MakeResourceWith[Fragile, *FragileOutput, runtime.NoConfig](func() *Fragile { return &Fragile{trouble: tr} }),
	}})
	return tr, newDriver(t, p, "test_fragile")
}

// wantError fails the test unless the text of the diagnostics contains the word.
func wantError(t *testing.T, diags diag.Diagnostics, word string) {
	t.Helper()
	if !strings.Contains(diags.Error(), word) {
		t.Errorf("diagnostics %q do not contain %q", diags.Error(), word)
	}
}

func TestCreatedObjectIsKeptAfterEncodingErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		trouble trouble
		word    string
	}{
		"error of MarshalText":     {trouble{text: "fails"}, "text: Cannot create test_fragile: no text for this"},
		"panic of MarshalText":     {trouble{text: "panics"}, "MarshalText"},
		"panic of EquivalentInput": {trouble{equivalent: true}, "EquivalentInput"},
		"error that is a nil pointer": {
			trouble{create: (*lostError)(nil)}, "The method Create of test_fragile panicked at failure_test.go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr, d := newFragile(t)
			*tr = tt.trouble
			config := d.config(attrs{"name": str("a"), "extra": str("b")})
			wantError(t, d.applyPlan(config, d.plan(config)), tt.word)
			if !d.tainted || d.state.IsNull() || !d.attr("name").RawEquals(str("a")) || !d.attr("extra").RawEquals(str("b")) {
				t.Errorf("after the create: tainted %t, state %s, want true and a state with name a and extra b", d.tainted, show(t, d.state))
			}
			// After a panic of EquivalentInput during a read, the prior state is kept.
			before := d.state
			wantError(t, d.refresh(), "")
			if !d.state.RawEquals(before) && tt.trouble.equivalent {
				t.Errorf("a failed read changed the state to %s", show(t, d.state))
			}
		})
	}
}

func TestFailedUpdateKeepsPendingChanges(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	before := d.config(attrs{"name": str("a"), "extra": str("b")})
	d.apply(before)

	// An output drifts, and its repair fails half-way.
	tr.serial, tr.extra, tr.update = 5, new("b"), errHalfway
	d.refresh()
	wantError(t, d.applyPlan(before, d.plan(before)), "half-way")
	d.refresh()
	if d.plan(before).PlannedState.RawEquals(d.state) {
		t.Error("the drift is not planned again after a failed update")
	}
	// The configuration no longer sets an input, and the update fails before it changes
	// the object.
	after := d.config(attrs{"name": str("a")})
	wantError(t, d.applyPlan(after, d.plan(after)), "half-way")
	if !d.attr("extra").RawEquals(str("b")) {
		t.Errorf("extra is %#v in the state, want the value that the failed update returned", d.attr("extra"))
	}
	tr.update, tr.extra = nil, nil
	d.apply(after)
	d.noChange(after)
}

// TestFailedReplacementForgetsAppliedOutputs checks that an object whose create failed half-way does not
// get the applied outputs of the object that it replaces: if its taint were removed, it would be updated
// with the outputs of a deleted object.
func TestFailedReplacementForgetsAppliedOutputs(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	d.apply(d.config(attrs{"name": str("a")}))
	s.change("a", func(o *ThingOutput) { o.Serial = 50 })
	d.refresh()

	s.fail["Create"] = errHalfway
	config := d.config(attrs{"name": str("b")})
	wantError(t, d.applyPlan(config, d.plan(config)), "half-way")
	if d.state.IsNull() || !d.attr("name").RawEquals(str("b")) {
		t.Fatalf("the new object is not in the state: %s", show(t, d.state))
	}
	if strings.Contains(string(d.private), "applied") {
		t.Errorf("the new object has the applied outputs of the old one: %s", d.private)
	}
	d.tainted = false
	d.noChange(config)
}

func TestFailedDeleteKeepsTheIdentity(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	d.apply(d.config(attrs{"name": str("a")}))
	tr.update = errHalfway
	null := cty.NullVal(d.schema.Body.ImpliedType())
	for _, planned := range []cty.Value{cty.NilVal, cty.NullVal(d.schema.Identity.ImpliedType()), d.identity} {
		resp := d.p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
			TypeName: d.typeName, PriorState: d.state, PlannedState: null, Config: null, PlannedPrivate: d.private, PlannedIdentity: planned,
		})
		wantError(t, resp.Diagnostics, "half-way")
		if resp.NewIdentity == cty.NilVal || !resp.NewIdentity.RawEquals(d.identity) {
			t.Errorf("planned identity %#v: got the new identity %#v, want %#v", planned, resp.NewIdentity, d.identity)
		}
	}
}

func TestApplyRejectsIncompleteRequests(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	config := d.config(attrs{"name": str("a")})
	d.apply(config)
	ty := d.schema.Body.ImpliedType()
	null, unknown := cty.NullVal(ty), cty.UnknownVal(ty)
	unnamed := d.state.AsValueMap()
	unnamed["name"] = cty.UnknownVal(cty.String)
	for name, req := range map[string]provider.ApplyResourceChangeRequest{
		"no planned state":      {PriorState: d.state, Config: config},
		"empty request":         {},
		"unknown planned state": {PriorState: d.state, PlannedState: unknown, Config: config},
		"unknown prior state":   {PriorState: unknown, PlannedState: d.state, Config: config},
		"unknown input":         {PriorState: null, PlannedState: cty.ObjectVal(unnamed), Config: config},
	} {
		req.TypeName = d.typeName
		before := *tr
		resp := d.p.ApplyResourceChange(t.Context(), req)
		if !resp.Diagnostics.HasErrors() || *tr != before {
			t.Errorf("%s: diagnostics %v, created %d, deleted %d, want an error, 0 and 0", name, resp.Diagnostics, tr.created-before.created, tr.deleted-before.deleted)
		}
	}
	resp := d.p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{TypeName: d.typeName, PriorState: null, PlannedState: null, Config: null})
	if resp.Diagnostics.HasErrors() || !resp.NewState.IsNull() {
		t.Errorf("deletion of an absent object: state %#v, diagnostics %v, want null and no errors", resp.NewState, resp.Diagnostics)
	}
}

func TestDeferralKeepsOtherDiagnostics(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	d.caps.DeferralAllowed = true
	config := d.config(attrs{"name": str("a")})
	later, cause := runtime.Defer(provider.DeferredReasonAbsentPrereq), errors.New("the cause")
	for name, tt := range map[string]struct {
		err      error
		deferred bool
		messages int
	}{
		"only a deferral":                  {later, true, 0},
		"deferral and error":               {errors.Join(later, cause), false, 2},
		"deferral and warning":             {errors.Join(diag.AsWarning(cause), later), true, 1},
		"deferral and warning with a path": {diag.WithPath(cty.GetAttrPath("name"), errors.Join(diag.AsWarning(cause), later)), true, 1},
	} {
		tr.validate = tt.err
		plan := d.plan(config)
		if (plan.Deferred != nil) != tt.deferred || len(plan.Diagnostics) != tt.messages {
			t.Errorf("%s: deferred %v, diagnostics %v, want deferred %t and %d diagnostics", name, plan.Deferred, plan.Diagnostics, tt.deferred, tt.messages)
		}
	}
}

// TestRefusedDeferralKeepsText checks that, if the client does not allow deferral, a deferral by
// ValidateInputs is an error with the path and the text of the method's error.
func TestRefusedDeferralKeepsText(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	tr.validate = diag.AttributeErrorf("name", "the rack has no power yet: %w", runtime.Defer(provider.DeferredReasonAbsentPrereq))
	plan := d.plan(d.config(attrs{"name": str("a")}))
	if len(plan.Diagnostics) != 1 || !plan.Diagnostics.HasErrors() || !plan.Diagnostics[0].Path.Equals(cty.GetAttrPath("name")) {
		t.Errorf("diagnostics of the plan: %v, want one error about name", plan.Diagnostics)
	}
	wantError(t, plan.Diagnostics, "the rack has no power yet")
	wantError(t, plan.Diagnostics, "does not allow deferral")
}

func TestImportKeepsWarnings(t *testing.T) {
	t.Parallel()
	tr, d := newFragile(t)
	tr.read = diag.AsWarning(errors.New("seen while reading"))
	resp := d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"})
	if resp.Diagnostics.HasErrors() || len(resp.ImportedResources) != 1 {
		t.Errorf("import with a warning: %d objects, diagnostics %v, want 1 and no errors", len(resp.ImportedResources), resp.Diagnostics)
	}
	wantError(t, resp.Diagnostics, "seen while reading")

	// The object does not exist, and Import has added a warning with Warn.
	tr.read, tr.warning = runtime.ErrNotFound, "added while looking"
	resp = d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"})
	wantError(t, resp.Diagnostics, "added while looking")
	wantError(t, resp.Diagnostics, "to import")

	// Import returns a warning, but no outputs.
	tr.locate = diag.AsWarning(errors.New("seen while looking"))
	resp = d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"})
	wantError(t, resp.Diagnostics, "seen while looking")
	wantError(t, resp.Diagnostics, "the method Import returned neither")
}

func TestMoveKeepsFieldsOfTheConstructor(t *testing.T) {
	t.Parallel()
	_, d := newFragile(t)
	resp := d.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		TargetTypeName: d.typeName, SourceTypeName: "old_fragile", SourceProviderAddress: "registry.terraform.io/acme/old", SourceStateJSON: []byte(`{"name":"a"}`),
	})
	if resp.Diagnostics.HasErrors() || !resp.TargetIdentity.RawEquals(cty.ObjectVal(attrs{"name": str("a")})) {
		t.Errorf("move: identity %#v, diagnostics %v, want the name a and no errors", resp.TargetIdentity, resp.Diagnostics)
	}
}

func TestEmptyStoredData(t *testing.T) {
	t.Parallel()
	_, d := newFragile(t)
	resp := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{TypeName: d.typeName})
	wantError(t, resp.Diagnostics, "no stored state")

	d.apply(d.config(attrs{"name": str("a")}))
	d.private = []byte(`{"applied":null}`)
	d.noChange(d.config(attrs{"name": str("a")}))
}

// TestForeignPrivateData checks that private data in another form, such as that of the library
// with which a type was built before, is dropped.
func TestForeignPrivateData(t *testing.T) {
	t.Parallel()
	for name, private := range map[string]string{
		"other meaning of a key": `{"data":"eyJhIjoxfQ==","applied":"e30="}`,
		"no JSON":                "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, d := newThing(t)
			d.apply(d.config(attrs{"name": str("a")}))
			d.private = []byte(private)
			d.apply(d.config(attrs{"name": str("a"), "color": str("blue")})) // without a refresh
			d.private = []byte(private)
			d.noChange(d.config(attrs{"name": str("a"), "color": str("blue")}))
			if d.private == nil || len(d.private) > 0 {
				t.Errorf("private data is %#v, want []byte{}", d.private)
			}
			d.private = []byte(private)
			d.destroy()
		})
	}
}

func TestAppliedOutputsOfAnOlderSchema(t *testing.T) {
	t.Parallel()
	s, d := newThing(t)
	config := d.config(attrs{"name": str("a")})
	d.apply(config)
	s.change("a", func(o *ThingOutput) { o.Serial = 50 })
	d.refresh()
	d.private = []byte(strings.Replace(string(d.private), `"applied":{`, `"applied":{"dropped":[1],`, 1))
	if d.plan(config).PlannedState.GetAttr("serial").IsKnown() {
		t.Error("the drift is not planned if the private data has an attribute that the schema dropped")
	}
}

// Marker is a resource whose ModifyResourcePlan marks an output that does not exist.
type Marker struct{ Occasion }

func (m *Marker) Update(context.Context, runtime.NoConfig, runtime.Prior[Marker, *OccasionOut]) (*OccasionOut, error) {
	return &OccasionOut{m.Name}, nil
}

func (*Marker) ModifyResourcePlan(_ runtime.ResourcePlanRequest[Marker, *OccasionOut, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	resp.MarkOutputUnknown("serail")
	return nil
}

func TestMarkOfUnknownOutput(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"marker": runtime.MakeResourceWith[Marker, *OccasionOut, runtime.NoConfig](func() *Marker { return &Marker{Occasion{saw: new([]bool)}} }),
	}}), "test_marker")
	d.apply(d.config(attrs{"name": str("a")}))
	wantError(t, d.plan(d.config(attrs{"name": str("a"), "extra": str("b")})).Diagnostics, `MarkOutputUnknown names "serail"`)
}

// TestFirstReadAfterMoveIsNotDrift checks that the first read after a move sets the
// values that the provider chooses. These do not count as drift: if they did, the private
// data would contain the whole object a second time.
func TestFirstReadAfterMoveIsNotDrift(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	config := d.config(attrs{"name": str("a")})
	d.apply(config)
	moved := d.state.AsValueMap()
	moved["size"] = cty.NullVal(cty.Number)
	d.state = cty.ObjectVal(moved)
	d.noChange(config)
	if !d.attr("size").RawEquals(num(1)) || strings.Contains(string(d.private), "applied") {
		t.Errorf("size is %#v, private data %s, want 1 and no applied outputs", d.attr("size"), d.private)
	}
}
