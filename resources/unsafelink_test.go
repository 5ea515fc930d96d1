package resources_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/block"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/resources/tree"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestUnsafeLink replaces the directory above an object with a user's link to a directory of root, for
// each type with the attribute follow_links. It checks that, unless follow_links is set, a read keeps the state
// and shows a warning, and an update, a delete, a create and an import return errors.
func TestUnsafeLink(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "in tree"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ config, changed resourcetest.Attrs }{
		"posix_file":       {resourcetest.Attrs{"content": str("old")}, resourcetest.Attrs{"content": str("new")}},
		"posix_directory":  {resourcetest.Attrs{}, resourcetest.Attrs{"mode": str("0700")}},
		"posix_symlink":    {resourcetest.Attrs{"target": str("old")}, resourcetest.Attrs{"target": str("new")}},
		"posix_tree":       {resourcetest.Attrs{"source": str(source)}, resourcetest.Attrs{"source": str(source), "file_mode": str("0600")}},
		"posix_file_block": {resourcetest.Attrs{"name": str("it"), "content": str("old"), "create_mode": str("0644")}, resourcetest.Attrs{"name": str("it"), "content": str("new"), "create_mode": str("0644")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			types := runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
				"file": file.Resource(), "directory": directory.Resource(), "symlink": symlink.Resource(), "tree": tree.Resource(), "file_block": block.Resource(),
			}}
			p := resourcetest.Configured(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }))
			mkdir := func(path string, uid uint32) {
				t.Helper()
				_, err := h.Mkdir(t.Context(), path, host.Attributes{UID: &uid})
				resourcetest.Must(t, err)
			}
			link := func(target string) {
				t.Helper()
				_, err := h.ReplaceSymlink(t.Context(), target, "/home/alice/dir", nil)
				resourcetest.Must(t, err)
			}
			mkdir("/home", 0)
			mkdir("/home/alice", 1001)
			mkdir("/home/alice/dir", 1001)
			mkdir("/root", 0)
			mkdir("/root/it", 0)
			resourcetest.WriteOn(t, h, "/root/it/in tree", "secret")
			set := func(set resourcetest.Attrs, more ...string) resourcetest.Attrs {
				set = maps.Clone(set)
				set["path"] = str("/home/alice/dir/it")
				for _, name := range more {
					set[name] = cty.True
				}
				return set
			}
			refused := func(what, remedy string, diags diag.Diagnostics) {
				t.Helper()
				text := text(diags)
				if !diags.HasErrors() || !strings.Contains(text, "the symbolic link /home/alice/dir is not followed as root, because /home/alice belongs to user alice") ||
					!strings.Contains(text, remedy) {
					t.Errorf("%s: got %s, want an error about the link that is not followed, with %q", what, text, remedy)
				}
			}
			o := resourcetest.NewObject(t, p, name)
			plan := o.Plan(set(tt.config))
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.NoErrors(t, o.ApplyPlan(set(tt.config), plan))

			resourcetest.Must(t, h.Rename(t.Context(), "/home/alice/dir", "/home/alice/moved"))
			link("/root")
			o.NextRun()
			state := o.State
			diags := o.Read()
			if diags.HasErrors() || len(diags) != 1 || !strings.Contains(text(diags), "The object keeps its last known state") || !strings.Contains(text(diags), "apply follow_links = true first, without other changes") {
				t.Errorf("Read: %s, want one warning that says what to apply first", text(diags))
			}
			ofRun := []string{"added", "changed", "removed", "changes"} // outputs of posix_tree that are null in the next run
			for name, was := range state.AsValueMap() {
				if is := o.State.GetAttr(name); !is.RawEquals(was) && !slices.Contains(ofRun, name) {
					t.Errorf("Read: %s is %#v, want %#v", name, is, was)
				}
			}
			if plan = o.Plan(set(tt.changed)); !plan.Diagnostics.HasErrors() {
				plan.Diagnostics = o.ApplyPlan(set(tt.changed), plan)
			}
			refused("update", "set follow_links = true", plan.Diagnostics)
			refused("delete", "set follow_links = true, and apply this change before the resource is destroyed", o.Destroy())
			other := resourcetest.NewObject(t, p, name)
			if plan = other.Plan(set(tt.config)); !plan.Diagnostics.HasErrors() {
				t.Error("the plan of a create has no error")
			}
			refused("create", "set follow_links = true", plan.Diagnostics)
			id := "town:/home/alice/dir/it"
			if name == "posix_file_block" {
				id += "#it"
			}
			refused("import", "create the resource with follow_links = true instead", other.Import(id, cty.NilVal))

			link("/home/alice/moved")
			followed := set(tt.changed, "follow_links")
			plan = o.Plan(followed)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.NoErrors(t, o.ApplyPlan(followed, plan))
			o.NextRun()
			if diags := o.Read(); len(diags) != 0 {
				t.Errorf("Read with follow_links: %s, want no diagnostics", text(diags))
			}
			resourcetest.NoErrors(t, o.Destroy())
		})
	}
}

