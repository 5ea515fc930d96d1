package runtime_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// misnamed has methods that authors could mistake for optional ones.
type misnamed struct {
	crud[misnamed, none] `tf:"-"`
	A                    string
}

func (*misnamed) Default()                            {}
func (*misnamed) Constraint() []runtime.Constraint    { return nil }
func (*misnamed) Description() map[string]string      { return nil }
func (*misnamed) ValidateInput(context.Context) error { return nil }
func (*misnamed) Validate() error                     { return nil }
func (*misnamed) Timeouts() runtime.OperationTimeouts { return runtime.OperationTimeouts{} }
func (*misnamed) Equivalentinput(string) bool         { return false }
func (*misnamed) ModifyPlan() error                   { return nil }
func (*misnamed) PlanOutput() error                   { return nil }
func (*misnamed) Identiy() none                       { return none{} }
func (*misnamed) ParseImportId(string) (none, error)  { return none{}, nil } //nolint:revive,staticcheck // the mistake
func (*misnamed) ImportById(string) (*none, error)    { return nil, nil }    //nolint:revive,staticcheck,nilnil // the mistake
func (*misnamed) ImportState(string) (*none, error)   { return nil, nil }    //nolint:nilnil // never called
func (*misnamed) Migration() []runtime.Migration      { return nil }
func (*misnamed) Move() []runtime.Move                { return nil }
func (*misnamed) RequiresReplace() []string           { return nil }
func (*misnamed) SchemaVersions() int                 { return 0 }
func (*misnamed) Lookup() string                      { return "" } // resembles no optional method
func (*misnamed) MarshalText() (text []byte, _ error) { return nil, nil }
func (*misnamed) EquivalentInputContxt(string) error  { return nil }

// TestMisnamedMethods checks that a method with a name similar to that of an optional method is
// an error that names the method, its interface and its signature.
func TestMisnamedMethods(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"x": runtime.MakeResource[misnamed, *none, runtime.NoConfig](),
	}})
	if err == nil {
		t.Fatal("New: got no error, want one")
	}
	want := map[string]string{
		"Default":               "Defaults func() of runtime.Defaulter",
		"Constraint":            "Constraints func() []runtime.Constraint of runtime.Constrainer",
		"Description":           "Descriptions func() map[string]string of runtime.Describer",
		"ValidateInput":         "ValidateInputs func(context.Context, runtime.NoConfig) error of runtime.InputValidator",
		"Validate":              "ValidateInputs func(context.Context, runtime.NoConfig) error of runtime.InputValidator",
		"Timeouts":              "OperationTimeouts func() runtime.OperationTimeouts of runtime.TimeoutDeclarer",
		"Equivalentinput":       "EquivalentInput func(string, runtime_test.misnamed, runtime_test.misnamed) bool of runtime.InputEquivalencer",
		"EquivalentInputContxt": "runtime.ContextInputEquivalencer",
		"ModifyPlan":            "of runtime.ResourcePlanModifier",
		"PlanOutput":            "of runtime.OutputPlanner",
		"Identiy":               "of runtime.Identifier",
		"ParseImportId":         "of runtime.ImportIDParser",
		"ImportById":            "ImportByID func(context.Context, runtime.NoConfig, string) (*runtime_test.none, error) of runtime.IDImporter",
		"ImportState":           "of runtime.IDImporter",
		"Migration":             "Migrations func() []runtime.Migration of runtime.Migrator",
		"Move":                  "Moves func() []runtime.Move of runtime.Mover",
		"RequiresReplace":       "ReplaceFields func() []string of runtime.ReplaceDeclarer",
		"SchemaVersions":        "SchemaVersion func() int of runtime.SchemaVersioner",
	}
	for line := range strings.Lines(err.Error()) {
		_, after, _ := strings.Cut(line, "method ")
		name, _, _ := strings.Cut(after, " would never be called")
		if text, ok := want[name]; !ok || !strings.Contains(line, text) {
			t.Errorf("unexpected: %s", line)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is accepted", name)
	}
}

// misplacedPart has methods that the runtime calls only on the inputs of a whole object.
type misplacedPart struct{ Port int64 }

func (*misplacedPart) ValidateInputs(context.Context, runtime.NoConfig) error    { return nil }
func (*misplacedPart) EquivalentInput(string, misplacedPart, misplacedPart) bool { return false }

