package null

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// Provider returns the provider.
func Provider() *schema.Provider {
	var made atomic.Int64
	return &schema.Provider{
		ResourcesMap:   map[string]*schema.Resource{"null_resource": resource(&made)},
		DataSourcesMap: map[string]*schema.Resource{"null_data_source": dataSource()},
	}
}

// firstID is the first id: long like random ones, but unique.
const firstID = 5_577_006_791_947_779_410

func resource(made *atomic.Int64) *schema.Resource {
	return &schema.Resource{
		Description: "A resource that does nothing.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			d.SetId(strconv.FormatInt(firstID+made.Add(1), 10))
			return nil
		},
		ReadContext:   func(context.Context, *schema.ResourceData, any) diag.Diagnostics { return nil },
		DeleteContext: schema.NoopContext,
		Schema: map[string]*schema.Schema{
			"triggers": {
				Description: "Arbitrary values. Changing them forces a new resource.",
				Type:        schema.TypeMap,
				Elem:        &schema.Schema{Type: schema.TypeString},
				Optional:    true,
				ForceNew:    true,
			},
		},
	}
}

func dataSource() *schema.Resource {
	return &schema.Resource{
		Description: "A data source whose outputs are its inputs.",
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			inputs := d.Get("inputs")
			if err := d.Set("outputs", inputs); err != nil {
				return diag.FromErr(err)
			}
			if _, set := d.GetOk("has_computed_default"); !set {
				if err := d.Set("has_computed_default", "default"); err != nil {
					return diag.FromErr(err)
				}
			}
			if err := d.Set("random", strconv.FormatInt(firstID, 10)); err != nil {
				return diag.FromErr(err)
			}
			d.SetId("static")
			return nil
		},
		Schema: map[string]*schema.Schema{
			"inputs": {
				Description: "Arbitrary values.",
				Type:        schema.TypeMap,
				Elem:        &schema.Schema{Type: schema.TypeString},
				Optional:    true,
			},
			"outputs": {
				Description: "The values of inputs.",
				Type:        schema.TypeMap,
				Elem:        &schema.Schema{Type: schema.TypeString},
				Computed:    true,
			},
			"random": {
				Description: "A number as text.",
				Type:        schema.TypeString,
				Computed:    true,
			},
			"has_computed_default": {
				Description: "The configured value. Defaults to `default`.",
				Type:        schema.TypeString,
				Optional:    true,
				Computed:    true,
			},
		},
	}
}
