package acctest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

const (
	this    = "demo_note.this"
	passed  = "passed"
	failed  = "failed"
	skipped = "was skipped"
)

func failedAt(step int) string { return fmt.Sprintf("failed at step %d", step) }

// registered is the definition of the provider. It is created once, because compiling the
// types is expensive.
var registered = runtime.Definition{
	Name: "demo",
	Resources: map[string]runtime.ResourceRegistration{
		"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
	},
}

// notes serves a provider with one resource type, a note in a file.
var notes = acctest.Factories("demo", func() (provider.Interface, error) { return runtime.New(registered) })

// bench creates the test cases of a note at a path.
type bench struct {
	t    *testing.T
	path string
}

func (b bench) config(text string) string { return b.at(b.path, text) }

func (bench) at(path, text string) string {
	return fmt.Sprintf("resource \"demo_note\" \"this\" {\n  path = %q\n  text = %q\n}\n", path, text)
}

// conditional returns the configuration of the note with a condition of the given kind.
func (b bench) conditional(kind, condition string) string {
	return strings.TrimSuffix(b.config("a"), "}\n") + fmt.Sprintf("  lifecycle {\n    %s {\n      condition     = %s\n      error_message = \"no\"\n    }\n  }\n}\n", kind, condition)
}

// spoiled returns a configuration whose precondition holds, and a function that makes the
// precondition fail.
func (b bench) spoiled() (config string, spoil func()) {
	file := b.path + ".spoiled"
	return b.conditional("precondition", fmt.Sprintf("path.module != \"\" && !fileexists(%q)", file)), func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

// isGone returns an error unless the file of the note is missing.
func (b bench) isGone(*terraform.State) error {
	if _, err := os.Stat(b.path); !os.IsNotExist(err) {
		return errors.New("the file still exists")
	}
	return nil
}

// scribble writes another text to the file of the note, outside of Terraform.
func (b bench) scribble() {
	if err := os.WriteFile(b.path, []byte("scribble"), 0o600); err != nil {
		b.t.Error(err)
	}
}

// required is the block that files and import-only steps need; terraform-plugin-testing
// adds it to other configurations.
const required = "terraform {\n  required_providers {\n    demo = {\n      source = \"posixform/demo\"\n    }\n  }\n}\n"

// steps returns a test case with the provider of notes and the steps.
func (bench) steps(steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{ProtoV6ProviderFactories: notes, Steps: steps}
}

func planned(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(this, a)}}
}

func fails(*terraform.State) error { return errors.New("the check does not hold") }