func (*misplacedPart) ReplaceFields() []string { return []string{"port"} }

func (*misplacedPart) PlanOutputs(context.Context, runtime.NoConfig) (string, error) { return "", nil }

type (
	misplacedIn struct {
		crud[misplacedIn, none] `tf:"-"`
		Parts                   []misplacedPart
		Whole                   *minimal // also a resource, so its methods are not mistakes
	}
	lockedFinder struct{ finder[ThingOutput] }
	lockedDoer   struct{ doer }
)

func (*lockedFinder) Locks(runtime.NoConfig) []string { return nil }
func (*lockedDoer) Locks(runtime.NoConfig) []string   { return nil }

// TestMisplacedMethods checks that methods of whole objects are errors in nested structs and in
// the blocks of the provider, and those of managed resources in list resources and actions.
func TestMisplacedMethods(t *testing.T) {
	t.Parallel()
	of := []string{"ValidateInputs", "EquivalentInput", "ReplaceFields", "PlanOutputs"}
	for name, tt := range map[string]struct {
		def     runtime.Definition
		place   string
		methods []string
	}{
		"nested struct": {runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
			"x": runtime.MakeResource[misplacedIn, *none, runtime.NoConfig](),
		}}, "misplacedIn.Parts", of},
		"provider block": {runtime.Definition{Config: runtime.MakeConfig(func(context.Context, *misplacedPart) (runtime.NoConfig, error) {
			return runtime.NoConfig{}, nil
		})}, "provider block", of},
		"provider_meta block": {runtime.Definition{Meta: runtime.MakeMeta[misplacedPart]()}, "provider_meta block", of},
		"list resource": {runtime.Definition{
			Resources: map[string]runtime.ResourceRegistration{"x": newStore().registration()},
			Lists:     map[string]runtime.ListRegistration{"x": runtime.MakeLister[lockedFinder, *ThingOutput, runtime.NoConfig]()},
		}, "list resource test_x", []string{"Locks"}},
		"action": {runtime.Definition{Actions: map[string]runtime.ActionRegistration{
			"x": runtime.MakeAction[lockedDoer, runtime.NoConfig](),
		}}, "action test_x", []string{"Locks"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.def.Name = "test"
			want := []string{tt.place}
			for _, method := range tt.methods {
				want = append(want, "method "+method+" would never be called")
			}
			refusedWith(t, tt.def, want...)
			if _, err := runtime.New(tt.def); strings.Contains(err.Error(), "Whole") || strings.Count(err.Error(), "would never be called") != len(tt.methods) {
				t.Errorf("want only %q: %v", tt.methods, err)
			}
		})
	}
}

// locked has the methods of a lock, which New does not take for misspellings of Locks.
type locked struct {
	crud[locked, none] `tf:"-"`
	sync.Mutex         `tf:"-"`
	A                  string
}

// mistaken has mistakes of many kinds.
type mistaken struct {
	crud[mistaken, none] `tf:"-"`
	Bytes                []byte
	Size                 *int64
	Part                 *mistakenPart
	Count                int
}

type mistakenPart struct {
	Wait chan int
	Port int64
}

func (mistaken) Defaults() {}
func (*mistaken) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("bytes", "x", "x"), runtime.Range("siez", 1, 2)}
}
func (*mistaken) ReplaceFields() []string         { return []string{"bytes", "naem"} }
func (*mistaken) SchemaVersion() int              { return 1 }
func (*mistaken) Validate() error                 { return nil }
func (*mistaken) PlanOutputs() error              { return nil }
func (*mistaken) Migrations() []runtime.Migration { return []runtime.Migration{{}} }
func (*mistaken) Identity() string                { return "" }

func (*mistakenPart) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("wait", 1, 2), runtime.Range("prot", 1, 2)}
}

