package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// stateChecks returns the state checks of a step that call check. Unlike [resourcetest.Check], they also work for
// configurations with for_each: the state that terraform-plugin-testing passes to Check cannot have for_each.
func stateChecks(check func() error) []statecheck.StateCheck {
	return []statecheck.StateCheck{stateCheck(check)}
}

// stateCheck is a function that checks the host. It implements [statecheck.StateCheck].
type stateCheck func() error

// CheckState implements [statecheck.StateCheck].
func (check stateCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = check()
}

// diskHas returns a function that calls [resourcetest.OnDisk], for [stateChecks].
func diskHas(dir string, want map[string]string) func() error {
	return func() error { return resourcetest.OnDisk(dir, want) }
}

// isEmpty returns a CheckDestroy function that checks that a directory is empty.
func isEmpty(dir string) func(*terraform.State) error {
	return func(*terraform.State) error { return resourcetest.OnDisk(dir, map[string]string{}) }
}

// TestAccLifecycle creates, changes, replaces and destroys files, directories and a link.
func TestAccLifecycle(t *testing.T) {
	dir := resourcetest.TempDir(t)
	source := filepath.Join(resourcetest.TempDir(t), "source")
	config := func(text, mode, bytes, directoryMode, directory, target string) string {
		return resourcetest.Expand(dir, fmt.Sprintf(`
resource "posix_directory" "directory" {
  path = "DIR/%[5]s"
  mode = %[4]q
}
resource "posix_file" "text" {
  path    = "${posix_directory.directory.path}/sub/text"
  content = %[1]q
  mode    = %[2]q
}
resource "posix_file" "bytes" {
  path           = "DIR/bytes"
  content_base64 = %[3]q
}
resource "posix_file" "copy" {
  path   = "DIR/copy"
  source = %[7]q
  mode   = "4755"
}
resource "posix_symlink" "link" {
  path   = "DIR/link"
  target = %[6]q
}
`, text, mode, bytes, directoryMode, directory, target, source))
	}
	var textFile, bytesFile, directory os.FileInfo
	remember := func(name string, into *os.FileInfo) error {
		info, err := os.Lstat(filepath.Join(dir, name))
		*into = info
		return err
	}
	same := func(name string, was *os.FileInfo) error {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && (!os.SameFile(*was, info) || !info.ModTime().Equal((*was).ModTime())) {
			return fmt.Errorf("%s was written again", name)
		}
		return err
	}

	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		PreCheck:                 func() { resourcetest.Must(t, resourcetest.Put(source, "from a file\n", 0o600)) },
		CheckDestroy:             isEmpty(dir),
		Steps: []resource.TestStep{
			{
				Config: config("héllo\n", "0600", "AP8A", "0750", "one", "nowhere"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_directory.directory": "create", "posix_file.text": "create", "posix_file.bytes": "create",
					"posix_file.copy": "create", "posix_symlink.link": "create",
				}.PreApply(),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity("posix_file.text", map[string]knownvalue.Check{
						"host": knownvalue.StringExact("local"), "path": knownvalue.StringExact(dir + "/one/sub/text"),
					}),
					statecheck.ExpectIdentity("posix_directory.directory", map[string]knownvalue.Check{
						"host": knownvalue.StringExact("local"), "path": knownvalue.StringExact(dir + "/one"),
					}),
					statecheck.ExpectIdentity("posix_symlink.link", map[string]knownvalue.Check{
						"host": knownvalue.StringExact("local"), "path": knownvalue.StringExact(dir + "/link"),
					}),
					statecheck.ExpectKnownValue("posix_file.text", tfjsonpath.New("host"), knownvalue.StringExact("local")),
					// printf '\000\377\000' | sha256sum
					statecheck.ExpectKnownValue("posix_file.bytes", tfjsonpath.New("sha256"), knownvalue.StringExact("2c8d07cd986f58eb210bd800133d6645c7340c59865377c8ea431cebca0b3113")),
					stateCheck(func() error {
						return errors.Join(
							resourcetest.OnDisk(dir, map[string]string{
								"one": "drwxr-x---", "one/sub": "drwxr-xr-x", "one/sub/text": "-rw------- héllo\n",
								"bytes": "-rw-r--r-- \x00\xff\x00", "copy": "urwxr-xr-x from a file\n", "link": "-> nowhere",
							}),
							remember("one/sub/text", &textFile), remember("bytes", &bytesFile), remember("one", &directory),
						)
					}),
				},
			},
			{
				// Equivalent values cause no change.
				Config:           resourcetest.ReplaceAll(config("héllo\n", "600", "AP8A\n", "750", "one", "nowhere"), "  path ", "  host = \"local\"\n  path "),
				ConfigPlanChecks: resourcetest.Changes{}.PreApply(),
			},
			{
				// A mode is set in place; new content replaces the file.
				Config: config("héllo\n", "0640", "AAAA", "0700", "one", "bytes"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_directory.directory": "update mode", "posix_file.text": "update mode",
					"posix_file.bytes": "update content_base64 sha256", "posix_symlink.link": "update target",
				}.PreApply(),
				ConfigStateChecks: stateChecks(func() error {
					if err := same("bytes", &bytesFile); err == nil {
						return fmt.Errorf("bytes was not written, want it replaced")
					}
					return errors.Join(
						resourcetest.OnDisk(dir, map[string]string{
							"one": "drwx------", "one/sub": "drwxr-xr-x", "one/sub/text": "-rw-r----- héllo\n",
							"bytes": "-rw-r--r-- \x00\x00\x00", "copy": "urwxr-xr-x from a file\n", "link": "-> bytes",
						}),
						same("one/sub/text", &textFile), same("one", &directory),
					)
				}),
			},
			{
				// Changed content of the source is copied.
				PreConfig:        func() { resourcetest.Must(t, resourcetest.Put(source, "other\n", 0o600)) },
				Config:           config("more\n", "0640", "AAAA", "0700", "one", "bytes"),
				ConfigPlanChecks: resourcetest.Changes{"posix_file.text": "update content sha256", "posix_file.copy": "update sha256"}.PreApply(),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"one": "drwx------", "one/sub": "drwxr-xr-x", "one/sub/text": "-rw-r----- more\n",
					"bytes": "-rw-r--r-- \x00\x00\x00", "copy": "urwxr-xr-x other\n", "link": "-> bytes",
				})),
			},
			{
				// A new path forces a new resource. The old directory cannot be deleted
				// until sub, which was created as a parent directory, is removed.
				PreConfig: func() {
					resourcetest.Must(t, os.Rename(dir+"/one/sub/text", dir+"/aside"), os.Remove(dir+"/one/sub"), os.Remove(dir+"/aside"))
				},
				Config: config("more\n", "0640", "AAAA", "0700", "two", "bytes"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_directory.directory": "delete create", "posix_file.text": "create",
				}.PreApply(),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"two": "drwx------", "two/sub": "drwxr-xr-x", "two/sub/text": "-rw-r----- more\n",
					"bytes": "-rw-r--r-- \x00\x00\x00", "copy": "urwxr-xr-x other\n", "link": "-> bytes",
				})),
			},
			{
				// Manage the created parent directory, so that all objects can be destroyed.
				Config: config("more\n", "0640", "AAAA", "0700", "two", "bytes") + resourcetest.Expand(dir, `
resource "posix_directory" "sub" {
  path = "${posix_directory.directory.path}/sub"
}
resource "posix_file" "in_sub" {
  path    = "${posix_directory.sub.path}/too"
  content = ""
}
`),
				// The directory has the configured mode: it is adopted.
				ConfigPlanChecks: resourcetest.Changes{"posix_directory.sub": "create", "posix_file.in_sub": "create"}.PreApply(),
			},
			{
				Config: config("more\n", "0640", "AAAA", "0700", "two", "bytes") + resourcetest.Expand(dir, `
resource "posix_directory" "sub" {
  path          = "${posix_directory.directory.path}/sub"
  force_destroy = true
}
`),
				ConfigPlanChecks: resourcetest.Changes{"posix_directory.sub": "update force_destroy", "posix_file.in_sub": "delete"}.PreApply(),
			},
		},
	})
}

