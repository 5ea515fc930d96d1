package tree_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestImport checks that an import reads the directory, that a configuration with the same
// content plans no change, and that destroy removes the directory as if it had been created.
func TestImport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	site.write(t, w.source)
	byBlock := func(by string) string {
		return fmt.Sprintf("import {\n  to = posix_tree.it\n  %s\n}\n%s", by, w.config())
	}
	for _, by := range []string{fmt.Sprintf("id = %q", w.root), fmt.Sprintf("id = %q", "local:"+w.root), fmt.Sprintf("identity = {\n    path = %q\n  }", w.root)} {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
			CheckDestroy:             has(t, w.root, files{}),
			Steps: []resource.TestStep{
				{
					PreConfig: func() { site.write(t, w.root); chmods(t, w.root) }, Config: byBlock(by),
					ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.it": "import no-op"}), Check: has(t, w.root, siteThere),
				},
				{Config: w.config(), PlanOnly: true},
				{
					PreConfig:        func() { resourcetest.Must(t, os.WriteFile(w.root+"/docs/b.md", []byte("B"), 0o644)) },
					Config:           w.config(),
					ConfigPlanChecks: plan(changes("~ docs/b.md (content)"), resourcetest.Changes{"posix_tree.it": "update added changed changes digest record removed source"}),
					Check:            has(t, w.root, siteThere),
				},
				{
					ResourceName: "posix_tree.it", ImportState: true, ImportStateId: w.root, ImportStateVerify: true,
					ImportStateVerifyIgnore: []string{"source", "changed", "changes", "added", "removed"}, ImportStateVerifyIdentifierAttribute: "path",
				},
			},
		})
	}
	// With purge, no change is planned while there is nothing else in the directory.
	purging := strings.Replace(byBlock(fmt.Sprintf("id = %q", w.root)), w.config(), w.config("purge = true"), 1)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, w.root, files{}),
		Steps: []resource.TestStep{
			{
				PreConfig: func() { site.write(t, w.root); chmods(t, w.root) }, Config: purging,
				ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.it": "import no-op"}), Check: has(t, w.root, siteThere),
			},
			{
				PreConfig: func() { files{"theirs": "x"}.write(t, w.root) }, Config: w.config("purge = true"),
				ConfigPlanChecks: plan(changes("- theirs")), Check: has(t, w.root, siteThere),
			},
		},
	})
	// With an unknown value, a change is planned, and the apply makes it.
	late := "resource \"terraform_data\" \"late\" {\n  input = false\n}\n" +
		strings.Replace(byBlock(fmt.Sprintf("id = %q", w.root)), w.config(), w.config("purge = terraform_data.late.output"), 1)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, w.root, files{}),
		Steps: []resource.TestStep{{
			PreConfig: func() { site.write(t, w.root); chmods(t, w.root) }, Config: late, Check: has(t, w.root, siteThere),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("posix_tree.it", plancheck.ResourceActionUpdate)}},
		}},
	})
	// After an import, additional objects are ignored from the first apply on;
	// different content is shown in the plan.
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, w.root, files{"./": "0755 ", "theirs": "0600 x"}),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					site.with(files{"theirs": "x", "docs/b.md": "other"}).write(t, w.root)
					chmods(t, w.root)
					resourcetest.Must(t, os.Chmod(w.root+"/theirs", 0o600))
				},
				Config:           byBlock(fmt.Sprintf("id = %q", w.root)),
				ConfigPlanChecks: plan(changes("~ docs/b.md (content)")),
				Check:            has(t, w.root, siteThere.with(files{"theirs": "0600 x"})),
			},
			{Config: w.config(), PlanOnly: true},
		},
	})
}

// chmods sets the modes of the regular files as a tree does.
func chmods(t *testing.T, root string) {
	t.Helper()
	resourcetest.Must(t, filepath.WalkDir(root, func(at string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chmod(at, info.Mode()&0o100>>6*0o111|0o644)
	}))
}