// TestEveryMistakeAtOnce checks that New lists all mistakes in a type, except those that
// only follow from another mistake.
func TestEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"fine": runtime.MakeResource[locked, *none, runtime.NoConfig](), "X": runtime.MakeResource[mistaken, *none, runtime.NoConfig](),
	}})
	if err == nil {
		t.Fatal("New: got no error, want one")
	}
	want := []string{
		"mistaken.Bytes: bytes", "mistakenPart.Wait: the type chan int", `Range names "prot"`, `"count" is reserved`, "method Defaults sets the defaults in a copy",
		`Range names "siez"`, `ReplaceFields: "naem"`, "method Validate would never be called", "method PlanOutputs has the wrong signature",
		"method Identity must return a struct", "Migrations: a step is empty", "a name must have only lower-case",
	}
	lines := strings.Split(err.Error(), "\n")
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is missing", text)
		}
	}
	if len(lines) > len(want) || t.Failed() {
		t.Errorf("%d lines, want %d:\n%v", len(lines), len(want), err)
	}
}

// mistakenFinder and mistakenStore have two mistakes each.
type (
	mistakenFinder struct {
		finder[ThingOutput]
		Wait chan int
		A    *string `tf:",writeonly"`
	}
	mistakenStore struct {
		Shed `tf:"-"`
		Wait chan int
		A    *string `tf:",writeonly"`
	}
)

// TestEveryMistakeOfOtherKinds is TestEveryMistakeAtOnce for list resources and state stores.
func TestEveryMistakeOfOtherKinds(t *testing.T) {
	t.Parallel()
	refusedWith(t, runtime.Definition{
		Name:        "test",
		Resources:   map[string]runtime.ResourceRegistration{"x": newStore().registration()},
		Lists:       map[string]runtime.ListRegistration{"x": runtime.MakeLister[mistakenFinder, *ThingOutput, runtime.NoConfig]()},
		StateStores: map[string]runtime.StateStoreRegistration{"x": runtime.MakeStateStore[mistakenStore, runtime.NoConfig]()},
	}, "mistakenFinder.Wait: the type chan int", "mistakenFinder.A: ", "mistakenStore.Wait: the type chan int", "mistakenStore.A: ")
}

// minimal has only the methods that Go requires, and Identity.
type minimal struct {
	Name string

	fails error // of Create and Delete
}

func (m *minimal) Create(context.Context, runtime.NoConfig) (*minimal, error) { return m, m.fails }
func (m *minimal) Read(_ context.Context, _ runtime.NoConfig, prior *minimal) (*minimal, error) {
	return prior, nil
}

func (m *minimal) Update(context.Context, runtime.NoConfig, runtime.Prior[minimal, *minimal]) (*minimal, error) {
	return m, nil
}
func (m *minimal) Delete(context.Context, runtime.NoConfig, *minimal) error { return m.fails }

type minimalID struct{ Name string }

func (*minimal) Identity(_ runtime.NoConfig, out *minimal) minimalID { return minimalID{out.Name} }

// TestMinimalResource checks that a version and replacements are optional, and that an
// identity with an empty string is an error.
func TestMinimalResource(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"x": runtime.MakeResource[minimal, *minimal, runtime.NoConfig](),
	}}), "test_x")
	d.apply(d.config(attrs{"name": str("a")}))
	if plan := d.plan(d.config(attrs{"name": str("b")})); d.schema.Version != 0 || len(plan.RequiresReplace) > 0 {
		t.Errorf("got schema version %d and a replacement because of %v, want version 0 and no replacement", d.schema.Version, plan.RequiresReplace)
	}
	config := d.config(attrs{"name": str("")})
	diags := d.applyPlan(config, d.plan(config))
	if want := `the method Identity returned an empty string for "name"`; !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
		t.Errorf("got %v, want %s", diags, want)
	}
}

// TestNoIdentityAfterFailures checks that the object of a failed Create is stored although it has
// no identity yet, and that the error of the method is the only one, in the create and in a failed
// delete.
func TestNoIdentityAfterFailures(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"x": runtime.MakeResourceWith[minimal, *minimal, runtime.NoConfig](func() *minimal { return &minimal{fails: errHalfway} }),
	}}), "test_x")
	config := d.config(attrs{"name": str("")})
	check := func(diags diag.Diagnostics) {
		t.Helper()
		if len(diags) != 1 || !strings.Contains(diags.Error(), errHalfway.Error()) || !d.state.RawEquals(config) || !d.tainted {
			t.Errorf("got %v, state %#v", diags, d.state)
		}
	}
	check(d.applyPlan(config, d.plan(config)))
	check(d.destroyWith(d.private))
}
