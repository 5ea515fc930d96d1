package configs_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// files gives names to contents, as tests write them.
func files(contents map[string]string) configs.Files {
	out := configs.Files{}
	for name, content := range contents {
		out[name] = []byte(content)
	}
	return out
}

// load loads files that have no errors.
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
		t.Errorf("root (-want +got):\n%s", diff)
	}
	want = shape{
		Resources: []string{"posix_file.in"}, Variables: []string{"name"}, Outputs: []string{"o"},
		Required: map[string]string{"posix": "registry.opentofu.org/posixform/posix"},
	}
	if diff := cmp.Diff(want, shapeOf(c.Descendant(addrs.Module{"child"}).Module)); diff != "" {
		t.Errorf("child (-want +got):\n%s", diff)
	}
	if got, want := c.Module.Variables["path"].Default, cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("x"), "b": cty.NumberIntVal(3)}); !got.RawEquals(want) {
		t.Errorf("default is %#v, want %#v", got, want)
	}
}

// A folder that calls itself is found at its first repetition.
func TestCycleIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	c, diags := configs.Load(files(map[string]string{
		"main.tf":   `module "a" { source = "./a" }`,
		"a/main.tf": `module "b" { source = "../" }`,
	}), ".", configs.Options{})
	if len(diags) != 1 || c.Descendant(addrs.Module{"a", "b", "a"}) != nil {
		t.Errorf("messages are %v", diags)
	}
}

// Above a file system's root is the root, so that no folder seems to repeat.
func TestCycleOfParents(t *testing.T) {
	t.Parallel()
	_, diags := configs.Load(above{}, ".", configs.Options{})
	if len(diags) != 1 || diags[0].Summary != "Module calls itself" {
		t.Errorf("messages are %v", diags)
	}
}

// above is a folder that calls the one above it, which is the same.
type above struct{}

func (above) List(string) ([]string, error) { return []string{"main.tf"}, nil }

func (above) Read(string) ([]byte, error) { return []byte(`module "up" { source = "../" }`), nil }