// TestAdoption checks that equal objects are adopted, and that different ones require
// overwrite.
func TestAdoption(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "run": "#!", "dir/b": "b", "link": "-> a"}.write(t, w.source)
	made := func(f files) func() { return func() { resourcetest.Must(t, os.RemoveAll(w.root)); f.write(t, w.root) } }
	want := files{"./": "0755 ", "a": "0644 a", "run": "0755 #!", "dir/": "0755 ", "dir/b": "0644 b", "link": "-> a"}
	fails := func(there files, want string, more ...string) resource.TestStep {
		return resource.TestStep{PreConfig: made(there), Config: w.config(more...), PlanOnly: true, ExpectError: regexp.MustCompile(`(?s)` + strings.ReplaceAll(want, " ", `[\s│]+`))}
	}
	run(t,
		fails(files{"a": "other"}, `path.*already has objects that differ from the source: a \(has different content\).*import the directory \(id "local:.*or set overwrite = true`),
		fails(files{"link": "-> b"}, `link \(has a different target\)`),
		fails(files{"a/": ""}, `a \(is a directory\)`),
		fails(files{"dir": "file"}, `dir \(is a regular file\)`, "overwrite = true"),
		fails(files{"a": "-> run"}, `a \(is a symbolic link\)`, "overwrite = true"),
		fails(files{"x": "x"}, `would be removed: x\. `, "purge = true"),
		resource.TestStep{PreConfig: func() { made(files{"dir/theirs": ""})(); resourcetest.Must(t, os.Chmod(w.root+"/dir", 0o700)) }, Config: w.config(), PlanOnly: true, ExpectError: regexp.MustCompile(`dir\s+\(mode\s+0700`)},
		resource.TestStep{PreConfig: func() { resourcetest.Must(t, os.RemoveAll(w.root), os.WriteFile(w.root, nil, 0o644)) }, Config: w.config(), ExpectError: regexp.MustCompile(`is\s+a\s+regular\s+file`)},
		resource.TestStep{
			PreConfig: func() {
				made(files{"a": "a", "link": "-> a", "dir/": ""})()
				resourcetest.Must(t, os.Chmod(w.root+"/dir", 0o700))
			}, Config: w.config(), Check: has(t, w.root, want),
		},
	)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		CheckDestroy:             has(t, w.root, files{"./": "0755 ", "theirs": "0600 t"}),
		Steps: []resource.TestStep{
			{PreConfig: made(files{"a": "other", "link": "-> b", "theirs": "t"}), Config: w.config("overwrite = true"), Check: has(t, w.root, want.with(files{"theirs": "0600 t"}))},
		},
	})
}

// TestPurgedDirectoryWithExcludedObjects checks that purge does not change the mode of a directory that
// exclude keeps, even if the source now contains it, and that an error names the directory.
func TestPurgedDirectoryWithExcludedObjects(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a"}.write(t, w.source)
	options := []string{"purge = true", `exclude = ["*.db", "cache/"]`}
	conflict := func(name string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { files{name: "x"}.write(t, w.source) }, Config: w.config(options...),
			ExpectError: resourcetest.WrappedText("objects that the tree does not manage and that differ from the source: " + strings.Split(name, "/")[0] + " ("),
		}
	}
	run(t,
		resource.TestStep{Config: w.config(options...)},
		resource.TestStep{
			PreConfig: func() {
				files{"data/x.db": "x", "cache/y": "y", "theirs": "z"}.write(t, w.root)
				resourcetest.Must(t, os.Chmod(w.root+"/data", 0o700))
			},
			Config: w.config(options...), ConfigPlanChecks: plan(changes("- theirs")),
		},
		conflict("data/new"),
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, os.Chmod(w.root+"/data", 0o755)) }, Config: w.config(options...),
			Check: has(t, w.root, files{
				"./": "0755 ", "a": "0644 a", "data/": "0755 ", "data/new": "0644 x", "data/x.db": "0600 x", "cache/": "0755 ", "cache/y": "0600 y",
			}),
		},
		conflict("cache"),
		resource.TestStep{PreConfig: func() { resourcetest.Must(t, os.Remove(w.source+"/cache")) }, Config: w.config(options...), PlanOnly: true},
	)
}

// TestPurgeRemovesAdoptedDirectory checks that, with purge, the first update after a directory was removed from the
// source removes the directory on the host, even if the tree has not created it.
func TestPurgeRemovesAdoptedDirectory(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "dir/b": "b"}.write(t, w.source)
	files{"dir/": ""}.write(t, w.root)
	run(t,
		resource.TestStep{Config: w.config("purge = true")},
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, os.RemoveAll(filepath.Join(w.source, "dir"))) }, Config: w.config("purge = true"),
			ConfigPlanChecks: plan(changes("- dir/", "- dir/b")), Check: has(t, w.root, files{"./": "0755 ", "a": "0644 a"}),
		},
	)
}

