package note_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// build returns the provider of demo/main.go.
func build() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "demo",
		Resources: map[string]runtime.ResourceRegistration{
			"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
		},
	})
}

// TestNote creates, updates, repairs, imports and destroys the resource of the README.
func TestNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note")
	config := func(text string) string {
		return fmt.Sprintf("resource \"demo_note\" \"this\" {\n  path = %q\n  text = %q\n}\n", path, text)
	}
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("demo_note.this", a)}}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("demo", build),
		CheckDestroy: func(*terraform.State) error {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				return fmt.Errorf("the note %s still exists", path)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config("one\n"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("demo_note.this", tfjsonpath.New("lines"), knownvalue.Int64Exact(1)),
					statecheck.ExpectIdentity("demo_note.this", map[string]knownvalue.Check{"path": knownvalue.StringExact(path)}),
				},
			},
			{Config: config("one\ntwo\n"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
			{
				PreConfig: func() {
					if err := os.WriteFile(path, []byte("scribble"), 0o600); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("one\ntwo\n"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			},
			{ResourceName: "demo_note.this", ImportState: true, ImportStateId: path, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path"},
			{ResourceName: "demo_note.this", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// TestReadme checks that README.md shows note.go and demo/main.go, and that note.go has fewer
// than 60 lines.
func TestReadme(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("note.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(code, []byte("\n")); lines >= 60 {
		t.Errorf("the example has %d lines, want fewer than 60", lines)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```go\n"+string(code)+"```\n") {
		t.Error("README.md does not show note.go")
	}
	program, err := os.ReadFile("demo/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```go\n"+string(program)+"```\n") {
		t.Error("README.md does not show demo/main.go")
	}
}
