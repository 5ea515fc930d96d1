package file_test

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

const driftConfig = `
resource "posix_file" "content" {
  path    = "DIR/content"
  content = "right\n"
}
resource "posix_file" "garbage" {
  path    = "DIR/garbage"
  content = "right\n"
}
resource "posix_file" "bytes" {
  path           = "DIR/bytes"
  content_base64 = base64encode("right\n")
}
resource "posix_file" "copy" {
  path   = "DIR/copy"
  source = "SOURCE"
}
resource "posix_file" "secret" {
  path               = "DIR/secret"
  content_wo         = "right\n"
  content_wo_version = "1"
  mode               = "0600"
}
resource "posix_file" "mode" {
  path    = "DIR/mode"
  content = "right\n"
  mode    = "0600"
}
resource "posix_file" "setuid" {
  path    = "DIR/setuid"
  content = "right\n"
  mode    = "4755"
}
resource "posix_file" "all" {
  path    = "DIR/all"
  content = "right\n"
  mode    = "0600"
}
resource "posix_file" "removed" {
  path    = "DIR/removed"
  content = "right\n"
}
resource "posix_file" "parent_removed" {
  path    = "DIR/parent/removed"
  content = "right\n"
}
resource "posix_file" "parent_became_file" {
  path    = "DIR/parent_became_file/removed"
  content = "right\n"
}
resource "posix_directory" "mode" {
  path = "DIR/directory_mode"
  mode = "0700"
}
resource "posix_directory" "removed" {
  path = "DIR/directory_removed"
}
resource "posix_symlink" "target" {
  path   = "DIR/link_target"
  target = "right"
}
resource "posix_symlink" "removed" {
  path   = "DIR/link_removed"
  target = "right"
}
resource "posix_file" "untouched" {
  path    = "DIR/untouched"
  content = "right\n"
}
`

// TestAccDrift changes objects outside of Terraform, and checks that a plan shows these
// changes and that an apply reverts them.
func TestAccDrift(t *testing.T) {
	dir, source := resourcetest.TempDir(t), filepath.Join(resourcetest.TempDir(t), "source")
	resourcetest.Must(t, resourcetest.Put(source, "right\n", 0o600))
	config := resourcetest.ReplaceAll(driftConfig, "DIR", dir, "SOURCE", source)
	right := map[string]string{
		"content": "-rw-r--r-- right\n", "garbage": "-rw-r--r-- right\n", "bytes": "-rw-r--r-- right\n", "copy": "-rw-r--r-- right\n",
		"secret": "-rw------- right\n", "mode": "-rw------- right\n", "setuid": "urwxr-xr-x right\n", "all": "-rw------- right\n",
		"removed": "-rw-r--r-- right\n", "parent": "drwxr-xr-x", "parent/removed": "-rw-r--r-- right\n",
		"parent_became_file": "drwxr-xr-x", "parent_became_file/removed": "-rw-r--r-- right\n",
		"directory_mode": "drwx------", "directory_removed": "drwxr-xr-x", "link_target": "-> right", "link_removed": "-> right",
		"untouched": "-rw-r--r-- right\n",
	}
	var before map[string]os.FileInfo
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: stateChecks(diskHas(dir, right))},
			{
				PreConfig: func() {
					at := func(name string) string { return filepath.Join(dir, name) }
					resourcetest.Must(t,
						resourcetest.Put(at("content"), "wrong\n", 0o644),
						resourcetest.Put(at("garbage"), "\x00\xff\x1b[2J\n", 0o644),
						resourcetest.Put(at("bytes"), "wrong\n", 0o644),
						resourcetest.Put(at("copy"), "wrong\n", 0o644),
						resourcetest.Put(at("secret"), "wrong\n", 0o600),
						os.Chmod(at("mode"), 0o666),
						os.Chmod(at("setuid"), 0o755),
						resourcetest.Put(at("all"), "much longer\n", 0o777),
						os.Remove(at("removed")),
						os.RemoveAll(at("parent")),
						os.RemoveAll(at("parent_became_file")),
						os.Chmod(at("directory_mode"), 0o777),
						resourcetest.Put(at("directory_mode/theirs"), "theirs\n", 0o644),
						os.Remove(at("directory_removed")),
						os.Remove(at("link_target")),
						os.Symlink("wrong", at("link_target")),
						os.Remove(at("link_removed")),
					)
					before = resourcetest.Inodes(t, dir, "mode", "setuid", "untouched", "directory_mode")
				},
				Config: config,
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.content":            "update content sha256",
					"posix_file.garbage":            "update content sha256",
					"posix_file.bytes":              "update content_base64 sha256",
					"posix_file.copy":               "update sha256",
					"posix_file.secret":             "update content_wo_version",
					"posix_file.mode":               "update mode",
					"posix_file.setuid":             "update mode",
					"posix_file.all":                "update content mode sha256",
					"posix_file.removed":            "create",
					"posix_file.parent_removed":     "create",
					"posix_file.parent_became_file": "create",
					"posix_directory.mode":          "update mode",
					"posix_directory.removed":       "create",
					"posix_symlink.target":          "update target",
					"posix_symlink.removed":         "create",
				}.PreApply(),
				ConfigStateChecks: stateChecks(func() error {
					for name, was := range before {
						if now := resourcetest.Inodes(t, dir, name)[name]; !os.SameFile(was, now) {
							return fmt.Errorf("%s was replaced, but only its mode must change", name)
						}
					}
					// The content of a directory is not managed.
					if err := os.Remove(filepath.Join(dir, "directory_mode/theirs")); err != nil {
						return err
					}
					return resourcetest.OnDisk(dir, right)
				}),
			},
		},
		CheckDestroy: func(*terraform.State) error {
			return resourcetest.OnDisk(dir, map[string]string{"parent": "drwxr-xr-x", "parent_became_file": "drwxr-xr-x"})
		},
	})
}