// TestPurgeKeepsMounts checks that purge changes nothing if it would remove a mount point or the content of
// the file system there, and that it keeps an excluded mount point and the content of its file system.
func TestPurgeKeepsMounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/mounts"
	files{"a": "a"}.write(t, w.source)
	// The directory is a mount point itself, and a link points to it.
	h := memory.New(memory.Config{Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		_, err := io.WriteString(cmd.Stdout, "//\n/real/mounts\n//\n/\n/real/mounts\n/real/mounts/data\\040dir\n/real/mounts2\n")
		return host.Result{}, err
	}})
	mkdir := func(dir string) {
		_, err := h.Mkdir(t.Context(), dir, host.Attributes{})
		resourcetest.Must(t, err)
	}
	mkdir("/srv")
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source), "purge": cty.True}
	o.Apply(set)
	mkdir("/srv/mounts/data dir")
	resourcetest.WriteOn(t, h, "/srv/mounts/theirs", "x")
	resourcetest.WriteOn(t, h, "/srv/mounts/data dir/precious", "x")
	exists := func(at string) bool {
		_, err := h.Lstat(t.Context(), at)
		return err == nil
	}
	o.Refresh()
	planned := o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, planned), "purge", `"/srv/mounts/data dir" on host`, "is a mount point", "Nothing was written. Exclude the mount point, or unmount it")
	if !exists("/srv/mounts/theirs") || !exists("/srv/mounts/data dir/precious") {
		t.Error("objects were removed, although an object to remove is a mount point")
	}
	set["exclude"] = cty.ListVal([]cty.Value{cty.StringVal("/data dir/")})
	o.Apply(set)
	if exists("/srv/mounts/theirs") || !exists("/srv/mounts/data dir/precious") {
		t.Error("with the mount point excluded, the file theirs still exists or the content of the file system was removed")
	}
}

// TestInvalidSources checks that the plan rejects invalid sources, patterns and owners, and that one error
// names several objects that cannot be copied.
func TestInvalidSources(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	fails := func(want string, more ...string) resource.TestStep {
		return resource.TestStep{Config: w.config(more...), PlanOnly: true, ExpectError: regexp.MustCompile(`(?s)` + strings.ReplaceAll(want, " ", `[\s│]+`))}
	}
	step := func(prepare func(), s resource.TestStep) resource.TestStep { s.PreConfig = prepare; return s }
	run(t,
		fails(`cannot read the source .* no such file`),
		step(func() { resourcetest.Must(t, os.WriteFile(w.source, nil, 0o600)) }, fails(`it is not a directory. For a single file, use posix_file`)),
		step(func() {
			resourcetest.Must(t, os.Remove(w.source))
			files{"good": "", "e\u0301": "", "a/\xff": "", ".x.posix-tmp": ""}.write(t, w.source)
			resourcetest.Must(t, exec.Command("mkfifo", w.source+"/pipe").Run())
		}, fails(`\.x\.posix-tmp cannot be managed.*"a/\\xff" cannot be managed.*UTF-8.*cannot be managed.*pipe is a named pipe.*exclude`)),
		fails(`has an empty element`, `exclude = ["a//b"]`),
		fails(`\[ without a \]`, `exclude = ["["]`),
		resource.TestStep{Config: w.config(`exclude = ["pipe", "a/", "e\u0301", ".x.*"]`), PlanOnly: true, ExpectNonEmptyPlan: true, ExpectError: regexp.MustCompile(`cannot\s+be\s+managed`)}, // the configuration is in normalisation form C
		resource.TestStep{Config: w.config(`exclude = ["pipe", "a/", "e?", ".x.*"]`), Check: has(t, w.root, files{"./": "0755 ", "good": "0644 "})},
		fails(`owner.*has no user "nobody-here"`, `exclude = ["pipe", "a/", "e?", ".x.*"]`, `owner = "nobody-here"`),
		resource.TestStep{Config: "resource \"posix_tree\" \"it\" {\n  path = \"/srv/x\"\n  source = \"\"\n}\n", PlanOnly: true, ExpectError: regexp.MustCompile(`source\s+must\s+not\s+be\s+empty`)},
		resource.TestStep{Config: w.config(`exclude = ["pipe", "a/", "e?", ".x.*"]`)},
	)
}

