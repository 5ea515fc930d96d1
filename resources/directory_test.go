package resources_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func newDirectory(t *testing.T) *object {
	t.Helper()
	return newObject(t, newPosix(t), "posix_directory")
}

func TestDirectoryLifecycle(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	path := filepath.Join(t.TempDir(), "a", "b")
	set := attrs{"path": str(path)}
	d.apply(set)
	wantMode(t, path, 0o755)
	d.wantAttrs(attrs{"host": str("local"), "mode": str("0755"), "force_destroy": cty.False, "parents": cty.True})
	set["mode"] = str("700")
	d.changes(set, "mode")
	d.apply(set)
	wantMode(t, path, 0o700)
	// Drift.
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	d.refresh()
	d.changes(set, "mode")
	d.apply(set)
	wantMode(t, path, 0o700)
	// Gone.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	plan := d.plan(attrs{"path": str(path)})
	wantError(t, d.applyPlan(attrs{"path": str(path)}, plan), "", path+" on host local was removed after the plan")
	d.refresh()
	if !d.state.IsNull() {
		t.Error("a directory that is gone is in state")
	}
	d.apply(set)
	if diags := d.destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after destroy: %v", err)
	}
	wantMode(t, filepath.Dir(path), 0o755) // parents are left
}

func TestDirectoryThatExists(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mode  os.FileMode
		inUse bool
		fails bool
	}{
		"as configured":              {mode: 0o755, inUse: true},
		"empty":                      {mode: 0o700},
		"in use with another mode":   {mode: 0o775, inUse: true, fails: true},
		"in use with a special mode": {mode: 0o755 | os.ModeSticky, inUse: true, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDirectory(t)
			path := filepath.Join(t.TempDir(), "d")
			set := attrs{"path": str(path)}
			early := d.plan(set) // nothing is there yet
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			if tt.inUse {
				write(t, filepath.Join(path, "file"), "", 0o600)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			if !tt.fails {
				d.apply(set)
				wantMode(t, path, 0o755)
				return
			}
			words := []string{path + " exists already on host local", "Import it"}
			wantError(t, d.plan(set).Diagnostics, "path", words...)
			wantError(t, d.applyPlan(set, early), "path", words...)
			wantMode(t, path, tt.mode.Perm())
			// As the message says.
			if diags := d.imports(path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			d.changes(set, "mode")
			d.apply(set)
		})
	}
}

func TestDirectoryDestroy(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	root := t.TempDir()
	path, outside := filepath.Join(root, "d"), filepath.Join(root, "outside")
	set := attrs{"path": str(path)}
	d.apply(set)
	for _, dir := range []string{outside, filepath.Join(path, "deep", "deeper")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "file"), "x", 0o600)
	}
	for _, link := range []string{"a link", "deep/link"} {
		if err := os.Symlink(outside, filepath.Join(path, link)); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, d.destroy(), "", path+" on host local is not deleted", `it has "a link", deep/.`, "force_destroy = true")
	if d.state.IsNull() {
		t.Fatal("a directory that is still there was forgotten")
	}
	for i := range 15 {
		write(t, filepath.Join(path, fmt.Sprintf("f%02d", i)), "", 0o600)
	}
	wantError(t, d.destroy(), "", "f07, and 7 more")

	set["force_destroy"] = cty.True
	d.changes(set, "force_destroy")
	d.apply(set)
	if diags := d.destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after destroy: %v", err)
	}
	wantFile(t, filepath.Join(outside, "file"), "x", 0o600)
}

// A link in place of the directory is not followed, however much is to be
// destroyed.
func TestDirectoryReplacedByLink(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	root := t.TempDir()
	path, outside := filepath.Join(root, "d"), filepath.Join(root, "outside")
	set := attrs{"path": str(path), "force_destroy": cty.True}
	d.apply(set)
	set["mode"] = str("0700")
	plan := d.plan(set)
	if err := os.Rename(path, outside); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(outside, "file"), "x", 0o600)
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	wantError(t, d.read(), "", path, "is a symbolic link", "state rm")
	wantError(t, d.applyPlan(set, plan), "", path, "is a symbolic link")
	wantError(t, d.destroy(), "", path, "is a symbolic link")
	wantFile(t, filepath.Join(outside, "file"), "x", 0o600)
	wantMode(t, outside, 0o755)
	d.forget()
	wantError(t, newDirectory(t).plan(set).Diagnostics, "", path, "is a symbolic link")
}

func TestDirectoryParents(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	dir := filepath.Join(t.TempDir(), "a")
	set := attrs{"path": str(filepath.Join(dir, "b")), "parents": cty.False}
	wantError(t, d.applyPlan(set, d.plan(set)), "", "directory "+dir+" does not exist on host local", "parents = true")
	write(t, dir, "", 0o600)
	set["parents"] = cty.True
	wantError(t, d.applyPlan(set, d.plan(set)), "", dir)
}

func TestDirectoryImport(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	path := t.TempDir()
	if err := os.Chmod(path, 0o755|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	if diags := d.imports("local:"+path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	d.noChange(attrs{"path": str(path), "mode": str("2755"), "parents": cty.False})
	wantError(t, d.imports(path+"/missing", cty.NilVal), "", "to import")
}
