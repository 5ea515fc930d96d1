package acctest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	tfplugin5 "github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var unsupportedBlock = regexp.MustCompile(`Unsupported block type`)

// TestUnsupported checks the errors for features that need a command, and for a missing
// directory.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*resource.TestCase)
		want   string
	}{
		"ExternalProviders": {
			func(c *resource.TestCase) { c.ExternalProviders = map[string]resource.ExternalProvider{"x": {}} },
			`ExternalProviders ["x"] come from a registry`,
		},
		"ExternalProviders of a step": {
			func(c *resource.TestCase) {
				c.Steps[0].ExternalProviders = map[string]resource.ExternalProvider{"x": {}}
			},
			`step 1/1: ExternalProviders ["x"] come from a registry`,
		},
		"deferred changes": {
			func(c *resource.TestCase) {
				c.AdditionalCLIOptions = &resource.AdditionalCLIOptions{Plan: resource.PlanOptions{AllowDeferral: true}}
			},
			"AllowDeferral needs an experimental build",
		},
		"state stores": {func(c *resource.TestCase) { c.Steps[0].StateStore = true }, "step 1/1: state stores need a command"},
		"a missing directory": {
			func(c *resource.TestCase) {
				c.Steps[0].Config = ""
				c.Steps[0].ConfigDirectory = config.StaticDirectory("testdata/nothing")
			},
			"step 1/1: ConfigDirectory: open testdata/nothing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c := b.steps(resource.TestStep{Config: b.config("a")})
			tt.change(&c)
			if got := acctest.InProcess(t, c); got.Outcome != failed || !strings.Contains(got.Log, tt.want) {
				t.Errorf("the test %s with the log %q, want a failure with a log that contains %s", got.Outcome, got.Log, tt.want)
			}
		})
	}
}