// faulty returns a host in memory with the directory /srv. Its operations fail with the errors of fault.
func faulty(t *testing.T, fault func(op, path string) error) host.Host {
	t.Helper()
	var mu sync.Mutex
	h := memory.New(memory.Config{Fault: func(op, path string) error {
		if fault == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		return fault(op, path)
	}})
	_, err := h.Mkdir(t.Context(), "/srv", host.Attributes{})
	resourcetest.Must(t, err)
	return h
}

// TestSourceChanges changes a file of the source after the plan, just before the apply writes
// it, and checks that it is not written.
func TestSourceChanges(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a", "b": "b"}.write(t, w.source)
	h := faulty(t, nil)
	w.root = "/srv/changing" // a directory for each test: plans are stored by path, and the tests share the types
	late := &lateHost{Host: h}
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return late, nil })
	late.before = func() {
		resourcetest.Must(t, os.WriteFile(w.source+"/b", []byte("B"), 0o600))
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps: []resource.TestStep{
			{Config: w.config(), ExpectError: regexp.MustCompile(`(?s)b\s+of\s+the\s+source\s+has\s+changed\s+since\s+the\s+plan`)},
		},
	})
	if info, err := h.Lstat(t.Context(), "/srv/changing/b"); err == nil {
		t.Errorf("lstat of the file b: %+v, want no file", info)
	}
}

// lateHost is a host that calls a function before it first writes files.
type lateHost struct {
	host.Host
	before func()
}

func (h *lateHost) WriteTree(ctx context.Context, root string, list []host.TreeFile) error {
	if h.before != nil {
		h.before()
		h.before = nil
	}
	return host.WriteEach(ctx, h.Host, root, list)
}

// TestFailure checks that a failed apply stores the changes that it has made, and that the
// next one continues.
func TestFailure(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/failing"
	all := files{}
	for i := range 20 {
		all[fmt.Sprintf("dir/%02d", i)] = fmt.Sprint(i)
	}
	all.write(t, w.source)
	left := -1
	h := faulty(t, func(op, _ string) error {
		if op == "WriteFile" && left >= 0 {
			if left--; left < 0 {
				left = 0
				return errors.New("input/output error")
			}
		}
		return nil
	})
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	count := func(want int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			entries, err := h.ReadDir(t.Context(), "/srv/failing/dir")
			if err == nil && len(entries) != want {
				err = fmt.Errorf("%d files, want %d", len(entries), want)
			}
			return err
		}
	}
	ioError := regexp.MustCompile(`input/output\s+error`)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		CheckDestroy: func(*terraform.State) error {
			if _, err := h.Lstat(t.Context(), "/srv/failing"); err == nil {
				left, err := host.ReadTree(context.Background(), h, "/srv/failing", host.TreeQuery{All: true})
				return errors.Join(err, fmt.Errorf("objects after destroy: %v, want none", left))
			}
			return nil
		},
		Steps: []resource.TestStep{
			{PreConfig: func() { left = 5 }, Config: w.config(), ExpectError: ioError},
			{PreConfig: func() { left = -1 }, Config: w.config(), Check: count(20)},
			{
				PreConfig: func() {
					for name := range all {
						resourcetest.Must(t, os.WriteFile(filepath.Join(w.source, name), []byte("changed"), 0o600))
					}
					left = 5
				},
				Config: w.config(), ExpectError: ioError,
			},
			{
				PreConfig: func() { left = -1 }, Config: w.config(), Check: count(20),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_tree.it": "update added changed changes digest record removed size"}}},
			},
		},
	})
}

// TestFailureAfterImport checks that objects of an imported tree that are not in the source are kept if the first
// apply fails.
func TestFailureAfterImport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/imported"
	files{"a": "a"}.write(t, w.source)
	fails := false
	h := faulty(t, func(op, _ string) error {
		if op == "WriteFile" && fails {
			return errors.New("input/output error")
		}
		return nil
	})
	_, err := h.Mkdir(t.Context(), w.root, host.Attributes{})
	resourcetest.Must(t, err)
	resourcetest.WriteOn(t, h, w.root+"/a", "old")
	resourcetest.WriteOn(t, h, w.root+"/theirs", "theirs")
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_tree")
	resourcetest.NoErrors(t, o.Import(w.root, cty.NilVal))
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	planned := o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	fails = true
	resourcetest.WantError(t, o.ApplyPlan(set, planned), "", "input/output error")
	fails = false
	o.NextRun()
	o.Apply(set)
	if _, err := h.Lstat(t.Context(), w.root+"/theirs"); err != nil {
		t.Errorf("lstat of the object that is not in the source: error %v, want none", err)
	}
}

