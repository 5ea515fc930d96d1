package tree_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/tree"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"tree": tree.Resource()}}

// files has content by path: with the prefix "-> " it is the target of a link, a path
// that ends with a slash is a directory, and a file that starts with "#!" is
// executable.
type files map[string]string

func (f files) write(t *testing.T, root string) {
	t.Helper()
	resourcetest.Must(t, os.MkdirAll(root, 0o755))
	long := time.Now().Add(-time.Hour) // old enough to be cached
	for _, name := range slices.Sorted(maps.Keys(f)) {
		content, at := f[name], filepath.Join(root, name)
		resourcetest.Must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		target, isLink := strings.CutPrefix(content, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			resourcetest.Must(t, os.MkdirAll(at, 0o755))
		case isLink:
			resourcetest.Must(t, os.Symlink(target, at))
		default:
			mode := fs.FileMode(0o600) // the copy of a file that is not executable gets file_mode instead
			if strings.HasPrefix(content, "#!") {
				mode = 0o700
			}
			resourcetest.Must(t, os.WriteFile(at, []byte(content), mode), os.Chmod(at, mode), os.Chtimes(at, long, long))
		}
	}
}

// found returns the content of a directory, with modes, or nothing if the directory does not exist.
func found(t *testing.T, root string) files {
	t.Helper()
	all := files{}
	err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		switch mode := fmt.Sprintf("%04o ", info.Mode().Perm()); {
		case entry.IsDir():
			all[name+"/"] = mode
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			all[name] = "-> " + target
			return err
		default:
			content, err := os.ReadFile(at)
			all[name] = mode + string(content)
			return err
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// has returns a check that the directory has exactly this content.
func has(t *testing.T, root string, want files) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		if diff := cmp.Diff(want, found(t, root)); diff != "" {
			return fmt.Errorf("directory on the host (-want +got):\n%s", diff)
		}
		return nil
	}
}

// fixture is a source and a directory on the host.
type fixture struct {
	source, root string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	return &fixture{source: filepath.Join(dir, "source"), root: filepath.Join(dir, "host", "site")}
}

func (w *fixture) config(more ...string) string {
	return fmt.Sprintf("resource \"posix_tree\" \"it\" {\n  path = %q\n  source = %q\n  %s\n}\n", w.root, w.source, strings.Join(more, "\n  "))
}

var site = files{
	"index.html": "<html>", "bin/run": "#!/bin/sh\n", "docs/a/deep.md": "deep", "docs/b.md": "b", "empty/": "",
	"current": "-> docs/a", "-rf": "dash", "-d/": "", "a 'b\"\n$(x)`\\": "odd", "é": "accent", ".hidden": "",
}

var siteThere = files{
	"./": "0755 ", "index.html": "0644 <html>", "bin/": "0755 ", "bin/run": "0755 #!/bin/sh\n", "docs/": "0755 ", "docs/a/": "0755 ",
	"docs/a/deep.md": "0644 deep", "docs/b.md": "0644 b", "empty/": "0755 ", "current": "-> docs/a", "-rf": "0644 dash", "-d/": "0755 ",
	"a 'b\"\n$(x)`\\": "0644 odd", "é": "0644 accent", ".hidden": "0644 ",
}

// with returns a copy with other files; those without content are removed.
func (f files) with(other files) files {
	f = maps.Clone(f)
	for name, content := range other {
		if content == "" {
			delete(f, name)
		} else {
			f[name] = content
		}
	}
	return f
}

func changes(list ...string) plancheck.PlanCheck { return known{"changes": list} }

// known checks the changes that a plan lists, and that the prior state lists none.
type known map[string][]string

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)), Steps: steps})
}

