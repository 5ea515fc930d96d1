package resources_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

func TestFileThatExists(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "theirs\n", 0o600)
	set := attrs{"path": str(path), "content": str("ours\n")}
	wantError(t, f.plan(set).Diagnostics, "path", path, "exists already on host local", "import it", "overwrite = true")

	// Identical content is adopted, and not written; mode is made right.
	before := inode(t, path)
	same := attrs{"path": str(path), "content": str("theirs\n")}
	f.apply(same)
	wantFile(t, path, "theirs\n", 0o644)
	if !os.SameFile(before, inode(t, path)) {
		t.Error("identical content was written")
	}
	f.forget()

	// Content that differs is replaced on request.
	f = newFile(t)
	set["overwrite"] = cty.True
	f.apply(set)
	wantFile(t, path, "ours\n", 0o644)
}

func TestFileAppearsAfterPlan(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := attrs{"path": str(path), "content": str("ours\n")}
	plan := f.plan(set)
	write(t, path, "theirs\n", 0o600)
	wantError(t, f.applyPlan(set, plan), "path", "exists already", "overwrite")
	wantFile(t, path, "theirs\n", 0o600)
	if !f.state.IsNull() {
		t.Error("a file that is not ours is in state")
	}
	// A link to a file with our content is not that file.
	other := filepath.Join(filepath.Dir(path), "other")
	write(t, other, "ours\n", 0o600)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	set["overwrite"] = cty.True
	plan = f.plan(set)
	if err := os.Symlink(other, path); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.applyPlan(set, plan), "", path, "is a symbolic link")
	wantFile(t, other, "ours\n", 0o600)
}

// A tainted object, and the second plan of a forced replacement, look like a
// first creation: their own file is not in their way.
func TestFileIsNotInItsOwnWay(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.apply(attrs{"path": str(path), "content": str("one\n")})
	f.tainted = true
	f.apply(attrs{"path": str(path), "content": str("two\n")})
	wantFile(t, path, "two\n", 0o644)

	// Another process that did not refresh: the first plan tells it.
	g := newFile(t)
	g.state, g.private, g.identity = f.state, f.private, f.identity
	config := g.config(attrs{"path": str(path), "content": str("three\n")})
	first := g.planFrom(g.state, config, nil)
	if second := g.planFrom(g.null, config, first.PlannedPrivate); second.Diagnostics.HasErrors() {
		t.Error(second.Diagnostics)
	}

	// Once it is destroyed, what stands there is foreign.
	if diags := f.destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	write(t, path, "theirs\n", 0o600)
	wantError(t, f.plan(attrs{"path": str(path), "content": str("four\n")}).Diagnostics, "path", "exists already")
}

func TestFileParents(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := filepath.Join(t.TempDir(), "dir")
	set := attrs{"path": str(filepath.Join(dir, "file")), "content": str(""), "parents": cty.False}
	wantError(t, f.applyPlan(set, f.plan(set)), "", "directory "+dir+" does not exist on host local", "parents = true")
	set["parents"] = cty.True
	f.apply(set)
	if diags := f.destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	wantMode(t, dir, 0o755) // is left

	// What only matters at creation is no change of what exists.
	f.apply(set)
	f.noChange(attrs{"path": set["path"], "content": str(""), "parents": cty.False, "overwrite": cty.True})
}

// What a killed writer left goes with the next apply, also when that has nothing
// to write.
func TestFileLeftOver(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	left := host.TempPath(path, "")
	for name, apply := range map[string]func(){
		"adoption": func() {
			write(t, path, "x", 0o644)
			f.apply(attrs{"path": str(path), "content": str("x")})
		},
		"mode": func() { f.apply(attrs{"path": str(path), "content": str("x"), "mode": str("0600")}) },
		"destroy of what is gone": func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if diags := f.destroy(); diags.HasErrors() {
				t.Fatal(diags)
			}
			f.forget()
		},
	} {
		if f.state.IsNull() {
			write(t, path, "x", 0o644)
			f.apply(attrs{"path": str(path), "content": str("x")})
		}
		write(t, left, "torn", 0o600)
		apply()
		if _, err := os.Lstat(left); !os.IsNotExist(err) {
			t.Errorf("%s left it: %v", name, err)
		}
	}
}

func TestFileVanishesBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.apply(attrs{"path": str(path), "content": str("x")})
	set := attrs{"path": str(path), "content": str("x"), "mode": str("0600")}
	plan := f.plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.applyPlan(set, plan), "", path+" on host local was removed after the plan", "again")
	// With its content to be written it is simply there again.
	set["content"] = str("y")
	write(t, path, "x", 0o644)
	plan = f.plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if diags := f.applyPlan(set, plan); diags.HasErrors() {
		t.Error(diags)
	}
	wantFile(t, path, "y", 0o600)
}

