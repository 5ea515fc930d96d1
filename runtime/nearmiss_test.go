package runtime_test

import (
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// nearEverything has every optional method of a resource with a wrong signature, except for
// Identity, which other methods depend on.
type nearEverything struct {
	crud[nearEverything, none] `tf:"-"`
	A                          string
}

type nearID struct{ A string }

func (*nearEverything) Identity(runtime.NoConfig, *none) nearID { return nearID{} }

func (*nearEverything) Defaults() error                          { return nil }
func (*nearEverything) DefaultsWith() string                     { return "" }
func (*nearEverything) Constraints() runtime.Constraint          { return runtime.Constraint{} }
func (*nearEverything) Descriptions() []string                   { return nil }
func (*nearEverything) ValidateInputs() error                    { return nil }
func (*nearEverything) EquivalentInput(_, _ nearEverything) bool { return false }
func (*nearEverything) EquivalentInputContext(string) bool       { return false }
func (*nearEverything) ReplaceFields() string                    { return "" }
func (*nearEverything) SchemaVersion() int64                     { return 0 }
func (*nearEverything) ModifyResourcePlan() error                { return nil }
func (*nearEverything) ReplaceOn(string) bool                    { return false }
func (*nearEverything) PlanOutputs(*runtime.OutputPlan)          {}
func (*nearEverything) MutableIdentity()                         {}
func (*nearEverything) IdentityVersion() int64                   { return 0 }
func (*nearEverything) IdentityMigrations() runtime.Migration    { return runtime.Migration{} }
func (*nearEverything) ParseImportID(string) (string, error)     { return "", nil }
func (*nearEverything) Import(string) (*none, error)             { return nil, nil } //nolint:nilnil // never called
func (*nearEverything) ImportByID(string) (*none, error)         { return nil, nil } //nolint:nilnil // never called
func (*nearEverything) Migrations() map[int]runtime.Migration    { return nil }
func (*nearEverything) Moves() runtime.Move                      { return runtime.Move{} }
func (*nearEverything) Locks() []string                          { return nil }
func (*nearEverything) OperationTimeouts() runtime.Timeouts      { return runtime.Timeouts{} }

// TestEveryNearMiss checks that each wrong signature is reported with the right signature.
func TestEveryNearMiss(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"x": runtime.MakeResource[nearEverything, *none, runtime.NoConfig](),
	}})
	if err == nil {
		t.Fatal("New: got no error, want one")
	}
	for method, signatures := range map[string][2]string{
		"Defaults":               {"func() error", "func()"},
		"DefaultsWith":           {"func() string", "func(string)"},
		"Constraints":            {"func() runtime.Constraint", "func() []runtime.Constraint"},
		"Descriptions":           {"func() []string", "func() map[string]string"},
		"ValidateInputs":         {"func() error", "func(context.Context, runtime.NoConfig) error"},
		"EquivalentInput":        {"nearEverything) bool", "func(string, runtime_test.nearEverything, runtime_test.nearEverything) bool (runtime.InputEquivalencer)"},
		"EquivalentInputContext": {"func(string) bool", "func(context.Context, string, runtime_test.nearEverything, runtime_test.nearEverything) bool"},
		"ReplaceFields":          {"func() string", "func() []string"},
		"SchemaVersion":          {"func() int64", "func() int"},
		"ModifyResourcePlan":     {"func() error", "*runtime.ResourcePlanResponse) error"},
		"ReplaceOn":              {"func(string) bool", "func(string, runtime_test.nearEverything, runtime_test.nearEverything) bool"},
		"PlanOutputs":            {"func(*runtime.OutputPlan)", "func(context.Context, runtime.NoConfig, *runtime.OutputPlan) error"},
		"MutableIdentity":        {"func()", "func() bool"},
		"IdentityVersion":        {"func() int64", "func() int"},
		"IdentityMigrations":     {"func() runtime.Migration", "func() []runtime.Migration"},
		"ParseImportID":          {"func(string) (string, error)", "func(string) (runtime_test.nearID, error)"},
		"Import":                 {"func(string) (*runtime_test.none, error)", "func(context.Context, runtime.NoConfig, runtime_test.nearID) (*runtime_test.none, error)"},
		"ImportByID":             {"func(string) (*runtime_test.none, error)", "func(context.Context, runtime.NoConfig, string) (*runtime_test.none, error)"},
		"Migrations":             {"func() map[int]runtime.Migration", "func() []runtime.Migration"},
		"Moves":                  {"func() runtime.Move", "func() []runtime.Move"},
		"Locks":                  {"func() []string", "func(runtime.NoConfig) []string"},
		"OperationTimeouts":      {"func() runtime.Timeouts", "func() runtime.OperationTimeouts"},
	} {
		found := false
		for line := range strings.Lines(err.Error()) {
			if strings.Contains(line, "method "+method+" has the wrong signature") {
				found = true
				if is, must, _ := strings.Cut(line, " and must be "); !strings.Contains(is, signatures[0]) || !strings.Contains(must, signatures[1]) {
					t.Errorf("%s: %s", method, line)
				}
			}
		}
		if !found {
			t.Errorf("%s is not reported: %v", method, err)
		}
	}
}