// TestMessages checks the messages of failed tests.
func TestMessages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, tt := range map[string]struct {
		step resource.TestStep
		want string
	}{
		"a plan without refreshing": {
			resource.TestStep{Config: b.config("a"), PlanOnly: true},
			"Step 1/1: The non-refresh plan was not empty in a step that only plans:\n\n  + demo_note.this: Create\n      lines: null -> (known after apply)\n      path: null -> \"" + b.path + "\"\n      text: null -> \"a\"",
		},
		"a plan with refreshing": {
			resource.TestStep{Config: b.config("a"), Check: func(*terraform.State) error { b.scribble(); return nil }},
			"Step 1/1: After applying this test step, the refresh plan was not empty:\n\n  ~ demo_note.this: Update\n      lines: 0 -> (known after apply)\n      text: \"scribble\" -> \"a\"",
		},
		"a check": {
			resource.TestStep{Config: b.config("a"), Check: fails},
			"Step 1/1: Check failed: the check does not hold",
		},
		"a missing error": {
			resource.TestStep{Config: b.config("a"), ExpectError: unsupportedBlock},
			`Step 1/1: ExpectError: got no error, want one that matches "Unsupported block type"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := acctest.InProcess(t, b.steps(tt.step)); got.Log != tt.want {
				t.Errorf("the log is\n%s\nwant\n%s", got.Log, tt.want)
			}
		})
	}
}

// schemaCounter counts the requests for the schema.
type schemaCounter struct {
	tfplugin.ProviderServer

	schemas *atomic.Int32
}

func (a schemaCounter) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	a.schemas.Add(1)
	return a.ProviderServer.GetProviderSchema(ctx, req)
}

// TestSchemaOnce checks that a test requests the schema once, although it starts the
// provider for each command.
func TestSchemaOnce(t *testing.T) {
	t.Parallel()
	var schemas, starts atomic.Int32
	b := newBench(t)
	c := b.steps(resource.TestStep{Config: b.config("a")}, resource.TestStep{Config: b.config("b")})
	c.ProtoV6ProviderFactories = map[string]func() (tfplugin.ProviderServer, error){"demo": func() (tfplugin.ProviderServer, error) {
		starts.Add(1)
		p, err := notes["demo"]()
		return schemaCounter{p, &schemas}, err
	}}
	acctest.Test(t, c)
	if schemas.Load() != 1 || starts.Load() < 8 {
		t.Errorf("the schema was requested %d times and the provider started %d times, want 1 request and at least 8 starts", schemas.Load(), starts.Load())
	}
}

// session is a Config that must be closed.
type session struct{ open *atomic.Int32 }

func (s *session) Close() error {
	s.open.Add(-1)
	return nil
}

// TestConfigIsClosed checks that a test closes each provider that it has configured.
func TestConfigIsClosed(t *testing.T) {
	t.Parallel()
	var configured, open atomic.Int32
	definition := registered
	definition.Config = runtime.MakeConfig(func(context.Context, *struct{}) (*session, error) {
		configured.Add(1)
		open.Add(1)
		return &session{&open}, nil
	})
	b := newBench(t)
	c := b.steps(resource.TestStep{Config: b.config("a")}, b.imports(func(*resource.TestStep) {}))
	c.ProtoV6ProviderFactories = acctest.Factories("demo", func() (provider.Interface, error) { return runtime.New(definition) })
	if got := acctest.InProcess(t, c); got.Text != passed || configured.Load() < 4 || open.Load() != 0 {
		t.Errorf("the test %s; of %d configured providers, %d are open, want a pass, at least 4, and 0:\n%s", got.Text, configured.Load(), open.Load(), got.Log)
	}
}

// TestState checks for_each instances and modules in the state of Check functions.
func TestState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dir := t.TempDir()
	files := map[string]string{
		"main.tf":   "module \"m\" {\n  source = \"./m\"\n}\n" + required,
		"m/main.tf": strings.Replace(strings.Replace(b.config("a"), `"a"`, "each.key\n  for_each = toset([\"x\"])", 1), b.path, b.path+"${each.key}", 1),
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	acctest.Test(t, b.steps(resource.TestStep{
		ConfigDirectory: config.StaticDirectory(dir),
		Check: func(s *terraform.State) error {
			for _, m := range s.Modules {
				if found := m.Resources[`module.m.demo_note.this["x"]`]; found != nil && strings.Join(m.Path, "/") == "root/m" {
					return nil
				}
			}
			return fmt.Errorf("the state has no instance module.m.demo_note.this[\"x\"] in module root/m: %s", s)
		},
	}))
}

// TestImportIntoModule checks that ImportStateVerify compares objects in modules.
func TestImportIntoModule(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(bench) func()
		want   string
	}{
		"the same object": {func(bench) func() { return nil }, ""},
		"another text":    {func(b bench) func() { return b.scribble }, "ImportStateVerify attributes not equivalent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			dir := t.TempDir()
			for file, text := range map[string]string{"main.tf": "module \"m\" {\n  source = \"./m\"\n}\n" + required, "m/main.tf": required + b.config("a")} {
				file = filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			got := acctest.InProcess(t, b.steps(
				resource.TestStep{ConfigDirectory: config.StaticDirectory(dir)},
				b.imports(func(s *resource.TestStep) {
					s.PreConfig, s.ResourceName, s.ConfigDirectory = tt.change(b), "module.m."+this, config.StaticDirectory(dir)
				}),
			))
			if failing := tt.want != ""; (got.Outcome == failed) != failing || !strings.Contains(got.Log, tt.want) {
				t.Errorf("the test %s with the log %q, want a failure: %t, and a log that contains %q", got.Text, got.Log, failing, tt.want)
			}
		})
	}
}

// TestImportOfNothing checks that ImportStateVerify fails if the provider finds no object,
// which is not an error of the import command.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	got := acctest.InProcess(t, resource.TestCase{
		ProviderFactories: map[string]func() (*schema.Provider, error){"old": func() (*schema.Provider, error) {
			p := counter()
			p.ResourcesMap["old_counter"].Importer.StateContext = func(context.Context, *schema.ResourceData, any) ([]*schema.ResourceData, error) { return nil, nil }
			return p, nil
		}},
		Steps: []resource.TestStep{
			{Config: "resource \"old_counter\" \"this\" {\n  n = 1\n}\n"},
			{ResourceName: "old_counter.this", ImportState: true, ImportStateVerify: true},
		},
	})
	if got.Text != failedAt(2) || !strings.Contains(got.Log, "the import found no object") {
		t.Errorf("the test %s with the log %q, want a failure of step 2, because the import found no object", got.Text, got.Log)
	}
}

// TestGenerateConfigName checks that a ResourceName without a type is an error of the step.
func TestGenerateConfigName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := acctest.InProcess(t, b.steps(
		resource.TestStep{Config: b.config("a")},
		b.imports(func(s *resource.TestStep) {
			byBlock(resource.ImportBlockWithID)(s)
			s.GenerateConfig, s.ResourceName = true, "this"
		}),
	))
	if want := `ResourceName must be the address of a resource, got "this"`; got.Text != failedAt(2) || !strings.Contains(got.Log, want) {
		t.Errorf("the test %s with the log %q, want a failure of step 2 with the error: %s", got.Text, got.Log, want)
	}
}

// TestSecrets checks that sensitive values are redacted in the text of a plan.
func TestSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	text := "variable \"secret\" {\n  default   = \"hunter2\"\n  sensitive = true\n}\n" + strings.Replace(b.config("a"), `"a"`, "var.secret", 1)
	got := acctest.InProcess(t, b.steps(resource.TestStep{Config: text, PlanOnly: true}))
	if !strings.Contains(got.Log, "  + demo_note.this: Create\n") || !strings.Contains(got.Log, "text: null -> (sensitive)") || strings.Contains(got.Log, "hunter2") {
		t.Errorf("want a log with the plan and a redacted value, got:\n%s", got.Log)
	}
}

// TestVariablesOfTheEnvironment checks that the environment and files set variables, with the
// right precedence.
func TestVariablesOfTheEnvironment(t *testing.T) {
	t.Setenv("TF_VAR_text", "env")
	t.Setenv("TF_VAR_words", `["x", "y"]`)
	t.Setenv("TF_VAR_any", `["z"]`)
	t.Setenv("TF_VAR_other", "env")
	b := newBench(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.tf": required + "variable \"text\" {}\nvariable \"words\" {\n  type = list(string)\n}\nvariable \"any\" {\n  type = any\n}\nvariable \"other\" {}\nvariable \"third\" {}\n" +
			strings.Replace(b.config("a"), `"a"`, `"${var.text}-${join("", var.words)}-${join("", var.any)}-${var.other}-${var.third}"`, 1),
		"terraform.tfvars":      "other = \"file\"\nthird = \"file\"\nunknown = 1\n",
		"x.auto.tfvars.json":    `{"third": "auto"}`,
		"not-read-by-itself.tf": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	acctest.Test(t, b.steps(resource.TestStep{
		ConfigDirectory: config.StaticDirectory(dir),
		Check:           resource.TestCheckResourceAttr(this, "text", "env-xy-z-file-auto"),
	}))
}

// counter returns a provider of terraform-plugin-sdk, which uses protocol 5.
func counter() *schema.Provider {
	set := func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
		d.SetId("counter")
		return diag.FromErr(d.Set("twice", 2*d.Get("n").(int))) //nolint:forcetypeassert // the schema has n as an int
	}
	none := func(context.Context, *schema.ResourceData, any) diag.Diagnostics { return nil }
	return &schema.Provider{ResourcesMap: map[string]*schema.Resource{"old_counter": {
		Schema: map[string]*schema.Schema{
			"n":     {Type: schema.TypeInt, Required: true},
			"twice": {Type: schema.TypeInt, Computed: true},
			"tags":  {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"part": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"name": {Type: schema.TypeString, Required: true},
			}}},
		},
		CreateContext: set, UpdateContext: set, ReadContext: none, DeleteContext: none,
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext},
	}}}
}

// TestProtocol5 runs an SDK provider, given to the test case in each possible way.
func TestProtocol5(t *testing.T) {
	t.Parallel()
	for name, give := range map[string]func(*resource.TestCase){
		"as a provider": func(c *resource.TestCase) {
			c.Providers = map[string]*schema.Provider{"old": counter()} //nolint:staticcheck // supported for existing test suites
		},
		"by a factory": func(c *resource.TestCase) {
			c.ProviderFactories = map[string]func() (*schema.Provider, error){"old": func() (*schema.Provider, error) { return counter(), nil }}
		},
		"as a server": func(c *resource.TestCase) {
			c.ProtoV5ProviderFactories = map[string]func() (tfplugin5.ProviderServer, error){"old": func() (tfplugin5.ProviderServer, error) { return counter().GRPCProvider(), nil }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := func(n int) string {
				return fmt.Sprintf("resource \"old_counter\" \"this\" {\n  n    = %d\n  tags = { a = \"b\" }\n  part {\n    name = \"x\"\n  }\n}\n", n)
			}
			c := resource.TestCase{Steps: []resource.TestStep{
				{Config: text(1), Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("old_counter.this", "twice", "2"),
					resource.TestCheckResourceAttr("old_counter.this", "tags.a", "b"), resource.TestCheckResourceAttr("old_counter.this", "tags.%", "1"),
					resource.TestCheckResourceAttr("old_counter.this", "part.0.name", "x"), resource.TestCheckResourceAttr("old_counter.this", "part.#", "1"),
				)},
				{Config: text(2), Check: resource.TestCheckResourceAttr("old_counter.this", "twice", "4")},
				{ResourceName: "old_counter.this", ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"n", "twice", "tags", "part"}},
				{Config: strings.Replace(text(2), "part {", "parts {", 1), ExpectError: unsupportedBlock},
				{Config: text(3)}, // the destroy needs a valid configuration
			}}
			give(&c)
			acctest.Test(t, c)
		})
	}
}

// TestFunctionsOfTheProviders checks that functions of the test's providers can be
// called without required_providers, as on the command line. A configuration with a
// terraform block must list the providers in required_providers.
func TestFunctionsOfTheProviders(t *testing.T) {
	t.Parallel()
	const call = "output \"one\" {\n  value = provider::counted::one()\n}\n"
	for name, tt := range map[string]struct {
		config string
		fails  *regexp.Regexp
	}{
		"no terraform block":       {config: call},
		"the provider is required": {config: "terraform {\n  required_providers {\n    counted = { source = \"" + acctest.Namespace + "/counted\" }\n  }\n}\n" + call},
		"the provider is not required": {
			config: "terraform {\n  required_version = \">= 1.0\"\n}\n" + call,
			fails:  regexp.MustCompile("Unknown function provider"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var called atomic.Int32
			acctest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories("counted", func() (provider.Interface, error) { return counted{called: &called}, nil }),
				Steps: []resource.TestStep{
					{Config: tt.config, ExpectError: tt.fails, Check: resource.TestCheckOutput("one", "1")},
					{Config: "locals {}"},
				},
			})
		})
	}
}