// TestAccDriftOfOwner changes owners and groups outside of Terraform, and checks that an apply changes only the
// configured ones back. It requires root.
func TestAccDriftOfOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners")
	}
	dir := resourcetest.TempDir(t)
	config := func(owner, group string) string {
		return resourcetest.Expand(dir, fmt.Sprintf(`
resource "posix_file" "owner" {
  path    = "DIR/owner"
  content = "secret\n"
  mode    = "4750"
  owner   = %[1]q
}
resource "posix_file" "group" {
  path    = "DIR/group"
  content = "text\n"
  group   = %[2]q
}
resource "posix_directory" "both" {
  path  = "DIR/both"
  owner = %[1]q
  group = %[2]q
}
resource "posix_file" "unset" {
  path    = "DIR/unset"
  content = "text\n"
}
resource "posix_file" "number" {
  path    = "DIR/number"
  content = "text\n"
  owner   = "4242"
  group   = 4343
}
`, owner, group))
	}
	group, err := user.LookupGroupId("0")
	resourcetest.Must(t, err)
	root, rootGroup := "root", group.Name
	acctest.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             isEmpty(dir),
		Steps: []resource.TestStep{
			{Config: config(root, rootGroup), ConfigStateChecks: stateChecks(resourcetest.Owners(dir, map[string]string{
				"owner": "0:0 04750", "group": "0:0 0644", "both": "0:0 0755", "unset": "0:0 0644", "number": "4242:4343 0644",
			}))},
			{
				PreConfig: func() {
					for _, name := range []string{"owner", "group", "both", "unset", "number"} {
						resourcetest.Must(t, os.Lchown(filepath.Join(dir, name), 1234, 2345))
					}
					resourcetest.Must(t, os.Chmod(dir+"/owner", 0o750|os.ModeSetuid))
				},
				Config: config("0", rootGroup),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.owner": "update owner", "posix_file.group": "update group",
					"posix_directory.both": "update group owner", "posix_file.number": "update group owner",
				}.PreApply(),
				// An owner that is not configured is not changed. Changing the owner
				// clears setuid, which must be set again.
				ConfigStateChecks: stateChecks(resourcetest.Owners(dir, map[string]string{
					"owner": "0:2345 04750", "group": "1234:0 0644", "both": "0:0 0755", "unset": "1234:2345 0644", "number": "4242:4343 0644",
				})),
			},
			{
				// Another name of the same owner only changes the state.
				Config: config("root", "0"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.owner": "update owner", "posix_file.group": "update group", "posix_directory.both": "update group owner",
				}.PreApply(),
				ConfigStateChecks: stateChecks(resourcetest.Owners(dir, map[string]string{
					"owner": "0:2345 04750", "group": "1234:0 0644", "both": "0:0 0755", "unset": "1234:2345 0644", "number": "4242:4343 0644",
				})),
			},
			{
				Config: config("4242", "4343"),
				ConfigPlanChecks: resourcetest.Changes{
					"posix_file.owner": "update owner", "posix_file.group": "update group", "posix_directory.both": "update group owner",
				}.PreApply(),
				ConfigStateChecks: stateChecks(resourcetest.Owners(dir, map[string]string{
					"owner": "4242:2345 04750", "group": "1234:4343 0644", "both": "4242:4343 0755", "unset": "1234:2345 0644", "number": "4242:4343 0644",
				})),
			},
		},
	})
}

const becameConfig = `
resource "posix_file" "directory" {
  path    = "DIR/file_directory"
  content = "right\n"
}
resource "posix_file" "link" {
  path    = "DIR/file_link"
  content = "right\n"
}
resource "posix_file" "secret_link" {
  path               = "DIR/secret_link"
  content_wo         = "right\n"
  content_wo_version = "1"
}
resource "posix_directory" "file" {
  path = "DIR/directory_file"
}
resource "posix_directory" "link" {
  path          = "DIR/directory_link"
  force_destroy = true
}
resource "posix_symlink" "file" {
  path   = "DIR/link_file"
  target = "right"
}
resource "posix_symlink" "directory" {
  path   = "DIR/link_directory"
  target = "right"
}
resource "posix_file" "parent" {
  path    = "DIR/parent/file"
  content = "right\n"
}
`

