package configs_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// FuzzLoad checks that Load never panics, and that a configuration without errors is
// complete.
func FuzzLoad(f *testing.F) {
	for _, tt := range written {
		f.Add([]byte(tt.native), false)
		f.Add([]byte(tt.json), true)
	}
	for line := range strings.SplitSeq(step, "\n\n") {
		f.Add([]byte(line), false)
	}
	f.Add([]byte("resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy ="), false)
	f.Fuzz(func(t *testing.T, content []byte, isJSON bool) {
		name := "main.tf"
		if isJSON {
			name += ".json"
		}
		for _, opts := range []configs.Options{{}, {Terraform: true, Version: "1.14"}} {
			source := configs.Files{name: content, "m/main.tf": []byte(child)}
			c, diags := configs.Load(source, ".", opts)
			if c.Module == nil {
				t.Fatal("the Config has no module")
			}
			if !diags.HasErrors() {
				whole(t, c)
			}
		}
	})
}

func whole(t *testing.T, c *configs.Config) {
	t.Helper()
	describe(c.Module)
	m := c.Module
	for addr, r := range m.Resources {
		if r.Addr != addr || r.Config == nil || r.ProviderConfigRef.LocalName == "" && addr.Type[0] != '_' {
			t.Errorf("resource %s is %+v, want the same address, a body and a provider", addr, r)
		}
		c.ResolveProvider(r.ProviderConfigRef)
	}
	for name, v := range m.Variables {
		if v.Type == cty.NilType {
			t.Errorf("variable %s has no type", name)
		}
	}
	for name, o := range m.Outputs {
		if o.Expr == nil {
			t.Errorf("output %s has no value", name)
		}
	}
	for _, i := range m.Imports {
		if i.To == nil || (i.ID == nil) == (i.Identity == nil) || i.Target.Resource == (addrs.Resource{}) {
			t.Errorf("the import is %+v, want an address, and an ID or an identity", i)
		}
		_, _ = i.Address(func(hcl.Expression) (cty.Value, hcl.Diagnostics) { return cty.StringVal("k"), nil })
	}
	for name, call := range m.ModuleCalls {
		if c.Children[name] == nil || call.Config == nil {
			t.Errorf("the call of module %s is %+v, want a body and a loaded module", name, call)
		}
	}
}
