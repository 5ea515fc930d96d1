package directory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func newDirectory(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_directory")
}

func TestDirectoryLifecycle(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	path := filepath.Join(t.TempDir(), "a", "b")
	set := attrs{"path": str(path)}
	d.Apply(set)
	resourcetest.WantMode(t, path, 0o755)
	d.WantAttrs(attrs{"host": str("local"), "mode": str("0755"), "force_destroy": cty.False, "parents": cty.True})
	set["mode"] = str("700")
	d.Changes(set, "mode")
	d.Apply(set)
	resourcetest.WantMode(t, path, 0o700)
	// Drift of the mode is repaired.
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	d.Refresh()
	d.Changes(set, "mode")
	d.Apply(set)
	resourcetest.WantMode(t, path, 0o700)
	// A removed directory is created again.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	plan := d.Plan(attrs{"path": str(path)})
	resourcetest.WantError(t, d.ApplyPlan(attrs{"path": str(path)}, plan), "", path+" on host local was removed after the plan")
	d.Refresh()
	if !d.State.IsNull() {
		t.Error("a removed directory is in the state")
	}
	d.Apply(set)
	if diags := d.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the directory exists after destroy (%v)", err)
	}
	resourcetest.WantMode(t, filepath.Dir(path), 0o755) // the parents are kept
}

func TestDirectoryThatExists(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mode  os.FileMode
		inUse bool
		fails bool
	}{
		"in use, as configured":      {mode: 0o755, inUse: true},
		"empty":                      {mode: 0o700},
		"in use with another mode":   {mode: 0o775, inUse: true, fails: true},
		"in use with a special mode": {mode: 0o755 | os.ModeSticky, inUse: true, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDirectory(t)
			path := filepath.Join(t.TempDir(), "d")
			set := attrs{"path": str(path)}
			early := d.Plan(set) // the path does not exist yet
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			if tt.inUse {
				resourcetest.Write(t, filepath.Join(path, "file"), "", 0o600)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			if !tt.fails {
				d.Apply(set)
				resourcetest.WantMode(t, path, 0o755)
				return
			}
			want := []string{path + " already exists on host local", "Import it"}
			resourcetest.WantError(t, d.Plan(set).Diagnostics, "path", want...)
			resourcetest.WantError(t, d.ApplyPlan(set, early), "path", want...)
			resourcetest.WantMode(t, path, tt.mode.Perm())
			// Import, as the message suggests.
			if diags := d.Import(path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			d.Changes(set, "mode")
			d.Apply(set)
		})
	}
}

func TestDirectoryDestroy(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	root := t.TempDir()
	path, outside := filepath.Join(root, "d"), filepath.Join(root, "outside")
	set := attrs{"path": str(path)}
	d.Apply(set)
	for _, dir := range []string{outside, filepath.Join(path, "deep", "deeper")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		resourcetest.Write(t, filepath.Join(dir, "file"), "x", 0o600)
	}
	for _, link := range []string{"a link", "deep/link"} {
		if err := os.Symlink(outside, filepath.Join(path, link)); err != nil {
			t.Fatal(err)
		}
	}
	resourcetest.WantError(t, d.Destroy(), "", path+" on host local: the directory is not empty", `it has "a link", deep/.`, "force_destroy = true")
	if d.State.IsNull() {
		t.Fatal("a directory that was not deleted is not in the state")
	}
	for i := range 15 {
		resourcetest.Write(t, filepath.Join(path, fmt.Sprintf("f%02d", i)), "", 0o600)
	}
	resourcetest.WantError(t, d.Destroy(), "", "f07, and 7 more")

	set["force_destroy"] = cty.True
	d.Changes(set, "force_destroy")
	d.Apply(set)
	if diags := d.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the directory exists after destroy (%v)", err)
	}
	resourcetest.WantFile(t, filepath.Join(outside, "file"), "x", 0o600)
}

