package lifecycle_test

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// TestLocalRemedy checks that errors of the host local have no remedies for hosts over SSH.
func TestLocalRemedy(t *testing.T) {
	t.Parallel()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	err = hostpath.Explain(h, "/x", host.TypeRegular, fs.ErrPermission)
	want := "run Terraform as root"
	if os.Geteuid() == 0 {
		want = "the provider runs as root, so the cause is not a lack of permission"
	}
	if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "sudo") {
		t.Error(text)
	}
}

// rootHost is a host on which operations are known to run as root.
type rootHost struct{ host.Host }

func (rootHost) RunsAsRoot() bool { return true }

// TestRootRemedy checks that a permission error of root, as for an immutable file, does not
// recommend becoming root.
func TestRootRemedy(t *testing.T) {
	t.Parallel()
	err := hostpath.Explain(rootHost{resourcetest.NewHost(nil)}, "/x", host.TypeRegular, syscall.EPERM)
	if text := err.Error(); !strings.Contains(text, "On host town, the provider runs as root") || !strings.Contains(text, "immutable (see lsattr") || strings.Contains(text, "sudo") {
		t.Error(text)
	}
}

// TestRemedyOfLoop checks that the error names a loop of symbolic links above a path, which SFTP
// reports as a missing file.
func TestRemedyOfLoop(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(func(_, path string) error {
		if strings.HasPrefix(path, "/loop/") {
			return fs.ErrNotExist
		}
		return nil
	})
	for link, to := range map[string]string{"/loop": "again", "/again": "/loop"} {
		if _, err := h.Symlink(t.Context(), to, link); err != nil {
			t.Fatal(err)
		}
	}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/loop/o"), "content": str("x")}
	diags := o.ApplyPlan(set, o.Plan(set))
	resourcetest.WantError(t, diags, "", "town:/loop", "too many levels of symbolic links", "/loop is a symbolic link to again, which leads back to itself: correct or remove the link")
	if strings.Contains(diags.Error(), "not exist") {
		t.Error(diags)
	}
}

// TestRemedies checks that errors of the operating system in a create, an update or a delete name
// the host, the path and the remedy, and that a second attempt succeeds.
func TestRemedies(t *testing.T) {
	t.Parallel()
	causes := map[string]struct {
		err    error
		remedy string
	}{
		"disk full":     {syscall.ENOSPC, "on host town is full: free space or inodes and apply again"},
		"quota":         {syscall.EDQUOT, "the disk quota of the user the provider runs as, or of the owner, is exceeded: free space or raise the quota"},
		"read-only":     {syscall.EROFS, "on host town is mounted read-only: mount it writable, or choose a path on another file system"},
		"name too long": {syscall.ENAMETOOLONG, "choose a shorter path"},
		"permission":    {fs.ErrPermission, "On host town, the user the provider runs as lacks permission: connect as another user, or grant this user the permission"},
		"immutable":     {syscall.EPERM, "immutable files cannot be changed"},
	}
	steps := map[string]struct {
		create, update attrs
		// The operations that create, change and remove an object.
		makes, changes, removes string
	}{
		"posix_file":      {attrs{"content": str("one")}, attrs{"content": str("two")}, "WriteFile", "WriteFile", "Remove"},
		"posix_directory": {attrs{}, attrs{"mode": str("0700")}, "Mkdir", "SetAttributes", "Rmdir"},
		"posix_symlink":   {attrs{"target": str("one")}, attrs{"target": str("two")}, "Symlink", "ReplaceSymlink", "Remove"},
	}
	for cause, c := range causes {
		for typeName, tt := range steps {
			t.Run(cause+" for "+typeName, func(t *testing.T) {
				t.Parallel()
				fails := ""
				h := resourcetest.NewHost(func(op, path string) error {
					if op == fails && path == "/o" {
						return c.err
					}
					return nil
				})
				o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), typeName)
				step := func(op string, do func() diag.Diagnostics) {
					t.Helper()
					fails = op
					resourcetest.WantError(t, do(), "", "town:/o", c.err.Error(), c.remedy)
					fails = ""
					if diags := do(); diags.HasErrors() {
						t.Errorf("the second attempt after a failed %s: %v, want no errors", op, diags)
					}
				}
				apply := func(set attrs) func() diag.Diagnostics {
					set = maps.Clone(set)
					set["path"] = str("/o")
					return func() diag.Diagnostics { return o.ApplyPlan(set, o.Plan(set)) }
				}
				step(tt.makes, apply(tt.create))
				step(tt.changes, apply(tt.update))
				step(tt.removes, o.Destroy)
			})
		}
	}
}

