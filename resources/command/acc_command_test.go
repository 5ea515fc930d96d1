package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// ranFile returns the log of the commands, and clears it.
func ranFile(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	resourcetest.Must(t, err, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestAccCommand creates, changes and repairs an object with commands, first without update,
// then with it. A changed trigger is unknown until the apply.
func TestAccCommand(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	configure := func(version, update string) {
		w.Write("main.tf", resourcetest.Expand(dir, fmt.Sprintf(`
resource "terraform_data" "version" {
  triggers_replace = %q
}
resource "posix_command" "it" {
  working_directory = "DIR"
  triggers          = { version = terraform_data.version.id }
  create            = "echo create >>log; echo %[1]s >thing; echo made %[1]s"
  read              = "cat thing"
  %[2]s
  delete            = "echo delete >>log; rm thing"
  absent_exit_codes = [1]
}
output "stdout" {
  value = posix_command.it.stdout
}
`, version, update)))
	}
	apply := func(args ...string) {
		t.Helper()
		resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, args...)
		w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	}
	ran := func(want string) {
		t.Helper()
		if got := ranFile(t, dir); got != want {
			t.Errorf("commands that ran: %s, want %s", got, want)
		}
	}
	configure("one", "")
	apply("2 added, 0 changed, 0 destroyed", `stdout = "made one"`)
	ran("create")
	configure("two", "")
	apply("# posix_command.it must be replaced", "create   ", "# forces replacement", "2 added, 0 changed, 2 destroyed", `stdout = "made two"`)
	ran("delete create")

	// The plan shows drift, and the apply repairs it with a new object.
	resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, "thing"), "else\n", 0o600))
	apply(`~ observed`, `"else"`, "# forces replacement", "1 added, 0 changed, 1 destroyed")
	ran("delete create")
	resourcetest.Must(t, os.Remove(filepath.Join(dir, "thing")))
	apply("# posix_command.it will be created", "1 added, 0 changed, 0 destroyed")
	ran("create")

	// With update, changes and drift update the object in place.
	update := `update            = "echo update >>log; echo three >thing; echo changed"`
	configure("two", update)
	apply("0 added, 1 changed, 0 destroyed", `stdout = "changed"`)
	ran("update")
	configure("three", update)
	apply("# posix_command.it will be updated in-place", "1 added, 1 changed, 1 destroyed")
	ran("update")
	resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, "thing"), "else\n", 0o600))
	apply(`~ observed`, `"else"`, "0 added, 1 changed, 0 destroyed")
	ran("update")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	ran("delete")
}

// TestAccCommandFails checks that the error of a failing create has the output of the command, that
// the object in the state is tainted, and that the next apply creates the object again.
func TestAccCommandFails(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	config := func(create string) string {
		return resourcetest.Expand(dir, fmt.Sprintf(`
resource "posix_command" "it" {
  working_directory = "DIR"
  create            = %q
  read              = "cat thing"
  delete            = "echo delete >>log; rm -f thing part"
  timeout           = "20s"
}
`, create))
	}
	w.Write("main.tf", config("touch part; echo no room for it >&2; exit 7"))
	resourcetest.WantErrors{"posix_command.it": {Attribute: "create", Texts: []string{"the command create on host local ended with exit code 7", "no room for it"}}}.
		Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.WantTexts(t, w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color").Output, "# posix_command.it is tainted, so it must be replaced")
	w.Write("main.tf", config("echo one >thing"))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "delete" {
		t.Errorf("commands that ran: %s, want delete", got)
	}
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"log": "-rw-r--r-- ", "thing": "-rw-r--r-- one\n"}))

	// A read that fails is an error until its corrected settings are applied without a refresh.
	resourcetest.Must(t, os.Remove(filepath.Join(dir, "thing")))
	r := w.Run("plan", "-json")
	resourcetest.WantErrors{"posix_command.it": {Attribute: "read", Texts: []string{"the command read on host local ended with exit code 1", "set absent_exit_codes = [1]", "No such file"}}}.Check(t, r)
	resourcetest.WantTexts(t, r.Output, "-refresh=false")
	w.Write("main.tf", strings.Replace(config("echo one >thing"), "timeout ", "absent_exit_codes = [1]\n  timeout ", 1))
	w.Do(nil, "apply", "-auto-approve", "-no-color", "-refresh=false")
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "1 added, 0 changed, 0 destroyed")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
}