// TestFollowLinksOfChangedObject checks that follow_links can be applied without other changes if the object that the
// link leads to is missing or has changed, and that this apply or the next one repairs the object.
func TestFollowLinksOfChangedObject(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	source := t.TempDir()
	resourcetest.Write(t, filepath.Join(source, "one"), "1", 0o600)
	of := resourcetest.Attrs{"name": str("it"), "content": str("ours"), "create_mode": str("0644")}
	const at = "/home/alice/moved/it"
	remove := func(t *testing.T, h host.Host) { t.Helper(); resourcetest.Must(t, h.Remove(t.Context(), at)) }
	for name, tt := range map[string]struct {
		typeName string
		config   resourcetest.Attrs
		change   func(t *testing.T, h host.Host)
	}{
		"directory removed": {"posix_directory", resourcetest.Attrs{}, func(t *testing.T, h host.Host) {
			t.Helper()
			resourcetest.Must(t, h.Rmdir(t.Context(), at))
		}},
		"file of the block removed": {"posix_file_block", of, remove},
		"block removed": {"posix_file_block", of, func(t *testing.T, h host.Host) {
			t.Helper()
			resourcetest.WriteOn(t, h, at, "theirs\n")
		}},
		"block edited": {"posix_file_block", of, func(t *testing.T, h host.Host) {
			t.Helper()
			resourcetest.WriteOn(t, h, at, "# BEGIN posix_file_block it\ntheirs\n# END posix_file_block it\n")
		}},
		"tree removed": {"posix_tree", resourcetest.Attrs{"source": str(source)}, func(t *testing.T, h host.Host) {
			t.Helper()
			resourcetest.Must(t, h.Remove(t.Context(), at+"/one"), h.Rmdir(t.Context(), at))
		}},
		"tree edited": {"posix_tree", resourcetest.Attrs{"source": str(source)}, func(t *testing.T, h host.Host) {
			t.Helper()
			resourcetest.WriteOn(t, h, at+"/one", "theirs")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			for _, dir := range []string{"/home", "/home/alice", "/home/alice/dir"} {
				_, err := h.Mkdir(t.Context(), dir, host.Attributes{UID: new(uint32(1001))})
				resourcetest.Must(t, err)
			}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, memoryTypes(), h), tt.typeName)
			set := maps.Clone(tt.config)
			set["path"] = str("/home/alice/dir/it")
			o.Apply(set)
			resourcetest.Must(t, h.Rename(t.Context(), "/home/alice/dir", "/home/alice/moved"))
			_, err := h.Symlink(t.Context(), "/home/alice/moved", "/home/alice/dir")
			resourcetest.Must(t, err)
			tt.change(t, h)
			o.NextRun()
			resourcetest.NoErrors(t, o.Read())
			set["follow_links"] = cty.True
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
			o.NextRun()
			o.Refresh()
			plan = o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			if !plan.PlannedState.RawEquals(o.State) {
				resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
			}
			o.NoChange(set)
			if info, err := h.Lstat(t.Context(), at); err != nil {
				t.Errorf("lstat of the object: %+v, error %v, want no error", info, err)
			}
			resourcetest.NoErrors(t, o.Destroy())
		})
	}
}

func text(diags diag.Diagnostics) string {
	var all strings.Builder
	for _, d := range diags {
		all.WriteString(d.Summary + ": " + d.Detail + "\n")
	}
	return all.String()
}
