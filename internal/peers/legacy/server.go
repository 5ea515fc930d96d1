package legacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// Provider returns the provider of a cloud.
func Provider(cloud *Cloud) *schema.Provider {
	return &schema.Provider{
		Schema: map[string]*schema.Schema{
			"zone": {
				Description: "Where servers are whose zone is left out.",
				Type:        schema.TypeString,
				Optional:    true,
				DefaultFunc: schema.EnvDefaultFunc("LEGACY_ZONE", ""),
			},
		},
		ConfigureContextFunc: func(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
			zone, _ := d.Get("zone").(string)
			return &account{cloud: cloud, zone: zone}, nil
		},
		ResourcesMap:   map[string]*schema.Resource{"legacy_server": server()},
		DataSourcesMap: map[string]*schema.Resource{"legacy_server": serverData()},
	}
}

// account is a configured provider.
type account struct {
	cloud *Cloud
	zone  string
}

func accountOf(meta any) *account {
	a, ok := meta.(*account)
	if !ok {
		panic(fmt.Sprintf("the provider was configured with %T", meta))
	}
	return a
}

func server() *schema.Resource {
	return &schema.Resource{
		Description:   "A server of the cloud.",
		CreateContext: createServer,
		ReadContext:   readServer,
		UpdateContext: updateServer,
		DeleteContext: deleteServer,
		CustomizeDiff: customdiff.All(
			customdiff.ForceNewIfChange("size", func(_ context.Context, before, after, _ any) bool {
				return slices.Index(sizes, fmt.Sprint(after)) < slices.Index(sizes, fmt.Sprint(before))
			}),
			customdiff.ComputedIf("fingerprint", func(_ context.Context, d *schema.ResourceDiff, _ any) bool {
				// A plan has the user data as written, and a state their digest.
				before, after := d.GetChange("user_data")
				return before != after && before != digest(after) || d.HasChange("size")
			}),
			customdiff.ValidateValue("labels", func(_ context.Context, value, _ any) error {
				labels, _ := value.([]any)
				if slices.Contains(labels, any("forbidden")) {
					return errors.New("the label forbidden is forbidden")
				}
				return nil
			}),
		),
		Importer:       &schema.ResourceImporter{StateContext: importServer},
		Timeouts:       &timeouts,
		SchemaVersion:  2,
		StateUpgraders: upgraders(),
		Schema:         serverSchema(),
	}
}

func createServer(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	a := accountOf(meta)
	s := expand(d)
	if s.Zone == "" {
		s.Zone = a.zone
	}
	id, err := a.cloud.Create(s)
	// A server whose creation failed half-way exists: with its id it is stored as
	// tainted.
	d.SetId(id)
	if err != nil {
		return diag.FromErr(err)
	}
	return readServer(ctx, d, meta)
}

func readServer(_ context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	s, err := accountOf(meta).cloud.Get(d.Id())
	if errors.Is(err, ErrNoServer) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return diag.FromErr(err)
	}
	return diag.FromErr(flatten(d, s))
}

func updateServer(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	if err := accountOf(meta).cloud.Update(d.Id(), expand(d)); err != nil {
		// The planned change was not made.
		d.Partial(true)
		return diag.FromErr(err)
	}
	return readServer(ctx, d, meta)
}

func deleteServer(_ context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	if protected, _ := d.Get("tags").(map[string]any)["protected"].(string); protected == "true" {
		return diag.Diagnostics{{
			Severity:      diag.Error,
			Summary:       "The server is protected",
			Detail:        "Remove the tag protected first.",
			AttributePath: cty.GetAttrPath("tags").IndexString("protected"),
		}}
	}
	accountOf(meta).cloud.Delete(d.Id())
	return nil
}

// importServer parses ZONE/NAME.
func importServer(_ context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
	if strings.Count(d.Id(), "/") != 1 {
		return nil, fmt.Errorf("%q is not of the form ZONE/NAME", d.Id())
	}
	if _, err := accountOf(meta).cloud.Get(d.Id()); err != nil {
		return nil, err
	}
	return []*schema.ResourceData{d}, nil
}

func serverData() *schema.Resource {
	return &schema.Resource{
		Description: "A server of the cloud that something else looks after.",
		ReadContext: func(_ context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id := fmt.Sprintf("%s/%s", d.Get("zone"), d.Get("name"))
			s, err := accountOf(meta).cloud.Get(id)
			if err != nil {
				return diag.FromErr(err)
			}
			d.SetId(id)
			return diag.FromErr(errors.Join(
				d.Set("size", s.Size), d.Set("tags", s.Tags), d.Set("disk", flattenDisks(s)), d.Set("network", flattenNetworks(s)),
			))
		},
		Schema: map[string]*schema.Schema{
			"name": {Description: "The name.", Type: schema.TypeString, Required: true},
			"zone": {Description: "Where it is.", Type: schema.TypeString, Optional: true, Default: "north"},
			"size": {Description: "How large it is.", Type: schema.TypeString, Computed: true},
			"tags": {Description: "Arbitrary values.", Type: schema.TypeMap, Elem: &schema.Schema{Type: schema.TypeString}, Computed: true},
			"disk": {
				Description: "Disks in order.",
				Type:        schema.TypeList,
				Computed:    true,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{
					"name": {Description: "The name.", Type: schema.TypeString, Computed: true},
					"gb":   {Description: "How large it is.", Type: schema.TypeInt, Computed: true},
					"id":   {Description: "What the cloud calls it.", Type: schema.TypeString, Computed: true},
				}},
			},
			"network": {
				Description: "Networks, in no order.",
				Type:        schema.TypeSet,
				Computed:    true,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{
					"name":    {Description: "The name.", Type: schema.TypeString, Computed: true},
					"public":  {Description: "Whether others reach it.", Type: schema.TypeBool, Computed: true},
					"aliases": {Description: "Other names.", Type: schema.TypeSet, Elem: &schema.Schema{Type: schema.TypeString}, Computed: true},
				}},
			},
		},
	}
}