// TestDirectoryWithNewObject checks that a destroy keeps a directory in which the same run has created an object.
func TestDirectoryWithNewObject(t *testing.T) {
	t.Parallel()
	for name, force := range map[string]cty.Value{"force_destroy": cty.True, "no force_destroy": cty.False} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDirectory(t)
			path := filepath.Join(t.TempDir(), "d")
			below := filepath.Join(path, "below")
			d.Apply(attrs{"path": str(path), "force_destroy": force})
			d.NextRun()
			created := *d
			created.Forget()
			set := attrs{"path": str(below), "force_destroy": cty.True}
			resourcetest.NoErrors(t, created.ApplyPlan(set, created.Plan(set)))
			diags := d.DeleteNow()
			if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, below) {
				t.Errorf("diagnostics %v, want one warning that names %s", diags, below)
			}
			resourcetest.WantMode(t, below, 0o755)
			created.NoChange(set)

			// A later destroy deletes the created directory with its content.
			resourcetest.Write(t, filepath.Join(below, "file"), "x", 0o600)
			if diags := created.Destroy(); len(diags) > 0 {
				t.Error(diags)
			}
			if _, err := os.Lstat(below); !os.IsNotExist(err) {
				t.Errorf("%s exists after destroy (%v)", below, err)
			}
		})
	}
}

// TestDirectoryReplacedByLink checks that a link in place of the directory is not followed,
// even with force_destroy.
func TestDirectoryReplacedByLink(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	root := t.TempDir()
	path, outside := filepath.Join(root, "d"), filepath.Join(root, "outside")
	set := attrs{"path": str(path), "force_destroy": cty.True}
	d.Apply(set)
	set["mode"] = str("0700")
	plan := d.Plan(set)
	if err := os.Rename(path, outside); err != nil {
		t.Fatal(err)
	}
	resourcetest.Write(t, filepath.Join(outside, "file"), "x", 0o600)
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	resourcetest.WantError(t, d.ApplyPlan(set, plan), "", path, "is a symbolic link")
	resourcetest.NoErrors(t, d.Destroy())
	resourcetest.WantFile(t, filepath.Join(outside, "file"), "x", 0o600)
	resourcetest.WantMode(t, outside, 0o755)
}

// swappingHost is a host that replaces the directory dir with a link just before dir is listed.
type swappingHost struct {
	host.Host
	dir string
}

func (h swappingHost) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	if path == h.dir {
		if err := errors.Join(os.Rename(path, path+".old"), os.Symlink("/", path)); err != nil {
			return nil, err
		}
	}
	return h.Host.ReadDir(ctx, path)
}

// TestDirectoryEntryReplaced checks that a destroy fails, and keeps the state, if a
// subdirectory is replaced by a link while the directory is deleted.
func TestDirectoryEntryReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "d")
	sub := filepath.Join(path, "sub")
	d := resourcetest.NewObject(t, resourcetest.NewOn(t, types, swappingHost{localHost(t), sub}), "posix_directory")
	d.Apply(attrs{"path": str(path), "force_destroy": cty.True})
	resourcetest.Must(t, os.Mkdir(sub, 0o700))
	resourcetest.WantError(t, d.Destroy(), "", sub, "is a symbolic link")
	if d.State.IsNull() {
		t.Error("a directory that still exists is not in the state")
	}
}

func TestDirectoryParents(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	dir := filepath.Join(t.TempDir(), "a")
	set := attrs{"path": str(filepath.Join(dir, "b")), "parents": cty.False}
	resourcetest.WantError(t, d.ApplyPlan(set, d.Plan(set)), "", "directory "+dir+" does not exist on host local", "parents = true")
	resourcetest.Write(t, dir, "", 0o600)
	set["parents"] = cty.True
	resourcetest.WantError(t, d.ApplyPlan(set, d.Plan(set)), "", dir)
}

func TestDirectoryImport(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	path := t.TempDir()
	if err := os.Chmod(path, 0o755|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	if diags := d.Import("local:"+path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	d.NoChange(attrs{"path": str(path), "mode": str("2755"), "parents": cty.False})
	resourcetest.WantError(t, d.Import(path+"/missing", cty.NilVal), "", "to import")
}
