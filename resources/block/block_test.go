package block_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/block"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/functions"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"file_block": block.Resource(), "file": file.Resource()}}

func write(path, text string) func() error {
	return func() error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
}

// has returns a check that a file has exactly this text.
func has(path, want string) func() error {
	return func() error {
		text, err := os.ReadFile(path)
		if err != nil || string(text) != want {
			return errors.Join(err, fmt.Errorf("%s has %q, want %q", path, text, want))
		}
		return nil
	}
}

func change(path, from, to string) func() error {
	return func() error {
		text, err := os.ReadFile(path)
		if !strings.Contains(string(text), from) {
			return fmt.Errorf("%s has no %q", path, from)
		}
		return errors.Join(err, write(path, strings.Replace(string(text), from, to, 1))())
	}
}

// blocked returns a text that contains the block web with the given lines.
func blocked(lines string) string {
	return "# BEGIN posix_file_block web\n" + lines + "# END posix_file_block web\n"
}

// TestLife applies the example of the documentation, with its files in a directory of the test.
func TestLife(t *testing.T) {
	t.Parallel()
	const body = "<html>\r\n<body>\r\n</body>\r\n\x00no end"
	dir := t.TempDir()
	hosts, page := dir+"/etc/hosts", dir+"/srv/site/index.html"
	const before = "127.0.0.1 localhost\n\n# theirs"
	const is = before + "\n# BEGIN posix_file_block our-hosts\n192.0.2.10 db\n192.0.2.11 cache\n# END posix_file_block our-hosts"
	resourcetest.Must(t, write(hosts, before)())
	resourcetest.Must(t, write(page, body)())
	resourcetest.Must(t, os.Chmod(hosts, 0o604))
	resourcetest.Imports(t, "resources/posix_file_block", "posix_file_block.hosts", "/etc/hosts#our-hosts")
	good := func() error {
		info, err := os.Stat(hosts)
		if err == nil && info.Mode() != 0o604 {
			err = fmt.Errorf("the mode of %s is %s, want 0604", hosts, info.Mode())
		}
		return errors.Join(err, has(hosts, is)(), has(page, strings.Replace(body, "<body>\r\n",
			"<body>\r\n<!-- BEGIN posix_file_block banner -->\r\n<p>This page moves on Sunday.</p>\r\n<!-- END posix_file_block banner -->\r\n", 1))())
	}
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   strings.NewReplacer(`"/etc/`, `"`+dir+`/etc/`, `"/srv/`, `"`+dir+`/srv/`).Replace(resourcetest.ExampleFile(t, "resources/posix_file_block/resource.tf")),
		Address:  "posix_file_block.hosts",
		ImportID: hosts + "#our-hosts",
		Drifts: map[string]resourcetest.Drift{
			"content":       {Make: change(hosts, "192.0.2.11", "192.0.2.12"), Plan: "update content", Check: good},
			"a line ending": {Make: change(hosts, "db\n", "db\r\n"), Plan: "update content", Check: good},
			"invalid UTF-8": {Make: change(hosts, "db", "\xff"), Plan: "update content", Check: good},
			"emptied":       {Make: change(hosts, "192.0.2.10 db\n192.0.2.11 cache\n", ""), Plan: "update content", Check: good},
			"comment":       {Make: change(hosts, "# BEGIN", "; BEGIN"), Plan: "update comment", Check: good},
			"end comment":   {Make: change(hosts, "# END", "; END"), Plan: "update comment", Check: good},
			"comment_end":   {Make: change(hosts, "BEGIN posix_file_block our-hosts", "BEGIN posix_file_block our-hosts */"), Plan: "update comment_end", Check: good},
			"removed":       {Make: write(hosts, before), Plan: "create", Check: good},
			"other block":   {Make: change(page, "on Sunday", "now"), Others: resourcetest.Changes{"posix_file_block.banner": "update content"}, Check: good},
			"added line":    {Make: change(hosts, "db", "db\n# theirs"), Plan: "update content", Check: good},
			"start of file": {Make: write(hosts, strings.TrimPrefix(is, before+"\n")+"\n"+before)}, // named to be the last drift, because a repair does not move the block back
		},
		Exists: func() (bool, error) {
			return false, errors.Join(has(hosts, before)(), has(page, body)())
		},
	}.Run(t)
}

