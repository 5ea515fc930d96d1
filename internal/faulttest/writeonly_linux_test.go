package faulttest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccWriteOnly checks that write-only content is written only if its version changes
// or the file has other content, and that no output, plan, state or log discloses it.
func TestAccWriteOnly(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	path := filepath.Join(dir, "secret")
	w.Write("main.tf", resourcetest.Expand(dir, `
variable "secret" {
  type      = string
  ephemeral = true
}
variable "version_of_it" {
  type = string
}
resource "posix_file" "secret" {
  path               = "DIR/secret"
  content_wo         = var.secret
  content_wo_version = var.version_of_it
  mode               = "0600"
}
`))
	logs := []string{"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(w.Dir, "log")}
	printed := map[string]string{}
	const first, second, third = "correct horse\nbattery", "staple-7f3a-hunter2", "swordfish-19c4"
	with := func(secret, version string) {
		w.Env = append([]string{"TF_VAR_secret=" + secret, "TF_VAR_version_of_it=" + version}, logs...)
	}
	plan := func(name string, code int) string {
		t.Helper()
		r := w.Do([]int{code}, "plan", "-no-color", "-detailed-exitcode", "-out=plan-"+name)
		printed["the plan "+name] = r.Output
		printed["the plan as JSON "+name] = w.Do(nil, "show", "-json", "plan-"+name).Output
		return r.Output
	}
	apply := func(name string) {
		t.Helper()
		printed["the apply "+name] = w.Do(nil, "apply", "-no-color", "plan-"+name).Output
		printed["the state "+name] = w.Do(nil, "show", "-json").Output
	}

	with(first, "1")
	plan("to create", 2)
	apply("to create")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"secret": "-rw------- " + first}))
	plan("without changes", 0)

	// Other content is written only when the version changes.
	with(second, "1")
	plan("of other content with the same version", 0)
	with(second, "2")
	plan("of a new version", 2)
	apply("of a new version")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"secret": "-rw------- " + second}))

	// Drift of content and mode is found.
	resourcetest.Must(t, resourcetest.Put(path, third, 0o600))
	if text := plan("of drift", 2); !strings.Contains(text, "+ content_wo_version = \"2\"") || strings.Contains(text, "~ mode") {
		t.Errorf("the plan does not show the drift, or shows more:\n%s", text)
	}
	apply("of drift")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"secret": "-rw------- " + second}), os.Chmod(path, 0o644))
	before := resourcetest.Inodes(t, dir, "secret")["secret"]
	plan("of the mode", 2)
	apply("of the mode")
	if !os.SameFile(before, resourcetest.Inodes(t, dir, "secret")["secret"]) {
		t.Error("the content was written again for a change of the mode")
	}
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"secret": "-rw------- " + second}))

	// Adoption: the file exists and the state is empty.
	w.Do(nil, "state", "rm", "posix_file.secret")
	with(second, "2")
	plan("to adopt", 2)
	apply("to adopt")
	if !os.SameFile(before, resourcetest.Inodes(t, dir, "secret")["secret"]) {
		t.Error("the content was written again when the file was adopted")
	}
	// Errors do not contain the content.
	w.Do(nil, "state", "rm", "posix_file.secret")
	with(third, "3")
	r := w.Do([]int{1}, "plan", "-no-color")
	printed["the error"] = r.Output
	if !strings.Contains(r.Output, "overwrite = true") {
		t.Errorf("the error lacks the advice to set overwrite:\n%s", r.Output)
	}
	mustNotDisclose(t, w, printed, first, second, third)
}
