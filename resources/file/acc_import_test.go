package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

const importConfig = `
resource "posix_file" "text" {
  path    = "DIR/text"
  content = "text\n"
  mode    = "0600"
}
resource "posix_file" "bytes" {
  path           = "DIR/bytes"
  content_base64 = "AP8A"
}
resource "posix_directory" "directory" {
  path = "DIR/directory"
  mode = "1777"
}
resource "posix_symlink" "link" {
  path   = "DIR/li nk:1"
  target = "no where"
}
`

// TestAccImport imports created objects with the import command and with import blocks, and checks that the command
// gives equal states and that the blocks cause no changes.
func TestAccImport(t *testing.T) {
	dir := resourcetest.TempDir(t)
	config := resourcetest.Expand(dir, importConfig)
	steps := []resource.TestStep{{Config: config}}
	for _, r := range []struct{ address, path string }{
		{"posix_file.text", "text"}, {"posix_file.bytes", "bytes"}, {"posix_directory.directory", "directory"}, {"posix_symlink.link", "li nk:1"},
	} {
		path := filepath.Join(dir, r.path)
		verify := resource.TestStep{
			ResourceName: r.address, ImportState: true, ImportStateId: path,
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path",
		}
		withHost := verify
		withHost.ImportStateId = "local:" + path
		steps = append(steps, verify, withHost,
			resource.TestStep{ResourceName: r.address, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "local:" + path},
			resource.TestStep{ResourceName: r.address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		)
	}
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories, Steps: steps,
		CheckDestroy: isEmpty(dir),
	})
}

// TestAccImportOfOthers imports objects that another program has created.
func TestAccImportOfOthers(t *testing.T) {
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	large := strings.Repeat("0123456789abcde\n", 1<<16+1)
	var before map[string]os.FileInfo
	prepare := func() {
		resourcetest.Must(t,
			resourcetest.Put(at("same"), "same\n", 0o640),
			resourcetest.Put(at("other"), "theirs\n", 0o600),
			resourcetest.Put(at("large"), large, 0o644),
			resourcetest.Put(at("latin1"), "caf\xe9\n", 0o644),
			resourcetest.Put(at("decomposed"), "cafe\u0301\n", 0o644),
			os.Mkdir(at("directory"), 0o700), os.Chmod(at("directory"), 0o700|os.ModeSticky),
			os.Symlink("theirs", at("link")),
		)
		before = resourcetest.Inodes(t, dir, "same", "large", "latin1", "decomposed", "directory")
	}
	untouched := func() error {
		for name, now := range resourcetest.Inodes(t, dir, "same", "large", "latin1", "decomposed", "directory") {
			if was := before[name]; !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) {
				t.Errorf("%s was replaced or changed, want it unchanged", name)
			}
		}
		return nil
	}
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		PreCheck:                 prepare,
		CheckDestroy:             isEmpty(dir),
		Steps: []resource.TestStep{{
			Config: resourcetest.ReplaceAll(`
import {
  to       = posix_file.same
  identity = { path = "DIR/same" }
}
import {
  to       = posix_file.other
  identity = { host = "local", path = "DIR/other" }
}
import {
  to = posix_file.large
  id = "local:DIR/large"
}
import {
  to = posix_file.latin1
  id = "DIR/latin1"
}
import {
  to = posix_file.decomposed
  id = "DIR/decomposed"
}
import {
  to = posix_directory.directory
  id = "DIR/directory"
}
import {
  to       = posix_symlink.link
  identity = { path = "DIR/link" }
}
resource "posix_file" "same" {
  path    = "DIR/same"
  content = "same\n"
  mode    = "640"
}
resource "posix_file" "other" {
  path    = "DIR/other"
  content = "ours\n"
}
resource "posix_file" "large" {
  path    = "DIR/large"
  content = join("", [for i in range(256) : join("", [for j in range(256) : "0123456789abcde\n"])], ["0123456789abcde\n"])
}
resource "posix_file" "latin1" {
  path           = "DIR/latin1"
  content_base64 = "Y2Fm6Qo="
}
resource "posix_file" "decomposed" {
  path           = "DIR/decomposed"
  content_base64 = "Y2FmZcyBCg=="
}
resource "posix_directory" "directory" {
  path = "DIR/directory"
  mode = "1700"
}
resource "posix_symlink" "link" {
  path   = "DIR/link"
  target = "ours"
}
`, "DIR", dir),
			ConfigPlanChecks: resourcetest.Changes{
				"posix_file.same":           "import no-op",
				"posix_file.other":          "import update content mode sha256",
				"posix_file.large":          "import update content",
				"posix_file.latin1":         "import no-op",
				"posix_file.decomposed":     "import no-op",
				"posix_directory.directory": "import no-op",
				"posix_symlink.link":        "import update target",
			}.PreApply(),
			ConfigStateChecks: stateChecks(func() error {
				return errors.Join(untouched(), resourcetest.OnDisk(dir, map[string]string{
					"same": "-rw-r----- same\n", "other": "-rw-r--r-- ours\n", "large": "-rw-r--r-- " + large,
					"latin1": "-rw-r--r-- caf\xe9\n", "decomposed": "-rw-r--r-- cafe\u0301\n",
					"directory": "dtrwx------", "link": "-> ours",
				}))
			}),
		}},
	})
}

