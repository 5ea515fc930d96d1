package localport_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	localport "github.com/posixform/terraform-provider-posix/examples/ports/local"
	"github.com/posixform/terraform-provider-posix/provider"
)

// make ci also runs the acceptance tests of the published provider against the port. The tests in
// this package find most mistakes on their own, and check what the acceptance tests do not.

// TestFile checks that a file with different content, or a missing one, is created again, that
// new content in the configuration replaces the file, and that a different form of the mode does not.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "file")
	config := func(content string) string {
		return fmt.Sprintf("resource \"local_file\" \"test\" {\n  filename = %q\n  content = %q\n  file_permission = \"640\"\n}\n", path, content)
	}
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("local_file.test", a)}}
	}
	acctest.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("local", localport.New),
		Steps: []resource.TestStep{
			{Config: config("one")},
			{Config: strings.Replace(config("one"), "640", "0640", 1), ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
			{
				PreConfig: func() {
					if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("one"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			},
			{
				PreConfig: func() {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("one"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			},
			{Config: config("two"), ConfigPlanChecks: action(plancheck.ResourceActionReplace)},
		},
	})
}

// TestConstraints checks that invalid configurations are rejected.
func TestConstraints(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`resource "local_file" "test" { filename = "f" }`:                                                             `One of content`,
		"resource \"local_file\" \"test\" {\n filename = \"f\"\n content = \"\"\n source = \"s\"\n}":                  `Only one of content`,
		`resource "local_sensitive_file" "test" { filename = "f" }`:                                                   `One of content`,
		"resource \"local_file\" \"test\" {\n filename = \"f\"\n content = \"\"\n file_permission = \"1777\"\n}":      `bad mode permission`,
		"resource \"local_file\" \"test\" {\n filename = \"f\"\n content = \"\"\n directory_permission = \"7777\"\n}": `bad mode permission`,
	} {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			acctest.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories("local", localport.New),
				Steps:                    []resource.TestStep{{Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(want)}},
			})
		})
	}
}

// TestAction invokes the action without an engine, and checks the text of the progress messages and the
// error.
func TestAction(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script, progress, failure string
	}{
		"success": {`echo "$WHO: $(cat)"; pwd`, "\nme: in\n/\n", ""},
		"failure": {`echo bad >&2; exit 3`, "", "Command Error: bad\n\nState: exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := localport.New()
			if err != nil {
				t.Fatal(err)
			}
			p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal})
			var progress, failure string
			for event := range p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "local_command", Config: cty.ObjectVal(map[string]cty.Value{
				"command":           cty.StringVal("sh"),
				"arguments":         cty.ListVal([]cty.Value{cty.StringVal("-c"), cty.NullVal(cty.String), cty.StringVal(tt.script)}),
				"stdin":             cty.StringVal("in"),
				"working_directory": cty.StringVal("/"),
				"environment":       cty.MapVal(map[string]cty.Value{"WHO": cty.StringVal("me")}),
			})}).Events {
				switch event := event.(type) {
				case provider.ActionProgress:
					progress += event.Message
				case provider.ActionCompleted:
					failure = event.Diagnostics.Error()
				}
			}
			if progress != tt.progress || !strings.Contains(failure, tt.failure) || tt.failure == "" && failure != "" {
				t.Errorf("got the progress %q and the error %q, want %q and %q", progress, failure, tt.progress, tt.failure)
			}
		})
	}
}
