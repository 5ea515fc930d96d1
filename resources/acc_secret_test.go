package resources_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// disclosures are the forms in which a secret could leave traces: itself, and
// digests that a table of common secrets would tell.
func disclosures(secret string) map[string]string {
	forms := map[string]string{"itself": secret, "quoted": strings.ReplaceAll(secret, "\n", `\n`), "base64": base64.StdEncoding.EncodeToString([]byte(secret))}
	md, s1, s256, s512 := md5.Sum([]byte(secret)), sha1.Sum([]byte(secret)), sha256.Sum256([]byte(secret)), sha512.Sum512([]byte(secret))
	for name, sum := range map[string][]byte{"MD5": md[:], "SHA-1": s1[:], "SHA-256": s256[:], "SHA-512": s512[:]} {
		forms[name] = hex.EncodeToString(sum)
		forms[name+" in base64"] = strings.TrimRight(base64.StdEncoding.EncodeToString(sum), "=")
	}
	return forms
}

// mustNotDisclose looks for secrets in everything that is left in the folder:
// configuration aside, state and its backups, plan files and logs.
func mustNotDisclose(t *testing.T, w *acctest.Workdir, printed map[string]string, secrets ...string) {
	t.Helper()
	texts := map[string][]byte{}
	for name, text := range printed {
		texts[name] = []byte(text)
	}
	must(t, filepath.WalkDir(w.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		texts[entry.Name()] = content
		if archive, zipErr := zip.NewReader(bytes.NewReader(content), int64(len(content))); zipErr == nil {
			for _, part := range archive.File {
				r, err := part.Open()
				if err != nil {
					return err
				}
				if texts[entry.Name()+":"+part.Name], err = io.ReadAll(r); err != nil {
					return err
				}
			}
		}
		return err
	}))
	for _, name := range sorted(texts) {
		if len(texts[name]) == 0 {
			t.Errorf("%s is empty: has it been looked for in the right place?", name)
		}
		for _, secret := range secrets {
			for _, form := range sorted(disclosures(secret)) {
				if bytes.Contains(texts[name], []byte(disclosures(secret)[form])) {
					t.Errorf("%s has %q (%s)", name, secret, form)
				}
			}
		}
	}
	for _, name := range []string{"terraform.tfstate", "log"} {
		if !slices.Contains(sorted(texts), name) {
			t.Errorf("there is no %s to look at", name)
		}
	}
}

// TestAccWriteOnly takes content that must not be stored through its life, with
// all logs on.
func TestAccWriteOnly(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	path := filepath.Join(dir, "secret")
	w.Write("main.tf", expand(dir, `
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
	must(t, onDisk(dir, map[string]string{"secret": "-rw------- " + first}))
	plan("of nothing", 0)

	// It is written when its version says so, and not before.
	with(second, "1")
	plan("of another", 0)
	with(second, "2")
	plan("of another version", 2)
	apply("of another version")
	must(t, onDisk(dir, map[string]string{"secret": "-rw------- " + second}))

	// Drift is found, and that of the mode beside it.
	must(t, put(path, third, 0o600))
	if text := plan("of drift", 2); !strings.Contains(text, "~ content_wo_intact  = false -> true") || strings.Contains(text, "~ mode") {
		t.Errorf("the plan does not show the drift, or shows more:\n%s", text)
	}
	apply("of drift")
	must(t, onDisk(dir, map[string]string{"secret": "-rw------- " + second}), os.Chmod(path, 0o644))
	before := inodes(t, dir, "secret")["secret"]
	plan("of the mode", 2)
	apply("of the mode")
	if !os.SameFile(before, inodes(t, dir, "secret")["secret"]) {
		t.Error("the content was written for a change of the mode")
	}
	must(t, onDisk(dir, map[string]string{"secret": "-rw------- " + second}))

	// Adoption: the file is there, and state knows nothing of it.
	w.Do(nil, "state", "rm", "posix_file.secret")
	with(second, "2")
	plan("to adopt", 2)
	apply("to adopt")
	if !os.SameFile(before, inodes(t, dir, "secret")["secret"]) {
		t.Error("the file was written anew with the content that it has")
	}
	// An error says nothing of it either.
	w.Do(nil, "state", "rm", "posix_file.secret")
	with(third, "3")
	r := w.Do([]int{1}, "plan", "-no-color")
	printed["the error"] = r.Output
	if !strings.Contains(r.Output, "overwrite = true") {
		t.Errorf("not the error that was expected:\n%s", r.Output)
	}
	mustNotDisclose(t, w, printed, first, second, third)
}
