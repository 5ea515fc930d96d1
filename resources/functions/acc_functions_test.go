package functions_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/functions"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// withFunctions is the required_providers block that calls of functions need.
const withFunctions = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}
`

var factories = acctest.Factories("posix", resourcetest.Provider(runtime.Definition{Functions: functions.All()}))

// TestAccFunctions calls every function from a configuration.
func TestAccFunctions(t *testing.T) {
	t.Parallel()
	text := knownvalue.StringExact
	calls := map[string]struct {
		expression string
		want       knownvalue.Check
	}{
		"mode":        {`provider::posix::mode("g-w,o=", "0775")`, text("0750")},
		"shell_quote": {`provider::posix::shell_quote(["echo", "it's"]...)`, text(`echo 'it'\''s'`)},
		"ini_encode":  {`provider::posix::ini_encode({ a = { n = 1, off = false, none = null }, b = {} })`, text("[a]\nn = 1\noff = false\n\n[b]\n")},
		"ini_decode": {`provider::posix::ini_decode("x = 1\n[a]\nbare\n")`, knownvalue.MapExact(map[string]knownvalue.Check{
			"": knownvalue.MapExact(map[string]knownvalue.Check{"x": text("1")}), "a": knownvalue.MapExact(map[string]knownvalue.Check{"bare": knownvalue.Null()}),
		})},
		"env_encode":   {`provider::posix::env_encode({ B = "x y", A = 1, C = null })`, text("A=1\nB=\"x y\"\n")},
		"env_decode":   {`provider::posix::env_decode("A='x'\n")`, knownvalue.MapExact(map[string]knownvalue.Check{"A": text("x")})},
		"systemd_unit": {`provider::posix::systemd_unit({ Service = { ExecStart = ["", "/bin/true"], TimeoutSec = 1.5, User = null } })`, text("[Service]\nExecStart=\nExecStart=/bin/true\nTimeoutSec=1.5\n")},
		"hosts_file":   {`provider::posix::hosts_file({ "192.0.2.1" = ["a", "b"], c = "192.0.2.1" })`, text("192.0.2.1\ta b c\n")},
	}
	if want, got := slices.Sorted(maps.Keys(functions.All())), slices.Sorted(maps.Keys(calls)); !slices.Equal(want, got) {
		t.Errorf("the test calls %q, want %q", got, want)
	}
	var config strings.Builder
	config.WriteString(withFunctions)
	var outputs []statecheck.StateCheck
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		config.WriteString("output \"" + name + "\" {\n  value = " + calls[name].expression + "\n}\n")
		outputs = append(outputs, statecheck.ExpectKnownOutputValue(name, calls[name].want))
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config.String(), ConfigStateChecks: outputs},
			{Config: config.String(), PlanOnly: true},
		},
	})
}

// TestAccFunctionsOfUnknown calls functions with arguments that are unknown, as a whole
// or in part.
func TestAccFunctionsOfUnknown(t *testing.T) {
	t.Parallel()
	config := withFunctions + `
resource "terraform_data" "later" {
  input = "x y"
}
output "word" {
  value = provider::posix::shell_quote("echo", terraform_data.later.output)
}
output "unit" {
  value = provider::posix::systemd_unit({ Unit = { Description = terraform_data.later.output } })
}
output "hosts" {
  value = provider::posix::hosts_file({ a = [terraform_data.later.output == "" ? "192.0.2.1" : "192.0.2.2"] })
}
output "env" {
  value = provider::posix::env_encode({ A = terraform_data.later.output })
}
`
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownOutputValue("word"), plancheck.ExpectUnknownOutputValue("unit"),
				plancheck.ExpectUnknownOutputValue("hosts"), plancheck.ExpectUnknownOutputValue("env"),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("word", knownvalue.StringExact("echo 'x y'")),
				statecheck.ExpectKnownOutputValue("unit", knownvalue.StringExact("[Unit]\nDescription=x y\n")),
				statecheck.ExpectKnownOutputValue("hosts", knownvalue.StringExact("192.0.2.2\ta\n")),
				statecheck.ExpectKnownOutputValue("env", knownvalue.StringExact("A=\"x y\"\n")),
			},
		}},
	})
}

// TestAccFunctionErrors checks that errors name the argument and the cause.
func TestAccFunctionErrors(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`mode("+x")`:               `"spec".*must start with u, g, o or a`,
		`mode("a+x", "9")`:         `"base".*three or four octal digits`,
		`mode(null)`:               `(?i)"spec".*null`,
		`ini_decode("a\n a = 1")`:  `"text".*line 2: its key is already on line 1`,
		`env_decode("A=1\nB=$A")`:  `"text".*line 2: \$ and backquotes`,
		`env_encode({ A = "\r" })`: `"variables".*the variable A has a control character`,
		`systemd_unit([])`:         `"sections".*an object of sections`,
		`systemd_unit({ Unit = { After = ["a\nb"] } })`: `"sections".*Unit.*After.*value 1.*must not contain line breaks`,
		`hosts_file({ "192.0.2.1" = "a b" })`:           `"hosts".*192\.0\.2\.1.*value 1.*use a list`,
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			acctest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{{
					Config:      withFunctions + "output \"x\" {\n  value = provider::posix::" + call + "\n}\n",
					ExpectError: regexp.MustCompile("(?s)" + strings.ReplaceAll(want, " ", `\s+`)),
				}},
			})
		})
	}
}