var importing = resource.TestStep{ResourceName: this, ImportState: true, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path"}

// imports returns an import step of the note, modified by change.
func (b bench) imports(change func(*resource.TestStep)) resource.TestStep {
	step := importing
	step.ImportStateId = b.path
	change(&step)
	return step
}

// plansDestroy returns a step that plans to destroy the note, whose file is missing: only a
// plan without a refresh destroys something.
func (b bench) plansDestroy(change func(*resource.TestStep)) resource.TestStep {
	step := resource.TestStep{Config: b.config("a"), PlanOnly: true, Destroy: true, ExpectNonEmptyPlan: true, PreConfig: func() {
		if err := os.Remove(b.path); err != nil {
			b.t.Error(err)
		}
	}}
	change(&step)
	return step
}

func byBlock(kind resource.ImportStateKind) func(*resource.TestStep) {
	return func(s *resource.TestStep) { s.ImportStateKind, s.ImportStateVerify = kind, false }
}

var verdicts = map[string]struct {
	want string
	make func(bench) resource.TestCase
}{
	"create, update, import": {passed, func(b bench) resource.TestCase {
		return b.steps(
			resource.TestStep{Config: b.config("one\n"), ConfigPlanChecks: planned(plancheck.ResourceActionCreate), Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(this, "lines", "1"), resource.TestCheckResourceAttr(this, "text", "one\n"),
			)},
			resource.TestStep{Config: b.config("one\ntwo\n"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(this, tfjsonpath.New("lines"), knownvalue.Int64Exact(2)),
				statecheck.ExpectIdentity(this, map[string]knownvalue.Check{"path": knownvalue.StringExact(b.path)}),
			}},
			b.imports(func(*resource.TestStep) {}),
			b.imports(byBlock(resource.ImportBlockWithID)),
			b.imports(byBlock(resource.ImportBlockWithResourceIdentity)),
		)
	}},
	"a nonempty refresh plan": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), Check: func(*terraform.State) error { b.scribble(); return nil }})
	}},
	"an expected nonempty plan": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ExpectNonEmptyPlan: true, Check: func(*terraform.State) error { b.scribble(); return nil }})
	}},
	"ExpectNonEmptyPlan with an empty plan": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ExpectNonEmptyPlan: true})
	}},
	"an error": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.at("/nonexistent/a", "a")})
	}},
	"an expected error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.at("/nonexistent/a", "a"), ExpectError: regexp.MustCompile(`(?s)Error: .*with demo_note\.this,\n  on terraform_plugin_test\.tf line \d+, in resource "demo_note" "this":.*no such\s+file`)})
	}},
	"an error that ExpectError does not match": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.at("/nonexistent/a", "a"), ExpectError: regexp.MustCompile(`disk full`)})
	}},
	"ExpectError without an error": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ExpectError: regexp.MustCompile(`.`)})
	}},
	"a syntax error": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: "resource \"demo_note\" \"this\" {\n  path = \n}\n"})
	}},
	"an argument that does not exist": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: strings.Replace(b.config("a"), "text", "txt", 1), ExpectError: regexp.MustCompile(`An argument named "txt" is not expected here`)})
	}},
	"an expected error that prevents the destroy": {failed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{
			Config: strings.Replace(b.config("a"), "text", "txt", 1), ExpectError: regexp.MustCompile(`An argument named "txt"`),
		})
	}},
	"an error that ErrorCheck ignores": {passed, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.at("/nonexistent/a", "a")})
		c.ErrorCheck = func(error) error { return nil }
		return c
	}},
	"a failing check": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), Check: fails})
	}},
	"a failing plan check": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)})
	}},
	"a failing state check": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(this, tfjsonpath.New("lines"), knownvalue.Int64Exact(7)),
		}})
	}},
	"unknown values and replacement in checks": {passed, func(b bench) resource.TestCase {
		return b.steps(
			resource.TestStep{Config: b.config("a"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(this, tfjsonpath.New("lines")), plancheck.ExpectKnownValue(this, tfjsonpath.New("text"), knownvalue.StringExact("a")),
			}, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			resource.TestStep{Config: b.at(b.path+"2", "a"), ConfigPlanChecks: planned(plancheck.ResourceActionReplace)},
		)
	}},
	"an import without an identifying attribute": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) { s.ImportStateVerifyIdentifierAttribute = "" }))
	}},
	"an import with another attribute": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) { s.PreConfig = b.scribble }))
	}},
	"an import with another ignored attribute": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			s.PreConfig, s.ImportStateVerifyIgnore = b.scribble, []string{"text"}
		}))
	}},
	"an import of a missing file": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			s.ImportStateId, s.ExpectError = "/nonexistent/a", regexp.MustCompile(`(?s)Error: .*/nonexistent/a`)
		}))
	}},
	"an import next to an invalid import block": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			s.Config = required + b.config("a") + "import {\n  to = demo_note.this\n  id = null\n}\n"
		}))
	}},
	"an import with a failing postcondition": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			s.Config = required + b.conditional("postcondition", "self.lines == 7")
		}))
	}},
	"an import with a failing check": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			s.ImportStateCheck = func([]*terraform.InstanceState) error { return errors.New("no") }
			s.ExpectError = regexp.MustCompile(`no`)
		}))
	}},
	"an import with ImportStatePersist": {passed, func(b bench) resource.TestCase {
		b.scribble()
		return b.steps(
			b.imports(func(s *resource.TestStep) {
				s.Config, s.ImportStatePersist, s.ImportStateVerify = required+b.config("scribble"), true, false
				s.ImportStateCheck = func(found []*terraform.InstanceState) error {
					if len(found) != 1 || found[0].Attributes["text"] != "scribble" || found[0].Ephemeral.Type != "demo_note" {
						return fmt.Errorf("imported %v, want one demo_note with the text \"scribble\"", found)
					}
					return nil
				}
			}),
			resource.TestStep{Config: b.config("scribble"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		)
	}},
	"an import block first": {passed, func(b bench) resource.TestCase {
		b.scribble()
		return b.steps(b.imports(func(s *resource.TestStep) {
			byBlock(resource.ImportBlockWithID)(s)
			s.Config = required + b.config("scribble")
			s.ImportPlanChecks.PreApply = planned(plancheck.ResourceActionNoop).PreApply
		}))
	}},
	"an import block that needs a change": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			byBlock(resource.ImportBlockWithID)(s)
			s.PreConfig = b.scribble
		}))
	}},
	"an import block that needs a change, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(s *resource.TestStep) {
			byBlock(resource.ImportBlockWithID)(s)
			s.PreConfig, s.ExpectError = b.scribble, regexp.MustCompile(`expected a no-op import operation`)
		}))
	}},
	"a plan after an apply that is not empty, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config: b.config("a"), Check: func(*terraform.State) error { b.scribble(); return nil },
			ExpectError: regexp.MustCompile(`After applying this test step, the refresh plan was not empty`),
		})
	}},
	"a failing plan, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config:      b.conditional("precondition", `path.module == "elsewhere"`),
			ExpectError: regexp.MustCompile(`^Error running pre-apply plan: exit status 1`),
		})
	}},
	"a failing plan after an apply, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		text, spoil := b.spoiled()
		return b.steps(resource.TestStep{
			Config: text, Check: func(*terraform.State) error { spoil(); return nil },
			ExpectError: regexp.MustCompile(`^Error running post-apply non-refresh plan: exit status 1`),
		})
	}},
	"a failing plan check, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config: b.config("a"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			ExpectError: regexp.MustCompile(`^Pre-apply plan check\(s\) failed`),
		})
	}},
	"a failing check of a step that only plans, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config: b.config("a"), PlanOnly: true, ExpectError: regexp.MustCompile(`^Non-refresh plan checks\(s\) failed`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPreRefresh: planned(plancheck.ResourceActionUpdate).PreApply},
		})
	}},
	"an empty plan, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config: b.config("a"), ExpectNonEmptyPlan: true, ExpectError: regexp.MustCompile(`^Expected a non-empty plan, but got an empty refresh plan`),
		})
	}},
	"a refresh that finds drift, which is expected by the title of its error": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{
			RefreshState: true, PreConfig: b.scribble,
			ExpectError: regexp.MustCompile(`^After refreshing state during this test step, a followup plan was not empty`),
		})
	}},
	"PlanOnly with changes": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), PlanOnly: true})
	}},
	"PlanOnly without changes": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.config("a"), PlanOnly: true})
	}},
	"Destroy": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.config("a"), Destroy: true, Check: resource.TestCheckResourceAttr(this, "text", "a")})
	}},
	"Destroy with a Check and a failing precondition": {failedAt(2), func(b bench) resource.TestCase {
		text, spoil := b.spoiled()
		return b.steps(resource.TestStep{Config: text}, resource.TestStep{Config: text, Destroy: true, PreConfig: spoil, Check: resource.TestCheckResourceAttr(this, "text", "a")})
	}},
	"a planned removal from the state": {passed, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{
			Config: required + "removed {\n  from = demo_note.this\n  lifecycle {\n    destroy = false\n  }\n}\n", PlanOnly: true, ExpectNonEmptyPlan: true,
		})
		c.CheckDestroy = b.isGone
		return c
	}},
	"a provider that nothing uses": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: required + "provider \"demo\" {\n  nonsense = 1\n}\n"})
	}},
	"PreventPostDestroyRefresh of a step": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, b.plansDestroy(func(s *resource.TestStep) { s.PreventPostDestroyRefresh = true }))
	}},
	"PreventPostDestroyRefresh of the test case, which has no effect": {failedAt(2), func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")}, b.plansDestroy(func(*resource.TestStep) {}))
		c.PreventPostDestroyRefresh = true
		return c
	}},
	"a failing CheckDestroy": {failed, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")})
		c.CheckDestroy = fails
		return c
	}},
	"everything is destroyed": {passed, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")})
		c.CheckDestroy = func(before *terraform.State) error {
			return errors.Join(b.isGone(before), resource.TestCheckResourceAttr(this, "text", "a")(before))
		}
		return c
	}},
	"a refresh that finds drift": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{RefreshState: true, PreConfig: b.scribble})
	}},
	"a refresh that finds expected drift": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{
			RefreshState: true, PreConfig: b.scribble, ExpectNonEmptyPlan: true, Check: resource.TestCheckResourceAttr(this, "text", "scribble"),
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectResourceAction(this, plancheck.ResourceActionUpdate)}},
		}, resource.TestStep{Config: b.config("a")})
	}},
	"taint": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.config("a"), Taint: []string{this}, ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate)})
	}},
	"taint of a missing object": {failedAt(2), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.config("a"), Taint: []string{"demo_note.that"}})
	}},
	"a skipped step": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: "nonsense", SkipFunc: func() (bool, error) { return true, nil }})
	}},
	"a failing SkipFunc": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), SkipFunc: func() (bool, error) { return false, errors.New("no") }})
	}},
	"no steps":      {failed, func(b bench) resource.TestCase { return b.steps() }},
	"an empty step": {failedAt(1), func(b bench) resource.TestCase { return b.steps(resource.TestStep{}) }},
	"no provider": {failedAt(1), func(b bench) resource.TestCase {
		return resource.TestCase{Steps: []resource.TestStep{{Config: b.config("a")}}}
	}},
	"providers of the test case and of a step": {failedAt(1), func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{Config: b.config("a"), ProtoV6ProviderFactories: notes})
	}},
	"JSON": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config: fmt.Sprintf(`{"terraform": {"required_providers": {"demo": {"source": "posixform/demo"}}}, "resource": {"demo_note": {"this": {"path": %q, "text": "${upper(\"a\")}"}}}}`, b.path),
			Check:  resource.TestCheckResourceAttr(this, "text", "A"),
		})
	}},
	"providers of a step": {passed, func(b bench) resource.TestCase {
		return resource.TestCase{Steps: []resource.TestStep{
			{Config: b.config("a"), ProtoV6ProviderFactories: notes}, {Config: b.config("b"), ProtoV6ProviderFactories: notes},
		}}
	}},
	"variables": {passed, func(b bench) resource.TestCase {
		return b.steps(resource.TestStep{
			Config:          "variable \"words\" {\n  type = list(string)\n}\nvariable \"text\" {}\n" + strings.Replace(b.config("a"), `"a"`, `"${var.text}-${join("-", var.words)}"`, 1),
			ConfigVariables: config.Variables{"text": config.StringVariable("x"), "words": config.ListVariable(config.StringVariable("y"), config.StringVariable("z"))},
			Check:           resource.TestCheckResourceAttr(this, "text", "x-y-z"),
		})
	}},
	"ConfigFile and ConfigDirectory": {passed, func(b bench) resource.TestCase {
		dir := b.t.TempDir()
		file := filepath.Join(dir, "note.tf")
		if err := errors.Join(os.WriteFile(file, []byte(required+b.config("a")), 0o600), os.WriteFile(filepath.Join(dir, "out.tf"), []byte("output \"lines\" {\n  value = demo_note.this.lines\n}\n"), 0o600)); err != nil {
			b.t.Fatal(err)
		}
		return b.steps(
			resource.TestStep{ConfigFile: config.StaticFile(file)},
			resource.TestStep{ConfigDirectory: config.StaticDirectory(dir), Check: resource.TestCheckOutput("lines", "0")},
		)
	}},
	"a ConfigFile that PreConfig writes": {passed, func(b bench) resource.TestCase {
		file := filepath.Join(b.t.TempDir(), "note.tf")
		write := func(text string) {
			if err := os.WriteFile(file, []byte(required+b.config(text)), 0o600); err != nil {
				b.t.Error(err)
			}
		}
		write("a") // terraform-plugin-testing reads the file before the first step, too
		return b.steps(
			resource.TestStep{ConfigFile: config.StaticFile(file), Check: resource.TestCheckResourceAttr(this, "text", "a")},
			resource.TestStep{ConfigFile: config.StaticFile(file), PreConfig: func() { write("b") }, Check: resource.TestCheckResourceAttr(this, "text", "b")},
		)
	}},
	"count": {passed, func(b bench) resource.TestCase {
		text := strings.Replace(strings.Replace(b.config("a"), `"a"`, "\"${count.index}\"\n  count = 2", 1), b.path, b.path+"${count.index}", 1)
		return b.steps(resource.TestStep{Config: text, Check: resource.ComposeTestCheckFunc(
			resource.TestCheckResourceAttr("demo_note.this.1", "text", "1"), resource.TestCheckNoResourceAttr("demo_note.this.0", "nothing"),
		)})
	}},
	"a skipped version": {skipped, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")})
		c.TerraformVersionChecks = []tfversion.TerraformVersionCheck{tfversion.SkipAbove(version.Must(version.NewVersion("1.0.0")))}
		return c
	}},
	"a missing required version": {failed, func(b bench) resource.TestCase {
		c := b.steps(resource.TestStep{Config: b.config("a")})
		c.TerraformVersionChecks = []tfversion.TerraformVersionCheck{tfversion.RequireAbove(version.Must(version.NewVersion("99.0.0")))}
		return c
	}},
}