func TestFileSource(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "file")
	write(t, source, "hello\n", 0o600)
	set := attrs{"path": str(path), "source": str(source)}
	f.apply(set)
	wantFile(t, path, "hello\n", 0o644)
	f.wantAttrs(attrs{"sha256": str(helloSum), "content": cty.NullVal(cty.String)})

	// Other bytes behind the same path.
	write(t, source, "hullo\n", 0o600)
	f.refresh()
	f.changes(set, "sha256")
	write(t, source, "hello, world\n", 0o600)
	f.changes(set, "sha256", "size")
	f.apply(set)
	wantFile(t, path, "hello, world\n", 0o644)

	// Drift is found by the digest; the content is no one's business.
	write(t, path, "hello, w\xffrld\n", 0o644)
	f.refresh()
	f.wantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": cty.NullVal(cty.String)})
	f.changes(set, "sha256")
	f.apply(set)
	wantFile(t, path, "hello, world\n", 0o644)

	// The same bytes from another path: nothing is written.
	before := inode(t, path)
	moved := filepath.Join(dir, "moved")
	if err := os.Rename(source, moved); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.plan(set).Diagnostics, "source", source, "must exist when the plan is made")
	set["source"] = str(moved)
	f.changes(set, "source")
	f.apply(set)
	if !os.SameFile(before, inode(t, path)) {
		t.Error("the same bytes were written again")
	}
	// Source and destroy: the source needs not exist.
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	if diags := f.destroy(); diags.HasErrors() {
		t.Error(diags)
	}
}

func TestFileBase64(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := attrs{"path": str(path), "content_base64": str(b64("\x00\xff\x80 binary"))}
	f.apply(set)
	wantFile(t, path, "\x00\xff\x80 binary", 0o644)
	write(t, path, "\x00\xff\x81 binary", 0o644)
	f.refresh()
	f.wantAttrs(attrs{"content_base64": str(b64("\x00\xff\x81 binary"))})
	f.changes(set, "content_base64", "sha256")
	f.apply(set)
	// The same bytes with line breaks are the same.
	f.noChange(attrs{"path": str(path), "content_base64": str("AP+A\nIGJp\nbmFyeQ==\n")})
}

func TestFileImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write(t, path, "hello\n", 0o640)
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
			if diags := f.imports(tt.id, tt.identity); len(diags) > 0 {
				t.Fatal(diags)
			}
			f.noChange(attrs{"path": str(path), "content": str("hello\n"), "mode": str("640")})
			f.noChange(attrs{"path": str(path), "content": str("hello\n"), "mode": str("0640"), "overwrite": cty.True, "parents": cty.False, "host": str("local")})
			f.wantAttrs(attrs{"host": str("local"), "sha256": str(helloSum)})
			if !f.identity.RawEquals(cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})) {
				t.Errorf("identity %#v", f.identity)
			}
		})
	}
}

func TestFileImportOfOddContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFile(t)
	path := filepath.Join(dir, "file")
	write(t, path, "\xff\xfe", 0o644)
	if diags := f.imports(path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	f.noChange(attrs{"path": str(path), "content_base64": str(b64("\xff\xfe"))})

	big := make([]byte, 1<<20+1)
	write(t, path, string(big), 0o644)
	diags := f.imports(path, cty.NilVal)
	if len(diags) == 0 || diags[0].Severity != diag.Warning || diags.HasErrors() {
		t.Errorf("diagnostics of the import of a large file: %v", diags)
	}
	f.wantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": cty.NullVal(cty.String), "size": cty.NumberIntVal(1<<20 + 1)})
	before := inode(t, path)
	f.apply(attrs{"path": str(path), "content_base64": str(b64(string(big)))})
	if !os.SameFile(before, inode(t, path)) {
		t.Error("the same bytes were written")
	}
}

func TestFileImportErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFile(t)
	for id, words := range map[string][]string{
		"":                          {},
		"file":                      {"absolute path", "local:/etc/motd"},
		"/a/../b":                   {".. element"},
		"web:/etc/motd":             {`no host "web"`, "local"},
		dir:                         {"is a directory"},
		dir + "/missing":            {"to import", "missing"},
		"local:" + dir + "/e\u0301": {"normalisation"},
	} {
		diags := f.imports(id, cty.NilVal)
		wantError(t, diags, "", words...)
		if !diags.HasErrors() {
			t.Errorf("%q was imported", id)
		}
	}
}
