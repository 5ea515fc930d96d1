package configs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// describe returns the content of a module as sorted lines, independently of its syntax.
func describe(m *configs.Module) []string {
	var out []string
	line := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for name, p := range m.RequiredProviders {
		line("requires %s = %s", name, p)
	}
	for _, ref := range m.Aliases {
		line("takes %s", ref)
	}
	for name, body := range m.ProviderMetas {
		line("provider_meta %s %s", name, attributes(body))
	}
	for key, p := range m.ProviderConfigs {
		line("provider %s = %s %s %s", key, p.Name, p.Alias, attributes(p.Config))
	}
	for name, v := range m.Variables {
		line("variable %s %s type=%#v default=%#v sensitive=%t ephemeral=%t nullable=%t%s", name, v.Description, v.Type, v.Default, v.Sensitive, v.Ephemeral, v.Nullable, rules("validation", v.Validations))
	}
	for name, l := range m.Locals {
		line("local %s = %s", name, uses(l.Expr))
	}
	for name, o := range m.Outputs {
		line("output %s %s = %s sensitive=%t ephemeral=%t after=%s%s", name, o.Description, uses(o.Expr), o.Sensitive, o.Ephemeral, traversals(o.DependsOn), rules("precondition", o.Preconditions))
	}
	for name, c := range m.ModuleCalls {
		line("module %s from %s %v count=%s for_each=%s after=%s passes=%v", name, c.Source, slices.Sorted(maps.Keys(c.Arguments)), uses(c.Count), uses(c.ForEach), traversals(c.DependsOn), c.Providers)
	}
	for addr, r := range m.Resources {
		line("%s %s count=%s for_each=%s provider=%s after=%s check=%q%s%s", addr, attributes(r.Config), uses(r.Count), uses(r.ForEach), r.ProviderConfigRef, traversals(r.DependsOn), r.InCheck,
			rules("precondition", r.Preconditions), rules("postcondition", r.Postconditions))
		line("%s cbd=%t prevent=%t ignore=%s,%t triggers=%s", addr, r.Managed.CreateBeforeDestroy, r.Managed.PreventDestroy != nil,
			traversals(r.Managed.IgnoreChanges), r.Managed.IgnoreAllChanges, uses(r.Managed.ReplaceTriggeredBy...))
	}
	for name, c := range m.Checks {
		line("check %s %v%s", name, c.DataResource != nil && m.Resources[c.DataResource.Addr] == c.DataResource, rules("assert", c.Asserts))
	}
	for _, i := range m.Imports {
		line("import %s id=%s identity=%s for_each=%s provider=%v", i.Target, uses(i.ID), uses(i.Identity), uses(i.ForEach), i.ProviderConfigRef)
	}
	for _, x := range m.Moved {
		line("moved %s = %s to %s = %s", traversals([]hcl.Traversal{x.From}), x.FromAddr, traversals([]hcl.Traversal{x.To}), x.ToAddr)
	}
	for _, x := range m.Removed {
		line("removed %s = %s destroy=%t", traversals([]hcl.Traversal{x.From}), x.FromAddr, x.Destroy)
	}
	slices.Sort(out)
	return out
}

// attributes returns the sorted names of a body's attributes.
func attributes(body hcl.Body) string {
	attrs, _ := body.JustAttributes()
	return fmt.Sprint(slices.Sorted(maps.Keys(attrs)))
}

func rules(what string, rules []*configs.CheckRule) string {
	var b strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&b, " %s(%s, %s)", what, uses(r.Condition), uses(r.ErrorMessage))
	}
	return b.String()
}

// uses returns the values of constants and the references of other expressions.
func uses(exprs ...hcl.Expression) string {
	var out []string
	for _, expr := range exprs {
		if expr == nil {
			continue
		}
		if value, diags := expr.Value(nil); !diags.HasErrors() && len(expr.Variables()) == 0 {
			out = append(out, fmt.Sprintf("%#v", value))
			continue
		}
		out = append(out, traversals(expr.Variables()))
	}
	return strings.Join(out, " ")
}

