package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Job is a resource without a plan modifier, for cases that Thing cannot cover.
type Job struct {
	Title   string
	Queue   *string
	Topic   *string
	User    *string
	Token   *string
	Retries int    // has a default, and is not an output
	Wish    string `tf:",optional"`
}

type JobOut struct {
	Title string
	Queue *string
	Runs  int64
}

type JobID struct{ Title string }

func (*Job) SchemaVersion() int                             { return 0 }
func (*Job) ReplaceFields() []string                        { return []string{"queue"} }
func (j *Job) Defaults()                                    { j.Retries = 3 }
func (*Job) Identity(_ runtime.NoConfig, out *JobOut) JobID { return JobID{out.Title} }
func (*Job) MutableIdentity() bool                          { return true }
func (*Job) IdentityVersion() int                           { return 1 }
func (*Job) Delete(context.Context, runtime.NoConfig, *JobOut) error {
	return fmt.Errorf("job: %w", runtime.ErrNotFound)
}

func (*Job) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.ExactlyOneOf("queue", "topic"), runtime.RequiredTogether("user", "token")}
}

func (*Job) IdentityMigrations() []runtime.Migration {
	type named struct{ Name string }
	return []runtime.Migration{runtime.Migrate(0, func(_ context.Context, old named) (JobID, error) {
		return JobID{Title: old.Name}, nil
	})}
}

func (*Job) Moves() []runtime.Move {
	type task struct{ Label string }
	return []runtime.Move{runtime.MoveFrom("", "test_task", func(_ context.Context, old task) (Job, *JobOut, error) {
		queue := "q"
		return Job{Title: old.Label, Queue: &queue}, &JobOut{Title: old.Label, Queue: &queue, Runs: 1}, nil
	})}
}

func (j *Job) ValidateInputs(context.Context, runtime.NoConfig) error {
	if j.Wish == "advice" {
		return diag.AsWarning(errors.New("better not"))
	}
	return nil
}

func (j *Job) Create(ctx context.Context, _ runtime.NoConfig) (*JobOut, error) {
	if j.Wish == "panic" {
		panic("the password is hush")
	}
	private := runtime.Private(ctx)
	private.Set("created", []byte("yes"))
	return &JobOut{j.Title, j.Queue, 1}, nil
}

func (j *Job) Read(_ context.Context, _ runtime.NoConfig, prior *JobOut) (*JobOut, error) {
	out := *prior
	out.Runs = 1
	return &out, nil
}

func (j *Job) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Job, *JobOut]) (*JobOut, error) {
	private := runtime.Private(ctx)
	private.Set("updated", []byte("yes"))
	if j.Wish == "forget" {
		private.Set("updated", nil)
		private.Set("created", nil)
	}
	return &JobOut{j.Title, j.Queue, 1}, nil
}

func newJob(t *testing.T) *driver {
	t.Helper()
	return newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"job": runtime.MakeResource[Job, *JobOut, runtime.NoConfig](),
	}}), "test_job")
}

func TestUpdateWithoutPlanModifier(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q")}))
	plan := d.plan(d.config(attrs{"title": str("a"), "queue": str("q"), "wish": str("x")}))
	if plan.PlannedState.GetAttr("runs").IsKnown() {
		t.Error("an output is known in the plan of an update without a plan modifier")
	}
	if !plan.PlannedState.GetAttr("retries").IsKnown() {
		t.Error("the input retries is unknown in the plan of an update without a plan modifier")
	}
}

func TestDeleteOfAbsentObject(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q")}))
	d.destroy()
	if !d.state.IsNull() {
		t.Error("the deleted object is still in the state")
	}
}

func TestReplacementIsIndependentOfOldObject(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q")}))
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q"), "wish": str("x")}))
	next := d.config(attrs{"title": str("a"), "queue": str("other")})
	first := d.plan(next)
	if first.PlannedState.GetAttr("runs").IsKnown() {
		t.Error("an output of the new object is known in the first plan of a replacement")
	}
	second := d.planFrom(cty.NullVal(d.state.Type()), next, first.PlannedPrivate, first.PlannedIdentity)
	if id := second.PlannedIdentity; id != cty.NilVal && !id.IsNull() {
		t.Errorf("the planned identity of the new object is that of the old one: %#v", id)
	}
	if !strings.Contains(string(second.PlannedPrivate), "updated") {
		t.Error("the private data of the old object is not planned for its deletion")
	}
	d.applyPlan(next, first)
	if private := string(d.private); !strings.Contains(private, "created") || strings.Contains(private, "updated") {
		t.Errorf("private data of the new object: %s, want that of its create", private)
	}
}

func TestPrivateDataCanBeRemoved(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q")}))
	d.apply(d.config(attrs{"title": str("a"), "queue": str("q"), "wish": str("forget")}))
	if len(d.private) != 0 {
		t.Errorf("private data is %s, want none", d.private)
	}
}