// TestAccMeta tests meta-arguments: for_each, ignore_changes, create_before_destroy and
// replace_triggered_by.
func TestAccMeta(t *testing.T) {
	dir := resourcetest.TempDir(t)
	config := func(names, release, ignored, mode, trigger string) string {
		return resourcetest.Expand(dir, fmt.Sprintf(`
resource "posix_file" "each" {
  for_each = toset(%[1]s)
  path     = "DIR/each-${each.key}"
  content  = each.key
}
resource "posix_file" "release" {
  path    = "DIR/release-%[2]s"
  content = %[2]q
  lifecycle {
    create_before_destroy = true
  }
}
resource "posix_symlink" "release" {
  path   = "DIR/release"
  target = posix_file.release.path
}
resource "posix_file" "ignored" {
  path    = "DIR/ignored"
  content = %[3]q
  mode    = %[4]q
  lifecycle {
    ignore_changes = [content]
  }
}
resource "terraform_data" "trigger" {
  input = %[5]q
}
resource "posix_file" "triggered" {
  path    = "DIR/triggered"
  content = "the same"
  lifecycle {
    replace_triggered_by = [terraform_data.trigger]
  }
}
`, names, release, ignored, mode, trigger))
	}
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             isEmpty(dir),
		Steps: []resource.TestStep{
			{
				Config: config(`["a", "b"]`, "1", "mine", "0600", "x"),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"each-a": "-rw-r--r-- a", "each-b": "-rw-r--r-- b",
					"release-1": "-rw-r--r-- 1", "release": "-> " + dir + "/release-1",
					"ignored": "-rw------- mine", "triggered": "-rw-r--r-- the same",
				})),
			},
			{
				PreConfig: func() { resourcetest.Must(t, resourcetest.Put(dir+"/ignored", "theirs", 0o600)) },
				Config:    config(`["b", "c"]`, "2", "mine again", "0640", "y"),
				ConfigPlanChecks: resourcetest.Changes{
					`posix_file.each["a"]`: "delete", `posix_file.each["c"]`: "create",
					"posix_file.release": "create delete", "posix_symlink.release": "update target",
					"posix_file.ignored": "update mode", "terraform_data.trigger": "update input output",
					"posix_file.triggered": "delete create",
				}.PreApply(),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"each-b": "-rw-r--r-- b", "each-c": "-rw-r--r-- c",
					"release-2": "-rw-r--r-- 2", "release": "-> " + dir + "/release-2",
					"ignored": "-rw-r----- theirs", "triggered": "-rw-r--r-- the same",
				})),
			},
			{
				// No change is planned for an ignored attribute.
				PreConfig:        func() { resourcetest.Must(t, resourcetest.Put(dir+"/ignored", "all theirs", 0o640)) },
				Config:           config(`["b", "c"]`, "2", "mine again", "0640", "y"),
				ConfigPlanChecks: resourcetest.Changes{}.PreApply(),
			},
			{
				// A tainted object is replaced, and its own file is not a conflict.
				PreConfig: func() { resourcetest.Must(t, resourcetest.Put(dir+"/triggered", "changed", 0o600)) },
				Taint:     []string{"posix_file.triggered"},
				Config:    config(`["b", "c"]`, "2", "mine again", "0640", "y"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.triggered": "delete create",
				}.PreApply(),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"each-b": "-rw-r--r-- b", "each-c": "-rw-r--r-- c",
					"release-2": "-rw-r--r-- 2", "release": "-> " + dir + "/release-2",
					"ignored": "-rw-r----- all theirs", "triggered": "-rw-r--r-- the same",
				})),
			},
			{
				// terraform-plugin-testing cannot read a final state with for_each.
				Config:           config(`[]`, "2", "mine again", "0640", "y"),
				ConfigPlanChecks: resourcetest.Changes{`posix_file.each["b"]`: "delete", `posix_file.each["c"]`: "delete"}.PreApply(),
			},
		},
	})
}

