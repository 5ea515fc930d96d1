package authoring_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/states"
)

// kept is a resource without mistakes that exists only in the state. The types below embed
// it and add one mistake each.
type kept[In any] struct {
	Name string
	Note *string
}

type keptOutput struct {
	Name   string
	Note   *string
	Serial int64
}

func (k *kept[In]) Create(context.Context, runtime.NoConfig) (*keptOutput, error) {
	return &keptOutput{Name: k.Name, Note: k.Note, Serial: 1}, nil
}

func (*kept[In]) Read(_ context.Context, _ runtime.NoConfig, prior *keptOutput) (*keptOutput, error) {
	return prior, nil
}

func (k *kept[In]) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[In, *keptOutput]) (*keptOutput, error) {
	return &keptOutput{Name: k.Name, Note: k.Note, Serial: prior.Outputs.Serial + 1}, nil
}

func (*kept[In]) Delete(context.Context, runtime.NoConfig, *keptOutput) error { return nil }

type (
	panicInCheck  struct{ kept[panicInCheck] }
	wrongPath     struct{ kept[wrongPath] }
	wrongInput    struct{ kept[wrongInput] }
	plannedTypo   struct{ kept[plannedTypo] }
	plannedType   struct{ kept[plannedType] }
	normalised    struct{ kept[normalised] }
	noObject      struct{ kept[noObject] }
	panicInCreate struct{ kept[panicInCreate] }
	otherOutput   struct{ kept[otherOutput] }
	emptyIdentity struct{ kept[emptyIdentity] }
	markedTypo    struct{ kept[markedTypo] }
	unmarked      struct{ kept[unmarked] }
	newIdentity   struct{ kept[newIdentity] }
	unread        struct{ kept[unread] }
	counter       struct{ kept[counter] }
)

func (*panicInCheck) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Check("name", "", func(name string) error {
		if name[5] == '.' {
			return fmt.Errorf("%q has a dot", name)
		}
		return nil
	})}
}

func (*wrongPath) ValidateInputs(context.Context, runtime.NoConfig) error {
	return diag.AttributeErrorf("title", "the name is taken")
}

func (*wrongInput) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error {
	if runtime.Configured(ctx, "title") {
		runtime.Warn(ctx, "name", "Two names", "The title is used.")
	}
	return nil
}

func (*plannedTypo) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	plan.Set("serail", int64(1))
	return nil
}

func (*plannedType) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	plan.Set("serial", 1)
	return nil
}

func (n *normalised) Create(context.Context, runtime.NoConfig) (*keptOutput, error) {
	return &keptOutput{Name: strings.ToLower(n.Name), Note: n.Note, Serial: 1}, nil
}

func (*noObject) Create(context.Context, runtime.NoConfig) (*keptOutput, error) {
	return nil, nil
}

func (p *panicInCreate) Create(context.Context, runtime.NoConfig) (*keptOutput, error) {
	return &keptOutput{Name: p.Name, Note: p.Note, Serial: int64(len(strings.Split(p.Name, "-")[1]))}, nil
}

func (*otherOutput) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	plan.Set("serial", int64(7))
	return nil
}

type identity struct{ Name string }

func (*emptyIdentity) Identity(runtime.NoConfig, *keptOutput) identity { return identity{} }