// TestVerdicts runs each test case in this process and on the command line, where make ci runs only every third one.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(verdicts)) {
		tt := verdicts[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := acctest.InProcess(t, tt.make(newBench(t))); got.Text != tt.want {
				t.Errorf("in this process, the test %s, want %s:\n%s", got.Text, tt.want, got.Log)
			}
			if i%tier.Pick(1, 3, 1) > 0 {
				return
			}
			acctest.NeedsCLI(t)
			// Not every failure of the command names its step.
			if got := acctest.OnCLI(t, tt.make(newBench(t))); got.Text != tt.want && (got.Text != got.Outcome || !strings.HasPrefix(tt.want, got.Outcome)) {
				t.Errorf("on the command line, the test %s, want %s:\n%s", got.Text, tt.want, got.Log)
			}
		})
	}
}

func newBench(t *testing.T) bench {
	t.Helper()
	return bench{t, filepath.Join(t.TempDir(), "note")}
}

// TestTiming checks that the table lists each step and its provider calls.
func TestTiming(t *testing.T) {
	t.Setenv(acctest.EnvTiming, "1")
	b := bench{t, filepath.Join(t.TempDir(), "note")}
	got := acctest.InProcess(t, b.steps(
		resource.TestStep{Config: b.config("a")},
		b.imports(func(*resource.TestStep) {}),
	))
	for _, want := range []string{
		`durations:\ntest +[0-9.]+(µs|ms|s)`,
		`(?m)^step 1 +[0-9.]+(µs|ms|s) +[0-9.]+%`,
		`(?m)^(step \d|destroy) .*%  █+`, // a short bar is empty
		`(?m)^  PlanResourceChange ×\d demo_note\.this +[0-9.]+(µs|ms|s) +[0-9.]+%`,
		`(?m)^  ApplyResourceChange demo_note\.this `,
		`(?m)^  GetProviderSchema .*posixform/demo`,
		`(?m)^  \(engine and test\) `,
		`(?s)\nstep 2 .*\n  ImportResourceState demo_note\.this .*\ndestroy .*\n  ApplyResourceChange demo_note\.this `,
	} {
		if !regexp.MustCompile(want).MatchString(got.Log) {
			t.Errorf("the table does not match %s:\n%s", want, got.Log)
		}
	}
	if strings.Count(got.Log, "ImportResourceState") != 1 {
		t.Errorf("ImportResourceState is listed %d times, want once:\n%s", strings.Count(got.Log, "ImportResourceState"), got.Log)
	}
}

