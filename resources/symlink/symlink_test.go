package symlink_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func newSymlink(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_symlink")
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
	s.Apply(set)
	wantLink(t, path, "does/not/exist")
	s.WantAttrs(attrs{"host": str("local")})
	if !s.Identity.RawEquals(cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})) {
		t.Errorf("the identity is %#v, want the host local and the path of the link", s.Identity)
	}
	set["target"] = str(dir)
	s.Changes(set, "target")
	s.Apply(set)
	wantLink(t, path, dir)

	// Drift of the target is repaired, even if the target is not text that Terraform can store.
	for text, shown := range map[string]string{"elsewhere": "elsewhere", "a\xffb": `"a\xffb"`, "e\u0301": `"e\u0301"`} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(text, path); err != nil {
			t.Fatal(err)
		}
		s.Refresh()
		s.WantAttrs(attrs{"target": str(shown)})
		s.Changes(set, "target")
		s.Apply(set)
		wantLink(t, path, dir)
	}
	if diags := s.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("lstat of the link after the destroy: error %v, want %v", err, os.ErrNotExist)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("stat of the target after the destroy: error %v, want none", err)
	}
}

func TestSymlinkThatExists(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	path := filepath.Join(t.TempDir(), "link")
	set := attrs{"path": str(path), "target": str("t")}
	early := s.Plan(set)
	if err := os.Symlink("other", path); err != nil {
		t.Fatal(err)
	}
	resourcetest.WantError(t, s.Plan(set).Diagnostics, "path", "Object already exists: "+path+" already exists on host local", "link to other", "import it", "Or remove it, for example if it is the link that this resource replaces with create_before_destroy")
	resourcetest.WantError(t, s.ApplyPlan(set, early), "path", "already exists")
	wantLink(t, path, "other")
	// The existing link can be imported, as the message suggests.
	if diags := s.Import(path, cty.NilVal); diags.HasErrors() {
		t.Fatal(diags)
	}
	s.Changes(set, "target")
	s.Apply(set)
	// A link with the configured target is adopted.
	newSymlink(t).Apply(set)
}

func TestSymlinkReplacedByFile(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	path := filepath.Join(t.TempDir(), "link")
	set := attrs{"path": str(path), "target": str("t")}
	s.Apply(set)
	set["target"] = str("u")
	plan := s.Plan(set)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	resourcetest.Write(t, path, "x", 0o600)
	resourcetest.WantError(t, s.ApplyPlan(set, plan), "", path, "is a regular file")
	resourcetest.NoErrors(t, s.Destroy())
	resourcetest.WantFile(t, path, "x", 0o600)
}

// TestSymlinkChangedAfterPlan checks that an update does not replace a target that its plan did not show.
func TestSymlinkChangedAfterPlan(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	path := filepath.Join(t.TempDir(), "link")
	before, after := attrs{"path": str(path), "target": str("old")}, attrs{"path": str(path), "target": str("new")}
	s.Apply(before)
	point := func(target string) {
		resourcetest.Must(t, os.Remove(path))
		resourcetest.Must(t, os.Symlink(target, path))
	}
	plan := s.Plan(after)
	point("theirs")
	resourcetest.WantError(t, s.ApplyPlan(after, plan), "path", "the target of "+path+" on host local was changed after the plan was made", "Create a new plan")
	wantLink(t, path, "theirs")
	s.Apply(after) // refreshes first
	wantLink(t, path, "new")
	plan = s.Plan(before)
	point("old") // as planned
	resourcetest.NoErrors(t, s.ApplyPlan(before, plan))
	plan = s.Plan(after)
	resourcetest.Must(t, os.Remove(path))
	resourcetest.NoErrors(t, s.ApplyPlan(after, plan))
	wantLink(t, path, "new")
}

// TestSymlinkParents checks that missing parent directories are created, and kept on destroy.
func TestSymlinkParents(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	link := filepath.Join(dir, "link")
	s.Apply(attrs{"path": str(link), "target": str("t")})
	wantLink(t, link, "t")
	resourcetest.NoErrors(t, s.Destroy())
	resourcetest.WantMode(t, dir, 0o755)
}

func TestSymlinkErrors(t *testing.T) {
	t.Parallel()
	s := newSymlink(t)
	for target, word := range map[string]string{"": "empty", "a\x00b": "NUL"} {
		resourcetest.WantError(t, s.Plan(attrs{"path": str("/a"), "target": str(target)}).Diagnostics, "target", word)
	}
	resourcetest.WantError(t, s.Plan(attrs{"path": str("a"), "target": str("t")}).Diagnostics, "path", "not absolute")
	resourcetest.WantError(t, s.Plan(attrs{"path": str("/a"), "target": str("t"), "host": str("web")}).Diagnostics, "host", "local")
}