// TestAccTypeChanged checks that a managed object that was replaced by an object of a different
// type is drift: only the apply of its resource fails, the resource can be destroyed, and no operation
// follows or overwrites the new object.
func TestAccTypeChanged(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	w.Write("main.tf", resourcetest.Expand(dir, becameConfig))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	resourcetest.Must(t, err,
		os.Mkdir(at("elsewhere"), 0o755), os.Chmod(at("elsewhere"), 0o755), // independent of the umask
		resourcetest.Put(at("elsewhere/theirs"), "theirs\n", 0o644),
		os.Remove(at("file_directory")), os.Mkdir(at("file_directory"), 0o755),
		os.Remove(at("file_link")), os.Symlink("elsewhere/theirs", at("file_link")),
		os.Remove(at("secret_link")), os.Symlink("elsewhere/theirs", at("secret_link")),
		os.Remove(at("directory_file")), resourcetest.Put(at("directory_file"), "theirs\n", 0o644),
		os.Remove(at("directory_link")), os.Symlink("elsewhere", at("directory_link")),
		os.Remove(at("link_file")), resourcetest.Put(at("link_file"), "theirs\n", 0o644),
		os.Remove(at("link_directory")), os.Mkdir(at("link_directory"), 0o755),
		os.RemoveAll(at("parent")), resourcetest.Put(at("parent"), "theirs\n", 0o644),
	)
	theirs, err := resourcetest.Tree(dir)
	resourcetest.Must(t, err)
	unchanged := func() {
		t.Helper()
		resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))
	}
	found := func(name, is, want string) resourcetest.Problem {
		return resourcetest.Problem{Texts: []string{at(name) + " on host local is a " + is + ", but this resource manages a " + want}}
	}
	all := resourcetest.WantErrors{
		"posix_file.directory":    found("file_directory", "directory", "regular file"),
		"posix_file.link":         found("file_link", "symbolic link", "regular file"),
		"posix_file.secret_link":  found("secret_link", "symbolic link", "regular file"),
		"posix_directory.file":    found("directory_file", "regular file", "directory"),
		"posix_directory.link":    found("directory_link", "symbolic link", "directory"),
		"posix_symlink.file":      found("link_file", "regular file", "symbolic link"),
		"posix_symlink.directory": found("link_directory", "directory", "symbolic link"),
	}
	parent := resourcetest.Problem{Texts: []string{"a parent directory in the path is not a directory"}}
	// warns runs a command that must succeed, warn about each object in all, and change nothing.
	warns := func(args ...string) {
		t.Helper()
		r := w.Do(nil, args...)
		var texts []string
		for _, m := range r.Messages(t) {
			if m.Diagnostic.Severity == "warning" {
				texts = append(texts, m.Diagnostic.Detail)
			}
		}
		for address, problem := range all {
			if missing := problem.Missing(strings.Join(strings.Fields(strings.Join(texts, " ")), " ")); missing != "" {
				t.Errorf("%s: no warning about %s has %q: %q", args, address, missing, texts)
			}
		}
		unchanged()
	}

	// Without a refresh, the plan does not show the new types.
	w.Write("main.tf", resourcetest.Expand(dir, resourcetest.ReplaceAll(becameConfig, `"right\n"`, `"left\n"`, `"1"`, `"2"`, `"right"`, `"left"`)))
	updated := all.With("posix_file.parent", parent)
	delete(updated, "posix_directory.file") // no change is planned
	delete(updated, "posix_directory.link")
	updated.Check(t, w.Run("apply", "-auto-approve", "-refresh=false", "-json"))
	unchanged()
	warns("destroy", "-auto-approve", "-refresh=false", "-json")

	w.Write("terraform.tfstate", string(state))
	w.Write("main.tf", resourcetest.Expand(dir, becameConfig))
	warns("plan", "-json")
	all.With("posix_file.parent", parent).Check(t, w.Run("apply", "-auto-approve", "-json"))
	unchanged()
	warns("plan", "-json") // nothing is left in the state

	w.Write("terraform.tfstate", string(state))
	w.Do(nil, "destroy", "-auto-approve", "-json") // OpenTofu does not show the warnings of its refresh
	unchanged()

	// Remove the other objects, as the errors suggest.
	resourcetest.Must(t,
		os.Remove(at("file_directory")), os.Remove(at("file_link")), os.Remove(at("secret_link")), os.Remove(at("directory_file")),
		os.Remove(at("directory_link")), os.Remove(at("link_file")), os.Remove(at("link_directory")), os.Remove(at("parent")),
	)
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"elsewhere": "drwxr-xr-x", "elsewhere/theirs": "-rw-r--r-- theirs\n", "parent": "drwxr-xr-x"}))
}
