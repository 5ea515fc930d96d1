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
)

// TestDirectoryBecomesFile checks that a directory that becomes a file or a link is removed
// with the content of the tree. Other content is an error, after which the next apply
// continues.
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

// TestKeptDirectory checks that the apply warns of a directory that its plan removes, if the directory is
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
		t.Errorf("diagnostics %v, want one warning that names the directory a", diags)
	}
	o.NoChange(set)
	resourcetest.Must(t, has(t, w.root, files{"./": "0755 ", "a/": "0755 ", "a/theirs": "0600 t", "b": "0644 b"})(nil))
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
