package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func TestFileThatExists(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Write(t, path, "theirs\n", 0o600)
	set := attrs{"path": str(path), "content": str("ours\n")}
	resourcetest.WantError(t, f.Plan(set).Diagnostics, "path", "Object already exists: "+path, "already exists on host local", "import it", "overwrite = true")

	// Identical content is adopted without a write; the mode is set.
	before := resourcetest.Inode(t, path)
	same := attrs{"path": str(path), "content": str("theirs\n")}
	f.Apply(same)
	resourcetest.WantFile(t, path, "theirs\n", 0o644)
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("identical content was written")
	}
	f.Forget()

	// Different content is replaced if overwrite is set.
	f = newFile(t)
	set["write_options"] = options(attrs{"overwrite": cty.True})
	f.Apply(set)
	resourcetest.WantFile(t, path, "ours\n", 0o644)
}

func TestFileAppearsAfterPlan(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := attrs{"path": str(path), "content": str("ours\n")}
	plan := f.Plan(set)
	resourcetest.Write(t, path, "theirs\n", 0o600)
	resourcetest.WantError(t, f.ApplyPlan(set, plan), "path", "already exists", "overwrite")
	resourcetest.WantFile(t, path, "theirs\n", 0o600)
	if !f.State.IsNull() {
		t.Error("an unmanaged file is in the state")
	}
	// A link to a file with the configured content is an error, and overwrite does not follow the link.
	other := filepath.Join(filepath.Dir(path), "other")
	resourcetest.Write(t, other, "ours\n", 0o600)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	plan = f.Plan(set)
	if err := os.Symlink(other, path); err != nil {
		t.Fatal(err)
	}
	resourcetest.WantError(t, f.ApplyPlan(set, plan), "", path, "is a symbolic link")
	set["write_options"], set["content"] = options(attrs{"overwrite": cty.True}), str("new\n")
	resourcetest.NoErrors(t, f.ApplyPlan(set, f.Plan(set)))
	resourcetest.WantFile(t, path, "new\n", 0o644)
	resourcetest.WantFile(t, other, "ours\n", 0o600)
}

// TestFileReplacedAtSamePath checks that the managed file itself is not a conflict when a
// tainted object is created again, or when a forced replacement is planned a second time.
func TestFileReplacedAtSamePath(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.Apply(attrs{"path": str(path), "content": str("one\n")})
	f.Tainted = true
	f.Apply(attrs{"path": str(path), "content": str("two\n")})
	resourcetest.WantFile(t, path, "two\n", 0o644)

	// In another process, without a refresh, only the first plan has the state.
	g := newFile(t)
	g.State, g.Private, g.Identity = f.State, f.Private, f.Identity
	config := g.Config(attrs{"path": str(path), "content": str("three\n")})
	first := g.PlanFrom(g.State, config, nil)
	if second := g.PlanFrom(g.Null(), config, first.PlannedPrivate); second.Diagnostics.HasErrors() {
		t.Error(second.Diagnostics)
	}

	// After the destroy, a file at the path is not managed.
	if diags := f.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	resourcetest.Write(t, path, "theirs\n", 0o600)
	resourcetest.WantError(t, f.Plan(attrs{"path": str(path), "content": str("four\n")}).Diagnostics, "path", "already exists")
}

func TestFileParents(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := filepath.Join(t.TempDir(), "dir")
	set := attrs{"path": str(filepath.Join(dir, "file")), "content": str(""), "write_options": options(attrs{"parents": cty.False})}
	resourcetest.WantError(t, f.ApplyPlan(set, f.Plan(set)), "", "directory "+dir+" does not exist on host local", "parents = true")
	set["write_options"] = options(attrs{"parents": cty.True})
	f.Apply(set)
	if diags := f.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	resourcetest.WantMode(t, dir, 0o755) // the parent is kept

	// Inputs that are only used on create do not change an existing object.
	f.Apply(set)
	f.NoChange(attrs{"path": set["path"], "content": str(""), "write_options": options(attrs{"parents": cty.False, "overwrite": cty.True})})
}