// TestHostsFile applies the example of the function hosts_file, and checks that the other lines
// of the file are kept, even by a destroy.
func TestHostsFile(t *testing.T) {
	t.Parallel()
	hosts := filepath.Join(t.TempDir(), "hosts")
	const before = "127.0.0.1 localhost\n127.0.1.1 web\n"
	resourcetest.Must(t, write(hosts, before)())
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(runtime.Definition{Resources: types.Resources, Functions: functions.All()})),
		Steps: []resource.TestStep{{
			Config: "terraform {\n  required_providers {\n    posix = { source = \"posixform/posix\" }\n  }\n}\n" +
				strings.ReplaceAll(resourcetest.ExampleFile(t, "functions/hosts_file/function.tf"), "/etc/hosts", hosts),
			Check: resourcetest.Check(has(hosts, before+"# BEGIN posix_file_block our-hosts\n192.0.2.10\tdb1.example.com db1\n192.0.2.11\tweb1.example.com\n"+
				"192.0.2.12\tweb2.example.com\n2001:db8::11\tweb1.example.com\n# END posix_file_block our-hosts\n")),
		}},
		CheckDestroy: resourcetest.Check(has(hosts, before)),
	})
}

func config(path, content, more string) string {
	return fmt.Sprintf("resource \"posix_file_block\" \"it\" {\n  path = %q\n  name = \"web\"\n  content = %q\n  %s\n}\n", path, content, more)
}

func plans(what string) resource.ConfigPlanChecks {
	return resourcetest.Plans("posix_file_block.it", what)
}

func TestChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	resourcetest.Must(t, write(path, "a\nb")())
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config(path, "x", `position = "start"`), Check: resourcetest.Check(has(path, blocked("x\n")+"a\nb"))},
		// Neither a trailing newline nor another position for an existing block is a change.
		resource.TestStep{Config: config(path, "x\n", `position = "after a"`), ConfigPlanChecks: plans("")},
		resource.TestStep{Config: config(path, "", ""), ConfigPlanChecks: plans("update content position"), Check: resourcetest.Check(has(path, blocked("")+"a\nb"))},
		resource.TestStep{Config: config(path, "\n", ""), ConfigPlanChecks: plans("update content"), Check: resourcetest.Check(has(path, blocked("\n")+"a\nb"))},
		resource.TestStep{
			Config: config(path, "y\nz", `comment = "//"`), ConfigPlanChecks: plans("update comment content"),
			Check: resourcetest.Check(has(path, strings.ReplaceAll(blocked("y\nz\n"), "#", "//")+"a\nb")),
		},
		// Another path forces a new resource.
		resource.TestStep{
			Config: config(other, "y\nz", `create_mode = "0640"`), ConfigPlanChecks: plans("delete create"),
			Check: resourcetest.Check(func() error {
				info, err := os.Stat(other)
				if err == nil && info.Mode() != 0o640 {
					err = fmt.Errorf("the mode is %s, want 0640", info.Mode())
				}
				return errors.Join(err, has(path, "a\nb")(), has(other, blocked("y\nz\n"))())
			}),
		},
		// A block whose file was removed is created again, with the file.
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, os.Remove(other)) }, Config: config(other, "y\nz", `create_mode = "0640"`),
			ConfigPlanChecks: plans("create"), Check: resourcetest.Check(has(other, blocked("y\nz\n"))),
		},
	)
	resourcetest.Must(t, has(other, "")())
}

