package acctest_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// pages serves the demo provider, which has a list resource and an action.
var pages = acctest.Factories("demo", demo.New)

// notebook returns the configuration of three pages in a new notebook.
func notebook(dir string) string {
	return fmt.Sprintf(`provider "demo" {
  directory = %q
  owner     = "ada"
}

resource "demo_page" "some" {
  count = length(local.names)
  name  = local.names[count.index]
  title = "Page of ${local.names[count.index]}"
}

locals {
  names = ["a", "b", "c"]
}
`, dir)
}

// lists returns a list block with the arguments and the content of its config block.
func lists(name, arguments, config string) string {
	return fmt.Sprintf("list \"demo_page\" %q {\n  provider = demo\n%s\n  config {\n%s\n  }\n}\n", name, arguments, config)
}

func isPage(dir, name string) map[string]knownvalue.Check {
	return map[string]knownvalue.Check{"directory": knownvalue.StringExact(dir), "name": knownvalue.StringExact(name)}
}

// queries are steps after a step that creates the pages a, b and c.
var queries = map[string]func(dir string) resource.TestStep{
	"all": func(dir string) resource.TestStep {
		return resource.TestStep{Config: lists("all", "", ""), QueryResultChecks: []querycheck.QueryResultCheck{
			querycheck.ExpectLength("demo_page.all", 3),
			querycheck.ExpectIdentity("demo_page.all", isPage(dir, "c")),
			querycheck.ExpectNoIdentity("demo_page.all", isPage(dir, "d")),
			querycheck.ExpectResourceDisplayName("demo_page.all", queryfilter.ByResourceIdentity(isPage(dir, "b")), knownvalue.StringExact("Page b")),
		}}
	},
	"objects": func(string) resource.TestStep {
		return resource.TestStep{Config: lists("all", "include_resource = true\nlimit = 2", ""), QueryResultChecks: []querycheck.QueryResultCheck{
			querycheck.ExpectLength("list.demo_page.all", 2),
			querycheck.ExpectResourceKnownValues("demo_page.all", queryfilter.ByDisplayName(knownvalue.StringExact("Page b")), []querycheck.KnownValueCheck{
				{Path: tfjsonpath.New("title"), KnownValue: knownvalue.StringExact("Page of b")},
				{Path: tfjsonpath.New("meta"), KnownValue: knownvalue.Null()},
			}),
		}}
	},
	"instances and references": func(dir string) resource.TestStep {
		return resource.TestStep{
			Config: lists("counted", "count = 2", `prefix = element(["a", "z"], count.index)`) +
				lists("local", "include_resource = true", "prefix = local.names[1]") +
				lists("resource", "", "prefix = demo_page.some[2].name") +
				lists("variable", "", "prefix = var.prefix") + "variable \"prefix\" {\n  type = string\n}\n" +
				lists("each", "for_each = { for found in list.demo_page.local.data : found.identity.name => found.state.title }", `prefix = trimprefix(each.value, "Page of ")`),
			ConfigVariables: config.Variables{"prefix": config.StringVariable("a")},
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("demo_page.counted[0]", 1),
				querycheck.ExpectLength("demo_page.counted[1]", 0),
				querycheck.ExpectTotalLengthForMatching(regexp.MustCompile(`demo_page\.(counted|each)\[`), 2),
				querycheck.ExpectIdentity("demo_page.local", isPage(dir, "b")),
				querycheck.ExpectIdentity("demo_page.resource", isPage(dir, "c")),
				querycheck.ExpectIdentity("demo_page.variable", isPage(dir, "a")),
				querycheck.ExpectIdentity(`demo_page.each["b"]`, isPage(dir, "b")),
			},
		}
	},
	"a limit of zero": func(string) resource.TestStep {
		return checked("limit = 0", querycheck.ExpectLength("demo_page.all", 0))
	},
}

// checked returns a step that lists pages with the arguments, and a check of the results.
func checked(arguments string, check querycheck.QueryResultCheck) resource.TestStep {
	return resource.TestStep{Config: lists("all", arguments, ""), QueryResultChecks: []querycheck.QueryResultCheck{check}}
}

// invalidQuery is a query with the summary of its error.
type invalidQuery struct{ query, summary string }