// TestFileRemovesTemporaryFiles checks that an apply removes temporary files of a killed
// writer, even if the apply writes nothing.
func TestFileRemovesTemporaryFiles(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	left := host.TempPath(path, "")
	for name, apply := range map[string]func(){
		"adoption": func() {
			resourcetest.Write(t, path, "x", 0o644)
			f.Apply(attrs{"path": str(path), "content": str("x")})
		},
		"mode": func() { f.Apply(attrs{"path": str(path), "content": str("x"), "mode": str("0600")}) },
		"destroy of a missing file": func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if diags := f.Destroy(); diags.HasErrors() {
				t.Fatal(diags)
			}
			f.Forget()
		},
	} {
		if f.State.IsNull() {
			resourcetest.Write(t, path, "x", 0o644)
			f.Apply(attrs{"path": str(path), "content": str("x")})
		}
		resourcetest.Write(t, left, "torn", 0o600)
		apply()
		if _, err := os.Lstat(left); !os.IsNotExist(err) {
			t.Errorf("%s: the temporary file still exists: %v", name, err)
		}
	}
}

func TestFileVanishesBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.Apply(attrs{"path": str(path), "content": str("x")})
	set := attrs{"path": str(path), "content": str("x"), "mode": str("0600")}
	plan := f.Plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	resourcetest.WantError(t, f.ApplyPlan(set, plan), "", path+" on host local was removed after the plan", "again")
	// An update that writes content creates the file again.
	set["content"] = str("y")
	resourcetest.Write(t, path, "x", 0o644)
	plan = f.Plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if diags := f.ApplyPlan(set, plan); diags.HasErrors() {
		t.Error(diags)
	}
	resourcetest.WantFile(t, path, "y", 0o600)
}

func TestFileSource(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	resourcetest.Write(t, source, "hello\n", 0o600)
	set := attrs{"path": str(path), "source": str(source)}
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello\n", 0o644)
	f.WantAttrs(attrs{"sha256": str(helloSum), "content": cty.NullVal(cty.String)})

	// New content of the same source is copied.
	resourcetest.Write(t, source, "hullo\n", 0o600)
	f.Refresh()
	f.Changes(set, "sha256")
	resourcetest.Write(t, source, "hello, world\n", 0o600)
	f.Changes(set, "sha256")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello, world\n", 0o644)

	// Drift is detected by the digest; the state does not contain the content.
	resourcetest.Write(t, path, "hello, w\xffrld\n", 0o644)
	f.Refresh()
	f.WantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": cty.NullVal(cty.String)})
	f.Changes(set, "sha256")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello, world\n", 0o644)

	// The same content from a source at a new path is not written.
	before := resourcetest.Inode(t, path)
	moved := filepath.Join(dir, "moved")
	if err := os.Rename(source, moved); err != nil {
		t.Fatal(err)
	}
	resourcetest.WantError(t, f.Plan(set).Diagnostics, "source", source, "unknown until then")
	set["source"] = str(moved)
	f.Changes(set, "source")
	f.Apply(set)
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the same bytes were written again")
	}
	// The source is not needed for a destroy.
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	if diags := f.Destroy(); diags.HasErrors() {
		t.Error(diags)
	}
}

func TestFileBase64(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := attrs{"path": str(path), "content_base64": str(b64("\x00\xff\x80 binary"))}
	f.Apply(set)
	resourcetest.WantFile(t, path, "\x00\xff\x80 binary", 0o644)
	resourcetest.Write(t, path, "\x00\xff\x81 binary", 0o644)
	f.Refresh()
	f.WantAttrs(attrs{"content_base64": str(b64("\x00\xff\x81 binary"))})
	f.Changes(set, "content_base64", "sha256")
	f.Apply(set)
	// Line breaks in base64 are ignored.
	f.NoChange(attrs{"path": str(path), "content_base64": str("AP+A\nIGJp\nbmFyeQ==\n")})
}

func TestFileImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	resourcetest.Write(t, path, "hello\n", 0o640)
	for name, tt := range map[string]struct {
		id       string
		identity cty.Value
	}{
		"by path":                  {id: path},
		"by host and path":         {id: "local:" + path},
		"by identity":              {identity: cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})},
		"by identity without host": {identity: cty.ObjectVal(attrs{"host": cty.NullVal(cty.String), "path": str(path)})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			if diags := f.Import(tt.id, tt.identity); len(diags) > 0 {
				t.Fatal(diags)
			}
			f.NoChange(attrs{"path": str(path), "content": str("hello\n"), "mode": str("640")})
			f.Changes(attrs{"path": str(path), "content": str("hello\n"), "mode": str("0640"), "host": str("local"), "write_options": options(attrs{"overwrite": cty.True, "parents": cty.False})}, "write_options")
			f.WantAttrs(attrs{"host": str("local"), "sha256": str(helloSum)})
			if !f.Identity.RawEquals(cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})) {
				t.Errorf("identity %#v, want the host local and the path %s", f.Identity, path)
			}
		})
	}
}

// TestFileImportWithSource checks that the first apply of a configuration with source only changes the state, in which
// source replaces the imported content, and that a create adopts the file without showing its content.
func TestFileImportWithSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, source := filepath.Join(dir, "file"), filepath.Join(dir, "source")
	resourcetest.Write(t, path, "hello\n", 0o644)
	resourcetest.Write(t, source, "hello\n", 0o600)
	before := resourcetest.Inode(t, path)
	set := attrs{"path": str(path), "source": str(source)}
	imported, created := newFile(t), newFile(t)
	if diags := imported.Import(path, cty.NilVal); len(diags) > 0 {
		t.Fatal(diags)
	}
	imported.Changes(set, "content", "source")
	resourcetest.NoErrors(t, imported.ApplyPlan(set, imported.Plan(set)))
	imported.NoChange(set)
	plan := created.Plan(set)
	if content := plan.PlannedState.GetAttr("content"); !content.IsNull() {
		t.Errorf("the plan of a create has the content %#v, want null", content)
	}
	resourcetest.NoErrors(t, created.ApplyPlan(set, plan))
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the file was rewritten")
	}
}

func TestFileImportOfOddContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFile(t)
	path := filepath.Join(dir, "file")
	resourcetest.Write(t, path, "\xff\xfe", 0o644)
	if diags := f.Import(path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	f.NoChange(attrs{"path": str(path), "content_base64": str(b64("\xff\xfe"))})

	big := make([]byte, 1<<20+1)
	resourcetest.Write(t, path, string(big), 0o644)
	diags := f.Import(path, cty.NilVal)
	if len(diags) == 0 || diags[0].Severity != diag.Warning || diags.HasErrors() {
		t.Errorf("diagnostics of the import of a large file: %v, want warnings only", diags)
	}
	f.WantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": cty.NullVal(cty.String)})
	before := resourcetest.Inode(t, path)
	f.Apply(attrs{"path": str(path), "content_base64": str(b64(string(big)))})
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the same bytes were written")
	}
}

func TestFileImportErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFile(t)
	for id, want := range map[string][]string{
		"":                          {},
		"file":                      {"absolute path", "local:/etc/motd"},
		"/a/../b":                   {".. element"},
		"web:/etc/motd":             {`no host "web"`, "local"},
		dir:                         {"is a directory"},
		dir + "/missing":            {"to import: ", dir + "/missing: "},
		"local:" + dir + "/e\u0301": {"normalisation"},
	} {
		diags := f.Import(id, cty.NilVal)
		resourcetest.WantError(t, diags, "", want...)
		if !diags.HasErrors() {
			t.Errorf("%q was imported", id)
		}
	}
}

// TestCreateAtAnotherType checks that a create that finds an object of a different type causes a
// warning in the plan and an error in the apply.
func TestCreateAtAnotherType(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "directory")
	set := attrs{"path": str(dir), "content": str("x")}
	f := newFile(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	plan := f.Plan(set)
	words := []string{dir + " on host local is a directory", "choose another path, or manage it with posix_directory"}
	if len(plan.Diagnostics) != 1 || plan.Diagnostics[0].Severity != diag.Warning {
		t.Errorf("diagnostics %v, want one warning", plan.Diagnostics)
	}
	resourcetest.WantTexts(t, plan.Diagnostics.Error(), words...)
	resourcetest.WantError(t, f.ApplyPlan(set, plan), "", words...)
}
