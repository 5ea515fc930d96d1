package resources_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func newSymlink(t *testing.T) *object {
	t.Helper()
	return newObject(t, newPosix(t), "posix_symlink")
}

func wantLink(t *testing.T, path, target string) {
	t.Helper()
	if got, err := os.Readlink(path); err != nil || got != target {
		t.Errorf("%s points to %q (%v), want %q", path, got, err, target)
	}
}

func TestSymlinkLifecycle(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "link")
	set := attrs{"path": str(path), "target": str("does/not/exist")}
	s.apply(set)
	wantLink(t, path, "does/not/exist")
	s.wantAttrs(attrs{"host": str("local")})
	if !s.identity.RawEquals(cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})) {
		t.Errorf("identity %#v", s.identity)
	}
	set["target"] = str(dir)
	s.changes(set, "target")
	s.apply(set)
	wantLink(t, path, dir)

	// Drift, also to a text that is none.
	for text, shown := range map[string]string{"elsewhere": "elsewhere", "a\xffb": `"a\xffb"`, "e\u0301": `"e\u0301"`} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(text, path); err != nil {
			t.Fatal(err)
		}
		s.refresh()
		s.wantAttrs(attrs{"target": str(shown)})
		s.changes(set, "target")
		s.apply(set)
		wantLink(t, path, dir)
	}
	if diags := s.destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after destroy: %v", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the target is gone: %v", err)
	}
}

func TestSymlinkThatExists(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	path := filepath.Join(t.TempDir(), "link")
	set := attrs{"path": str(path), "target": str("t")}
	early := s.plan(set)
	if err := os.Symlink("other", path); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.plan(set).Diagnostics, "path", path+" exists already on host local", "link to other", "import it")
	wantError(t, s.applyPlan(set, early), "path", "exists already")
	wantLink(t, path, "other")
	// As the message says.
	if diags := s.imports(path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	s.changes(set, "target")
	s.apply(set)
	// The same link is adopted.
	newSymlink(t).apply(set)
}

func TestSymlinkReplacedByFile(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	path := filepath.Join(t.TempDir(), "link")
	set := attrs{"path": str(path), "target": str("t")}
	s.apply(set)
	set["target"] = str("u")
	plan := s.plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, "x", 0o600)
	wantError(t, s.read(), "", path, "is a regular file", "state rm")
	wantError(t, s.applyPlan(set, plan), "", path, "is a regular file")
	wantError(t, s.destroy(), "", path, "is a regular file")
	wantError(t, newSymlink(t).plan(set).Diagnostics, "", path, "is a regular file")
	wantFile(t, path, "x", 0o600)
}

func TestSymlinkErrors(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	dir := filepath.Join(t.TempDir(), "missing")
	set := attrs{"path": str(filepath.Join(dir, "link")), "target": str("t")}
	wantError(t, s.applyPlan(set, s.plan(set)), "", "directory "+dir+" does not exist on host local", "posix_directory")
	for target, word := range map[string]string{"": "empty", "a\x00b": "NUL"} {
		wantError(t, s.plan(attrs{"path": str("/a"), "target": str(target)}).Diagnostics, "target", word)
	}
	wantError(t, s.plan(attrs{"path": str("a"), "target": str("t")}).Diagnostics, "path", "not absolute")
	wantError(t, s.plan(attrs{"path": str("/a"), "target": str("t"), "host": str("web")}).Diagnostics, "host", "local")
}
