package faulttest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccCommandSecrets manages an object whose commands print their secrets, with all
// logs enabled. It checks that output and logs contain no secret, and that state and plans
// contain no ephemeral one.
func TestAccCommandSecrets(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	config := resourcetest.Expand(dir, `
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
	resourcetest.WantTexts(t, run("the failed create", "3", "apply", "-auto-approve", "-no-color"), "exit code 3", "(sensitive value)")
	run("the plan", "4", "plan", "-no-color", "-out=plan")
	w.Write("main.tf", strings.ReplaceAll(config, "  stdin_wo ", "  sensitive_output = true\n  allowed_exit_codes = [0, 5]\n  stdin_wo "))
	resourcetest.WantTexts(t, run("the create", "5", "apply", "-auto-approve", "-no-color"), "1 added")
	run("the state", "5", "show", "-no-color")
	resourcetest.WantTexts(t, run("the failed update", "6", "apply", "-auto-approve", "-no-color"), "exit code 6", "not shown, since sensitive_output is set")
	run("the destroy", "6", "destroy", "-auto-approve", "-no-color")
	mustNotDisclose(t, w, printed, secret)
	// Sensitive values are in the state, but not in output and logs.
	log, err := os.ReadFile(filepath.Join(w.Dir, "log"))
	resourcetest.Must(t, err)
	printed["the log"] = string(log)
	for name, text := range printed {
		if strings.Contains(text, known) {
			t.Errorf("%s has %q:\n%s", name, known, text)
		}
	}
	closed, err := os.ReadFile(filepath.Join(dir, "closed"))
	if err != nil || !strings.Contains(string(closed), secret+"-token") {
		t.Errorf("the token was not passed to the close command: %q, %v", closed, err)
	}
}