// TestRemediesOfParents checks that, if a parent directory is missing, the error names the
// missing directory or the object in its place.
func TestRemediesOfParents(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path          string
		parents       bool
		words         []string // for all types
		parentsRemedy string   // for types with the attribute parents
	}{
		"missing": {
			path: "/absent/below/o", words: []string{"The directory /absent/below does not exist on host town: create it first"},
			parentsRemedy: "or set parents = true",
		},
		"parent is a file": {
			path: "/file/o", words: []string{"On host town, /file is a regular file where a directory is needed: move it away, or change the path"},
		},
		"grandparent is a file": {
			path: "/file/a/b/o", words: []string{"On host town, /file is a regular file where a directory is needed"},
		},
		"grandparent is a file, with parents": {
			path: "/file/a/b/o", parents: true, words: []string{"On host town, /file is a regular file where a directory is needed"},
		},
		"parent is a named pipe": {
			path: "/pipe/o", parents: true, words: []string{"On host town, /pipe is a named pipe where a directory is needed"},
		},
		"link to a file": {
			path: "/to-file/a/o", parents: true, words: []string{"On host town, /to-file is a symbolic link to file where a directory is needed"},
		},
		"dangling link": {
			path: "/dangling/a/o", parents: true, words: []string{"The directory /dangling/a does not exist on host town, where /dangling is a symbolic link to nothing: create it first"},
		},
		"missing below a link": {
			path: "/to-dir/a/o", words: []string{"The directory /to-dir/a does not exist on host town, where /to-dir is a symbolic link to dir: create it first"},
			parentsRemedy: "or set parents = true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			resourcetest.WriteOn(t, h, "/file", "theirs")
			if _, err := h.Mkspecial(t.Context(), "/pipe", host.TypeFIFO); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Mkdir(t.Context(), "/dir", host.Attributes{}); err != nil {
				t.Fatal(err)
			}
			for link, to := range map[string]string{"/to-file": "file", "/to-dir": "dir", "/dangling": "nothing"} {
				if _, err := h.Symlink(t.Context(), to, link); err != nil {
					t.Fatal(err)
				}
			}
			p := resourcetest.NewOn(t, types, h)
			for typeName, set := range map[string]attrs{"posix_file": {"content": str("x")}, "posix_directory": {}, "posix_symlink": {"target": str("x")}} {
				words := slices.Clone(tt.words)
				set["path"] = str(tt.path)
				switch {
				case typeName == "posix_file":
					set["write_options"] = writeOptions(attrs{"parents": cty.BoolVal(tt.parents)})
					words = append(words, tt.parentsRemedy)
				case typeName == "posix_directory":
					set["parents"] = cty.BoolVal(tt.parents)
					words = append(words, tt.parentsRemedy)
				case tt.parentsRemedy != "":
					continue // posix_symlink always creates missing parents
				}
				o := resourcetest.NewObject(t, p, typeName)
				diags := o.ApplyPlan(set, o.Plan(set))
				resourcetest.WantError(t, diags, "", words...)
				if tt.parents && strings.Contains(diags.Error(), "parents = true") {
					t.Errorf("the error of %s suggests parents = true, which is set: %v", typeName, diags)
				}
			}
		})
	}
}
