package tree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/resources/tree"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestDirectoryBecomesFile checks that a directory that becomes a file or a link in the source is removed
// with the objects of the tree in it. If it also has other content, the apply fails, and the next one
// continues once that content is removed.
func TestDirectoryBecomesFile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a/deep/x": "x", "a/y": "y", "b/x": "x", "z": "z"}.write(t, w.source)
	at := func(p string) string { return filepath.Join(w.source, p) }
	run(t,
		resource.TestStep{Config: w.config()},
		resource.TestStep{
			PreConfig: doing(t, func() error {
				files{"a/theirs": "t"}.write(t, w.root)
				return errors.Join(os.RemoveAll(at("a")), os.RemoveAll(at("b")), os.WriteFile(at("a"), []byte("file"), 0o600), os.Symlink("z", at("b")))
			}),
			Config: w.config(), ExpectError: resourcetest.WrappedText("directory is not empty"),
		},
		resource.TestStep{ // the state has the objects as they are after the failed apply
			PreConfig: doing(t, func() error { return os.Remove(filepath.Join(w.root, "a", "theirs")) }),
			Config:    w.config(), ConfigPlanChecks: plan(changes("~ a (was a directory)", "+ b")),
			Check: has(t, w.root, files{"./": "0755 ", "a": "0644 file", "b": "-> z", "z": "0644 z"}),
		},
	)
}

// TestKeptDirectory checks that the apply warns about a directory that its plan removes, if the directory is
// kept because of other objects.
func TestKeptDirectory(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a/sub/x": "x", "b": "b"}.write(t, w.source)
	o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.Apply(set)
	files{"a/theirs": "t"}.write(t, w.root)
	resourcetest.Must(t, os.RemoveAll(filepath.Join(w.source, "a")))
	o.NextRun()
	o.Refresh()
	diags := o.ApplyPlan(set, o.Plan(set))
	if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, "has not created: a.") {
		t.Errorf("diagnostics of the apply: %v, want one warning that names the directory a", diags)
	}
	o.NoChange(set)
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "a/": "0755 ", "a/theirs": "0600 t", "b": "0644 b"})(nil))
}

// TestObjectsTakenByOthers checks that an update and a destroy of a tree keep a file that another resource has
// adopted in the same run, for example because the file was moved from the source to a resource of its own.
func TestObjectsTakenByOthers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "b": "b", "dir/c": "c"}.write(t, w.source)
	p := resourcetest.New(t, runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"file": file.Resource(), "tree": tree.Resource()}})
	o := resourcetest.NewObject(t, p, "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.Apply(set)
	take := func(name, content string) {
		t.Helper()
		taken := resourcetest.NewObject(t, p, "posix_file")
		its := resourcetest.Attrs{"path": cty.StringVal(filepath.Join(w.root, name)), "content": cty.StringVal(content)}
		resourcetest.NoErrors(t, taken.ApplyPlan(its, taken.Plan(its)))
	}
	warned := func(diags diag.Diagnostics, name string) {
		t.Helper()
		if len(diags) == 0 || diags.HasErrors() || !strings.Contains(diags[len(diags)-1].Detail, "in this apply: "+name+".") {
			t.Errorf("diagnostics %v, want a warning that names %s", diags, name)
		}
	}

	resourcetest.Must(t, os.Remove(filepath.Join(w.source, "a")))
	o.NextRun()
	o.Refresh()
	plan := o.Plan(set)
	take("a", "a")
	warned(o.ApplyPlan(set, plan), "a")
	o.NoChange(set)
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "a": "0644 a", "b": "0644 b", "dir/": "0755 ", "dir/c": "0644 c"})(nil))

	o.NextRun()
	take("dir/c", "c")
	warned(o.DeleteNow(), "dir/c")
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "a": "0644 a", "dir/": "0755 ", "dir/c": "0644 c"})(nil))
}

