package lifecycle_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestDeleteKeepsReplacement checks that the delete of an old object does not remove the new
// object in the same place: with create_before_destroy, and for a resource that was renamed
// without a moved block.
func TestDeleteKeepsReplacement(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		make func(t *testing.T) *resourcetest.Object
		set  attrs
	}{
		"file":      {newFile, attrs{"path": str(filepath.Join(dir, "file")), "content": str("x")}},
		"directory": {newDirectory, attrs{"path": str(filepath.Join(dir, "dir"))}},
		"symlink":   {newSymlink, attrs{"path": str(filepath.Join(dir, "link")), "target": str("nowhere")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := tt.make(t)
			old.Apply(tt.set)
			path := tt.set["path"].AsString()

			// The apply that replaces the object: a create, then the delete.
			old.NextRun()
			replacement := *old
			replacement.Forget()
			if diags := replacement.ApplyPlan(tt.set, replacement.Plan(tt.set)); diags.HasErrors() {
				t.Fatal(diags)
			}
			diags := old.DeleteNow()
			if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, path) {
				t.Errorf("diagnostics %v, want one warning that names the path", diags)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Fatalf("the delete removed the replacement: %v", err)
			}
			replacement.NoChange(tt.set)

			// After a refresh, which belongs to a later run, the object is deleted.
			if diags := replacement.DeleteNow(); len(diags) != 0 {
				t.Errorf("delete in a later run: %v, want no diagnostics", diags)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("after the delete, Lstat returns %v, want an error about a missing object", err)
			}
		})
	}
}

// TestIgnoredUnrepresentableContent checks that a file whose content changed to bytes that
// the state cannot represent can still be planned and deleted if the configuration ignores
// changes of content: the planned content is then null.
func TestIgnoredUnrepresentableContent(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := attrs{"path": str(path), "content": str("text")}
	f.Apply(set)
	resourcetest.Write(t, path, "\xff\x00", 0o644)
	f.Refresh()
	// The plan gets ignored attributes from the state; the apply gets the configuration
	// unchanged.
	plan := func(set attrs) provider.PlanResourceChangeResponse {
		t.Helper()
		f.Refresh()
		ignoring := maps.Clone(set)
		ignoring["content"] = cty.NullVal(cty.String)
		resp := f.PlanFrom(f.State, f.Config(ignoring), f.Private)
		if resp.Diagnostics.HasErrors() {
			t.Fatal(resp.Diagnostics)
		}
		return resp
	}
	if resp := plan(set); !resp.PlannedState.RawEquals(f.State) {
		t.Errorf("planned state %#v, want the state unchanged: %#v", resp.PlannedState, f.State)
	}

	// Other attributes are changed, and the content is not.
	set["mode"] = str("0600")
	if diags := f.ApplyPlan(set, plan(set)); diags.HasErrors() {
		t.Fatal(diags)
	}
	resourcetest.WantFile(t, path, "\xff\x00", 0o600)
	if resp := plan(set); !resp.PlannedState.RawEquals(f.State) {
		t.Errorf("planned state %#v, want the state unchanged: %#v", resp.PlannedState, f.State)
	}
	if diags := f.Destroy(); diags.HasErrors() {
		t.Error(diags)
	}
	// A create needs content.
	created := f.PlanFrom(f.Null(), f.Config(attrs{"path": str(path)}), nil)
	resourcetest.WantError(t, created.Diagnostics, "", "must be set")
}

func TestOverwriteWarning(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Write(t, path, "theirs", 0o644)
	set := attrs{"path": str(path), "content": str("ours"), "write_options": writeOptions(attrs{"overwrite": cty.True})}
	diags := f.Plan(set).Diagnostics
	if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, "6 bytes") {
		t.Errorf("diagnostics %v, want one warning about 6 bytes", diags)
	}
	f.Apply(set)
	resourcetest.WantFile(t, path, "ours", 0o644)
}

func TestTooLongPaths(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	for path, want := range map[string]string{
		"/tmp/" + strings.Repeat("x", 256):  "a name of 256 bytes",
		"/" + strings.Repeat("dir/", 1024):  "ends with a slash",
		"/t" + strings.Repeat("/dir", 1024): "longer than 4095 bytes",
	} {
		resourcetest.WantError(t, f.Validate(attrs{"path": str(path), "content": str("x")}), "path", want)
	}
}

