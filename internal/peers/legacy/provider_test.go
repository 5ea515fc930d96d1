package legacy_test

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

// Provider returns the current release of the provider for a cloud.
func Provider(cloud *Cloud) *schema.Provider {
	return &schema.Provider{
		Schema: map[string]*schema.Schema{
			"zone": {
				Description: "Default zone of servers.",
				Type:        schema.TypeString,
				Optional:    true,
				DefaultFunc: schema.EnvDefaultFunc("LEGACY_ZONE", ""),
			},
		},
		ConfigureContextFunc: func(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
			zone, _ := d.Get("zone").(string)
			return &account{cloud: cloud, zone: zone}, nil
		},
		ResourcesMap:   map[string]*schema.Resource{"legacy_server": serverResource()},
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
		panic(fmt.Sprintf("the configuration of the provider is a %T, want *account", meta))
	}
	return a
}

func serverResource() *schema.Resource {
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
				// A plan has the user data as written, and a state has its digest.
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
	// A server whose creation failed halfway exists in the cloud. Because its ID is
	// set, the server is stored as tainted.
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
		// The change is incomplete: keep the prior values in the state.
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

// importServer returns an error unless the ID has the form ZONE/NAME and the server
// exists.
func importServer(_ context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
	if strings.Count(d.Id(), "/") != 1 {
		return nil, fmt.Errorf("the ID %q does not have the form ZONE/NAME", d.Id())
	}
	if _, err := accountOf(meta).cloud.Get(d.Id()); err != nil {
		return nil, err
	}
	return []*schema.ResourceData{d}, nil
}

func serverData() *schema.Resource {
	return &schema.Resource{
		Description: "An existing server of the cloud.",
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
			"zone": {Description: "Zone of the server.", Type: schema.TypeString, Optional: true, Default: "north"},
			"size": {Description: "Size of the server.", Type: schema.TypeString, Computed: true},
			"tags": {Description: "Arbitrary values.", Type: schema.TypeMap, Elem: &schema.Schema{Type: schema.TypeString}, Computed: true},
			"disk": {
				Description: "Disks of the server, in order.",
				Type:        schema.TypeList,
				Computed:    true,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{
					"name": {Description: "The name.", Type: schema.TypeString, Computed: true},
					"gb":   {Description: "Size in GB.", Type: schema.TypeInt, Computed: true},
					"id":   {Description: "ID of the disk in the cloud.", Type: schema.TypeString, Computed: true},
				}},
			},
			"network": {
				Description: "Networks of the server.",
				Type:        schema.TypeSet,
				Computed:    true,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{
					"name":    {Description: "The name.", Type: schema.TypeString, Computed: true},
					"public":  {Description: "Whether the network is public.", Type: schema.TypeBool, Computed: true},
					"aliases": {Description: "Other names.", Type: schema.TypeSet, Elem: &schema.Schema{Type: schema.TypeString}, Computed: true},
				}},
			},
		},
	}
}

// expand returns the planned server.
func expand(d *schema.ResourceData) Server {
	s := Server{
		Name:     strings.ToLower(get[string](d, "name")), // the plan has the name as written
		Zone:     get[string](d, "zone"),
		Size:     get[string](d, "size"),
		Enabled:  get[bool](d, "enabled"),
		Weight:   get[float64](d, "weight"),
		UserData: get[string](d, "user_data"),
		Policy:   get[string](d, "policy"),
		Password: get[string](d, "password"),
		Secret:   secret(d),
		Tags:     map[string]string{},
	}
	for k, v := range get[map[string]any](d, "tags") {
		s.Tags[k], _ = v.(string)
	}
	s.Labels = all[string](get[[]any](d, "labels"))
	s.Ports = all[int](get[*schema.Set](d, "ports").List())
	for _, m := range all[map[string]any](get[[]any](d, "disk")) {
		s.Disks = append(s.Disks, Disk{ID: as[string](m["id"]), Name: as[string](m["name"]), GB: as[int](m["gb"])})
	}
	for _, m := range all[map[string]any](get[*schema.Set](d, "network").List()) {
		s.Networks = append(s.Networks, Network{
			Name: as[string](m["name"]), Public: as[bool](m["public"]), Aliases: all[string](as[*schema.Set](m["aliases"]).List()),
		})
	}
	for _, m := range all[map[string]any](get[[]any](d, "rule")) {
		s.Rules = append(s.Rules, Rule{Action: as[string](m["action"]), Port: as[int](m["port"])})
	}
	for _, m := range all[map[string]any](get[[]any](d, "boot")) {
		s.Boot = &Boot{Image: as[string](m["image"]), Delay: as[int](m["delay"])}
	}
	return s
}

// secret returns the write-only attribute from the configuration, or "" if it is null,
// unknown or cannot be read.
func secret(d *schema.ResourceData) string {
	v, diags := d.GetRawConfigAt(cty.GetAttrPath("secret"))
	if diags.HasError() || v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

// as returns v as a T, or the zero value if v has a different type.
func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

func get[T any](d *schema.ResourceData, name string) T { return as[T](d.Get(name)) }

// all returns the elements of list that have type T. It skips others, such as nil.
func all[T any](list []any) []T {
	var ts []T
	for _, v := range list {
		if t, ok := v.(T); ok {
			ts = append(ts, t)
		}
	}
	return ts
}

// flatten stores a server in the state, except for the secret and the user data, whose
// digest stays as it is.
func flatten(d *schema.ResourceData, s Server) error {
	rules := make([]any, 0, len(s.Rules))
	for _, r := range s.Rules {
		rules = append(rules, map[string]any{"action": r.Action, "port": r.Port})
	}
	var boot []any
	if s.Boot != nil {
		boot = []any{map[string]any{"image": s.Boot.Image, "delay": s.Boot.Delay}}
	}
	return errors.Join(
		d.Set("name", s.Name),
		d.Set("zone", s.Zone),
		d.Set("size", s.Size),
		d.Set("enabled", s.Enabled),
		d.Set("weight", s.Weight),
		d.Set("policy", s.Policy),
		d.Set("password", s.Password),
		d.Set("tags", s.Tags),
		d.Set("labels", s.Labels),
		d.Set("ports", s.Ports),
		d.Set("revision", s.Revision),
		d.Set("fingerprint", digest(s.Size+"\x00"+s.UserData)),
		d.Set("disk", flattenDisks(s)),
		d.Set("network", flattenNetworks(s)),
		d.Set("rule", rules),
		d.Set("boot", boot),
	)
}

func flattenDisks(s Server) []any {
	list := make([]any, 0, len(s.Disks))
	for _, disk := range s.Disks {
		list = append(list, map[string]any{"id": disk.ID, "name": disk.Name, "gb": disk.GB})
	}
	return list
}

func flattenNetworks(s Server) []any {
	list := make([]any, 0, len(s.Networks))
	for _, n := range s.Networks {
		list = append(list, map[string]any{"name": n.Name, "public": n.Public, "aliases": n.Aliases})
	}
	return list
}