func plan(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

func doing(t *testing.T, errs func() error) func() {
	t.Helper()
	return func() { resourcetest.Must(t, errs()) }
}

func TestTreeLifecycle(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	site.write(t, w.source)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, filepath.Dir(w.root), files{"./": "0755 "}),
		Steps: []resource.TestStep{
			{
				Config: w.config(),
				ConfigPlanChecks: plan(changes(
					"+ -d/", "+ -rf", "+ ./", "+ .hidden", `+ "a 'b\"\n$(x)`+"`"+`\\"`, "+ bin/", "+ bin/run", "+ current", "+ docs/", "+ docs/a/", "+ docs/a/deep.md",
					"+ docs/b.md", "+ empty/", "+ index.html", "+ é")),
				Check: resource.ComposeTestCheckFunc(has(t, w.root, siteThere),
					resource.TestCheckResourceAttr("posix_tree.it", "files", "8"), resource.TestCheckResourceAttr("posix_tree.it", "directories", "6"),
					resource.TestCheckResourceAttr("posix_tree.it", "links", "1"), resource.TestCheckResourceAttr("posix_tree.it", "added", "15"),
					resource.TestCheckResourceAttr("posix_tree.it", "size", "34")),
			},
			{
				PreConfig: func() {
					files{"new/file": "new", "docs/b.md": "changed", "bin/run": "no more"}.write(t, w.source)
					resourcetest.Must(t, os.Remove(w.source+"/index.html"), os.RemoveAll(w.source+"/docs/a"), os.Remove(w.source+"/current"), os.Symlink("bin", w.source+"/current"))
				},
				Config: w.config(),
				ConfigPlanChecks: plan(changes("~ bin/run (content, mode 0755 -> 0644)", "~ current (target)", "- docs/a/", "- docs/a/deep.md",
					"~ docs/b.md (content)", "- index.html", "+ new/", "+ new/file"), resourcetest.Changes{"posix_tree.it": "update added changed changes digest files record removed size"}),
				Check: has(t, w.root, siteThere.with(files{
					"new/": "0755 ", "new/file": "0644 new", "docs/b.md": "0644 changed", "bin/run": "0644 no more", "index.html": "", "docs/a/": "",
					"docs/a/deep.md": "", "current": "-> bin",
				})),
			},
			{
				Config:           w.config(`file_mode = "0640"`, `directory_mode = "0750"`, `exclude = ["/new/f*", "/docs/*.md"]`),
				ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.it": "update added changed changes digest directory_mode exclude file_mode files record removed size"}),
				Check: has(t, w.root, files{
					"./": "0750 ", "-d/": "0750 ", "new/": "0750 ", "bin/run": "0640 no more", "bin/": "0750 ", "docs/": "0750 ", "empty/": "0750 ",
					"current": "-> bin", "-rf": "0640 dash", "a 'b\"\n$(x)`\\": "0640 odd", "é": "0640 accent", ".hidden": "0640 ",
				}),
			},
			{
				Config: w.config(`file_mode = "0640"`, `directory_mode = "0750"`),
				Check:  resource.TestCheckResourceAttr("posix_tree.it", "added", "2"),
			},
		},
	})
}

