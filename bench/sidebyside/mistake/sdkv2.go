package mistake

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	sdk "github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"
)

// SDKv2 returns a server of the resource on terraform-plugin-sdk/v2, with the mistake. The error is
// [Impossible], or that of the library.
func SDKv2(ctx context.Context, kind Kind) (tfplugin.ProviderServer, error) {
	switch kind {
	case NearMiss:
		return nil, Impossible("the functions are typed fields, which the compiler checks")
	case UnknownOutput:
		return nil, Impossible("an unknown value cannot be written")
	}
	return tf5to6server.UpgradeServer(ctx, sdkProvider(kind).GRPCProvider)
}

// SDKv2UnitTest returns the result of the checks that the SDK's documentation recommends
// for unit tests.
func SDKv2UnitTest(_ context.Context, kind Kind) error { return sdkProvider(kind).InternalValidate() }

func sdkProvider(kind Kind) *sdk.Provider {
	return &sdk.Provider{ResourcesMap: map[string]*sdk.Resource{providerName + "_thing": sdkThing(kind)}}
}

func sdkThing(kind Kind) *sdk.Resource {
	label := &sdk.Schema{Type: sdk.TypeString, Optional: true}
	switch kind {
	case UnknownName:
		label.ConflictsWith = []string{"lable"}
	case BadDefault:
		label.Default = otherText
		label.ValidateFunc = validation.StringInSlice([]string{"a", "b"}, false)
	case InvalidPlan:
		label.Computed = true // required by SetNew
	}
	return &sdk.Resource{
		Schema: map[string]*sdk.Schema{
			"name":  {Type: sdk.TypeString, Required: true},
			"label": label,
			"size":  {Type: sdk.TypeInt, Computed: true},
		},
		Identity: &sdk.ResourceIdentity{SchemaFunc: func() map[string]*sdk.Schema {
			return map[string]*sdk.Schema{"name": {Type: sdk.TypeString, RequiredForImport: true}}
		}},
		CustomizeDiff: func(_ context.Context, d *sdk.ResourceDiff, _ any) error {
			if kind == InvalidPlan {
				return d.SetNew("label", otherText)
			}
			return nil
		},
		CreateContext: func(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
			switch kind {
			case NoObject:
				return nil
			case Panics:
				panic("create")
			case OtherValue:
				return sdkSet(d, map[string]any{"size": size, "label": otherText}, "")
			}
			return sdkSet(d, map[string]any{"size": size}, "")
		},
		ReadContext: func(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
			if kind == OtherIdentity {
				return sdkSet(d, nil, otherText)
			}
			return sdkSet(d, nil, "")
		},
		UpdateContext: func(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
			if kind == BrokenPromise {
				return sdkSet(d, map[string]any{"size": otherSize}, "")
			}
			return nil
		},
		DeleteContext: func(context.Context, *sdk.ResourceData, any) diag.Diagnostics { return nil },
	}
}

// sdkSet records values, and the identity, which defaults to the name.
func sdkSet(d *sdk.ResourceData, values map[string]any, id string) diag.Diagnostics {
	name, _ := d.Get("name").(string)
	d.SetId(name)
	for key, value := range values {
		if err := d.Set(key, value); err != nil {
			return diag.FromErr(err)
		}
	}
	identity, err := d.Identity()
	if err != nil {
		return diag.FromErr(err)
	}
	if id == "" {
		id = name
	}
	return diag.FromErr(identity.Set("name", id))
}