// TestNoTiming checks that nothing is logged by default.
func TestNoTiming(t *testing.T) {
	t.Setenv(acctest.EnvTiming, "")
	b := bench{t, filepath.Join(t.TempDir(), "note")}
	if got := acctest.InProcess(t, b.steps(resource.TestStep{Config: b.config("a")})); got.Log != "" {
		t.Errorf("the log is %q, want it to be empty", got.Log)
	}
}

// benchT is a T for benchmarks.
type benchT struct{ *testing.B }

func (benchT) Parallel() {}

// threeSteps returns the test case of the benchmarks: create, update, import.
func threeSteps(path string) resource.TestCase {
	b := bench{path: path}
	return b.steps(
		resource.TestStep{Config: b.config("one\n"), Check: resource.TestCheckResourceAttr(this, "lines", "1")},
		resource.TestStep{Config: b.config("one\ntwo\n"), Check: resource.TestCheckResourceAttr(this, "lines", "2")},
		b.imports(func(*resource.TestStep) {}),
	)
}

// BenchmarkTest runs a test case of three steps in this process; BenchmarkTestCLI runs
// the same test case on the command.
func BenchmarkTest(b *testing.B) {
	b.ReportAllocs()
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}

func BenchmarkTestCLI(b *testing.B) {
	acctest.NeedsCLI(b)
	b.Setenv(acctest.EnvEngine, "cli")
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}