// TestAccImportErrors checks the errors of imports of missing objects, of objects of other types, and with invalid IDs.
func TestAccImportErrors(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir := resourcetest.TempDir(t)
	resourcetest.Must(t, resourcetest.Put(dir+"/file", "", 0o644), os.Mkdir(dir+"/directory", 0o755), os.Symlink("file", dir+"/link"))
	// Each import has its own plan, because Terraform reports only the first error of an import.
	for _, tt := range []struct {
		name, resource, from string
		want                 []string
	}{
		{"absent file", "posix_file", `id = "DIR/absent"`, []string{"there is no posix_file", "DIR/absent", "to import"}},
		{"absent directory", "posix_directory", `id = "local:DIR/absent"`, []string{"there is no posix_directory", "local:DIR/absent", "to import"}},
		{"absent link", "posix_symlink", `identity = { path = "DIR/absent" }`, []string{"there is no posix_symlink", "to import"}},
		{"file in a file", "posix_file", `id = "DIR/file/in"`, []string{"there is no posix_file", "to import"}},
		{"directory as file", "posix_file", `id = "DIR/directory"`, []string{"DIR/directory on host local is a directory, but this resource manages a regular file"}},
		{"link as file", "posix_file", `identity = { path = "DIR/link" }`, []string{"DIR/link on host local is a symbolic link, but this resource manages a regular file"}},
		{"file as directory", "posix_directory", `id = "DIR/file"`, []string{"is a regular file, but this resource manages a directory"}},
		{"file as link", "posix_symlink", `id = "DIR/file"`, []string{"is a regular file, but this resource manages a symbolic link"}},
		{"relative id", "posix_file", `id = "etc/motd"`, []string{`"etc/motd"`, "use the absolute path, such as /etc/motd, or the host and the path, such as local:/etc/motd"}},
		{"unclean id", "posix_file", `id = "DIR/../file"`, []string{"has a .. element: write /"}},
		{"unknown host", "posix_file", `id = "web1:DIR/file"`, []string{`no host "web1" is configured`, "The provider has: local"}},
		{"relative identity", "posix_file", `identity = { path = "etc/motd" }`, []string{"is not absolute"}},
		{"no path", "posix_file", `identity = { host = "local" }`, []string{`"path" is required`}},
	} {
		config := "import {\n  to = RESOURCE.it\n  FROM\n}\nresource \"RESOURCE\" \"it\" {\n  path = \"DIR/it\"\n  REST\n}\n"
		rest := map[string]string{"posix_file": `content = ""`, "posix_symlink": `target = "x"`}[tt.resource]
		w.Write("main.tf", resourcetest.ReplaceAll(config, "RESOURCE", tt.resource, "FROM", resourcetest.Expand(dir, tt.from), "DIR", dir, "REST", rest))
		r := w.Run("plan", "-no-color")
		text := strings.Join(strings.Fields(r.Output), " ")
		if r.Code != 1 {
			t.Errorf("%s: exit code %d, want 1", tt.name, r.Code)
		}
		for _, word := range tt.want {
			if word = resourcetest.Expand(dir, word); !strings.Contains(text, word) {
				t.Errorf("%s: the error lacks %q: %s", tt.name, word, text)
			}
		}
	}
}

// TestAccGenerated checks that a plan that generates the configuration of existing objects has
// only imports, and that a plan after the import has no changes.
func TestAccGenerated(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t,
		resourcetest.Put(at("text"), "line ${one}\n\ttab \"quoted\"\n%{two}\n", 0o600),
		resourcetest.Put(at("empty"), "", 0o644),
		resourcetest.Put(at("bytes"), "\x00\xff\x00", 0o4755), os.Chmod(at("bytes"), 0o755|os.ModeSetuid),
		os.Mkdir(at("directory"), 0o711), os.Chmod(at("directory"), 0o711),
		os.Symlink("no where", at("link")),
	)
	theirs, err := resourcetest.Tree(dir)
	resourcetest.Must(t, err)
	w.Write("main.tf", resourcetest.Expand(dir, `
import {
  to       = posix_file.text
  identity = { path = "DIR/text" }
}
import {
  to = posix_file.empty
  id = "DIR/empty"
}
import {
  to = posix_file.bytes
  id = "local:DIR/bytes"
}
import {
  to       = posix_directory.directory
  identity = { host = "local", path = "DIR/directory" }
}
import {
  to = posix_symlink.link
  id = "DIR/link"
}
`))
	if r := w.Do(nil, "plan", "-no-color", "-generate-config-out=generated.tf"); !strings.Contains(r.Output, "Plan: 5 to import, 0 to add, 0 to change, 0 to destroy.") {
		generated, err := os.ReadFile(filepath.Join(w.Dir, "generated.tf"))
		t.Fatalf("the plan has changes besides imports:\n%s\ngenerated configuration: %v\n%s", r.Output, err, generated)
	}
	w.Do(nil, "apply", "-no-color", "-auto-approve")
	w.Do(nil, "plan", "-no-color", "-detailed-exitcode")
	resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))
}