func TestEmptyOwner(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	set := attrs{"path": str(filepath.Join(t.TempDir(), "file")), "content": str("x"), "owner": str("")}
	resourcetest.WantError(t, f.Plan(set).Diagnostics, "owner", "is empty", "Leave owner out")
}

// TestDirectoryMadeAsParent checks that the order of a directory and a file in it does not matter if
// neither refers to the other: the directory gets its mode even if the file was created first.
func TestDirectoryMadeAsParent(t *testing.T) {
	t.Parallel()
	p := resourcetest.New(t, types)
	dir, file := resourcetest.NewObject(t, p, "posix_directory"), resourcetest.NewObject(t, p, "posix_file")
	path := filepath.Join(t.TempDir(), "a", "b")
	ofDir, ofFile := attrs{"path": str(path), "mode": str("0700")}, attrs{"path": str(filepath.Join(path, "c", "file")), "content": str("x")}
	planOfDir, planOfFile := dir.Plan(ofDir), file.Plan(ofFile)
	resourcetest.NoErrors(t, file.ApplyPlan(ofFile, planOfFile))
	resourcetest.WantMode(t, path, 0o755)
	resourcetest.NoErrors(t, dir.ApplyPlan(ofDir, planOfDir))
	resourcetest.WantMode(t, path, 0o700)

	// In the next run, the directory is an existing one that the resource does not manage.
	dir.Forget()
	resourcetest.Must(t, os.Chmod(path, 0o750))
	dir.NextRun()
	resourcetest.WantError(t, dir.Plan(ofDir).Diagnostics, "path", path+" already exists")
}

// TestDirectoryBeingMadeAsParent checks that a directory is adopted while another resource still creates parents of
// an object in it, or has just created the directory itself, and that its mode is set after all parents exist.
func TestDirectoryBeingMadeAsParent(t *testing.T) {
	t.Parallel()
	const path = "/srv/app"
	nested := path + "/x/y" + strings.Repeat("/more", 50)
	for _, reached := range []string{path + "/x/y", path + "/x"} { // with the latter, the directory is empty
		begun, listed := make(chan struct{}), make(chan struct{})
		var mkdirs, lists, last atomic.Int32
		h := memory.New(memory.Config{Fault: func(op, at string) error {
			switch {
			case op == "Mkdir" && at == reached && mkdirs.Add(1) == 2: // the first call fails, because parents are missing
				close(begun)
				<-listed
			case op == "Mkdir" && at == nested:
				last.Add(1)
			case op == "ReadDir" && at == path && lists.Add(1) == 1:
				close(listed)
			case op == "SetAttributes" && at == path && last.Load() < 2:
				return errors.New("the parents are still being made")
			}
			return nil
		}})
		_, err := h.Mkdir(t.Context(), "/srv", host.Attributes{})
		resourcetest.Must(t, err)
		p := resourcetest.NewOn(t, types, h)
		dir, file := resourcetest.NewObject(t, p, "posix_directory"), resourcetest.NewObject(t, p, "posix_file")
		ofDir := attrs{"path": str(path), "mode": str("0700")}
		ofFile := attrs{"path": str(nested + "/file"), "content": str("x")}
		planOfDir, planOfFile := dir.Plan(ofDir), file.Plan(ofFile)
		made := make(chan diag.Diagnostics, 1)
		go func() { made <- file.ApplyPlan(ofFile, planOfFile) }()
		select {
		case <-begun:
		case diags := <-made:
			t.Fatalf("the apply of the file ended without a second Mkdir of %s: %v", reached, diags)
		}
		diags := dir.ApplyPlan(ofDir, planOfDir)
		resourcetest.NoErrors(t, <-made)
		resourcetest.NoErrors(t, diags)
		if info, err := h.Lstat(t.Context(), path); err != nil || info.Mode != 0o700 {
			t.Errorf("the directory is %+v, error %v, want mode 0700", info, err)
		}
	}
}