// invalid are queries that fail.
var invalid = map[string]invalidQuery{
	"a negative limit":    {lists("all", "limit = -1", ""), "Invalid limit argument"},
	"a fraction as limit": {lists("all", "limit = 1.5", ""), `Invalid \\*"limit\\*" argument`},
	"a null limit":        {lists("all", "limit = null", ""), `Invalid \\*"limit\\*" argument`},
	"an unknown limit":    {lists("all", "limit = parseint(timestamp(), 10)", ""), `Invalid \\*"limit\\*" argument`},
	"an unknown prefix":   {lists("all", "", "prefix = timestamp()"), "config is not known"},
	"an unknown type":     {strings.Replace(lists("all", "", ""), "demo_page", "demo_sheet", 1), "Invalid list resource"},
	"an unknown argument": {lists("all", "", "bogus = 1"), "Unsupported argument"},
	"depends_on":          {lists("all", "depends_on = [demo_page.some]", ""), "Unsupported argument"},
	"no provider":         {"list \"demo_page\" \"all\" {\n}\n", `Missing \\*"provider\\*" attribute`},
	"two config blocks":   {lists("all", "config {\n}\n", ""), "Duplicate config block"},
	"two lists of a name": {lists("all", "", "") + lists("all", "", ""), `Duplicate list \\*"demo_page\\*" configuration`},
	"a list of itself":    {lists("all", "", "prefix = list.demo_page.all.data[0].identity.name"), "Self-referential block"},
	"another block":       {"output \"o\" {\n  value = 1\n}\n", "Unsupported block type"},
	"a missing variable":  {"variable \"v\" {\n}\n" + lists("all", "", ""), "No value for required variable"},
	"an object that was not requested": {
		lists("all", "", "") + lists("next", "", "prefix = list.demo_page.all.data[0].state.title"), "Attempt to get attribute from null value",
	},
}

func (q invalidQuery) step(string) resource.TestStep {
	return resource.TestStep{Config: q.query, ExpectError: regexp.MustCompile(q.summary)}
}

// failing are steps whose checks fail.
var failing = map[string]resource.TestStep{
	"a wrong length":   checked("", querycheck.ExpectLength("demo_page.all", 2)),
	"too few results":  checked("", querycheck.ExpectLengthAtLeast("demo_page.all", 4)),
	"a wrong identity": checked("", querycheck.ExpectIdentity("demo_page.all", isPage("/", "a"))),
	"an object that was not requested": checked("", querycheck.ExpectResourceKnownValues("demo_page.all",
		queryfilter.ByDisplayName(knownvalue.StringExact("Page b")), []querycheck.KnownValueCheck{{Path: tfjsonpath.New("title"), KnownValue: knownvalue.NotNull()}})),
}

// queried returns a test case with queries of the notebook.
func queried(t *testing.T, steps ...func(dir string) resource.TestStep) resource.TestCase {
	t.Helper()
	dir := t.TempDir()
	notebook := resource.TestStep{Config: notebook(dir)}
	c := resource.TestCase{ProtoV6ProviderFactories: pages, Steps: []resource.TestStep{notebook}}
	for _, step := range steps {
		s := step(dir)
		s.Query = true
		c.Steps = append(c.Steps, s)
	}
	c.Steps = append(c.Steps, notebook)
	return c
}

// TestQueries checks the verdicts of queries in this process.
func TestQueries(t *testing.T) {
	t.Parallel()
	run := func(name, want string, step func(dir string) resource.TestStep) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := acctest.AsTerraform(t, queried(t, step)); got.Text != want {
				t.Errorf("the test %s, want %s:\n%s", got.Text, want, got.Log)
			}
		})
	}
	for name, step := range queries {
		run(name, passed, step)
	}
	for name, q := range invalid {
		run(name, passed, q.step)
	}
	for name, step := range failing {
		run(name, failedAt(2), func(string) resource.TestStep { return step })
	}
}

// TestTerraformQueries checks that queries have the same verdicts on Terraform as in this process.
// It runs one of the failing steps, and the invalid queries only in the nightly tier.
func TestTerraformQueries(t *testing.T) {
	cli := acctest.NeedsCLI(t)
	if !cli.HasQueries() {
		t.Skipf("%s has no queries; make matrix runs this test with Terraform", cli)
	}
	steps := slices.Collect(maps.Values(queries))
	if tier.Pick(false, false, true) {
		for _, q := range invalid {
			steps = append(steps, q.step)
		}
	}
	if got := acctest.OnCLI(t, queried(t, steps...)); got.Outcome != passed {
		t.Errorf("the test %s, want %s:\n%s", got.Text, passed, got.Log)
	}
	step := failing["a wrong length"]
	if got := acctest.OnCLI(t, queried(t, func(string) resource.TestStep { return step })); got.Text != failedAt(2) {
		t.Errorf("the test %s, want %s:\n%s", got.Text, failedAt(2), got.Log)
	}
}
