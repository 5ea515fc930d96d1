package configs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// files returns a source with the contents.
func files(contents map[string]string) configs.Files {
	out := configs.Files{}
	for name, content := range contents {
		out[name] = []byte(content)
	}
	return out
}

// load returns the configuration in the files. It fails the test if the configuration has errors.
func load(t *testing.T, contents map[string]string) *configs.Config {
	t.Helper()
	c, diags := configs.Load(files(contents), ".", configs.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return c
}

func TestLoad(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{
		"main.tf": `
			terraform {
				required_providers {
					posix = { source = "posixform/posix", version = "~> 1.0" }
					other = { source = "example.com/acme/other" }
				}
			}
			provider "posix" {}
			provider "posix" {
				alias = "far"
			}
			variable "path" {
				type    = object({ a = string, b = optional(number, 3) })
				default = { a = "x" }
			}
			locals { one = 1 }
			resource "posix_file" "a" {
				count    = 2
				provider = posix.far
				path     = "/a"
			}
			data "null_data" "b" {}
			ephemeral "terraform_x" "e" {}
			module "child" {
				source    = "./modules/x"
				providers = { posix = posix.far }
				name      = "n"
			}
			output "o" { value = module.child.o }
		`,
		"modules/x/main.tf": `
			terraform {
				required_providers {
					posix = { source = "posixform/posix" }
				}
			}
			variable "name" {}
			resource "posix_file" "in" {}
			output "o" { value = 1 }
		`,
	})
	type shape struct {
		Resources, Providers, Variables, Locals, Outputs, Calls []string
		Required                                                map[string]string
	}
	shapeOf := func(m *configs.Module) shape {
		s := shape{Required: map[string]string{}}
		for addr := range m.Resources {
			s.Resources = append(s.Resources, addr.String())
		}
		slices.Sort(s.Resources)
		for name, p := range m.RequiredProviders {
			s.Required[name] = p.String()
		}
		s.Providers = slices.Sorted(maps.Keys(m.ProviderConfigs))
		s.Variables = slices.Sorted(maps.Keys(m.Variables))
		s.Locals = slices.Sorted(maps.Keys(m.Locals))
		s.Outputs = slices.Sorted(maps.Keys(m.Outputs))
		s.Calls = slices.Sorted(maps.Keys(m.ModuleCalls))
		return s
	}
	want := shape{
		Resources: []string{"data.null_data.b", "ephemeral.terraform_x.e", "posix_file.a"},
		Providers: []string{"posix", "posix.far"},
		Variables: []string{"path"}, Locals: []string{"one"}, Outputs: []string{"o"}, Calls: []string{"child"},
		Required: map[string]string{
			"posix":     "registry.opentofu.org/posixform/posix",
			"other":     "example.com/acme/other",
			"null":      "registry.opentofu.org/hashicorp/null",
			"terraform": "terraform.io/builtin/terraform",
		},
	}
	if diff := cmp.Diff(want, shapeOf(c.Module)); diff != "" {
		t.Errorf("root module (-want +got):\n%s", diff)
	}
	want = shape{
		Resources: []string{"posix_file.in"}, Variables: []string{"name"}, Outputs: []string{"o"},
		Required: map[string]string{"posix": "registry.opentofu.org/posixform/posix"},
	}
	if diff := cmp.Diff(want, shapeOf(c.Descendant(addrs.Module{"child"}).Module)); diff != "" {
		t.Errorf("child module (-want +got):\n%s", diff)
	}
	if got, want := c.Module.Variables["path"].Default, cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("x"), "b": cty.NumberIntVal(3)}); !got.RawEquals(want) {
		t.Errorf("the default of the variable path is %#v, want %#v", got, want)
	}
}

// TestModuleCycle checks that a module that calls itself through another module is reported at its
// first repetition.
func TestModuleCycle(t *testing.T) {
	t.Parallel()
	c, diags := configs.Load(files(map[string]string{
		"main.tf":   `module "a" { source = "./a" }`,
		"a/main.tf": `module "b" { source = "../" }`,
	}), ".", configs.Options{})
	if len(diags) != 1 || diags[0].Summary != "Module calls itself" || c.Descendant(addrs.Module{"a", "b", "a"}) != nil {
		t.Errorf("the messages are %v, and module.a.module.b.module.a is %v, want an error about a module that calls itself, and nil", diags, c.Descendant(addrs.Module{"a", "b", "a"}))
	}
}

// TestModuleDepth checks that the depth of the tree of modules is limited: in the root directory of a file
// system, which is its own parent, a call of the parent directory is a cycle with a new path each time.
func TestModuleDepth(t *testing.T) {
	t.Parallel()
	_, diags := configs.Load(rootDirectory{}, ".", configs.Options{})
	if len(diags) != 1 || diags[0].Summary != "Modules nested too deeply" {
		t.Errorf("the messages are %v, want an error about modules that are nested too deeply", diags)
	}
}

// rootDirectory is a Source in which every directory has a module that calls its parent
// directory.
type rootDirectory struct{}

func (rootDirectory) List(string) ([]string, error) { return []string{"main.tf"}, nil }

func (rootDirectory) Read(string) ([]byte, error) {
	return []byte(`module "up" { source = "../" }`), nil
}

func TestConfigFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		names               []string
		openTofu, terraform []string
	}{
		"endings": {
			names:     []string{"a.tf", "b.tofu", "c.tf.json", "d.tofu.json", "e.txt", "f.tfvars", "g.tfquery.hcl", "h.json"},
			openTofu:  []string{"a.tf", "b.tofu", "c.tf.json", "d.tofu.json"},
			terraform: []string{"a.tf", "c.tf.json"},
		},
		"tofu is preferred": {
			names:     []string{"a.tf", "a.tofu", "b.tf.json", "b.tofu.json", "c.tf", "c.tofu.json"},
			openTofu:  []string{"a.tofu", "b.tofu.json", "c.tf", "c.tofu.json"},
			terraform: []string{"a.tf", "b.tf.json", "c.tf"},
		},
		"files of editors": {
			names:     []string{".a.tf", "a.tf~", "#a.tf#", ".#a.tf", "sub/a.tf", "b.tf"},
			openTofu:  []string{"b.tf"},
			terraform: []string{"b.tf"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := configs.Files{}
			for _, name := range tt.names {
				source[name] = []byte("")
				if strings.HasSuffix(name, ".json") {
					source[name] = []byte("{}")
				}
			}
			for _, flavor := range []struct {
				opts configs.Options
				want []string
			}{{configs.Options{}, tt.openTofu}, {configs.Options{Terraform: true}, tt.terraform}} {
				c, diags := configs.Load(source, ".", flavor.opts)
				if diags.HasErrors() {
					t.Error(diags)
				}
				if diff := cmp.Diff(flavor.want, slices.Sorted(maps.Keys(c.Files))); diff != "" {
					t.Errorf("%+v (-want +got):\n%s", flavor.opts, diff)
				}
			}
		})
	}
}

// TestSources checks that a tree of modules can be loaded from memory and from disk, with
// different forms of the path to its root.
func TestSources(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"root/main.tf":      `module "m" { source = "../modules/m" }`,
		"modules/m/main.tf": "locals {\na = 1\n}",
	}
	base := t.TempDir()
	for name, content := range contents {
		name = filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(base, "root", "directory.tf"), 0o700); err != nil { // not a file
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		source configs.Source
		dir    string
	}{
		"in memory":                 {source: files(contents), dir: "root"},
		"in memory, unclean names":  {source: configs.Files{"./root/main.tf": []byte(contents["root/main.tf"]), "modules//m/main.tf": []byte(contents["modules/m/main.tf"])}, dir: "./root/"},
		"on disk":                   {source: configs.Directory(base), dir: "root"},
		"on disk, module outside":   {source: configs.Directory(filepath.Join(base, "root")), dir: "."},
		"on disk, by absolute path": {source: configs.Directory("elsewhere"), dir: filepath.ToSlash(filepath.Join(base, "root"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, diags := configs.Load(tt.source, tt.dir, configs.Options{})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if c.Children["m"].Module.Locals["a"] == nil {
				t.Error("the child module was not loaded")
			}
		})
	}
}

// TestAbsoluteModule checks that the source of a module may be an absolute path outside of the
// directory of its caller, and that this module may call a module in a sibling directory.
func TestAbsoluteModule(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for name, content := range map[string]string{"m/main.tf": `module "n" { source = "../n" }`, "n/main.tf": "locals {\na = 1\n}"} {
		name = filepath.Join(base, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	main := fmt.Sprintf("module \"m\" {\n  source = %q\n}\n", filepath.ToSlash(filepath.Join(base, "m")))
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	c, diags := configs.Load(configs.Directory(dir), ".", configs.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if c.Children["m"].Children["n"].Module.Locals["a"] == nil {
		t.Error("the nested module was not loaded")
	}
}

// TestRequiredVersionOpenTofu checks that OpenTofu evaluates required_version in files
// with the suffix .tofu.
func TestRequiredVersionOpenTofu(t *testing.T) {
	t.Parallel()
	source := configs.Files{"main.tofu": []byte(`terraform { required_version = ">= 99" }`)}
	_, diags := configs.Load(source, ".", configs.Options{Version: "1.12.6"})
	if len(diags) != 1 || diags[0].Summary != "Incompatible module" {
		t.Errorf("the messages are %v, want an error about the incompatible module", diags)
	}
}

// TestDirectoryWithoutFiles checks that a directory with only subdirectories exists.
func TestDirectoryWithoutFiles(t *testing.T) {
	t.Parallel()
	if names, err := (configs.Files{"modules/m/main.tf": nil}).List("modules"); err != nil || len(names) != 0 {
		t.Errorf("List returned the files %v and the error %v, want no files and no error", names, err)
	}
}

func TestMissingDirectory(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]configs.Source{"in memory": configs.Files{}, "on disk": configs.Directory(t.TempDir())} {
		if _, err := source.List("gone"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: List returned the error %v, want fs.ErrNotExist", name, err)
		}
		if _, err := source.Read("gone.tf"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Read returned the error %v, want fs.ErrNotExist", name, err)
		}
		c, diags := configs.Load(source, "gone", configs.Options{})
		if !diags.HasErrors() || c == nil || c.Module == nil {
			t.Errorf("%s: Load returned a module: %t, and the messages %v, want a module and an error", name, c != nil && c.Module != nil, diags)
		}
	}
}

// step is the configuration of a typical step of an acceptance test.
const step = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}

variable "content" {
  type    = string
  default = "hello"
}

resource "posix_file" "test" {
  path    = "/tmp/x"
  content = var.content
  mode    = "0644"
}

output "sha256" {
  value = posix_file.test.sha256
}
`

func BenchmarkLoad(b *testing.B) {
	for name, source := range map[string]configs.Files{
		"step":   {"main.tf": []byte(step)},
		"module": {"main.tf": []byte(step + "module \"m\" {\nsource = \"./m\"\n}\n"), "m/main.tf": []byte(step)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := configs.Load(source, ".", configs.Options{}); diags.HasErrors() {
					b.Fatal(diags)
				}
			}
		})
	}
}