// TestObjectsTakenFromOthers checks that the resources that managed the objects of a new tree keep them if those resources are
// deleted in the same run.
func TestObjectsTakenFromOthers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "link": "-> a", "dir/b": "b", "other/c": "c"}.write(t, w.source)
	p := resourcetest.New(t, runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
		"directory": directory.Resource(), "file": file.Resource(), "symlink": symlink.Resource(), "tree": tree.Resource(),
	}})
	at := func(name string) cty.Value { return cty.StringVal(filepath.Join(w.root, name)) }
	var former []*resourcetest.Object
	apply := func(typeName string, set resourcetest.Attrs) {
		t.Helper()
		o := resourcetest.NewObject(t, p, typeName)
		o.Apply(set)
		former = append(former, o)
	}
	apply("posix_file", resourcetest.Attrs{"path": at("a"), "content": cty.StringVal("a")})
	apply("posix_symlink", resourcetest.Attrs{"path": at("link"), "target": cty.StringVal("a")})
	apply("posix_directory", resourcetest.Attrs{"path": at("dir"), "force_destroy": cty.True})
	apply("posix_tree", resourcetest.Attrs{"path": at("other"), "source": cty.StringVal(filepath.Join(w.source, "other"))})

	o := resourcetest.NewObject(t, p, "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.NextRun()
	resourcetest.NoErrors(t, o.ApplyPlan(set, o.Plan(set)))
	for _, before := range former {
		diags := before.DeleteNow()
		if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Summary, "Not deleted") {
			t.Errorf("delete of a %s: %v, want one warning with the summary Not deleted", before.TypeName, diags)
		}
	}
	all := files{"./": "0755 ", "a": "0644 a", "link": "-> a", "dir/": "0755 ", "dir/b": "0644 b", "other/": "0755 ", "other/c": "0644 c"}
	resourcetest.Must(t, has(t, w.root, all)(nil))
	o.NoChange(set)

	// In a later run, a destroy of the tree deletes its files and links.
	resourcetest.NoErrors(t, o.Destroy())
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "dir/": "0755 ", "other/": "0755 "})(nil))
}

// TestDirectoriesMadeAsParents checks that a tree adopts the directories that a file of the same run has created
// after the plan: the order of tree and file does not matter if neither refers to the other.
func TestDirectoriesMadeAsParents(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"conf/a": "a"}.write(t, w.source)
	both := runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"tree": tree.Resource(), "file": file.Resource()}}
	p := resourcetest.New(t, both)
	theTree, theFile := resourcetest.NewObject(t, p, "posix_tree"), resourcetest.NewObject(t, p, "posix_file")
	ofTree := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source), "directory_mode": cty.StringVal("0700")}
	ofFile := resourcetest.Attrs{"path": cty.StringVal(w.root + "/conf/b"), "content": cty.StringVal("b")}
	planOfTree, planOfFile := theTree.Plan(ofTree), theFile.Plan(ofFile)
	resourcetest.NoErrors(t, theFile.ApplyPlan(ofFile, planOfFile))
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "conf/": "0755 ", "conf/b": "0644 b"})(nil))
	resourcetest.NoErrors(t, theTree.ApplyPlan(ofTree, planOfTree))
	resourcetest.Must(t, has(t, w.root, files{"./": "0700 ", "conf/": "0700 ", "conf/a": "0644 a", "conf/b": "0644 b"})(nil))
	theTree.NoChange(ofTree)

	// In the next run they are directories in use, like any others.
	theTree.Forget()
	resourcetest.Must(t, os.Chmod(w.root, 0o750))
	theTree.NextRun()
	resourcetest.WantError(t, theTree.Plan(ofTree).Diagnostics, "path", "already has objects that differ from the source: . (mode 0750 -> 0700)")
}