// nullProvider returns a provider with the schema of hashicorp/null.
func nullProvider() resourcetest.Former {
	return resourcetest.Former{Types: map[string]provider.Schema{"null_resource": {Body: &configschema.Block{Attributes: map[string]*configschema.Attribute{
		"id": {Type: cty.String, Computed: true}, "triggers": {Type: cty.Map(cty.String), Optional: true},
	}}}}}
}

// TestAccCommandMovedFromNull moves a null_resource as the guide for provisioners describes.
func TestAccCommandMovedFromNull(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	withdraw := w.Serve("hashicorp/null", nullProvider().New)
	dir := resourcetest.TempDir(t)
	resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, "thing"), "one\n", 0o600), resourcetest.Put(filepath.Join(dir, "log"), "", 0o600))
	s := resourcetest.RecordedState{{
		"mode": "managed", "type": "null_resource", "name": "it", "provider": fmt.Sprintf("provider[\"%s/hashicorp/null\"]", w.RegistryHost()),
		"instances": []any{map[string]any{"schema_version": 0, "attributes": map[string]any{"id": "8674665223082153551", "triggers": map[string]any{"version": "one"}}}},
	}}
	w.Write("terraform.tfstate", s.JSON(t))
	w.Write("main.tf", resourcetest.Expand(dir, `
moved {
  from = null_resource.it
  to   = posix_command.it
}
resource "posix_command" "it" {
  working_directory = "DIR"
  triggers          = { version = "one" }
  create            = "echo create >>log; echo one >thing"
  read              = "cat thing"
  delete            = "echo delete >>log; rm thing"
}
`))
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "(moved from null_resource.it)", "0 added, 1 changed, 0 destroyed")
	withdraw() // hashicorp/null is no longer needed
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	if got := ranFile(t, dir); got != "" {
		t.Errorf("commands that ran: %s, want none", got)
	}
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
}

// TestAccCommandMoved moves an object that a provisioner created. The move runs only read.
func TestAccCommandMoved(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	w.Write("main.tf", resourcetest.Expand(dir, `
resource "terraform_data" "it" {
  triggers_replace = ["one"]
  provisioner "local-exec" {
    command = "echo provisioned >>DIR/log; echo one >DIR/thing"
  }
}
`))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	w.Write("main.tf", resourcetest.Expand(dir, `
moved {
  from = terraform_data.it
  to   = posix_command.it
}
resource "posix_command" "it" {
  working_directory = "DIR"
  triggers          = { version = "one" }
  create            = "echo create >>log; echo one >thing"
  read              = "cat thing"
  delete            = "echo delete >>log; rm thing"
}
`))
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "(moved from terraform_data.it)", "0 added, 1 changed, 0 destroyed")
	if got := ranFile(t, dir); got != "provisioned" {
		t.Errorf("commands that ran: %s, want provisioned", got)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, "thing"), "else\n", 0o600))
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "1 added, 0 changed, 1 destroyed")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "delete create delete" {
		t.Errorf("commands that ran: %s, want delete create delete", got)
	}
}

// TestAccCommandRepair checks which commands run when an apply repairs drift of a file, as the
// guide for provisioners describes: a trigger with the digest of the file does not change, but
// replace_triggered_by compares that digest with the one found on the host.
func TestAccCommandRepair(t *testing.T) {
	t.Parallel()
	w := acctest.NewServedWorkdir(t, "posix", resourcetest.Provider(runtime.Definition{
		Resources: map[string]runtime.ResourceRegistration{"command": command.Resource(), "file": file.Resource()},
	}))
	dir := resourcetest.TempDir(t)
	w.Write("main.tf", resourcetest.Expand(dir, `
resource "posix_file" "config" {
  path    = "DIR/config"
  content = "a\n"
}
resource "terraform_data" "config" {
  lifecycle {
    replace_triggered_by = [posix_file.config.sha256]
  }
}
resource "posix_command" "digest" {
  create   = "echo digest >>DIR/log"
  triggers = { config = posix_file.config.sha256 }
}
resource "posix_command" "updated" {
  create   = "true"
  update   = "echo updated >>DIR/log"
  triggers = { config = terraform_data.config.id }
}
`))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "digest" {
		t.Errorf("commands of the create: %s, want digest", got)
	}
	resourcetest.Must(t, resourcetest.Put(filepath.Join(dir, "config"), "b\n", 0o600))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "updated" {
		t.Errorf("commands of the repair: %s, want updated", got)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}
