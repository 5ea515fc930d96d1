package configs_test

import (
	"fmt"
	"testing"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// tree has a root module, a child with another local name for the same provider, and a
// grandchild that inherits.
var tree = map[string]string{
	"main.tf": `
		terraform {
			required_providers {
				x = { source = "acme/x" }
				y = { source = "acme/y" }
			}
		}
		provider "x" {}
		provider "x" {
			alias = "west"
			k     = 1
		}
		module "m" {
			source    = "./m"
			providers = { other = x.west, other.b = x }
		}
		module "own" { source = "./own" }
		module "placeholder" {
			source    = "./placeholder"
			providers = { x = x.west }
		}
		module "inherits" { source = "./placeholder" }`,
	"m/main.tf": `
		terraform {
			required_providers {
				other = { source = "acme/x", configuration_aliases = [other.b] }
			}
		}
		module "n" { source = "../n" }`,
	"n/main.tf": `
		terraform {
			required_providers {
				third = { source = "acme/x" }
			}
		}`,
	"own/main.tf": `
		terraform {
			required_providers {
				x = { source = "acme/x" }
			}
		}
		provider "x" { k = 2 }`,
	"placeholder/main.tf": `
		terraform {
			required_providers {
				x = { source = "acme/x" }
			}
		}
		provider "x" {}`,
}

func TestResolveProvider(t *testing.T) {
	t.Parallel()
	root := load(t, tree)
	const x, y, z = `provider["registry.opentofu.org/acme/x"]`, `provider["registry.opentofu.org/acme/y"]`, `provider["registry.opentofu.org/hashicorp/z"]`
	for name, tt := range map[string]struct {
		module     addrs.Module
		ref, alias string
		want       string // "" if there is none
		block      bool
	}{
		"a block":                              {ref: "x", want: x, block: true},
		"a block with an alias":                {ref: "x", alias: "west", want: x + ".west", block: true},
		"an alias that is missing":             {ref: "x", alias: "east"},
		"the root's empty one":                 {ref: "y", want: y},
		"a name that nothing explains":         {ref: "z", want: z},
		"passed":                               {module: addrs.Module{"m"}, ref: "other", want: x + ".west", block: true},
		"passed to an alias":                   {module: addrs.Module{"m"}, ref: "other", alias: "b", want: x, block: true},
		"an alias that is not passed":          {module: addrs.Module{"m"}, ref: "other", alias: "c"},
		"not passed, so the root's empty one":  {module: addrs.Module{"m"}, ref: "y", want: `provider["registry.opentofu.org/hashicorp/y"]`},
		"inherited from what the caller got":   {module: addrs.Module{"m", "n"}, ref: "third", want: x + ".west", block: true},
		"aliases are not inherited":            {module: addrs.Module{"m", "n"}, ref: "third", alias: "b"},
		"a module's own":                       {module: addrs.Module{"own"}, ref: "x", want: "module.own." + x, block: true},
		"an empty block gives way":             {module: addrs.Module{"placeholder"}, ref: "x", want: x + ".west", block: true},
		"an empty block is one if none passes": {module: addrs.Module{"inherits"}, ref: "x", want: "module.inherits." + x, block: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := root.Descendant(tt.module)
			got, ok := c.ResolveProvider(addrs.LocalProviderConfig{LocalName: tt.ref, Alias: tt.alias})
			if ok != (tt.want != "") || ok && got.String() != tt.want {
				t.Fatalf("configuration is %s, %t; want %q", got, ok, tt.want)
			}
			if ok && (c.ProviderBlock(got) != nil) != tt.block {
				t.Errorf("block is %v, want one: %t", c.ProviderBlock(got), tt.block)
			}
		})
	}
	if got := root.ProviderBlock(addrs.AbsProviderConfig{Module: addrs.Module{"gone"}}); got != nil {
		t.Errorf("block of a module that is gone is %v", got)
	}
}

func TestDescendant(t *testing.T) {
	t.Parallel()
	root := load(t, tree)
	n := root.Descendant(addrs.Module{"m", "n"})
	if n == nil || n.Path.String() != "module.m.module.n" || n.Module.Dir != "n" || n.Parent.Parent != root {
		t.Errorf("module is %+v", n)
	}
	if got := root.Descendant(addrs.Module{"n"}); got != nil {
		t.Errorf("module that nothing calls is %v", got)
	}
}

func ExampleLoad() {
	config, diags := configs.Load(configs.Files{
		"main.tf": []byte(`
			resource "posix_file" "motd" {
			  path = "/etc/motd"
			}
			resource "posix_file" "motd" {}
		`),
	}, ".", configs.Options{})
	for addr, resource := range config.Module.Resources {
		provider, _ := config.ResolveProvider(resource.ProviderConfigRef)
		fmt.Println(addr, "at", resource.DeclRange, "by", provider)
	}
	fmt.Println(diags[0].Summary)
	fmt.Println(config.ProviderFor("terraform") == addrs.BuiltIn)
	// Output:
	// posix_file.motd at main.tf:2,4-32 by provider["registry.opentofu.org/hashicorp/posix"]
	// Duplicate resource "posix_file" configuration
	// true
}