// TestFailureBeforeNewObject checks that a file that a failed update has not written does not belong to the tree: if
// another process then creates it, an update does not replace it, and a destroy keeps it.
func TestFailureBeforeNewObject(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/unwritten"
	files{"a": "a"}.write(t, w.source)
	fails := false
	h := faulty(t, func(op, _ string) error {
		if op == "WriteFile" && fails {
			return errors.New("input/output error")
		}
		return nil
	})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.Apply(set)
	files{"new": "new"}.write(t, w.source)
	planned := o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	fails = true
	resourcetest.WantError(t, o.ApplyPlan(set, planned), "", "input/output error")
	fails = false
	resourcetest.WriteOn(t, h, w.root+"/new", "theirs")
	o.NextRun()
	o.Refresh()
	planned = o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, planned), "path", "objects that the tree does not manage and that differ from the source: new (has different content)")
	resourcetest.NoErrors(t, o.Destroy())
	if _, err := h.Lstat(t.Context(), w.root+"/new"); err != nil {
		t.Errorf("lstat of the file of another process: error %v, want none", err)
	}
}

// failingHost is a host on which one write fails, after others have succeeded.
type failingHost struct {
	host.Host

	fails   atomic.Bool
	written chan struct{} // has an element for each write that has succeeded
}

// failOnce makes the next write fail after three others have succeeded, one for each file that
// TestFailedCreateWithOtherSource drops from the source.
func (h *failingHost) failOnce() {
	h.written = make(chan struct{}, 100)
	h.fails.Store(true)
}

func (h *failingHost) WriteFile(ctx context.Context, name string, content io.Reader, o host.WriteOptions) (host.FileInfo, error) {
	if h.fails.CompareAndSwap(true, false) {
		for range 3 {
			<-h.written
		}
		return host.FileInfo{}, errors.New("input/output error")
	}
	info, err := h.Host.WriteFile(ctx, name, content, o)
	if err == nil && h.written != nil {
		h.written <- struct{}{}
	}
	return info, err
}

// TestFailedCreateWithOtherSource checks that, if the source has changed after a failed create, the
// next create replaces and removes the files of the tree. If that create fails too, the files stay
// in the state, even if the host cannot be read.
func TestFailedCreateWithOtherSource(t *testing.T) {
	t.Parallel()
	for root, more := range map[string]string{"/srv/retried": "", "/srv/purged": "purge = true"} {
		w := newFixture(t)
		w.root = root
		const count = 20
		h := &failingHost{Host: faulty(t, nil)}
		reads := &readingHost{Host: h}
		p := resourcetest.ProviderOn(types, func() (host.Host, error) { return reads, nil })
		written := func() []string {
			entries, err := h.ReadDir(context.Background(), root+"/dir")
			resourcetest.Must(t, err)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name)
			}
			return names
		}
		dropped := map[string]bool{}
		// write writes all files of the source with the content. With drop, it first removes from the source a file that is on the host.
		write := func(content string, drop bool) {
			if drop {
				for _, name := range written() {
					if !dropped[name] {
						dropped[name] = true
						resourcetest.Must(t, os.Remove(filepath.Join(w.source, "dir", name)))
						break
					}
				}
			}
			for i := range count {
				if name := fmt.Sprintf("%02d", i); !dropped[name] {
					files{"dir/" + name: content}.write(t, w.source)
				}
			}
		}
		ioError := regexp.MustCompile(`input/output\s+error`)
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", p),
			CheckDestroy: func(*terraform.State) error {
				_, err := h.Lstat(context.Background(), root)
				if !errors.Is(err, fs.ErrNotExist) {
					return errors.Join(err, fmt.Errorf("%s must not exist after the destroy", root))
				}
				return nil
			},
			Steps: []resource.TestStep{
				{PreConfig: func() { write("one", false); h.failOnce() }, Config: w.config(more), ExpectError: ioError},
				{PreConfig: func() { write("two", true); h.failOnce() }, Config: w.config(more), ExpectError: ioError},
				{
					PreConfig: func() {
						write("three", true)
						n := reads.n
						reads.before = func() error {
							if reads.n == n+2 { // after the read of the plan
								return errors.New("input/output error")
							}
							return nil
						}
					},
					Config: w.config(more), ExpectError: ioError,
				},
				{
					PreConfig: func() {
						n := reads.n
						reads.before = func() error {
							if reads.n > n+1 { // also after the failed create
								return errors.New("input/output error")
							}
							return nil
						}
					},
					Config: w.config(more), ExpectError: ioError,
				},
				{
					PreConfig: func() { write("four", true); reads.before = nil }, Config: w.config(more),
					Check: func(*terraform.State) error {
						for _, name := range written() {
							if dropped[name] {
								return fmt.Errorf("%s is on the host, but not in the source", name)
							}
						}
						if n := len(written()); n != count-len(dropped) {
							return fmt.Errorf("%d files, want %d", n, count-len(dropped))
						}
						return nil
					},
				},
				{Config: w.config(more), PlanOnly: true},
			},
		})
		if len(dropped) != 3 {
			t.Errorf("%d files were dropped from the source, want 3", len(dropped))
		}
	}
}