// TestManyInOneFile creates many blocks of one file in one apply, changes most of them and deletes
// the others in a second, and deletes the rest in a third. The first apply also creates the file.
func TestManyInOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	text := func(n int, content string) string {
		return fmt.Sprintf(`
resource "posix_file" "it" {
  path    = %q
  content = "theirs"
  lifecycle { ignore_changes = [content] }
}
resource "posix_file_block" "many" {
  count    = %d
  path     = posix_file.it.path
  name     = "block-${count.index}"
  content  = "%s ${count.index}"
  position = count.index %% 2 == 0 ? "start" : "end"
}
`, path, n, content)
	}
	complete := func(n int, content string) resource.TestCheckFunc {
		return resourcetest.Check(func() error {
			text, err := os.ReadFile(path)
			for i := range n {
				if want := fmt.Sprintf("# BEGIN posix_file_block block-%d\n%s %[1]d\n# END posix_file_block block-%[1]d", i, content); !strings.Contains(string(text), want) {
					err = errors.Join(err, fmt.Errorf("block %d is missing", i))
				}
			}
			if got := strings.Count(string(text), "BEGIN"); got != n || !strings.Contains(string(text), "theirs") {
				err = errors.Join(err, fmt.Errorf("%d blocks in %q, want %d", got, text, n))
			}
			return err
		})
	}
	many := tier.Pick(9, 30, 30)
	resourcetest.Steps(t, types,
		resource.TestStep{Config: text(many, "x"), Check: complete(many, "x")},
		resource.TestStep{Config: text(many*2/3, "y"), Check: complete(many*2/3, "y")},
		resource.TestStep{Config: text(0, ""), Check: resourcetest.Check(has(path, "theirs"))},
	)
}

// TestCreateBeforeDestroy checks that a create_before_destroy replacement keeps the block.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Must(t, write(path, "")())
	text := func(when string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"when\" {\n  input = %q\n}\n", when) + config(path, "x", `lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }`)
	}
	here := resourcetest.Check(has(path, blocked("x\n")))
	resourcetest.Steps(t, types, resource.TestStep{Config: text("a"), Check: here}, resource.TestStep{Config: text("b"), Check: here})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	resourcetest.Must(t, os.Symlink(path, filepath.Join(dir, "link")))
	for name, tt := range map[string]struct {
		config, file, want string
		applied            bool // whether the apply returns the error, not the plan
	}{
		"a name":                  {config: strings.Replace(config(path, "", ""), `"web"`, `"a--b"`, 1), want: "single dots, dashes and underscores"},
		"a space":                 {config: strings.Replace(config(path, "", ""), `"web"`, `"a b"`, 1), want: "single dots, dashes and underscores"},
		"a marker":                {config: config(path, "x\n// END posix_file_block web", ""), want: "line 2 looks like a marker"},
		"marker of another block": {config: config(path, "# BEGIN posix_file_block other", ""), want: "line 1 looks like a marker"},
		"a carriage return":       {config: config(path, "x\n\r\n", ""), want: "line 2 has a carriage return"},
		"a comment":               {config: config(path, "", `comment = "# -"`), want: "without spaces"},
		"no comment":              {config: config(path, "", `comment = ""`), want: "must not be empty"},
		"invalid expression":      {config: config(path, "", `position = "after ("`), want: "escape it with a backslash"},
		"a section":               {config: config(path, "", `position = "after [server]"`), want: `"after ^\\[server\\]$"`},
		"no expression":           {config: config(path, "", `position = "after "`), want: `"after" must be followed by a space and a regular expression`},
		"invalid position":        {config: config(path, "", `position = "top"`), want: "a position must be start, end, or after or before"},
		"a mode":                  {config: config(path, "", `create_mode = "8"`), want: "octal digits"},
		"no file":                 {config: config(path, "", ""), want: "set create_mode, or create the file first, for example by installing its package", applied: true},
		"no directory":            {config: config(dir+"/none/file", "", `create_mode = "0600"`), want: "create it first, for example with posix_directory", applied: true},
		"no match":                {config: config(path, "", `position = "after ^b"`), file: "a\n", want: "no line outside of other blocks matches", applied: true},
		"a link":                  {config: config(dir+"/link", "", ""), want: "neither followed nor replaced", applied: true},
		"a directory":             {config: config(dir, "", ""), want: "is a directory", applied: true},
		"other content":           {config: config(path, "x", ""), file: blocked("y\n"), want: `import it (id "local:` + path + `#web")`},
		"other comments":          {config: config(path, "y", `comment = ";"`), file: blocked("y\n"), want: `import it`},
		"other end marker":        {config: config(path, "y", ""), file: strings.Replace(blocked("y\n"), "# END", "; END", 1), want: `import it`},
		"damage":                  {config: config(path, "y", ""), file: "a\n" + blocked("") + blocked(""), want: "starts at line 2 and again at line 4"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.file != "" {
				resourcetest.Must(t, write(path, tt.file)())
				defer func() { resourcetest.Must(t, os.Remove(path)) }()
			}
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, !tt.applied, tt.want)
			if tt.file != "" {
				resourcetest.Must(t, has(path, tt.file)())
			} else if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("lstat of the file returned %v, want %v", err, fs.ErrNotExist)
			}
		})
	}
}