func traversals(all []hcl.Traversal) string {
	var out []string
	for _, traversal := range all {
		var b strings.Builder
		for _, step := range traversal {
			switch step := step.(type) {
			case hcl.TraverseRoot:
				b.WriteString(step.Name)
			case hcl.TraverseAttr:
				b.WriteString("." + step.Name)
			case hcl.TraverseIndex:
				key, _ := addrs.ParseKey(step.Key)
				b.WriteString(addrs.KeyString(key))
			}
		}
		out = append(out, b.String())
	}
	return "[" + strings.Join(out, " ") + "]"
}

// written has configurations in native syntax and in JSON, with the result of describe.
var written = map[string]struct {
	native, json string
	want         string
}{
	"terraform": {
		native: `terraform {
			required_version = ">= 1.5"
			required_providers {
				a = { source = "Acme/A", version = "~> 1.0", configuration_aliases = [a.x, a.y] }
				b = "1.0"
			}
			backend "local" {}
			provider_meta "a" { k = 1 }
		}`,
		json: `{"terraform": {
			"required_version": ">= 1.5",
			"required_providers": {"a": {"source": "Acme/A", "version": "~> 1.0", "configuration_aliases": ["a.x", "a.y"]}, "b": "1.0"},
			"backend": {"local": {}},
			"provider_meta": {"a": {"k": 1}}
		}}`,
		want: `
			provider_meta a [k]
			requires a = registry.opentofu.org/acme/a
			requires b = registry.opentofu.org/hashicorp/b
			takes a.x
			takes a.y`,
	},
	"providers": {
		native: `
			provider "a" {
				k = 1
				_ {
					alias = 2
				}
			}
			provider "a" { alias = "x" }`,
		json: `{"provider": {"a": [{"k": 1, "_": {"alias": 2}}, {"alias": "x"}]}}`,
		want: `
			provider a = a  [alias k]
			provider a.x = a x []
			requires a = registry.opentofu.org/hashicorp/a`,
	},
	"values": {
		native: `
			variable "a" {}
			variable "b" {
				description = "B"
				type        = list(string)
				default     = [1]
				sensitive   = true
				ephemeral   = true
				nullable    = false
				validation {
					condition     = var.b != var.a
					error_message = "no"
				}
			}
			locals { l = var.a }
			output "o" {
				description = "O"
				value       = local.l
				sensitive   = true
				depends_on  = [x_y.z]
				precondition {
					condition     = var.a
					error_message = "no"
				}
			}`,
		json: `{
			"variable": {"a": {}, "b": {"description": "B", "type": "list(string)", "default": [1], "sensitive": true, "ephemeral": true, "nullable": false,
				"validation": {"condition": "${var.b != var.a}", "error_message": "no"}}},
			"locals": {"l": "${var.a}"},
			"output": {"o": {"description": "O", "value": "${local.l}", "sensitive": true, "depends_on": ["x_y.z"],
				"precondition": {"condition": "${var.a}", "error_message": "no"}}}
		}`,
		want: `
			local l = [var.a]
			output o O = [local.l] sensitive=true ephemeral=false after=[x_y.z] precondition([var.a], cty.StringVal("no"))
			variable a  type=cty.DynamicPseudoType default=cty.NilVal sensitive=false ephemeral=false nullable=true
			variable b B type=cty.List(cty.String) default=cty.ListVal([]cty.Value{cty.StringVal("1")}) sensitive=true ephemeral=true nullable=false validation([var.b var.a], cty.StringVal("no"))`,
	},
	"resources": {
		native: `
			resource "x_y" "a" {
				count      = var.n
				provider   = other.west
				depends_on = [data.x_y.b, x_y.c["k"]]
				own        = 1
				_ {
					count = 2
				}
				lifecycle {
					create_before_destroy = false
					prevent_destroy       = true
					ignore_changes        = [own, tags["k"], list[0].z]
					replace_triggered_by  = [x_y.c, x_y.d[count.index].id]
					precondition {
						condition     = var.n > 0
						error_message = "no"
					}
					postcondition {
						condition     = self.own == 1
						error_message = "no"
					}
				}
			}
			data "x_y" "b" { for_each = var.m }
			ephemeral "x_y" "e" {}
			resource "x_y" "all" {
				lifecycle { ignore_changes = all }
			}
			check "c" {
				data "x_y" "scoped" { k = 1 }
				assert {
					condition     = data.x_y.scoped.ok
					error_message = "no"
				}
			}`,
		json: `{
			"//": "a comment",
			"resource": {"x_y": {
				"a": {"count": "${var.n}", "provider": "other.west", "depends_on": ["data.x_y.b", "x_y.c[\"k\"]"], "own": 1, "_": {"count": 2},
					"lifecycle": {"create_before_destroy": false, "prevent_destroy": true, "ignore_changes": ["own", "tags[\"k\"]", "list[0].z"],
						"replace_triggered_by": ["x_y.c", "x_y.d[count.index].id"],
						"precondition": {"condition": "${var.n > 0}", "error_message": "no"},
						"postcondition": {"condition": "${self.own == 1}", "error_message": "no"}}},
				"all": {"lifecycle": {"ignore_changes": "all"}}}},
			"data": {"x_y": {"b": {"for_each": "${var.m}"}}},
			"ephemeral": {"x_y": {"e": {}}},
			"check": {"c": {"data": {"x_y": {"scoped": {"k": 1}}}, "assert": {"condition": "${data.x_y.scoped.ok}", "error_message": "no"}}}
		}`,
		want: `
			check c true assert([data.x_y.scoped.ok], cty.StringVal("no"))
			data.x_y.b [] count= for_each=[var.m] provider=x after=[] check=""
			data.x_y.b cbd=false prevent=false ignore=[],false triggers=
			data.x_y.scoped [k] count= for_each= provider=x after=[] check="c"
			data.x_y.scoped cbd=false prevent=false ignore=[],false triggers=
			ephemeral.x_y.e [] count= for_each= provider=x after=[] check=""
			ephemeral.x_y.e cbd=false prevent=false ignore=[],false triggers=
			requires other = registry.opentofu.org/hashicorp/other
			requires x = registry.opentofu.org/hashicorp/x
			x_y.a [count own] count=[var.n] for_each= provider=other.west after=[data.x_y.b x_y.c["k"]] check="" precondition([var.n], cty.StringVal("no")) postcondition([self.own], cty.StringVal("no"))
			x_y.a cbd=false prevent=true ignore=[.own .tags["k"] .list[0].z],false triggers=[x_y.c] [x_y.d count.index]
			x_y.all [] count= for_each= provider=x after=[] check=""
			x_y.all cbd=false prevent=false ignore=[],true triggers=`,
	},
	"refactorings": {
		native: `
			import {
				to       = x_y.a[each.key]
				id       = each.value
				for_each = var.m
				provider = x.east
			}
			import {
				to       = module.a[0].x_y.b
				identity = { id = 1 }
			}
			moved {
				from = x_y.a
				to   = module.m["k"].x_y.a[0]
			}
			moved {
				from = module.m
				to   = module.n[1]
			}
			removed { from = module.m.x_y.a }
			removed {
				from = x_y.r
				lifecycle { destroy = true }
			}`,
		json: `{
			"import": [{"to": "x_y.a[each.key]", "id": "${each.value}", "for_each": "${var.m}", "provider": "x.east"},
				{"to": "module.a[0].x_y.b", "identity": {"id": 1}}],
			"moved": [{"from": "x_y.a", "to": "module.m[\"k\"].x_y.a[0]"}, {"from": "module.m", "to": "module.n[1]"}],
			"removed": [{"from": "module.m.x_y.a"}, {"from": "x_y.r", "lifecycle": {"destroy": true}}]
		}`,
		want: `
			import module.a.x_y.b id= identity=cty.ObjectVal(map[string]cty.Value{"id":cty.NumberIntVal(1)}) for_each= provider=<nil>
			import x_y.a id=[each.value] identity= for_each=[var.m] provider=x.east
			moved [module.m] = module.m to [module.n[1]] = module.n[1]
			moved [x_y.a] = x_y.a to [module.m["k"].x_y.a[0]] = module.m["k"].x_y.a[0]
			removed [module.m.x_y.a] = module.m.x_y.a destroy=false
			removed [x_y.r] = x_y.r destroy=true
			requires x = registry.opentofu.org/hashicorp/x`,
	},
	"modules": {
		native: `module "m" {
			source     = "./m"
			for_each   = var.m
			depends_on = [x_y.z]
			providers  = { x = x.west, x.a = x }
			v          = 1
		}`,
		json: `{"module": {"m": {"source": "./m", "for_each": "${var.m}", "depends_on": ["x_y.z"], "providers": {"x": "x.west", "x.a": "x"}, "v": 1}}}`,
		want: `module m from m [v] count= for_each=[var.m] after=[x_y.z] passes=map[x:x.west x.a:x]`,
	},
}