// TestHostChanges checks that a change on the host after the plan is not overwritten.
func TestHostChanges(t *testing.T) {
	t.Parallel()
	for root, more := range map[string]string{"/srv/moving": "", "/srv/overwritten": "overwrite = true"} {
		w := newFixture(t)
		w.root = root
		files{"a": "a", "b": "b"}.write(t, w.source)
		h := faulty(t, nil)
		put := func(name, content string) error {
			_, err := h.WriteFile(context.Background(), root+"/"+name, strings.NewReader(content), host.WriteOptions{})
			return err
		}
		reads := &readingHost{Host: h}
		p := resourcetest.ProviderOn(types, func() (host.Host, error) { return reads, nil })
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", p),
			Steps: []resource.TestStep{
				{Config: w.config(more)},
				{
					PreConfig: func() {
						resourcetest.Must(t, os.WriteFile(w.source+"/a", []byte("new"), 0o600))
						n := reads.n
						reads.before = func() error {
							if reads.n == n+2 { // after the read of the plan
								return put("b", "theirs")
							}
							return nil
						}
					},
					Config: w.config(more), ExpectError: regexp.MustCompile(`changed\s+after\s+the\s+plan\s+was\s+made:\s+b\.\s+Nothing`),
				},
				{PreConfig: func() { reads.before = nil }, Config: w.config(more), ConfigPlanChecks: plan(changes("~ a (content)", "~ b (content)"))},
			},
		})
	}
}

// TestReadOnlyDirectory checks that a user other than root can change and remove files in a directory
// that became read-only, because it gets its mode back first.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/closed"
	files{"a/deep/new": "1", "a/deep/old": "o"}.write(t, w.source)
	h := memory.New(memory.Config{Name: host.LocalName, UID: 1000, GIDs: []uint32{1000}})
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps: []resource.TestStep{
			{Config: w.config()},
			{
				PreConfig: func() {
					for _, dir := range []string{"", "/a", "/a/deep"} {
						_, err := h.SetAttributes(context.Background(), w.root+dir, host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o555))})
						resourcetest.Must(t, err)
					}
					files{"a/deep/new": "2", "b/x": "x"}.write(t, w.source)
					resourcetest.Must(t, os.Remove(w.source+"/a/deep/old"))
				},
				Config: w.config(),
				ConfigPlanChecks: plan(changes("~ ./ (mode 0555 -> 0755)", "~ a/ (mode 0555 -> 0755)", "~ a/deep/ (mode 0555 -> 0755)",
					"~ a/deep/new (content)", "- a/deep/old", "+ b/", "+ b/x")),
			},
			{Config: w.config(), PlanOnly: true},
		},
	})
}

