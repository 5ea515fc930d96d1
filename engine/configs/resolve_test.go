package configs_test

import (
	"fmt"
	"testing"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// tree has a root module, a child with a different local name for the same provider, a
// grandchild that inherits, and children with a provider block.
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
		want       string // "" if the reference cannot be resolved
		block      bool
	}{
		"block in the module":                {ref: "x", want: x, block: true},
		"block with an alias":                {ref: "x", alias: "west", want: x + ".west", block: true},
		"missing alias":                      {ref: "x", alias: "east"},
		"empty configuration of the root":    {ref: "y", want: y},
		"name that is not required":          {ref: "z", want: z},
		"passed":                             {module: addrs.Module{"m"}, ref: "other", want: x + ".west", block: true},
		"passed under an alias":              {module: addrs.Module{"m"}, ref: "other", alias: "b", want: x, block: true},
		"alias that is not passed":           {module: addrs.Module{"m"}, ref: "other", alias: "c"},
		"not passed":                         {module: addrs.Module{"m"}, ref: "y", want: `provider["registry.opentofu.org/hashicorp/y"]`},
		"passed to the caller and inherited": {module: addrs.Module{"m", "n"}, ref: "third", want: x + ".west", block: true},
		"aliases are not inherited":          {module: addrs.Module{"m", "n"}, ref: "third", alias: "b"},
		"block in a child module":            {module: addrs.Module{"own"}, ref: "x", want: "module.own." + x, block: true},
		"passed in place of an empty block":  {module: addrs.Module{"placeholder"}, ref: "x", want: x + ".west", block: true},
		"empty block if none is passed":      {module: addrs.Module{"inherits"}, ref: "x", want: "module.inherits." + x, block: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := root.Descendant(tt.module)
			got, ok := c.ResolveProvider(addrs.LocalProviderConfig{LocalName: tt.ref, Alias: tt.alias})
			if ok != (tt.want != "") || ok && got.String() != tt.want {
				t.Fatalf("the provider configuration is %s (found: %t), want %q", got, ok, tt.want)
			}
			if ok && (c.ProviderBlock(got) != nil) != tt.block {
				t.Errorf("the block is %v, want a block: %t", c.ProviderBlock(got), tt.block)
			}
		})
	}
	provider := func(module, alias string) addrs.AbsProviderConfig {
		c := root.Descendant(addrs.Module{module})
		name := "x"
		if module == "m" {
			name = "other"
		}
		return addrs.AbsProviderConfig{Module: addrs.Module{module}, Provider: c.ProviderFor(name), Alias: alias}
	}
	for _, tt := range []struct {
		stored addrs.AbsProviderConfig
		want   string
	}{
		{provider("m", ""), x + ".west"},
		{provider("m", "b"), x},
		{provider("m", "c"), "module.m." + x + ".c"},
		{provider("own", ""), "module.own." + x},
		{provider("placeholder", ""), x + ".west"},
		{provider("inherits", ""), "module.inherits." + x},
		{addrs.AbsProviderConfig{Module: addrs.Module{"gone"}, Provider: provider("m", "").Provider}, "module.gone." + x},
	} {
		if got := root.ReplacedProvider(tt.stored); got.String() != tt.want {
			t.Errorf("%s is replaced by %s, want %s", tt.stored, got, tt.want)
		}
	}
	if got := root.ProviderBlock(addrs.AbsProviderConfig{Module: addrs.Module{"gone"}}); got != nil {
		t.Errorf("the block of a module that does not exist is %v, want nil", got)
	}
}

func TestDescendant(t *testing.T) {
	t.Parallel()
	root := load(t, tree)
	n := root.Descendant(addrs.Module{"m", "n"})
	if n == nil || n.Path.String() != "module.m.module.n" || n.Module.Dir != "n" || n.Parent.Parent != root {
		t.Errorf("the module is %+v, want module.m.module.n in the directory n", n)
	}
	if got := root.Descendant(addrs.Module{"n"}); got != nil {
		t.Errorf("the module that is not called is %v, want nil", got)
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
