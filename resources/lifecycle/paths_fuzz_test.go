package lifecycle_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// FuzzPathAttributes checks that either the plan rejects a path with an error about its attribute,
// or the resource manages exactly the object at this path and creates no other. The rejected paths
// are too long, cannot be in Terraform's strings, or are invalid for [host.CheckTarget] (for
// working_directory, [host.CheckPath]).
func FuzzPathAttributes(f *testing.F) {
	f.Fuzz(func(t *testing.T, name string) {
		t.Parallel()
		for typeName, set := range map[string]attrs{
			"posix_file":      {"content": str("text")},
			"posix_directory": {},
			"posix_symlink":   {"target": str("text")},
		} {
			p := newOdd(t, name)
			o := resourcetest.NewObject(t, resourcetest.New(t, types), typeName)
			set["path"] = str(p.path)
			plan := o.Plan(set)
			if p.refused(plan.Diagnostics, "path", host.CheckTarget) {
				continue
			}
			o.Apply(set)
			p.only(true)
			p.is(typeName)
			o.WantAttrs(attrs{"path": str(p.path)})
			again := resourcetest.NewObject(t, o.Provider, typeName)
			if diags := again.Import(p.path, cty.NilVal); diags.HasErrors() {
				t.Errorf("the import of the path fails: %v", diags)
			}
			if diags := o.Destroy(); diags.HasErrors() {
				t.Error(diags)
			}
			p.only(false)
		}
		p := newOdd(t, name)
		o := newCommand(t)
		set := attrs{"working_directory": str(p.path), "create": str("pwd -P; echo .")}
		plan := o.Plan(set)
		if p.refused(plan.Diagnostics, "working_directory", host.CheckPath) {
			return
		}
		if err := os.MkdirAll(p.path, 0o755); err != nil {
			t.Fatal(err)
		}
		o.Apply(set)
		resolved, err := filepath.EvalSymlinks(p.path)
		if err != nil {
			t.Fatal(err)
		}
		o.WantAttrs(attrs{"stdout": str(resolved + "\n.")})
		p.only(true)
	})
}

// oddPath is a path below a directory that contains nothing but the parents of the path.
type oddPath struct {
	t    *testing.T
	base string
	path string // normalised as by Terraform
}

// newOdd creates the parent directories, if possible.
func newOdd(t *testing.T, name string) oddPath {
	t.Helper()
	base := resourcetest.TempDir(t)
	p := oddPath{t: t, base: base, path: str(base + "/dir/" + name).AsString()}
	if err := os.Mkdir(base+"/dir", 0o755); err != nil {
		t.Fatal(err)
	}
	if host.CheckPath(p.path) == nil {
		_ = os.MkdirAll(path.Dir(p.path), 0o755) // invalid paths are rejected later
	}
	return p
}

// refused checks that the plan fails if and only if the path is invalid, and reports whether it is invalid.
func (p oddPath) refused(diags diag.Diagnostics, attribute string, check func(string) error) bool {
	p.t.Helper()
	long := func(name string) bool { return len(name) > 255 }
	should := check(p.path) != nil || !utf8.ValidString(p.path) || len(p.path) > 4095 ||
		slices.ContainsFunc(strings.Split(p.path, "/"), long) ||
		attribute == "path" && len(path.Dir(p.path)) > 3839
	if diags.HasErrors() != should {
		p.t.Fatalf("path %q: the diagnostics are %v, want an error: %t", p.path, diags, should)
	}
	for _, d := range diags {
		if got := diag.FormatPath(d.Path); got != attribute {
			p.t.Errorf("path %q: attribute of %v is %q, want %q", p.path, d, got, attribute)
		}
	}
	return should
}

// only checks that nothing exists except the parents of the path and, if and only if exists is
// set, the path itself.
func (p oddPath) only(exists bool) {
	p.t.Helper()
	err := filepath.WalkDir(p.base, func(at string, _ fs.DirEntry, err error) error {
		if at == p.path && !exists || at != p.path && !strings.HasPrefix(p.path, at+"/") {
			p.t.Errorf("unexpected object %q", at)
		}
		return err
	})
	_, missing := os.Lstat(p.path)
	if err != nil || errors.Is(missing, fs.ErrNotExist) == exists {
		p.t.Errorf("path %q: Lstat returns %v and WalkDir %v, want only the expected objects", p.path, missing, err)
	}
}

// is checks that the configured object is at the path.
func (p oddPath) is(typeName string) {
	p.t.Helper()
	info, err := os.Lstat(p.path)
	if err != nil {
		p.t.Fatal(err)
	}
	got := ""
	switch typeName {
	case "posix_file":
		text, failed := os.ReadFile(p.path)
		got, err = string(text), failed
	case "posix_symlink":
		got, err = os.Readlink(p.path)
	default:
		if info.IsDir() {
			got = "text"
		}
	}
	if err != nil || got != "text" {
		p.t.Errorf("path %q: mode %v, content or target %q, error %v, want text", p.path, info.Mode(), got, err)
	}
}

// TestUnrepresentableNames checks files whose names are not valid in Terraform: they cannot
// be imported, and one with a decomposed name is not confused with the one whose name is
// composed.
func TestUnrepresentableNames(t *testing.T) {
	t.Parallel()
	dir := resourcetest.TempDir(t)
	for _, name := range []string{"e\u0301", "\xff", "a\xc3"} {
		resourcetest.Write(t, dir+"/"+name, name, 0o600)
		for _, typeName := range []string{"posix_file", "posix_directory", "posix_symlink"} {
			o := resourcetest.NewObject(t, resourcetest.New(t, types), typeName)
			resourcetest.WantError(t, o.Import(dir+"/"+name, cty.NilVal), "", "Rename the file")
		}
	}
	file := newFile(t)
	file.Apply(attrs{"path": str(dir + "/e\u0301"), "content": str("composed")}) // decomposed in the configuration
	resourcetest.WantFile(t, dir+"/\u00e9", "composed", 0o644)
	resourcetest.WantFile(t, dir+"/e\u0301", "e\u0301", 0o600)

	set := attrs{"path": str(dir)}
	o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_directory")
	if diags := o.Import(dir, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	resourcetest.WantError(t, o.Destroy(), "", `"\xff"`, `"a\xc3"`)
	set["force_destroy"] = cty.True
	o.Apply(set)
	if diags := o.Destroy(); diags.HasErrors() {
		t.Error(diags)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory with invalid names was not deleted: %v", err)
	}
}