// TestModeOfOtherType checks that a directory that replaces a file during an apply does not get the mode of the
// file.
func TestModeOfOtherType(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.root = "/srv/replacing"
	files{"a": "a"}.write(t, w.source)
	at, replaces := w.root+"/a", false
	var h *memory.Host
	h = memory.New(memory.Config{Fault: func(op, path string) error {
		if op != "SetAttributes" || path != at || !replaces {
			return nil
		}
		replaces = false
		if err := h.Remove(context.Background(), at); err != nil {
			return err
		}
		_, err := h.Mkdir(context.Background(), at, host.Attributes{Mode: new(host.Mode(0o750))})
		return err
	}})
	_, err := h.Mkdir(t.Context(), "/srv", host.Attributes{})
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_tree")
	set := resourcetest.Attrs{"path": cty.StringVal(w.root), "source": cty.StringVal(w.source)}
	o.Apply(set)
	set["file_mode"] = cty.StringVal("0600")
	planned := o.Plan(set)
	resourcetest.NoErrors(t, planned.Diagnostics)
	replaces = true
	resourcetest.WantError(t, o.ApplyPlan(set, planned), "", at, "is a directory, not a regular file")
	if info, err := h.Lstat(t.Context(), at); err != nil || info.Mode != 0o750 {
		t.Errorf("the directory is %+v, error %v, want mode 0750", info, err)
	}
}

// readingHost is a host that counts the reads of the tree, and calls a function before each.
type readingHost struct {
	host.Host
	n      int
	before func() error
}

func (h *readingHost) ReadTree(ctx context.Context, root string, q host.TreeQuery) ([]host.TreeEntry, error) {
	h.n++
	if h.before != nil {
		if err := h.before(); err != nil {
			return nil, err
		}
	}
	return host.WalkTree(ctx, h.Host, root, q)
}

// TestTooLarge checks the error for a directory whose entries take too much memory.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a": "a"}.write(t, w.source)
	h := faulty(t, nil)
	_, err := host.MakeParents(t.Context(), h, w.root+"/a", host.Attributes{})
	resourcetest.Must(t, err)
	reads := &readingHost{Host: h, before: func() error {
		return &host.Error{Op: "read", Host: h.Name(), Path: w.root, Err: host.ErrTreeTooLarge}
	}}
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return reads, nil })
	resourcetest.Fails(t, p, w.config(""), false, "is too large. Use several trees, each for one subdirectory")
}

func TestExample(t *testing.T) {
	t.Parallel()
	resourcetest.Imports(t, "resources/posix_tree", "posix_tree.site", "/srv/site")
	dir := t.TempDir()
	files{"site/index.html": "x", "site/a.bak": "", "site/.git/config": "", "site/docs/x.draft": "", "rules/r": "r"}.write(t, dir)
	h := memory.New(memory.Config{
		Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}, {Name: "www-data", GID: 33}},
	})
	text := strings.ReplaceAll(resourcetest.ExampleFile(t, "resources/posix_tree/resource.tf"), "${path.module}", dir)
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	imported := resourcetest.ExampleFile(t, "resources/posix_tree/import-by-identity.tf")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps: []resource.TestStep{
			{Config: text, Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr("posix_tree.site", "files", "1"), resource.TestCheckResourceAttr("posix_tree.site", "directories", "2"),
				resource.TestCheckResourceAttr("posix_tree.rules", "files", "1"))},
			{ResourceName: "posix_tree.site", ImportState: true, ImportStateKind: resource.ImportCommandWithID, ImportStateId: "/srv/site"},
			{Config: text, PlanOnly: true},
		},
	})
	resourcetest.Must(t, remake(h, dir))
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps:                    []resource.TestStep{{Config: imported + strings.Split(text, "# Remove everything")[0], ConfigPlanChecks: plan(resourcetest.Changes{"posix_tree.site": "import no-op"})}},
	})
}

// remake creates the tree of the example on the host, without the provider.
func remake(h host.Host, _ string) error {
	ctx := context.Background()
	own := host.Attributes{GID: new(uint32(33)), Mode: new(host.Mode(0o755))}
	var errs []error
	for _, dir := range []string{"/srv/site", "/srv/site/docs"} {
		_, err := h.Mkdir(ctx, dir, own)
		errs = append(errs, err)
	}
	own.Mode = new(host.Mode(0o644))
	_, err := h.WriteFile(ctx, "/srv/site/index.html", strings.NewReader("x"), host.WriteOptions{Attributes: own})
	return errors.Join(append(errs, err)...)
}