func (*markedTypo) ModifyResourcePlan(_ runtime.ResourcePlanRequest[markedTypo, *keptOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	resp.MarkOutputUnknown("serail")
	return nil
}

func (*unmarked) ModifyResourcePlan(runtime.ResourcePlanRequest[unmarked, *keptOutput, runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return nil
}

func (*newIdentity) Identity(_ runtime.NoConfig, out *keptOutput) identity {
	return identity{fmt.Sprint(out.Name, out.Serial)}
}

func (*unread) Read(_ context.Context, _ runtime.NoConfig, prior *keptOutput) (*keptOutput, error) {
	return &keptOutput{Name: prior.Name, Serial: prior.Serial}, nil
}

func (*counter) Read(_ context.Context, _ runtime.NoConfig, prior *keptOutput) (*keptOutput, error) {
	return &keptOutput{Name: prior.Name, Note: prior.Note, Serial: prior.Serial + 1}, nil
}

// lateMistakes returns provider definitions with the mistakes that New cannot find, by the names of the
// mistakes in docs/mistakes.md.
func lateMistakes() map[string]runtime.Definition {
	return map[string]runtime.Definition{
		"a panic in a constraint":                                one(runtime.MakeResource[panicInCheck, *keptOutput, runtime.NoConfig]()),
		"an error about an attribute that does not exist":        one(runtime.MakeResource[wrongPath, *keptOutput, runtime.NoConfig]()),
		"an unknown attribute in `Configured`":                   one(runtime.MakeResource[wrongInput, *keptOutput, runtime.NoConfig]()),
		"a misspelt output in `PlanOutputs`":                     one(runtime.MakeResource[plannedTypo, *keptOutput, runtime.NoConfig]()),
		"a planned output of another Go type":                    one(runtime.MakeResource[plannedType, *keptOutput, runtime.NoConfig]()),
		"`Create` returns a value other than the configured one": one(runtime.MakeResource[normalised, *keptOutput, runtime.NoConfig]()),
		"`Create` returns neither an object nor an error":        one(runtime.MakeResource[noObject, *keptOutput, runtime.NoConfig]()),
		"a panic in `Create`":                                    one(runtime.MakeResource[panicInCreate, *keptOutput, runtime.NoConfig]()),
		"an output that differs from the planned one":            one(runtime.MakeResource[otherOutput, *keptOutput, runtime.NoConfig]()),
		"an empty identity":                                      one(runtime.MakeResource[emptyIdentity, *keptOutput, runtime.NoConfig]()),
		"a misspelt output in `ModifyResourcePlan`":              one(runtime.MakeResource[markedTypo, *keptOutput, runtime.NoConfig]()),
		"an output that changes and is not marked":               one(runtime.MakeResource[unmarked, *keptOutput, runtime.NoConfig]()),
		"an identity that changes":                               one(runtime.MakeResource[newIdentity, *keptOutput, runtime.NoConfig]()),
		"`Read` does not return a configured attribute":          one(runtime.MakeResource[unread, *keptOutput, runtime.NoConfig]()),
		"an output that changes by itself and is not `volatile`": one(runtime.MakeResource[counter, *keptOutput, runtime.NoConfig]()),
	}
}

// report is the first report of a mistake: the step that reports it, and the first line of
// the text.
type report struct{ when, text string }

// position matches the place of a mistake in Go code.
var position = regexp.MustCompile(`\S+\.go:\d+(:\d+)?`)

func newReport(when, text string) report {
	text, _, _ = strings.Cut(text, "\n")
	return report{when, position.ReplaceAllString(strings.ReplaceAll(text, "authoring_test.", ""), "record.go:12")}
}

// firstReport returns the first report of a mistake in a provider: by New, by a run that
// creates and updates an object, or by the conformance test. Without a report, when is
// "never".
func firstReport(t *testing.T, def runtime.Definition) report {
	t.Helper()
	if _, err := runtime.New(def); err != nil {
		return newReport("`New`", err.Error())
	}
	build := func(context.Context) (provider.Interface, error) {
		p, err := runtime.New(def)
		return guard.Wrap(p), err
	}
	if r := runReport(t, build); r.when != "" {
		return r
	}
	found, err := conformance.Find(t.Context(), conformance.Options{
		Provider: build, Seed: 1, Runs: 30, Types: map[string]conformance.Type{"zone_it": {Logical: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) == 0 {
		return newReport("never", "")
	}
	f := found.Findings[0]
	text := fmt.Sprintf("zone_it breaks the law %q (%s)", f.Law.Text, f.Law.ID)
	return newReport("the conformance test", text)
}

// runReport returns the report of the first step that fails in a run that creates and then
// updates an object, or the zero report.
func runReport(t *testing.T, build engine.Factory) report {
	t.Helper()
	state := states.NewState()
	for _, change := range []struct{ kind, note string }{{"", "one"}, {" of an update", "two"}} {
		text := fmt.Sprintf("resource \"zone_it\" \"this\" {\n  name = \"Web\"\n  note = %q\n}\n", change.note)
		config, diags := configs.Load(configs.Files{"main.tf": []byte(text)}, ".", configs.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{config.ProviderFor("zone"): build}})
		if wrong := e.Validate(t.Context(), config); wrong.HasErrors() {
			return newReport("`validate`", wrong[0].Detail)
		}
		plan, wrong := e.Plan(t.Context(), config, state, engine.PlanOptions{})
		if wrong.HasErrors() {
			return newReport("`plan`"+change.kind, wrong[len(wrong)-1].Detail)
		}
		if state, wrong = e.Apply(t.Context(), config, plan); wrong.HasErrors() {
			return newReport("`apply`"+change.kind, wrong[0].Detail)
		}
	}
	return report{}
}

// incomplete does not compile, because the method Delete is missing.
const incomplete = `package incomplete

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

type record struct{ Name string }

func (*record) Create(context.Context, runtime.NoConfig) (*record, error)          { return nil, nil }
func (*record) Read(context.Context, runtime.NoConfig, *record) (*record, error) { return nil, nil }
func (*record) Update(context.Context, runtime.NoConfig, runtime.Prior[record, *record]) (*record, error) {
	return nil, nil
}

var _ = runtime.MakeResource[record, *record, runtime.NoConfig]()
`

const missingComment, missingMethod = "a field without a comment", "a missing method"

// TestToolMistakes makes the mistakes of docs/mistakes.md that the compiler and describe
// report, and checks that the table has their reports.
func TestToolMistakes(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	dir := t.TempDir()
	file, describe := filepath.Join(dir, "record.go"), filepath.Join(dir, "describe")
	if err := os.WriteFile(file, []byte(incomplete), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(dir, name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("../..", "go", "build", "-o", describe, "./cmd/describe"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rows := mistakesTable(t)
	check := func(name, when, text string, err error) {
		if want := newReport(when, text).row(name); err == nil || rows[name] != want {
			t.Errorf("the table has\n%s\nwant\n%s\ngot error %v, want an error", rows[name], want, err)
		}
	}
	text, err := run(dir, describe, "record")
	check(missingComment, "`describe`", text, err)
	text, err = run(".", "go", "build", "-o", os.DevNull, file)
	_, text, _ = strings.Cut(text, "\n") // without the name of the package
	check(missingMethod, "the compiler", strings.ReplaceAll(text, `"github.com/posixform/terraform-provider-posix/runtime"`, "runtime"), err)
}
