package resources_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// wantWords wants a text to have all of the words, however its lines are broken.
func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	oneLine := strings.Join(strings.Fields(text), " ")
	for _, word := range words {
		if !strings.Contains(oneLine, strings.Join(strings.Fields(word), " ")) {
			t.Errorf("%q is missing in:\n%s", word, text)
		}
	}
}

// ranFile gives what the commands have written about themselves, and forgets it.
func ranFile(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	must(t, err, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestAccCommand takes objects of commands through their lives. One cannot be
// changed in place; what it depends on is unknown until the apply.
func TestAccCommand(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	configure := func(version, update string) {
		w.Write("main.tf", expand(dir, fmt.Sprintf(`
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
	apply := func(words ...string) {
		t.Helper()
		wantWords(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, words...)
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

	// Drift, which the plan shows and the apply puts right by a new object.
	must(t, put(filepath.Join(dir, "thing"), "else\n", 0o600))
	apply(`~ observed`, `"else"`, "# forces replacement", "1 added, 0 changed, 1 destroyed")
	ran("delete create")
	must(t, os.Remove(filepath.Join(dir, "thing")))
	apply("# posix_command.it will be created", "1 added, 0 changed, 0 destroyed")
	ran("create")

	// With an update, all of that is done in place.
	update := `update            = "echo update >>log; echo three >thing; echo changed"`
	configure("two", update)
	apply("0 added, 1 changed, 0 destroyed", `stdout = "changed"`)
	ran("update")
	configure("three", update)
	apply("# posix_command.it will be updated in-place", "1 added, 1 changed, 1 destroyed")
	ran("update")
	must(t, put(filepath.Join(dir, "thing"), "else\n", 0o600))
	apply(`~ observed`, `"else"`, "0 added, 1 changed, 0 destroyed")
	ran("update")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	ran("delete")
}

// TestAccCommandFails: what a failing command has said is in the error, what it has
// begun is in the state, and the next apply makes it anew.
func TestAccCommandFails(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	config := func(create string) string {
		return expand(dir, fmt.Sprintf(`
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
	diagnosed{"posix_command.it": {"create", []string{"the command create on host local ended with exit code 7", "no room for it"}}}.
		check(t, w.Run("apply", "-auto-approve", "-json"))
	wantWords(t, w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color").Output, "# posix_command.it is tainted, so it must be replaced")
	w.Write("main.tf", config("echo one >thing"))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "delete" {
		t.Errorf("commands that ran: %s", got)
	}
	must(t, onDisk(dir, map[string]string{"log": "-rw-r--r-- ", "thing": "-rw-r--r-- one\n"}))

	// A read that fails is an error, until its correction is applied without it.
	must(t, os.Remove(filepath.Join(dir, "thing")))
	r := w.Run("plan", "-json")
	diagnosed{"posix_command.it": {"read", []string{"the command read on host local ended with exit code 1", "set absent_exit_codes = [1]", "No such file"}}}.check(t, r)
	wantWords(t, r.Output, "-refresh=false")
	w.Write("main.tf", strings.Replace(config("echo one >thing"), "timeout ", "absent_exit_codes = [1]\n  timeout ", 1))
	w.Do(nil, "apply", "-auto-approve", "-no-color", "-refresh=false")
	wantWords(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "1 added, 0 changed, 0 destroyed")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
}

// TestAccCommandSecrets takes secrets through the life of an object that prints them
// whenever it can, with all logs on.
func TestAccCommandSecrets(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	config := expand(dir, `
variable "secret" {
  type      = string
  ephemeral = true
}
variable "known" {
  type      = string
  sensitive = true
}
variable "code" {
  type = number
}
ephemeral "posix_command" "token" {
  command     = "echo ${var.secret}-token"
  close       = "cat >>DIR/closed"
  environment = { SECRET = var.secret }
}
resource "posix_command" "it" {
  working_directory      = "DIR"
  create                 = "set -x; cat >&2; echo \"$SECRET $TOKEN $KNOWN\" >&2; touch thing; echo \"$SECRET $KNOWN\"; exit ${var.code}"
  update                 = "set -x; cat >&2; echo \"$SECRET $TOKEN $KNOWN\" >&2; exit ${var.code}"
  read                   = "set -x; echo \"$KNOWN\" >&2; cksum thing"
  environment_wo         = { SECRET = var.secret, TOKEN = ephemeral.posix_command.token.stdout }
  environment_wo_version = var.code
  sensitive_environment  = { KNOWN = var.known }
  stdin_wo               = "${var.secret}-input"
  stdin_wo_version       = var.code
}
`)
	const secret, known = "correct-horse-9d1f", "battery-staple-77aa"
	w.Write("main.tf", config)
	logs := []string{"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(w.Dir, "log")}
	printed := map[string]string{}
	run := func(name, code string, args ...string) string {
		t.Helper()
		w.Env = append([]string{"TF_VAR_secret=" + secret, "TF_VAR_known=" + known, "TF_VAR_code=" + code}, logs...)
		r := w.Run(args...)
		printed[name] = r.Output
		return r.Output
	}
	wantWords(t, run("the create that fails", "3", "apply", "-auto-approve", "-no-color"), "exit code 3", "(sensitive value)")
	run("the plan", "4", "plan", "-no-color", "-out=plan")
	w.Write("main.tf", strings.ReplaceAll(config, "  stdin_wo ", "  sensitive_output = true\n  allowed_exit_codes = [0, 5]\n  stdin_wo "))
	wantWords(t, run("the create", "5", "apply", "-auto-approve", "-no-color"), "1 added")
	run("the state", "5", "show", "-no-color")
	wantWords(t, run("the update that fails", "6", "apply", "-auto-approve", "-no-color"), "exit code 6", "not shown, as sensitive_output is set")
	run("the destroy", "6", "destroy", "-auto-approve", "-no-color")
	mustNotDisclose(t, w, printed, secret)
	// The state has what is sensitive. What is printed and logged has not.
	log, err := os.ReadFile(filepath.Join(w.Dir, "log"))
	must(t, err)
	printed["the log"] = string(log)
	for name, text := range printed {
		if strings.Contains(text, known) {
			t.Errorf("%s has %q:\n%s", name, known, text)
		}
	}
	closed, err := os.ReadFile(filepath.Join(dir, "closed"))
	if err != nil || !strings.Contains(string(closed), secret+"-token") {
		t.Errorf("the token was not given back: %q, %v", closed, err)
	}
}

// nullProvider is hashicorp/null.
func nullProvider() formerProvider {
	return formerProvider{types: map[string]provider.Schema{"null_resource": {Body: &configschema.Block{Attributes: map[string]*configschema.Attribute{
		"id": {Type: cty.String, Computed: true}, "triggers": {Type: cty.Map(cty.String), Optional: true},
	}}}}}
}

// TestAccCommandMovedFromNull does with a null_resource what the guide says.
func TestAccCommandMovedFromNull(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	w.Env = append(w.Env, attach(t, w.RegistryHost()+"/hashicorp/null", nullProvider()))
	dir := tempDir(t)
	must(t, put(filepath.Join(dir, "thing"), "one\n", 0o600), put(filepath.Join(dir, "log"), "", 0o600))
	s := recordedState{{
		"mode": "managed", "type": "null_resource", "name": "it", "provider": fmt.Sprintf("provider[\"%s/hashicorp/null\"]", w.RegistryHost()),
		"instances": []any{map[string]any{"schema_version": 0, "attributes": map[string]any{"id": "8674665223082153551", "triggers": map[string]any{"version": "one"}}}},
	}}
	w.Write("terraform.tfstate", s.json(t))
	w.Write("main.tf", expand(dir, `
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
	wantWords(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "(moved from null_resource.it)", "0 added, 1 changed, 0 destroyed")
	w.Env = nil // the other provider is not needed any more
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	if got := ranFile(t, dir); got != "" {
		t.Errorf("what ran: %s", got)
	}
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
}

// TestAccCommandMoved makes an object ours that provisioners have made. They are
// not run again, and neither is anything else.
func TestAccCommandMoved(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	w.Write("main.tf", expand(dir, `
resource "terraform_data" "it" {
  triggers_replace = ["one"]
  provisioner "local-exec" {
    command = "echo provisioned >>DIR/log; echo one >DIR/thing"
  }
}
`))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	w.Write("main.tf", expand(dir, `
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
	wantWords(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "(moved from terraform_data.it)", "0 added, 1 changed, 0 destroyed")
	if got := ranFile(t, dir); got != "provisioned" {
		t.Errorf("what ran: %s", got)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	must(t, put(filepath.Join(dir, "thing"), "else\n", 0o600))
	wantWords(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "1 added, 0 changed, 1 destroyed")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	if got := ranFile(t, dir); got != "delete create delete" {
		t.Errorf("what ran: %s", got)
	}
}