func TestDrift(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	site.write(t, w.source)
	at := func(name string) string { return filepath.Join(w.root, name) }
	steps := []resource.TestStep{{Config: w.config("purge = true")}}
	for name, d := range map[string]struct {
		do     func() error
		change []string
	}{
		"content":             {func() error { return os.WriteFile(at("docs/b.md"), []byte("B"), 0o644) }, []string{"~ docs/b.md (content)"}},
		"mode":                {func() error { return os.Chmod(at("index.html"), 0o600) }, []string{"~ index.html (mode 0600 -> 0644)"}},
		"setuid":              {func() error { return os.Chmod(at("index.html"), 0o644|fs.ModeSetuid) }, []string{"~ index.html (mode 4644 -> 0644)"}},
		"mode of root":        {func() error { return os.Chmod(w.root, 0o700) }, []string{"~ ./ (mode 0700 -> 0755)"}},
		"mode of a directory": {func() error { return os.Chmod(at("docs"), 0o700) }, []string{"~ docs/ (mode 0700 -> 0755)"}},
		"removed":             {func() error { return os.Remove(at("é")) }, []string{"+ é"}},
		"directory removed":   {func() error { return os.RemoveAll(at("docs")) }, []string{"+ docs/", "+ docs/a/", "+ docs/a/deep.md", "+ docs/b.md"}},
		"target":              {func() error { return errors.Join(os.Remove(at("current")), os.Symlink("x", at("current"))) }, []string{"~ current (target)"}},
		"file to link":        {func() error { return errors.Join(os.Remove(at("é")), os.Symlink("index.html", at("é"))) }, []string{"~ é (was a symbolic link)"}},
		"link to file": {
			func() error { return errors.Join(os.Remove(at("current")), os.WriteFile(at("current"), nil, 0o644)) }, []string{"~ current (was a regular file)"},
		},
		"file to directory": {func() error { return errors.Join(os.Remove(at("é")), os.Mkdir(at("é"), 0o755)) }, []string{"~ é (was a directory)"}},
		"directory to link": {
			func() error {
				return errors.Join(os.Rename(at("docs"), w.root+"-docs"), os.Symlink(w.root+"-docs", at("docs")))
			},
			[]string{"~ docs/ (was a symbolic link)", "+ docs/a/", "+ docs/a/deep.md", "+ docs/b.md"},
		},
		"extra": {func() error { return os.WriteFile(at("bin/extra"), nil, 0o644) }, []string{"- bin/extra"}},
		"extra directory": {func() error {
			return errors.Join(os.MkdirAll(at("x/y"), 0o755), os.WriteFile(at("x/y/\xffz"), nil, 0o600))
		}, []string{"- x/", "- x/y/", `- "x/y/\xffz"`}},
		"extra link": {func() error { return os.Symlink("/etc", at("etc")) }, []string{"- etc"}},
	} {
		steps = append(steps, resource.TestStep{
			PreConfig: doing(t, d.do), Config: w.config("purge = true"), ConfigPlanChecks: plan(changes(d.change...)),
			Check: has(t, w.root, siteThere),
		})
		_ = name
	}
	steps = append(steps, resource.TestStep{
		PreConfig: doing(t, func() error { return os.RemoveAll(w.root) }), Config: w.config("purge = true"),
		ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.it": "create"}), Check: has(t, w.root, siteThere),
	})
	run(t, steps...)
	if _, err := os.Stat("/etc/passwd"); err != nil {
		t.Fatal("a link was followed: /etc/passwd does not exist")
	}
	if left := found(t, w.root+"-docs"); len(left) != 4 {
		t.Errorf("the target of a link has %v, want 4 objects", left)
	}
}

func TestDriftOfOwners(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("requires root")
	}
	w := newFixture(t)
	site.write(t, w.source)
	owned := w.config(`owner = "1"`, `group = "2"`)
	owner := func(name string, uid, gid int) func() {
		return func() { resourcetest.Must(t, os.Lchown(filepath.Join(w.root, name), uid, gid)) }
	}
	run(t,
		resource.TestStep{Config: w.config()},
		resource.TestStep{Config: owned, ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.it": "update added changed changes group owner record removed"})},
		resource.TestStep{PreConfig: owner("docs/b.md", 0, 2), Config: owned, ConfigPlanChecks: plan(changes("~ docs/b.md (owner)"))},
		resource.TestStep{PreConfig: owner("bin", 1, 0), Config: owned, ConfigPlanChecks: plan(changes("~ bin/ (group)"))},
		resource.TestStep{PreConfig: owner("current", 0, 0), Config: owned, ConfigPlanChecks: plan(changes("~ current (owner, group)"))},
		resource.TestStep{PreConfig: owner(".", 5, 5), Config: owned, ConfigPlanChecks: plan(changes("~ ./ (owner, group)"))},
		resource.TestStep{PreConfig: owner("é", 7, 7), Config: w.config(), PlanOnly: true},
		// An owner and a group that are not configured are kept when the target or the content changes.
		resource.TestStep{
			PreConfig: func() {
				link := filepath.Join(w.source, "current")
				resourcetest.Must(t, os.Remove(link), os.Symlink("docs", link), os.WriteFile(filepath.Join(w.source, "é"), []byte("e"), 0o600))
			},
			Config: w.config(), ConfigPlanChecks: plan(changes("~ current (target)", "~ é (content)")),
			Check: func(*terraform.State) error {
				return errors.Join(isOf(filepath.Join(w.root, "current"), 1, 2), isOf(filepath.Join(w.root, "é"), 7, 7))
			},
		},
	)
}

func isOf(path string, uid, gid uint32) error {
	h, err := local.New()
	if err != nil {
		return err
	}
	info, err := h.Lstat(context.Background(), path)
	if err == nil && (info.UID != uid || info.GID != gid) {
		err = fmt.Errorf("owner of %s is %d:%d, want %d:%d", path, info.UID, info.GID, uid, gid)
	}
	return err
}

