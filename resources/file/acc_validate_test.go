package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccValidate creates and changes a file with validation and backups, and checks that
// rejected content is never written and that replaced content is kept.
func TestAccValidate(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir := resourcetest.TempDir(t)
	w.Write("main.tf", resourcetest.Expand(dir, `
variable "content" {
  type = string
}
resource "posix_file" "it" {
  path    = "DIR/it.conf"
  content = var.content
  mode    = "0640"
  write_options = {
    validate = ["sh", "-c", "ls -l \"$1\" >&2 && ! grep -n bad \"$1\"", "sh", "%s"]
    backup   = true
  }
}
`))
	with := func(content string) { w.Env = []string{"TF_VAR_content=" + content} }
	// others returns the contents of all files in the directory except it.conf, and checks their modes.
	others := func() (found []string) {
		entries, err := os.ReadDir(dir)
		resourcetest.Must(t, err)
		for _, e := range entries {
			if e.Name() == "it.conf" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			resourcetest.Must(t, err)
			resourcetest.WantMode(t, filepath.Join(dir, e.Name()), 0o640)
			found = append(found, string(content))
		}
		return found
	}
	wantOthers := func(want ...string) {
		t.Helper()
		got := others()
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("the other files have %q, want %q", got, want)
		}
	}
	refused := resourcetest.WantErrors{"posix_file.it": {Attribute: "write_options", Texts: []string{
		"the command did not accept the new content of " + dir + "/it.conf on host local, so nothing was written: sh ended with exit code 1. It printed:",
		"-rw-r-----", "1:bad",
	}}}

	with("bad\n")
	refused.Check(t, w.Run("apply", "-auto-approve", "-json"))
	wantOthers()
	if _, err := os.Lstat(dir + "/it.conf"); !os.IsNotExist(err) {
		t.Errorf("the rejected file exists: %v", err)
	}
	with("one\n")
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	resourcetest.WantFile(t, dir+"/it.conf", "one\n", 0o640)
	wantOthers()
	with("bad\n")
	refused.Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.WantFile(t, dir+"/it.conf", "one\n", 0o640)
	wantOthers()

	// A change by hand is in the backup.
	resourcetest.Must(t, resourcetest.Put(dir+"/it.conf", "by hand\n", 0o640))
	with("two\n")
	w.Do(nil, "plan", "-no-color", "-out=saved")
	w.Do(nil, "apply", "-no-color", "saved")
	resourcetest.WantFile(t, dir+"/it.conf", "two\n", 0o640)
	wantOthers("by hand\n")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")

	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	wantOthers("by hand\n")
}

// TestAccValidateSecret checks that neither the errors nor the log have the secrets that the
// validate command prints.
func TestAccValidateSecret(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir := resourcetest.TempDir(t)
	const hidden, secret = "hidden-19c4-token", "swordfish-7f3a-token"
	w.Write("main.tf", resourcetest.Expand(dir, `
variable "secret" {
  type      = string
  ephemeral = true
}
variable "hidden" {
  type      = string
  sensitive = true
}
resource "posix_file" "secret" {
  path               = "DIR/secret"
  content_wo         = var.secret
  content_wo_version = "1"
  write_options = {
    validate = ["sh", "-c", "cat \"$1\"; cat \"$1\" >&2; exit 7", "sh", "%s"]
  }
}
resource "posix_file" "sensitive" {
  path    = "DIR/sensitive"
  content = var.hidden
  write_options = {
    validate        = ["sh", "-c", "cat \"$1\"; cat \"$1\" >&2; exit 8", "sh", "%s"]
    validate_output = false
  }
}
`))
	w.Env = []string{"TF_VAR_secret=" + secret, "TF_VAR_hidden=" + hidden, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH=" + filepath.Join(w.Dir, "log")}
	r := w.Run("apply", "-auto-approve", "-json")
	resourcetest.WantErrors{
		"posix_file.secret":    {Attribute: "write_options", Texts: []string{"exit code 7. Its output is not shown, since it may contain content_wo"}},
		"posix_file.sensitive": {Attribute: "write_options", Texts: []string{"exit code 8. Its output is not shown, since write_options.validate_output is false"}},
	}.Check(t, r)
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))
	log, err := os.ReadFile(filepath.Join(w.Dir, "log"))
	resourcetest.Must(t, err)
	if !strings.Contains(string(log), "validated content") {
		t.Error("the log lacks \"validated content\"")
	}
	for name, text := range map[string]string{"output": r.Output, "log": string(log)} {
		for _, word := range []string{secret, hidden} {
			if strings.Contains(text, word) {
				t.Errorf("the %s has %q", name, word)
			}
		}
	}
}

// TestAccSourceChangesAfterPlan checks that only planned content is copied, on create
// and on update, and that an apply with a new plan succeeds.
func TestAccSourceChangesAfterPlan(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir, source := resourcetest.TempDir(t), filepath.Join(resourcetest.TempDir(t), "source")
	w.Write("main.tf", resourcetest.ReplaceAll("resource \"posix_file\" \"it\" {\n  path   = \"DIR/it\"\n  source = \"SOURCE\"\n}\n", "DIR", dir, "SOURCE", source))
	disk := map[string]string{}
	for _, version := range []string{"one", "two"} {
		resourcetest.Must(t, resourcetest.Put(source, "planned "+version+"\n", 0o600))
		w.Do(nil, "plan", "-no-color", "-out=saved")
		resourcetest.Must(t, resourcetest.Put(source, "another "+version+"\n", 0o600))
		if r := w.Run("apply", "-no-color", "saved"); r.Code != 1 || !strings.Contains(r.Output, "sha256") || !strings.Contains(r.Output, "posix_file.it") {
			t.Errorf("the apply of a changed source: exit code %d, want 1 and an error about sha256:\n%s", r.Code, r.Output)
		}
		resourcetest.Must(t, resourcetest.OnDisk(dir, disk))
		w.Do(nil, "apply", "-auto-approve", "-no-color")
		disk["it"] = "-rw-r--r-- another " + version + "\n"
		resourcetest.Must(t, resourcetest.OnDisk(dir, disk))
		w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	}
}