// child is the module that is called by the module blocks in written.
const child = `
	terraform {
		required_providers {
			x = { source = "hashicorp/x", configuration_aliases = [x.a] }
		}
	}
	variable "v" {}
	variable "w" { default = 1 }`

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range written {
		var want []string
		for line := range strings.Lines(tt.want) {
			if line = strings.TrimSpace(line); line != "" {
				want = append(want, line)
			}
		}
		for file, content := range map[string]string{"main.tf": tt.native, "main.tf.json": tt.json} {
			t.Run(name+" "+file, func(t *testing.T) {
				t.Parallel()
				c := load(t, map[string]string{file: content, "m/main.tf": child})
				if diff := cmp.Diff(want, describe(c.Module)); diff != "" {
					t.Errorf("module (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestImportAddressIsEvaluated(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"main.tf": `import {
		to = module.a[var.m].module.b.x_y.z[each.key]
		id = 1
	}`})
	i := c.Module.Imports[0]
	if got, want := i.Target.String(), "module.a.module.b.x_y.z"; got != want {
		t.Errorf("the target is %s, want %s", got, want)
	}
	for name, tt := range map[string]struct {
		m, key cty.Value
		want   string
	}{
		"keys":      {m: cty.NumberIntVal(2), key: cty.StringVal("k"), want: `module.a[2].module.b.x_y.z["k"]`},
		"unknown":   {m: cty.UnknownVal(cty.Number), key: cty.StringVal("k")},
		"sensitive": {m: cty.NumberIntVal(2), key: cty.StringVal("k").Mark("sensitive")},
		"a list":    {m: cty.NumberIntVal(2), key: cty.EmptyTupleVal},
		"missing":   {m: cty.NumberIntVal(2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each := cty.EmptyObjectVal
			if tt.key != cty.NilVal {
				each = cty.ObjectVal(map[string]cty.Value{"key": tt.key})
			}
			ctx := &hcl.EvalContext{Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{"m": tt.m}), "each": each}}
			got, diags := i.Address(func(expr hcl.Expression) (cty.Value, hcl.Diagnostics) { return expr.Value(ctx) })
			switch {
			case tt.want == "" && !diags.HasErrors():
				t.Errorf("the address is %s, want an error", got)
			case tt.want != "" && (diags.HasErrors() || got.String() != tt.want):
				t.Errorf("the address is %s, want %s (%v)", got, tt.want, diags)
			}
		})
	}
}

func TestImportAddressIsRefused(t *testing.T) {
	t.Parallel()
	c, _ := configs.Load(configs.Files{"main.tf": []byte("import {\nto = 1\nid = 1\n}")}, ".", configs.Options{})
	if got, diags := c.Module.Imports[0].Address(nil); !diags.HasErrors() {
		t.Errorf("the address is %s, want an error", got)
	}
}

// TestQuotedReferencesHaveRanges checks that the source range of a quoted reference is the text between
// the quotes.
func TestQuotedReferencesHaveRanges(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"main.tf": "resource \"x_y\" \"a\" {\n  depends_on = [\"x_y.b\"]\n}"})
	if len(c.Module.Resources) != 1 {
		t.Fatalf("%d resources, want 1", len(c.Module.Resources))
	}
	for _, r := range c.Module.Resources {
		if got, want := r.DependsOn[0].SourceRange().String(), "main.tf:2,18-23"; got != want {
			t.Errorf("the reference is at %s, want %s", got, want)
		}
	}
}

func TestVariableConvert(t *testing.T) {
	t.Parallel()
	v := load(t, map[string]string{"main.tf": `variable "v" { type = object({ a = string, b = optional(list(object({ c = optional(number, 3) })), [{}]) }) }`}).Module.Variables["v"]
	got, err := v.Convert(cty.ObjectVal(map[string]cty.Value{"a": cty.True}))
	want := cty.ObjectVal(map[string]cty.Value{
		"a": cty.StringVal("true"),
		"b": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"c": cty.NumberIntVal(3)})}),
	})
	if err != nil || !got.RawEquals(want) {
		t.Errorf("the value is %#v (%v), want %#v", got, err, want)
	}
	if got, err := v.Convert(cty.StringVal("x")); err == nil {
		t.Errorf("the value is %#v, want an error", got)
	}
}

// TestEnabled checks the enabled arguments of lifecycle blocks in native syntax and in JSON.
func TestEnabled(t *testing.T) {
	t.Parallel()
	for file, content := range map[string]string{
		"main.tf": `
			resource "x_y" "a" {
				lifecycle { enabled = var.x }
			}
			data "x_y" "b" {
				lifecycle { enabled = false }
			}
			ephemeral "x_y" "c" {
				lifecycle { enabled = var.y }
			}
			resource "x_y" "d" {}
			module "m" {
				source = "./m"
				v      = 1
				lifecycle { enabled = var.z }
			}`,
		"main.tf.json": `{
			"resource": {"x_y": {"a": {"lifecycle": {"enabled": "${var.x}"}}, "d": {}}},
			"data": {"x_y": {"b": {"lifecycle": {"enabled": false}}}},
			"ephemeral": {"x_y": {"c": {"lifecycle": {"enabled": "${var.y}"}}}},
			"module": {"m": {"source": "./m", "v": 1, "lifecycle": {"enabled": "${var.z}"}}}
		}`,
	} {
		c := load(t, map[string]string{file: content, "m/main.tf": `variable "v" {}`})
		got := map[string]string{"module.m": uses(c.Module.ModuleCalls["m"].Enabled)}
		for addr, r := range c.Module.Resources {
			got[addr.String()] = uses(r.Enabled)
		}
		want := map[string]string{"x_y.a": "[var.x]", "data.x_y.b": "cty.False", "ephemeral.x_y.c": "[var.y]", "x_y.d": "", "module.m": "[var.z]"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestFlavorsDiffer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config string
		opts   configs.Options
		want   string // a summary, or ""
	}{
		"removed":         {config: `removed { from = x_y.z }`, opts: configs.Options{Terraform: true}},
		"enabled":         {config: `resource "x_y" "z" {` + "\n" + `lifecycle { enabled = true }` + "\n}", opts: configs.Options{Terraform: true}, want: "Unsupported argument"},
		"prevent_destroy": {config: `resource "x_y" "z" {` + "\n" + `lifecycle { prevent_destroy = var.x }` + "\n}", opts: configs.Options{Terraform: true}, want: "Variables not allowed"},
		"action":          {config: `action "x_y" "z" {}`, want: "Unsupported block type"},
		"enabled of a module": {
			config: "module \"m\" {\n  source = \"./m\"\n  lifecycle {\n    enabled = true\n  }\n}", opts: configs.Options{Terraform: true}, want: "Reserved block type name in module block",
		},
		"a key of an action": {
			config: "variable \"k\" {}\naction \"x_y\" \"z\" {}\nresource \"x_y\" \"z\" {\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.x_y.z[var.k]]\n    }\n  }\n}\n",
			opts:   configs.Options{Terraform: true}, want: "Not supported by the in-process engine",
		},
		"language":                                     {config: `language {}`, opts: configs.Options{Terraform: true}, want: "Unsupported block type"},
		"experiments":                                  {config: `terraform { experiments = [x] }`, opts: configs.Options{Terraform: true}, want: "Not supported by the in-process engine"},
		"deprecated variable without message":          {config: "variable \"v\" {\ndeprecated = \" \"\n}", want: "Invalid `deprecated` value"},
		"deprecated output without message":            {config: "output \"o\" {\nvalue = 1\ndeprecated = \"\"\n}", want: "Invalid `deprecated` attribute"},
		"const variable":                               {config: `variable "v" { const = true }`},
		"const variable of Terraform":                  {config: `variable "v" { const = true }`, opts: configs.Options{Terraform: true}, want: "Unsupported argument"},
		"experiments of OpenTofu":                      {config: `terraform { experiments = [x] }`},
		"required_version met":                         {config: `terraform { required_version = ">= 1.5, < 2" }`, opts: configs.Options{Terraform: true, Version: "1.14.0"}},
		"required_version not met":                     {config: `terraform { required_version = "~> 1.5.0" }`, opts: configs.Options{Terraform: true, Version: "1.14.0"}, want: "Unsupported Terraform Core version"},
		"required_version not checked":                 {config: `terraform { required_version = "~> 1.5.0" }`, opts: configs.Options{Terraform: true}},
		"required_version below":                       {config: `terraform { required_version = "< 1.14" }`, opts: configs.Options{Terraform: true, Version: "1.14.0"}, want: "Unsupported Terraform Core version"},
		"required_version older":                       {config: `terraform { required_version = "~> 1.5" }`, opts: configs.Options{Terraform: true, Version: "1.4"}, want: "Unsupported Terraform Core version"},
		"required_version allows later minor versions": {config: `terraform { required_version = "~> 1.5" }`, opts: configs.Options{Terraform: true, Version: "1.14"}},
		"required_version of a major version":          {config: `terraform { required_version = "~> 1" }`, opts: configs.Options{Terraform: true, Version: "2.1"}},
		"required_version excluded":                    {config: `terraform { required_version = "!= 1.14, > 1.0" }`, opts: configs.Options{Terraform: true, Version: "1.14.0-rc1"}, want: "Unsupported Terraform Core version"},
		"required_version above":                       {config: `terraform { required_version = "> 1.14" }`, opts: configs.Options{Terraform: true, Version: "1.14.0"}, want: "Unsupported Terraform Core version"},
		"provider key":                                 {config: `resource "x_y" "z" { provider = x.a["k"] }`, opts: configs.Options{Terraform: true}, want: "Invalid provider configuration reference"},
		"required_version exact":                       {config: `terraform { required_version = "<= 1.14, 1.14.0" }`, opts: configs.Options{Terraform: true, Version: "1.14"}},
		"required_version bad":                         {config: `terraform { required_version = "x" }`, opts: configs.Options{Terraform: true}, want: "Invalid version constraint"},
		"required_version of OpenTofu":                 {config: `terraform { required_version = "99" }`, opts: configs.Options{Version: "1.12.6"}},
		"ephemeral output":                             {config: "output \"o\" {\nvalue = 1\nephemeral = true\n}", opts: configs.Options{Terraform: true}, want: "Ephemeral output not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, diags := configs.Load(configs.Files{"main.tf": []byte(tt.config)}, ".", tt.opts)
			got := ""
			if len(diags) > 0 {
				got = diags[0].Summary
			}
			if got != tt.want {
				t.Errorf("the summary is %q, want %q", got, tt.want)
			}
			if name == "removed" && !c.Module.Removed[0].Destroy {
				t.Error("with Terraform, a removed block without lifecycle forgets its objects, want them destroyed")
			}
		})
	}
}

func TestDefaultProvider(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts configs.Options
		want string
	}{
		"OpenTofu":   {want: "registry.opentofu.org/hashicorp/x"},
		"Terraform":  {opts: configs.Options{Terraform: true}, want: "registry.terraform.io/hashicorp/x"},
		"configured": {opts: configs.Options{Hostname: "example.com", Namespace: "acme"}, want: "example.com/acme/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, config := range []string{`resource "x_y" "z" {}`, `provider "x" {}`, "terraform {\nrequired_providers {\nx = { source = \"x\" }\n}\n}"} {
				c, diags := configs.Load(configs.Files{"main.tf": []byte(config)}, ".", tt.opts)
				if got := c.Module.RequiredProviders["x"].String(); got != tt.want || diags.HasErrors() {
					t.Errorf("%s: the provider is %s, want %s (%v)", config, got, tt.want, diags)
				}
				if got := c.ProviderFor("terraform"); got != addrs.BuiltIn {
					t.Errorf("the provider terraform is %s, want the built-in one", got)
				}
			}
		})
	}
}