// TestAccUnknown tests values that are only known at apply time.
func TestAccUnknown(t *testing.T) {
	dir := resourcetest.TempDir(t)
	config := func(value, mode, run string) string {
		return resourcetest.Expand(dir, fmt.Sprintf(`
resource "terraform_data" "value" {
  input            = %[1]q
  triggers_replace = %[3]q
}
resource "terraform_data" "mode" {
  input            = %[2]q
  triggers_replace = %[3]q
}
resource "posix_file" "content" {
  path    = "DIR/content"
  content = terraform_data.value.output
  mode    = terraform_data.mode.output
}
resource "posix_file" "path" {
  path    = "DIR/path-${terraform_data.value.output}"
  content = "fixed"
}
resource "posix_file" "either" {
  path           = "DIR/either"
  content        = terraform_data.value.output == "one" ? "text" : null
  content_base64 = terraform_data.value.output == "one" ? null : "Ynl0ZXM="
}
resource "posix_file" "copy" {
  path   = "DIR/copy"
  source = posix_file.content.path
  count  = 0
}
resource "posix_symlink" "link" {
  path   = "DIR/link"
  target = terraform_data.value.output
}
resource "posix_directory" "directory" {
  path = "DIR/directory"
  mode = terraform_data.mode.output
}
`, value, mode, run))
	}
	var before os.FileInfo
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             isEmpty(dir),
		Steps: []resource.TestStep{
			{
				Config: config("one", "0700", "1"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("posix_file.content", tfjsonpath.New("content")),
					plancheck.ExpectUnknownValue("posix_file.content", tfjsonpath.New("sha256")),
					plancheck.ExpectUnknownValue("posix_file.path", tfjsonpath.New("path")),
					plancheck.ExpectUnknownValue("posix_directory.directory", tfjsonpath.New("mode")),
				}},
				ConfigStateChecks: stateChecks(func() (err error) {
					if before, err = os.Lstat(dir + "/content"); err != nil {
						return err
					}
					return resourcetest.OnDisk(dir, map[string]string{
						"content": "-rwx------ one", "path-one": "-rw-r--r-- fixed", "either": "-rw-r--r-- text",
						"link": "-> one", "directory": "drwx------",
					})
				}),
			},
			{
				// Attributes that are unknown in the plan get the same values again: the content is not
				// written. An unknown path forces a new resource.
				Config: config("one", "0700", "2"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.content":  "update content group host mode owner sha256",
					"terraform_data.mode": "delete create", "terraform_data.value": "delete create",
					"posix_file.path":           "delete create",
					"posix_file.either":         "update content content_base64 group host owner sha256",
					"posix_symlink.link":        "update host target",
					"posix_directory.directory": "update group host mode owner",
				}.PreApply(),
				ConfigStateChecks: stateChecks(func() error {
					after, err := os.Lstat(dir + "/content")
					if err != nil {
						return err
					}
					if !os.SameFile(before, after) {
						return fmt.Errorf("the content was written again, although it is the same")
					}
					return resourcetest.OnDisk(dir, map[string]string{
						"content": "-rwx------ one", "path-one": "-rw-r--r-- fixed", "either": "-rw-r--r-- text",
						"link": "-> one", "directory": "drwx------",
					})
				}),
			},
			{
				Config: config("two", "0750", "3"),
				ConfigStateChecks: stateChecks(diskHas(dir, map[string]string{
					"content": "-rwxr-x--- two", "path-two": "-rw-r--r-- fixed", "either": "-rw-r--r-- bytes",
					"link": "-> two", "directory": "drwxr-x---",
				})),
			},
		},
	})
}

// TestAccPlannedDigest checks that plans of creates and updates have the digest of
// configured content.
func TestAccPlannedDigest(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	path := resourcetest.TempDir(t) + "/file"
	plan := func(content string) string {
		w.Write("main.tf", fmt.Sprintf("resource \"posix_file\" \"it\" {\n  path = %q\n  content = %q\n}\n", path, content))
		return w.Do(nil, "plan", "-no-color", "-out=saved").Output
	}
	if output := plan("hello\n"); !strings.Contains(output, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03") {
		t.Errorf("the digest is not in the plan of a create:\n%s", output)
	}
	w.Do(nil, "apply", "-no-color", "saved")
	if output := plan("hello, world\n"); strings.Contains(output, "known after apply") || !strings.Contains(output, "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020") {
		t.Errorf("the plan of an update has an unknown value, or lacks the digest of the content:\n%s", output)
	}
	w.Do(nil, "apply", "-no-color", "saved")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}