// TestUnmanagedObjects checks that objects that the tree does not manage are removed only with purge, and not if
// they are excluded, and that a create with purge is rejected if there are such objects.
func TestUnmanagedObjects(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "dir/b": "b"}.write(t, w.source)
	files{"theirs": "x", "their/own": "y", "dir/too": "z"}.write(t, w.root)
	resourcetest.Must(t, os.Chmod(filepath.Join(w.root, "theirs"), 0o604))
	theirs := files{"./": "0755 ", "theirs": "0604 x", "their/": "0755 ", "their/own": "0600 y", "dir/": "0755 ", "dir/too": "0600 z"}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, w.root, theirs),
		Steps: []resource.TestStep{
			{Config: w.config("purge = true"), ExpectError: regexp.MustCompile(`(?s)would\s+be\s+removed.*dir/too.*import`)},
			{Config: w.config(), Check: has(t, w.root, theirs.with(files{"a": "0644 a", "dir/b": "0644 b"}))},
			{
				Config: w.config("purge = true", `exclude = ["their"]`), ConfigPlanChecks: plan(changes("- dir/too", "- theirs")),
				Check: has(t, w.root, files{"./": "0755 ", "a": "0644 a", "dir/": "0755 ", "dir/b": "0644 b", "their/": "0755 ", "their/own": "0600 y"}),
			},
			{PreConfig: func() {
				files{"theirs": "x", "dir/too": "z"}.write(t, w.root)
				resourcetest.Must(t, os.Chmod(w.root+"/theirs", 0o604))
			}, Config: w.config()},
		},
	})
}

// TestUnmanagedObjectsAtNewPaths checks that an update does not replace objects at paths that
// are new in the source, and that it adopts those that match.
func TestUnmanagedObjectsAtNewPaths(t *testing.T) {
	t.Parallel()
	for _, overwrite := range []string{"", "overwrite = true"} {
		w := newFixture(t)
		files{"a": "a"}.write(t, w.source)
		theirs := filepath.Join(w.root, "theirs")
		run(t,
			resource.TestStep{Config: w.config(overwrite)},
			resource.TestStep{
				PreConfig: func() {
					files{"theirs": "x", "same": "s", "dir/": ""}.write(t, w.root)
					files{"a": "A", "theirs": "y", "same": "s", "dir": "d"}.write(t, w.source)
				},
				Config: w.config(overwrite), ExpectError: resourcetest.WrappedText("dir (is a directory), theirs (has different content). Nothing was written. Move or remove them"),
			},
			resource.TestStep{
				PreConfig: doing(t, func() error { return errors.Join(os.Remove(theirs), os.Remove(filepath.Join(w.root, "dir"))) }),
				Config:    w.config(overwrite), ConfigPlanChecks: plan(changes("~ a (content)", "+ dir", "+ same", "+ theirs")),
				Check: has(t, w.root, files{"./": "0755 ", "a": "0644 A", "dir": "0644 d", "same": "0644 s", "theirs": "0644 y"}),
			},
		)
	}
}

// TestPurgeAndDestroy checks that a destroy removes only objects of the tree, even with purge.
func TestPurgeAndDestroy(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "dir/b": "b", "gone/c": "c"}.write(t, w.source)
	run(t,
		resource.TestStep{Config: w.config("purge = true")},
		resource.TestStep{
			PreConfig: func() { files{"theirs": "x", "their/own": "y", "dir/too": "z"}.write(t, w.root) }, Config: "# nothing",
			Check: has(t, w.root, files{"./": "0755 ", "theirs": "0600 x", "their/": "0755 ", "their/own": "0600 y", "dir/": "0755 ", "dir/too": "0600 z"}),
		},
	)
}

func (want known) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, rc := range req.Plan.ResourceChanges {
		after, _ := rc.Change.After.(map[string]any)
		before, _ := rc.Change.Before.(map[string]any)
		for name, list := range want {
			if before[name] != nil {
				resp.Error = fmt.Errorf("%s in the prior state of the plan is %v, want null", name, before[name])
				return
			}
			var got []string
			all, _ := after[name].([]any)
			for _, text := range all {
				got = append(got, fmt.Sprint(text))
			}
			if diff := cmp.Diff(list, got); diff != "" {
				resp.Error = fmt.Errorf("planned %s (-want +got):\n%s", name, diff)
			}
		}
	}
}
