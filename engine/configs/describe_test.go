package configs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// describe writes a module in a form that does not show how it was written.
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
		line("%s cbd=%t,%t prevent=%t ignore=%s,%t triggers=%s", addr, r.Managed.CreateBeforeDestroy, r.Managed.CreateBeforeDestroys, r.Managed.PreventDestroy,
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

// attributes are the names of what a body has.
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

// uses are a constant's value and what other expressions refer to.
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
