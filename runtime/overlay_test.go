package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Vault has write-only attributes inside nested objects.
type Vault struct {
	Name  string
	Users []VaultUser          `tf:",block"`
	Admin *VaultUser           `tf:",optional"`
	Named map[string]VaultUser `tf:",optional"`

	got *Vault
}

type VaultOutput struct {
	Name  string
	Users []VaultUser `tf:",block"`
	Admin *VaultUser  `tf:",optional"`
	Count int64
}

type VaultUser struct {
	User     string
	Password string `tf:",optional,writeonly"`
}

func (*Vault) SchemaVersion() int      { return 0 }
func (*Vault) ReplaceFields() []string { return nil }

func (v *Vault) Create(context.Context, runtime.NoConfig) (*VaultOutput, error) {
	got := *v
	got.got = nil
	*v.got = got
	return &VaultOutput{Name: v.Name, Users: v.Users, Admin: v.Admin, Count: int64(len(v.Users))}, nil
}

func (v *Vault) Read(_ context.Context, _ runtime.NoConfig, prior *VaultOutput) (*VaultOutput, error) {
	return prior, nil
}

func (v *Vault) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Vault, *VaultOutput]) (*VaultOutput, error) {
	return v.Create(ctx, cfg)
}

func (*Vault) Delete(context.Context, runtime.NoConfig, *VaultOutput) error { return nil }

// TestWriteOnlyInside checks that write-only attributes of nested objects reach Create
// from the configuration, and appear in no state or plan.
func TestWriteOnlyInside(t *testing.T) {
	var got Vault
	reg := runtime.MakeResourceWith[Vault, *VaultOutput, runtime.NoConfig](func() *Vault { return &Vault{got: &got} })
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"vault": reg}}), "test_vault")
	user := func(name, password string) cty.Value {
		return cty.ObjectVal(attrs{"user": str(name), "password": str(password)})
	}
	config := d.config(attrs{
		"name": str("v"), "users": cty.ListVal([]cty.Value{user("a", "1"), user("b", "2")}),
		"admin": user("root", "3"), "named": cty.MapVal(attrs{"x": user("c", "4")}),
	})
	if !d.schema.Body.Attributes["admin"].NestedType.Attributes["password"].WriteOnly {
		t.Error("the nested attribute is not write-only in the schema")
	}
	d.apply(config)
	if got.Users[1].Password != "2" || got.Admin.Password != "3" || got.Named["x"].Password != "4" {
		t.Errorf("Create got %+v", got)
	}
	if err := cty.Walk(d.state, func(at cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.String && !v.IsNull() && v.AsString() <= "4" {
			t.Errorf("%s is stored", diag.FormatPath(at))
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	d.noChange(config)

	up := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: d.typeName, RawStateJSON: []byte(`{"name":"v","admin":{"user":"root","password":"3"},"users":[{"user":"a","password":"1"}],"named":{"x":{"user":"c","password":"4"}}}`),
	})
	for _, user := range []cty.Value{
		up.UpgradedState.GetAttr("admin"), up.UpgradedState.GetAttr("users").Index(num(0)), up.UpgradedState.GetAttr("named").Index(str("x")),
	} {
		if !user.GetAttr("password").IsNull() || user.GetAttr("user").IsNull() {
			t.Errorf("a user upgraded from a state with passwords: %#v, want the user name and no password", user)
		}
	}
	up = d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{TypeName: d.typeName, RawStateJSON: []byte("null")})
	if len(up.Diagnostics) > 0 || !up.UpgradedState.IsNull() {
		t.Errorf("upgraded from null: %#v, diagnostics %v, want null and no diagnostics", up.UpgradedState, up.Diagnostics)
	}

	d.caps.WriteOnlyAttributesAllowed = false
	diags := d.validate(config)
	if len(diags) != 4 || diag.FormatPath(diags[0].Path) != "admin.password" {
		t.Errorf("diagnostics for a client without write-only attributes: %v, want 4, the first about admin.password", diags)
	}
}