// TestUnbalancedMarkers checks that unbalanced markers that appear after the apply are an
// error, and that nothing is changed.
func TestUnbalancedMarkers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Must(t, write(path, "a\n")())
	broken := "a\n# BEGIN posix_file_block web\nx\n"
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config(path, "x", "")},
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, write(path, broken)()) }, Config: config(path, "x", ""),
			ExpectError: resourcetest.WrappedText("line 2 starts the block, but no line after it ends it"),
		},
		resource.TestStep{PreConfig: func() {
			resourcetest.Must(t, has(path, broken)())
			resourcetest.Must(t, write(path, "a\n"+blocked("x\n"))())
		}, Config: config(path, "x", "")},
	)
}

func TestImportIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct{ host, path, name, fails string }{
		"/a#b":                      {path: "/a", name: "b"},
		"local:/a#b":                {host: "local", path: "/a", name: "b"},
		"root@[::1]:22:/a#b/c:#d.e": {host: "root@[::1]:22", path: "/a#b/c:", name: "d.e"},
		"/a":                        {fails: "as /etc/hosts#web"},
		"/a#":                       {fails: "letters and digits"},
		"a#b":                       {fails: "absolute path"},
		"/a/#b":                     {fails: "ends with a slash"},
	} {
		got, err := new(block.Block).ParseImportID(id)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: error %v, want %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || string(got.Path) != want.path || got.Name != want.name {
			t.Errorf("%q: host %q, path %q, name %q (%v), want %q, %q, %q", id, name, got.Path, got.Name, err, want.host, want.path, want.name)
		}
	}
}

// TestConformance checks the laws of package conformance.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := resourcetest.Provider(types)
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	path := func(n int) string { return filepath.Join(dir, fmt.Sprint("file", n)) }
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset: func(context.Context) error {
			return errors.Join(write(path(0), "")(), write(path(1), "a\r\nb\r\nc")(), os.RemoveAll(path(2)))
		},
		Runs: tier.Pick(3, 10, 50),
		Types: map[string]conformance.Type{"posix_file_block": {
			Leave:     []string{"host"},
			StateOnly: []string{"position", "create_mode", "follow_links"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"path":        among(path(0), path(1), path(2)),
				"name":        among("a", "b"),
				"content":     among("", "x", "x\n", "\n", "x\ny", "  é\t"),
				"comment":     among("#", "//", "<!--"),
				"comment_end": among("-->", "*/"),
				"position":    among("start", "end"), // a regular expression might match no line
				"create_mode": among("0644", "600"),
			},
			Fix: func(_ *rand.Rand, config map[string]cty.Value) { config["create_mode"] = cty.StringVal("0600") },
			ImportID: func(state cty.Value) string {
				return state.GetAttr("path").AsString() + "#" + state.GetAttr("name").AsString()
			},
			Drift: func(_ context.Context, state cty.Value) error {
				name := state.GetAttr("name").AsString()
				return write(state.GetAttr("path").AsString(), "; BEGIN posix_file_block "+name+"\nother\n# END posix_file_block "+name+"\n")()
			},
		}},
	})
}