func TestPanicErrorHasNoValue(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	config := d.config(attrs{"title": str("a"), "queue": str("q"), "wish": str("panic")})
	diags := d.applyPlan(config, d.plan(config))
	if !diags.HasErrors() || strings.Contains(diags.Error(), "hush") || !strings.Contains(diags.Error(), "Create of test_job") {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestWarningOfValidation(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	config := d.config(attrs{"title": str("a"), "queue": str("q"), "wish": str("advice")})
	plan := d.plan(config)
	if len(plan.Diagnostics) != 1 || plan.Diagnostics[0].Severity != diag.Warning {
		t.Errorf("plan: %v", plan.Diagnostics)
	}
	if diags := d.applyPlan(config, plan); len(diags) != 0 {
		t.Errorf("diagnostics of the apply: %v, want none", diags)
	}
}

func TestWarningsAndErrors(t *testing.T) {
	t.Parallel()
	_, d := newThing(t)
	d.apply(d.config(attrs{"name": str("a")}))
	diags := d.plan(d.config(attrs{"name": str("a"), "note": str("warn"), "color": str("ultraviolet")})).Diagnostics
	if len(diags) != 2 || diags[0].Severity != diag.Warning || diags[1].Severity != diag.Error {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	for name, tt := range map[string]struct {
		set  attrs
		want map[string]string // words of the error by path
	}{
		"one of exactly one":                {attrs{"queue": str("q")}, nil},
		"none of exactly one":               {attrs{}, map[string]string{"": "One of queue and topic must be set"}},
		"two of exactly one":                {attrs{"queue": str("q"), "topic": str("t")}, map[string]string{"topic": "queue is already set"}},
		"one of exactly one, other unknown": {attrs{"queue": str("q"), "topic": unknown}, nil},
		"unknown one of exactly one":        {attrs{"queue": unknown}, nil},
		"one of a pair":                     {attrs{"queue": str("q"), "user": str("u")}, map[string]string{"token": "must be set too when user is set"}},
		"both of a pair":                    {attrs{"queue": str("q"), "user": str("u"), "token": str("t")}, nil},
		"one of a pair, other unknown":      {attrs{"queue": str("q"), "user": str("u"), "token": unknown}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newJob(t)
			tt.set["title"] = str("a")
			diags := d.validate(d.config(tt.set))
			if len(diags) != len(tt.want) {
				t.Fatalf("diagnostics %v", diags)
			}
			for _, m := range diags {
				if want := tt.want[diag.FormatPath(m.Path)]; want == "" || !strings.Contains(m.Detail, want) {
					t.Errorf("unexpected %v", m)
				}
			}
		})
	}
	if text := newJob(t).schema.Body.Attributes["queue"].Description; !strings.Contains(text, "Exactly one of `queue` or `topic`") {
		t.Errorf("the description is %q, want a sentence about exactly one of queue and topic", text)
	}
}

func TestImportSetsDefaults(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	if diags := d.imports("a", cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := d.attr("retries"); !got.RawEquals(num(3)) {
		t.Errorf("retries is %#v, want its default, 3", got)
	}
}

func TestMoveFromAnOldName(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	move := func(address string) provider.MoveResourceStateResponse {
		return d.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
			SourceProviderAddress: address, SourceTypeName: "test_task", SourceStateJSON: []byte(`{"label":"a"}`), TargetTypeName: d.typeName,
		})
	}
	resp := move("registry.terraform.io/acme/test")
	if resp.Diagnostics.HasErrors() {
		t.Fatal(resp.Diagnostics)
	}
	d.state, d.private, d.identity = resp.TargetState, resp.TargetPrivate, resp.TargetIdentity
	d.noChange(d.config(attrs{"title": str("a"), "queue": str("q")}))
	if resp := move("registry.terraform.io/acme/other"); !resp.Diagnostics.HasErrors() {
		t.Error("an object of another provider was moved as an object of this provider")
	}
}

func TestIdentityMigration(t *testing.T) {
	t.Parallel()
	d := newJob(t)
	resp := d.p.UpgradeResourceIdentity(t.Context(), provider.UpgradeResourceIdentityRequest{
		TypeName: d.typeName, Version: 0, RawIdentityJSON: []byte(`{"name":"a"}`),
	})
	if want := cty.ObjectVal(attrs{"title": str("a")}); resp.Diagnostics.HasErrors() || !resp.UpgradedIdentity.RawEquals(want) {
		t.Errorf("%#v (%v)", resp.UpgradedIdentity, resp.Diagnostics)
	}
	mutable, ok := d.p.(interface{ MutableIdentity(typeName string) bool })
	if !ok || !mutable.MutableIdentity("test_job") || mutable.MutableIdentity("test_nothing") {
		t.Error("MutableIdentity is missing, or does not return true for test_job only")
	}
}
