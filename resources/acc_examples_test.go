package resources_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
)

// Every configuration below examples that no other test runs is applied unchanged, including
// paths such as /etc, with Terraform or OpenTofu. The provider's hosts have their files in memory,
// so that the files of this host are not changed.

const examples = "../examples"

// exampleFiles are the files that exist on the local host before the examples are applied.
var exampleFiles = map[string]string{
	"/etc/hostname":        "example\n",
	"/etc/app/ca.key":      "a key\n",
	"/srv/images/base.img": "an image\n",
	adoptedFile:            "written by hand, long ago\n",
	"/srv/other/untouched": "",
}

// exampleDrifts has commands for some examples, by directory. A command changes an object outside of
// Terraform, and the next plan must show the change.
var exampleDrifts = map[string]struct {
	host string
	args []string
}{
	"guides/provisioners": {"web", []string{"apt-get", "remove", "--yes", "app"}},
}

// adoptedFile is imported by an example, and destroyed at the end.
const adoptedFile = "/srv/demo/notes.txt"

// exampleVariables are the values of variables that the configurations declare.
var exampleVariables = map[string]string{
	"api_token": "a secret",
	"password":  "another secret",
	"root":      "/srv/demo",
}

// pageExamples are patterns of the file names that tfplugindocs includes, by directory of the
// family. Files with other names, except those of imports, would be on no page.
var pageExamples = map[string]string{
	"provider":            "provider*.tf",
	"resources":           "resource*.tf",
	"data-sources":        "data-source*.tf",
	"ephemeral-resources": "ephemeral-resource*.tf",
	"functions":           "function*.tf",
	"list-resources":      "list-resource*.tfquery.hcl",
	"actions":             "action*.tf",
	"state-stores":        "state-store*.tf",
}

// notInOpenTofu lists families that OpenTofu does not support. Other tests run the examples of
// these families, and also the examples that need a whole host.
var notInOpenTofu = []string{"list-resources", "actions", "state-stores"}

// exampleCase is one configuration and its imports.
type exampleCase struct {
	dir     string
	files   []string // files of the configuration, relative to examples
	imports []string // each is tested with the files
}

// exampleCases returns the cases in a directory below examples. The test fails if a file is
// on no page, or if the directory has no example.
func exampleCases(t *testing.T, dir string, names []string) []exampleCase {
	t.Helper()
	family, _, _ := strings.Cut(dir, "/")
	pattern, paged := pageExamples[family]
	if !paged { // a complete configuration; a subdirectory named import adds to it
		if above, base := path.Split(dir); base == "import" && len(globNames(t, above)) > 0 {
			return nil
		}
		whole := exampleCase{dir: dir}
		for _, name := range names {
			whole.files = append(whole.files, path.Join(dir, name))
		}
		for _, name := range globNames(t, path.Join(dir, "import")) {
			whole.imports = append(whole.imports, path.Join(dir, "import", name))
		}
		return []exampleCase{whole}
	}
	var cases []exampleCase
	var imports []string
	for _, name := range names {
		file := path.Join(dir, name)
		switch shown, err := path.Match(pattern, name); {
		case err != nil:
			t.Fatal(err)
		case shown:
			cases = append(cases, exampleCase{dir: dir, files: []string{file}})
		case family == "resources" && slices.Contains([]string{"import.sh", "import-by-string-id.tf", "import-by-identity.tf"}, name):
			imports = append(imports, file)
		default:
			t.Errorf("no page includes examples/%s: its name must be %s", file, pattern)
		}
	}
	if len(cases) == 0 {
		t.Errorf("examples/%s has no %s", dir, pattern)
		return nil
	}
	i := slices.IndexFunc(cases, func(c exampleCase) bool { return path.Base(c.files[0]) == "resource.tf" })
	cases[max(i, 0)].imports = imports
	return cases
}

func globNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(examples, filepath.FromSlash(dir)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

// hasTest reports whether there are Go tests in a directory of the examples or in one of
// its parents.
func hasTest(t *testing.T, dir string) bool {
	t.Helper()
	for ; dir != "."; dir = path.Dir(dir) {
		if slices.ContainsFunc(globNames(t, dir), func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
			return true
		}
	}
	return false
}

// TestAccExamples runs every example that no other test runs. It fails if OpenTofu cannot
// run such an example.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	elsewhere := otherTests(t)
	ran := 0
	resourcetest.Must(t, filepath.WalkDir(examples, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || at == examples {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(at), examples+"/")
		names := globNames(t, dir)
		family, _, _ := strings.Cut(dir, "/")
		switch {
		case len(names) == 0:
		case slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".go") }):
			if !hasTest(t, dir) {
				t.Errorf("examples/%s has Go code, but neither it nor a directory above it has a test", dir)
			}
		case strings.Contains(elsewhere, `"`+dir+"/"):
			exampleCases(t, dir, names) // to check the file names
		case slices.Contains(notInOpenTofu, family):
			t.Errorf("OpenTofu cannot run examples/%s: write a test in the resource's package that runs it, with resourcetest.ExampleFile(t, %q)", dir, dir+"/…")
		default:
			for _, c := range exampleCases(t, dir, names) {
				ran++
				t.Run(strings.Join(c.files, "+"), c.run)
			}
		}
		return nil
	}))
	if ran == 0 {
		t.Errorf("no examples found below %s", examples)
	}
}

// fileBlocks matches the posix_file blocks of an example.
var fileBlocks = regexp.MustCompile(`(?s)\nresource "posix_file" .*?\n}`)

// TestExamplesKeepSystemFiles checks that no example overwrites a file that every host has: the
// old content would be lost, and a destroy would remove the file.
func TestExamplesKeepSystemFiles(t *testing.T) {
	t.Parallel()
	blocks := 0
	resourcetest.Must(t, filepath.WalkDir(examples, func(at string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(at) != ".tf" {
			return err
		}
		text, err := os.ReadFile(at)
		for _, block := range fileBlocks.FindAllString("\n"+string(text), -1) {
			blocks++
			for _, file := range systemFiles {
				if strings.Contains(block, "overwrite") && strings.Contains(block, `"`+file+`"`) {
					t.Errorf("%s overwrites %s: use a posix_file_block", at, file)
				}
			}
		}
		return err
	}))
	if blocks < 20 {
		t.Errorf("only %d posix_file blocks found, want at least 20", blocks)
	}
}

// systemFiles are files that every host has.
var systemFiles = []string{"/etc/fstab", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/passwd", "/etc/profile", "/etc/resolv.conf", "/etc/shadow", "/etc/sudoers"}

// TestAccExampleFormat checks that the examples are formatted.
func TestAccExampleFormat(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	w := acctest.NewWorkdir(t, filepath.Join(t.TempDir(), "terraform-provider-posix"))
	resourcetest.Must(t, os.CopyFS(filepath.Join(w.Dir, "examples"), os.DirFS(examples)))
	w.Do(nil, "fmt", "-check", "-diff", "-recursive", "-no-color", "examples")
}

// run applies the configuration, repairs a drift if exampleDrifts has one, imports what the
// examples import, and destroys everything. It checks that each plan after these steps is empty,
// and that the destroy leaves the files as they were before.
func (c exampleCase) run(t *testing.T) {
	t.Parallel()
	h := exampleHost(t)
	before := resourcetest.FilesOn(t, h)
	fleet := &exampleFleet{local: h, byName: map[string]host.Host{}}
	w := acctest.NewServedWorkdir(t, "posix", func() (provider.Interface, error) {
		return resources.BuildFleet(hosts.Backends{Local: fleet.here, Remote: fleet.remote(t)})
	})
	for name, value := range exampleVariables {
		w.Env = append(w.Env, "TF_VAR_"+name+"="+value)
	}
	for _, file := range c.files {
		text := resourcetest.ExampleFile(t, file)
		w.Write(path.Base(file), text)
		if strings.Contains(text, "required_providers") {
			resourcetest.Must(t, os.Remove(filepath.Join(w.Dir, "providers.tf"))) // the example has its own required_providers
		}
	}
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	isEmpty := func() { w.Do(nil, "plan", "-detailed-exitcode", "-no-color") }
	isEmpty()
	if drift, ok := exampleDrifts[c.dir]; ok {
		r, err := fleet.byName[drift.host].Run(t.Context(), host.Command{Args: drift.args})
		if err != nil || r.ExitCode != 0 {
			t.Fatalf("%q ended with exit code %d, error %v", drift.args, r.ExitCode, err)
		}
		w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color")
		w.Do(nil, "apply", "-auto-approve", "-no-color")
		isEmpty()
	}
	for _, file := range c.imports {
		c.importObject(t, w, file)
		isEmpty()
	}
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	after := resourcetest.FilesOn(t, h)
	delete(before, adoptedFile)
	delete(after, adoptedFile)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files after destroy (-before +after):\n%s", diff)
	}
	for name, h := range fleet.byName {
		if left := resourcetest.FilesOn(t, h); len(left) > 0 {
			t.Errorf("files left on host %s after destroy: %v", name, left)
		}
	}
}

