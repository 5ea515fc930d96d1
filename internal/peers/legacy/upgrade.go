package legacy

import (
	"context"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// First returns the provider's first release: its servers had a region, a contact and
// one port.
func First(cloud *Cloud) *schema.Provider {
	p := Provider(cloud)
	p.ResourcesMap["legacy_server"] = &schema.Resource{
		Description: "A server of the cloud.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id, err := accountOf(meta).cloud.Create(Server{
				Name: get[string](d, "name"), Zone: get[string](d, "region"), Size: "small", Enabled: true,
				Ports: []int{get[int](d, "port")},
			})
			d.SetId(id)
			return diag.FromErr(err)
		},
		ReadContext:   schema.NoopContext,
		DeleteContext: deleteServer,
		Schema: map[string]*schema.Schema{
			"name":   {Description: "The name.", Type: schema.TypeString, Required: true, ForceNew: true},
			"region": {Description: "Where it is.", Type: schema.TypeString, Required: true, ForceNew: true},
			"port":   {Description: "The open port.", Type: schema.TypeInt, Required: true, ForceNew: true},
			// The cloud does not store it, so only the upgrade can preserve it.
			"contact": {Description: "Who is asked about the server.", Type: schema.TypeString, Optional: true, ForceNew: true},
			"tags": {
				Description: "Arbitrary values.", Type: schema.TypeMap, Elem: &schema.Schema{Type: schema.TypeString},
				Optional: true, ForceNew: true,
			},
		},
	}
	return p
}

// upgraders convert region to zone and contact to owner, and then one port to several.
func upgraders() []schema.StateUpgrader {
	rename := func(state map[string]any, from, to string, convert func(any) any) {
		if v, ok := state[from]; ok {
			state[to] = convert(v)
			delete(state, from)
		}
	}
	return []schema.StateUpgrader{
		{
			Version: 0,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "region": cty.String, "contact": cty.String, "port": cty.Number, "tags": cty.Map(cty.String)}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				rename(state, "region", "zone", func(v any) any { return v })
				rename(state, "contact", "owner", func(v any) any { return v })
				return state, nil
			},
		},
		{
			Version: 1,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "zone": cty.String, "owner": cty.String, "port": cty.Number, "tags": cty.Map(cty.String)}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				rename(state, "port", "ports", func(v any) any { return []any{v} })
				return state, nil
			},
		},
	}
}