// TestDestroyFollowsNoLink checks that the target of a link is not changed if a directory of
// the tree became a link after the refresh.
func TestDestroyFollowsNoLink(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a/sub/": "", "b": "b"}.write(t, w.source)
	theirs := filepath.Join(filepath.Dir(w.source), "theirs")
	resourcetest.Must(t, os.MkdirAll(filepath.Join(theirs, "sub"), 0o755))
	here, err := local.New()
	resourcetest.Must(t, err)
	h := &deletingHost{Host: here}
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps: []resource.TestStep{
			{Config: w.config()},
			{
				PreConfig: func() {
					h.before = func() {
						at := filepath.Join(w.root, "a")
						resourcetest.Must(t, os.RemoveAll(at), os.Symlink(theirs, at))
					}
				},
				Config: "# nothing",
				Check: func(*terraform.State) error {
					if _, err := os.Stat(filepath.Join(theirs, "sub")); err != nil {
						return fmt.Errorf("a directory outside of the tree was removed: %w", err)
					}
					return has(t, w.root, files{"./": "0755 ", "a": "-> " + theirs})(nil)
				},
			},
		},
	})
}

// TestOtherTypesAreKept checks that a destroy keeps objects of another type that another process has put in the place
// of those of the tree, and that an update whose source lacks these paths keeps them, too.
func TestOtherTypesAreKept(t *testing.T) {
	t.Parallel()
	for _, update := range []bool{false, true} {
		w := newFixture(t)
		files{"a": "a", "b": "-> a", "dir/c": "c", "kept/d": "d"}.write(t, w.source)
		o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_tree")
		set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
		o.Apply(set)
		at := func(p string) string { return filepath.Join(w.root, p) }
		resourcetest.Must(t, os.Remove(at("a")), os.Remove(at("b")), os.RemoveAll(at("dir")))
		o.Refresh() // the removed objects are in the state as missing
		files{"a": "-> theirs", "b": "theirs", "dir": "theirs"}.write(t, w.root)
		want := files{"./": "0755 ", "a": "-> theirs", "b": "0600 theirs", "dir": "0600 theirs"}
		for range 2 {
			o.NextRun()
			o.Refresh()
		}
		if update {
			for _, name := range []string{"a", "b", "dir"} {
				resourcetest.Must(t, os.RemoveAll(filepath.Join(w.source, name)))
			}
			planned := o.Plan(set)
			resourcetest.NoErrors(t, planned.Diagnostics)
			resourcetest.NoErrors(t, o.ApplyPlan(set, planned))
			resourcetest.Must(t, has(t, w.root, want.with(files{"kept/": "0755 ", "kept/d": "0644 d"}))(nil))
		}
		resourcetest.NoErrors(t, o.Destroy())
		resourcetest.Must(t, has(t, w.root, want)(nil))
	}
}

// TestForgetsRemoved checks that a file that was removed both from the host and from the source no longer belongs to the
// tree: a later file at its path is kept.
func TestForgetsRemoved(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "b": "b"}.write(t, w.source)
	o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.Apply(set)
	resourcetest.Must(t, os.Remove(filepath.Join(w.root, "a")), os.Remove(filepath.Join(w.source, "a")))
	o.NextRun()
	o.Refresh()
	planned := o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	if planned.PlannedState.RawEquals(o.State) { // a client applies only changes
		t.Error("no change is planned, want an update")
	} else {
		resourcetest.NoErrors(t, o.ApplyPlan(set, planned))
	}
	files{"a": "theirs"}.write(t, w.root)
	o.NextRun()
	o.NoChange(set)
	resourcetest.NoErrors(t, o.Destroy())
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "a": "0600 theirs"})(nil))
}

// deletingHost is a host that calls a function before the tree is read for its deletion.
type deletingHost struct {
	host.Host
	before func()
}

func (h *deletingHost) ReadTree(ctx context.Context, root string, q host.TreeQuery) ([]host.TreeEntry, error) {
	if before := h.before; before != nil && !q.Digests {
		h.before = nil
		before()
	}
	return host.WalkTree(ctx, h.Host, root, q)
}