// exampleFleet has the hosts of one example, which persist between runs.
type exampleFleet struct {
	local host.Host

	mu     sync.Mutex
	byName map[string]host.Host
}

func (f *exampleFleet) here() (host.Host, error) { return f.local, nil }

func (f *exampleFleet) remote(t *testing.T) func(sshhost.Options) (host.Host, error) {
	t.Helper()
	return func(o sshhost.Options) (host.Host, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.byName[o.Name] == nil {
			h := memory.New(exampleConfig(t, o.Name))
			if _, err := h.Mkdir(t.Context(), "/srv", host.Attributes{}); err != nil {
				return nil, err
			}
			f.byName[o.Name] = exampleReachable{h}
		}
		return f.byName[o.Name], nil
	}
}

var (
	importTo      = regexp.MustCompile(`(?m)^  to\s*= (\S+)$`)
	importCommand = regexp.MustCompile(`^terraform import (\S+) (\S+)\n$`)
)

// importObject removes the created object from the state, and imports it with the command or block of an example.
func (c exampleCase) importObject(t *testing.T, w *acctest.Workdir, file string) {
	t.Helper()
	text := resourcetest.ExampleFile(t, file)
	if path.Ext(file) == ".sh" {
		m := importCommand.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("examples/%s is not one line with an import command", file)
		}
		w.Do(nil, "state", "rm", m[1])
		w.Do(nil, "import", "-no-color", m[1], m[2])
		if adopts(m[1]) {
			w.Do(nil, "apply", "-auto-approve", "-no-color")
		}
		return
	}
	m := importTo.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("examples/%s has no import block", file)
	}
	if strings.Contains(w.Do(nil, "state", "list").Output, m[1]+"\n") {
		w.Do(nil, "state", "rm", m[1])
	}
	w.Write("import.tf", text)
	r := w.Do(nil, "apply", "-auto-approve", "-no-color")
	changed := 0
	if adopts(m[1]) {
		changed = 1
	}
	if want := fmt.Sprintf("1 imported, 0 added, %d changed, 0 destroyed", changed); !strings.Contains(r.Output, want) {
		t.Errorf("examples/%s: want %q:\n%s", file, want, r.Output)
	}
}

// adopts reports whether the first apply after an import updates the state: an import cannot
// read the commands of a posix_command from the host.
func adopts(address string) bool { return strings.HasPrefix(address, "posix_command.") }

// exampleConfig returns the configuration of a host that has the users and groups of the examples
// and runs the commands of one example.
func exampleConfig(t *testing.T, name string) memory.Config {
	t.Helper()
	return memory.Config{
		Name:   name,
		Users:  []host.User{{Name: "root"}, {Name: "www-data", UID: 33, GID: 33}},
		Groups: []host.Group{{Name: "root"}, {Name: "www-data", GID: 33}, {Name: "app", GID: 101}},
		Run:    exampleCommands(t),
	}
}

// exampleHost returns the local host of the examples, with exampleFiles.
func exampleHost(t *testing.T) host.Host {
	t.Helper()
	h := memory.New(exampleConfig(t, "local"))
	for name, content := range exampleFiles {
		_, err := host.MakeParents(t.Context(), h, name, host.Attributes{})
		resourcetest.Must(t, err)
		_, err = h.WriteFile(t.Context(), name, strings.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o644))}})
		resourcetest.Must(t, err)
	}
	return exampleReachable{h}
}

// otherTests returns the source of the tests in the packages below this one. These tests name the
// examples that they run, such as "resources/posix_user/resource.tf".
func otherTests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	resourcetest.Must(t, filepath.WalkDir(".", func(at string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Dir(at) == "." || !strings.HasSuffix(at, "_test.go") {
			return err
		}
		text, err := os.ReadFile(at)
		all.Write(text)
		return err
	}))
	return all.String()
}
